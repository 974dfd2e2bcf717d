#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/world.h"

namespace pintle::cli {
namespace {

Status run(Session& s, const NoOptions&) {
  if (s.args.empty()) return Error("please provide plugin name to uninstall");
  return needs_world(s);
}

Candidates plugins(Session& s, const void*, Args args, std::string_view) {
  return complete_plugins(s, args);
}

}  // namespace

constinit const Command kPluginUninstall =
    define<NoOptions, bind_nothing, run>({.use = "uninstall <plugin>...",
                                          .brief = "uninstall one or more Helm plugins",
                                          .aliases = {"rm", "remove"},
                                          .needs = Needs::kFiles,
                                          .complete = plugins});

}  // namespace pintle::cli
