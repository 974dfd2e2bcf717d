#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/world.h"

namespace pintle::cli {
namespace {

Status run(Session& s, const NoOptions&) { return needs_world(s); }

Candidates repositories(Session& s, const void*, Args args, std::string_view) {
  return complete_repositories(s, args);
}

}  // namespace

constinit const Command kRepoRemove =
    define<NoOptions, bind_nothing, run>({.use = "remove [REPO1 [REPO2 ...]]",
                                          .brief = "remove one or more chart repositories",
                                          .aliases = {"rm"},
                                          .args = ArgsRule::at_least(1),
                                          .needs = Needs::kFiles,
                                          .complete = repositories});

}  // namespace pintle::cli
