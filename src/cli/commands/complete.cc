#include "cli/complete.h"

#include "cli/commands/commands.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText =
    R"(__complete is a special command that is used by the shell completion logic
to request completion choices for the specified command-line.)";

Status run(Session& s, const NoOptions&) { return run_complete(s); }

}  // namespace

constinit const Command kComplete = define<NoOptions, bind_nothing, run>(
    {.use = "__complete [command-line]",
     .brief = "Request shell completion choices for the specified command-line",
     .text = kText,
     .aliases = {"__completeNoDesc"},
     .args = {ArgsRule::Kind::kCobraAtLeast, 1},
     .hidden = true,
     .no_flags_in_use = true,
     .raw_args = true});

}  // namespace pintle::cli
