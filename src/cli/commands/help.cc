#include "base/strings.h"
#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/run.h"
#include "cli/tree.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(Help provides help for any command in the application.
Simply type helm help [path to command] for full details.)";

// %#q of the words: back-quoted.
std::string back_quoted(const Strings& words) {
  Strings quoted;
  for (const std::string& word : words) quoted.push_back("`" + word + "`");
  return "[" + join(quoted, " ") + "]";
}

Status print_help(Session& s, const NoOptions&) {
  const auto found = s.tree.resolve(s.args, s.flags);
  if (!found) {
    s.env.err.write("Unknown help topic " + back_quoted(s.args) + "\n" +
                    usage_of(s, s.tree.root()));
    return ok();
  }
  s.print(help_of(s, *found->node));
  return ok();
}

Candidates complete(Session& s, const void*, Args args, std::string_view word) {
  Candidates out{{}, kNoFiles};
  const Strings words(args.begin(), args.end());
  const auto found = s.tree.resolve(words, s.flags);
  if (!found) return out;
  for (const Node* child : s.tree.children(*found->node)) {
    const std::string_view name = child->command->name();
    if ((available(s.tree, *child) || child->path == "help") && name.starts_with(word)) {
      out.items.push_back(cat(name, "\t", s.tree.brief(*child)));
    }
  }
  return out;
}

}  // namespace

constinit const Command kHelp =
    define<NoOptions, bind_nothing, print_help>({.use = "help [command]",
                                                 .brief = "Help about any command",
                                                 .text = kText,
                                                 .complete = complete});

}  // namespace pintle::cli
