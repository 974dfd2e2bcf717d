#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/completion_scripts.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
Generate the autocompletion script for Helm for the fish shell.

To load completions in your current shell session:

    helm completion fish | source

To load completions for every new session, execute once:

    helm completion fish > ~/.config/fish/completions/helm.fish

You will need to start a new shell for this setup to take effect.)";

struct Options {
  bool no_descriptions = false;
};

void bind(Flags& f, Options& o) {
  f.boolean("no-descriptions", o.no_descriptions, "disable completion descriptions");
}

Status run(Session& s, const Options& o) {
  s.print(completion_script(Shell::kFish, !o.no_descriptions, s.env.program));
  return ok();
}

}  // namespace

constinit const Command kCompletionFish =
    define<Options, bind, run>({.use = "fish",
                                .brief = "generate autocompletion script for fish",
                                .text = kText,
                                .args = ArgsRule::none(),
                                .complete = nothing_more});

}  // namespace pintle::cli
