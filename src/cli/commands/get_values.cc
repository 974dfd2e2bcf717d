#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/flag_groups.h"
#include "cli/output.h"
#include "cli/world.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
This command downloads a values file for a given release.)";

struct Options {
  bool all = false;
  Format output = Format::kTable;
  int64_t revision = 0;
};

void bind(Flags& f, Options& o) {
  f.boolean("all", o.all, "dump all (computed) values", 'a');
  bind_output(f, o.output);
  bind_revision(f, o.revision, "get the named release with revision");
}

Status run(Session& s, const Options&) { return needs_world(s); }

}  // namespace

constinit const Command kGetValues =
    define<Options, bind, run>({.use = "values RELEASE_NAME",
                                .brief = "download the values file for a named release",
                                .text = kText,
                                .args = ArgsRule::exactly(1),
                                .needs = Needs::kCluster,
                                .complete = one_release});

}  // namespace pintle::cli
