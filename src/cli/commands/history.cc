#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/output.h"
#include "cli/world.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
History prints historical revisions for a given release.

A default maximum of 256 revisions will be returned. Setting '--max'
configures the maximum length of the revision list returned.

The historical release set is printed as a formatted table, e.g:

    $ helm history angry-bird
    REVISION    UPDATED                     STATUS          CHART             APP VERSION     DESCRIPTION
    1           Mon Oct 3 10:15:13 2016     superseded      alpine-0.1.0      1.0             Initial install
    2           Mon Oct 3 10:15:13 2016     superseded      alpine-0.1.0      1.0             Upgraded successfully
    3           Mon Oct 3 10:15:13 2016     superseded      alpine-0.1.0      1.0             Rolled back to 2
    4           Mon Oct 3 10:15:13 2016     deployed        alpine-0.1.0      1.0             Upgraded successfully

Use '--show-rollback-revision' to include a column showing the revision that was rolled back to:

    $ helm history angry-bird --show-rollback-revision
    REVISION    UPDATED                     STATUS          CHART             APP VERSION     ROLLBACK     DESCRIPTION
    1           Mon Oct 3 10:15:13 2016     superseded      alpine-0.1.0      1.0                          Initial install
    2           Mon Oct 3 10:15:13 2016     superseded      alpine-0.1.0      1.0                          Upgraded successfully
    3           Mon Oct 3 10:15:13 2016     superseded      alpine-0.1.0      1.0             2            Rolled back to 2
    4           Mon Oct 3 10:15:13 2016     deployed        alpine-0.1.0      1.0                          Upgraded successfully)";

// Helm 3.22
constexpr std::string_view kTextHelm3 = R"(
History prints historical revisions for a given release.

A default maximum of 256 revisions will be returned. Setting '--max'
configures the maximum length of the revision list returned.

The historical release set is printed as a formatted table, e.g:

    $ helm history angry-bird
    REVISION    UPDATED                     STATUS          CHART             APP VERSION     DESCRIPTION
    1           Mon Oct 3 10:15:13 2016     superseded      alpine-0.1.0      1.0             Initial install
    2           Mon Oct 3 10:15:13 2016     superseded      alpine-0.1.0      1.0             Upgraded successfully
    3           Mon Oct 3 10:15:13 2016     superseded      alpine-0.1.0      1.0             Rolled back to 2
    4           Mon Oct 3 10:15:13 2016     deployed        alpine-0.1.0      1.0             Upgraded successfully)";

struct Options {
  int64_t max = 256;
  Format output = Format::kTable;
  bool show_rollback_revision = false;
};

void bind(Flags& f, Options& o, const Session& s) {
  f.integer("max", o.max, "maximum number of revision to include in history");
  bind_output(f, o.output);
  if (!s.helm3()) {
    f.boolean("show-rollback-revision", o.show_rollback_revision,
              "show the rollback revision column in table output");
  }
}

Status run(Session& s, const Options&) { return needs_world(s); }

}  // namespace

constinit const Command kHistory = define<Options, bind, run>({.use = "history RELEASE_NAME",
                                                               .brief = "fetch release history",
                                                               .text = kText,
                                                               .text_helm3 = kTextHelm3,
                                                               .aliases = {"hist"},
                                                               .args = ArgsRule::exactly(1),
                                                               .needs = Needs::kCluster,
                                                               .complete = one_release});

}  // namespace pintle::cli
