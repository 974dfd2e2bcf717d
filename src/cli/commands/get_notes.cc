#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/flag_groups.h"
#include "cli/world.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
This command shows notes provided by the chart of a named release.)";

struct Options {
  int64_t revision = 0;
};

void bind(Flags& f, Options& o) {
  bind_revision(f, o.revision, "get the named release with revision");
}

Status run(Session& s, const Options&) { return needs_world(s); }

}  // namespace

constinit const Command kGetNotes =
    define<Options, bind, run>({.use = "notes RELEASE_NAME",
                                .brief = "download the notes for a named release",
                                .text = kText,
                                .args = ArgsRule::exactly(1),
                                .needs = Needs::kCluster,
                                .complete = one_release});

}  // namespace pintle::cli
