#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/flag_groups.h"
#include "cli/output.h"
#include "cli/world.h"

namespace pintle::cli {
namespace {

struct Options {
  Format output = Format::kTable;
  int64_t revision = 0;
};

void bind(Flags& f, Options& o) {
  bind_output(f, o.output);
  bind_revision(f, o.revision, "specify release revision");
}

Status run(Session& s, const Options&) { return needs_world(s); }

}  // namespace

constinit const Command kGetMetadata =
    define<Options, bind, run>({.use = "metadata RELEASE_NAME",
                                .brief = "This command fetches metadata for a given release",
                                .args = ArgsRule::exactly(1),
                                .needs = Needs::kCluster,
                                .complete = one_release});

}  // namespace pintle::cli
