#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/completion_scripts.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
Generate the autocompletion script for powershell.

To load completions in your current shell session:
PS C:\> helm completion powershell | Out-String | Invoke-Expression

To load completions for every new session, add the output of the above command
to your powershell profile.)";

struct Options {
  bool no_descriptions = false;
};

void bind(Flags& f, Options& o) {
  f.boolean("no-descriptions", o.no_descriptions, "disable completion descriptions");
}

Status run(Session& s, const Options& o) {
  s.print(completion_script(Shell::kPowershell, !o.no_descriptions, s.env.program));
  return ok();
}

}  // namespace

constinit const Command kCompletionPowershell =
    define<Options, bind, run>({.use = "powershell",
                                .brief = "generate autocompletion script for powershell",
                                .text = kText,
                                .args = ArgsRule::none(),
                                .complete = nothing_more});

}  // namespace pintle::cli
