#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/world.h"

namespace pintle::cli {
namespace {

Status run(Session& s, const NoOptions&) {
  if (s.args.empty()) return Error("please provide plugin name to update");
  return needs_world(s);
}

Candidates plugins(Session& s, const void*, Args args, std::string_view) {
  return complete_plugins(s, args);
}

}  // namespace

constinit const Command kPluginUpdate =
    define<NoOptions, bind_nothing, run>({.use = "update <plugin>...",
                                          .brief = "update one or more Helm plugins",
                                          .aliases = {"up"},
                                          .needs = Needs::kNetwork,
                                          .complete = plugins});

}  // namespace pintle::cli
