#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/world.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
Remove credentials stored for a remote registry.)";

Status run(Session& s, const NoOptions&) { return needs_world(s); }

}  // namespace

constinit const Command kRegistryLogout =
    define<NoOptions, bind_nothing, run>({.use = "logout [host]",
                                          .brief = "logout from a registry",
                                          .text = kText,
                                          .args = ArgsRule::at_least(1),
                                          .needs = Needs::kNetwork,
                                          .complete = no_files});

}  // namespace pintle::cli
