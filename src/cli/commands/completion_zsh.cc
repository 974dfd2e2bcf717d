#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/completion_scripts.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
Generate the autocompletion script for Helm for the zsh shell.

To load completions in your current shell session:

    source <(helm completion zsh)

To load completions for every new session, execute once:

    helm completion zsh > "${fpath[1]}/_helm")";

struct Options {
  bool no_descriptions = false;
};

void bind(Flags& f, Options& o) {
  f.boolean("no-descriptions", o.no_descriptions, "disable completion descriptions");
}

Status run(Session& s, const Options& o) {
  s.print(completion_script(Shell::kZsh, !o.no_descriptions, s.env.program));
  return ok();
}

}  // namespace

constinit const Command kCompletionZsh =
    define<Options, bind, run>({.use = "zsh",
                                .brief = "generate autocompletion script for zsh",
                                .text = kText,
                                .args = ArgsRule::none(),
                                .complete = nothing_more});

}  // namespace pintle::cli
