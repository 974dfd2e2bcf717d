#include "cli/cluster.h"
#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/flag_groups.h"

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

Status run(Session& s, const Options& o) {
  auto world = TRY(open_cluster(s));
  auto context = release_context(s, *world);
  const auto record =
      TRY(action::content(context, s.args[0], static_cast<int>(o.revision)));
  if (!record.notes.empty()) s.print("NOTES:\n" + record.notes + "\n");
  return ok();
}

}  // namespace

constinit const Command kGetNotes =
    define<Options, bind, run>({.use = "notes RELEASE_NAME",
                                .brief = "download the notes for a named release",
                                .text = kText,
                                .args = ArgsRule::exactly(1),
                                .needs = Needs::kCluster,
                                .complete = one_release});

}  // namespace pintle::cli
