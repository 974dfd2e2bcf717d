#include "cli/tree.h"

#include <algorithm>

#include "base/gotext.h"

namespace pintle::cli {
namespace {

std::string_view parent_path(std::string_view path) {
  const size_t space = path.rfind(' ');
  return space == std::string_view::npos ? std::string_view() : path.substr(0, space);
}

bool is_child(std::string_view parent, std::string_view path) {
  if (path.empty()) return false;
  return parent_path(path) == parent;
}

bool takes_no_value(Flags& flags, std::string_view name) {
  const Flag* flag = flags.find(name);
  return flag && !flag->bare.empty();
}

bool short_takes_no_value(Flags& flags, char c) {
  const Flag* flag = flags.find_shorthand(c);
  return flag && !flag->bare.empty();
}

// `--flag value` or `-f value`: the next word is the flag's.
bool eats_next(std::string_view arg, Flags& flags) {
  if (arg.find('=') != std::string_view::npos) return false;
  if (arg.starts_with("--")) return !takes_no_value(flags, arg.substr(2));
  return arg.size() == 2 && arg[0] == '-' && !short_takes_no_value(flags, arg[1]);
}

// The words of args that are neither flags nor flag values.
Strings plain_words(std::span<const std::string> args, Flags& flags) {
  Strings words;
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string& arg = args[i];
    if (arg == "--") break;
    if (eats_next(arg, flags)) {
      if (args.size() - i <= 2) break;
      ++i;
    } else if (!arg.empty() && arg[0] != '-') {
      words.push_back(arg);
    }
  }
  return words;
}

// args without the first plain word equal to `word`.
Strings without(std::span<const std::string> args, std::string_view word, Flags& flags) {
  Strings out(args.begin(), args.end());
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i] == "--") break;
    if (eats_next(out[i], flags)) {
      ++i;
    } else if (!out[i].starts_with('-') && out[i] == word) {
      out.erase(out.begin() + static_cast<std::ptrdiff_t>(i));
      break;
    }
  }
  return out;
}

bool named(const Command& command, std::string_view word) {
  return command.name() == word ||
         (!word.empty() && std::ranges::find(command.aliases, word) != command.aliases.end());
}

}  // namespace

const Node& CommandTree::root() const { return builtin_commands().front(); }

const Node* CommandTree::find(std::string_view path) const {
  const auto rows = builtin_commands();
  const auto it = std::ranges::lower_bound(rows, path, {}, &Node::path);
  if (it != rows.end() && it->path == path && shown(*it)) return &*it;
  for (const Added& added : added_) {
    if (added.path == path) return &added.node;
  }
  return nullptr;
}

const Node* CommandTree::parent(const Node& node) const {
  return node.path.empty() ? nullptr : find(parent_path(node.path));
}

std::vector<const Node*> CommandTree::children(const Node& node) const {
  std::vector<const Node*> out;
  for (const Node& row : builtin_commands()) {
    if (is_child(node.path, row.path) && shown(row)) out.push_back(&row);
  }
  for (const Added& added : added_) {
    if (is_child(node.path, added.path)) out.push_back(&added.node);
  }
  std::ranges::stable_sort(out, {}, [](const Node* n) { return n->command->name(); });
  return out;
}

bool CommandTree::has_children(const Node& node) const { return !children(node).empty(); }

std::string_view CommandTree::brief(const Node& node) const {
  const Command& c = *node.command;
  return helm3_ && !c.brief_helm3.empty() ? c.brief_helm3 : c.brief;
}

const Node* CommandTree::child(const Node& node, std::string_view name_or_alias) const {
  for (const Node& row : builtin_commands()) {
    if (is_child(node.path, row.path) && named(*row.command, name_or_alias) && shown(row)) {
      return &row;
    }
  }
  for (const Added& added : added_) {
    if (is_child(node.path, added.path) && named(added.command, name_or_alias)) {
      return &added.node;
    }
  }
  return nullptr;
}

void CommandTree::add(std::string path, const Command& command) {
  const int order = 1000 + static_cast<int>(added_.size());
  Added& added = added_.emplace_back(Added{std::move(path), command, {}});
  added.node = {added.path, &added.command, order};
}

Result<CommandTree::Found> CommandTree::resolve(std::span<const std::string> args,
                                                Flags& flags) const {
  Found found{&root(), Strings(args.begin(), args.end()), std::string(kProgramName)};
  for (;;) {
    const Strings words = plain_words(found.args, flags);
    if (words.empty()) break;
    const Node* next = child(*found.node, words[0]);
    if (!next) break;
    found.args = without(found.args, words[0], flags);
    found.called_as = words[0];
    found.node = next;
  }
  if (found.node->path.empty()) {
    const Strings words = plain_words(found.args, flags);
    if (!words.empty()) {
      std::string text = "unknown command " + quote(words[0]) + " for " + quote(kProgramName);
      const auto close = suggestions(*this, words[0]);
      if (!close.empty()) text += "\n\nDid you mean this?\n";
      for (std::string_view name : close) text += "\t" + std::string(name) + "\n";
      return Error(Code::kNotFound, std::move(text));
    }
  }
  return found;
}

std::string command_path(const Node& node) {
  std::string out(kProgramName);
  if (!node.path.empty()) out += " " + std::string(node.path);
  return out;
}

std::string use_line(const Node& node) {
  std::string out(kProgramName);
  if (!node.path.empty()) {
    const std::string_view parent = parent_path(node.path);
    if (!parent.empty()) out += " " + std::string(parent);
    out += " ";
    out += node.command->use;
  }
  // The global flags are always there, so there is always something to announce.
  if (!node.command->no_flags_in_use && out.find("[flags]") == std::string::npos) {
    out += " [flags]";
  }
  return out;
}

bool available(const CommandTree& tree, const Node& node) {
  if (node.command->hidden || node.path == "help") return false;
  if (node.command->run) return true;
  for (const Node* child : tree.children(node)) {
    if (available(tree, *child)) return true;
  }
  return false;
}

}  // namespace pintle::cli
