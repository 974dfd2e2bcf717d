// "Did you mean this?": cobra's rule, names within two edits (ignoring case), names the typed word
// starts, and names that ask to be suggested for it.
#include <algorithm>

#include "base/gotext.h"
#include "cli/tree.h"

namespace pintle::cli {
namespace {

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = a[i - 1] == b[j - 1] ? diagonal : 1 + std::min({above, row[j - 1], diagonal});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::vector<std::string_view> suggestions(const CommandTree& tree, std::string_view typed) {
  const std::string word = to_lower(typed);
  auto commands = tree.children(tree.root());
  std::ranges::stable_sort(commands, {}, &Node::order);
  std::vector<std::string_view> out;
  for (const Node* node : commands) {
    if (!available(tree, *node)) continue;
    const std::string_view name = node->command->name();
    if (name.starts_with(word) || edit_distance(word, name) <= 2) out.push_back(name);
    for (std::string_view other : node->command->suggest_for) {
      if (!other.empty() && other == word) out.push_back(name);
    }
  }
  return out;
}

}  // namespace pintle::cli
