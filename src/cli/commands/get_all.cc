#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/flag_groups.h"
#include "cli/world.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
This command prints a human readable collection of information about the
notes, hooks, supplied values, and generated manifest file of the given release.)";

struct Options {
  int64_t revision = 0;
  std::string format;
};

void bind(Flags& f, Options& o) {
  bind_revision(f, o.revision, "get the named release with revision");
  f.string("template", o.format, "go template for formatting the output, eg: {{.Release.Name}}");
}

Status run(Session& s, const Options&) { return needs_world(s); }

}  // namespace

constinit const Command kGetAll =
    define<Options, bind, run>({.use = "all RELEASE_NAME",
                                .brief = "download all information for a named release",
                                .text = kText,
                                .args = ArgsRule::exactly(1),
                                .needs = Needs::kCluster,
                                .complete = one_release});

}  // namespace pintle::cli
