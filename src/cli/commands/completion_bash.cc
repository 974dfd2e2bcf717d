#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/completion_scripts.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
Generate the autocompletion script for Helm for the bash shell.

To load completions in your current shell session:

    source <(helm completion bash)

To load completions for every new session, execute once:
- Linux:

      helm completion bash > /etc/bash_completion.d/helm

- MacOS:

      helm completion bash > /usr/local/etc/bash_completion.d/helm)";

struct Options {
  bool no_descriptions = false;
};

void bind(Flags& f, Options& o) {
  f.boolean("no-descriptions", o.no_descriptions, "disable completion descriptions");
}

Status run(Session& s, const Options& o) {
  s.print(completion_script(Shell::kBash, !o.no_descriptions, s.env.program));
  return ok();
}

}  // namespace

constinit const Command kCompletionBash =
    define<Options, bind, run>({.use = "bash",
                                .brief = "generate autocompletion script for bash",
                                .text = kText,
                                .args = ArgsRule::none(),
                                .complete = nothing_more});

}  // namespace pintle::cli
