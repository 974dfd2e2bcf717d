#include "cli/cluster.h"
#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/flag_groups.h"
#include "cli/output.h"
#include "cli/release_status.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
This command shows the status of a named release.
The status consists of:
- last deployment time
- k8s namespace in which the release lives
- state of the release (can be: unknown, deployed, uninstalled, superseded, failed, uninstalling, pending-install, pending-upgrade or pending-rollback)
- revision of the release
- description of the release (can be completion message or error message)
- list of resources that this release consists of
- details on last test suite run, if applicable
- additional notes provided by the chart)";

// Helm 3.22
constexpr std::string_view kTextHelm3 = R"(
This command shows the status of a named release.
The status consists of:
- last deployment time
- k8s namespace in which the release lives
- state of the release (can be: unknown, deployed, uninstalled, superseded, failed, uninstalling, pending-install, pending-upgrade or pending-rollback)
- revision of the release
- description of the release (can be completion message or error message, need to enable --show-desc)
- list of resources that this release consists of (need to enable --show-resources)
- details on last test suite run, if applicable
- additional notes provided by the chart)";

struct Options {
  Format output = Format::kTable;
  int64_t revision = 0;
  bool show_desc = false;       // Helm 3
  bool show_resources = false;  // Helm 3
};

void bind(Flags& f, Options& o, const Session& s) {
  bind_output(f, o.output);
  bind_revision(f, o.revision, "if set, display the status of the named release with revision");
  if (s.helm3()) {
    f.boolean("show-desc", o.show_desc,
              "if set, display the description message of the named release");
    f.boolean("show-resources", o.show_resources,
              "if set, display the resources of the named release");
  }
}

Status run(Session& s, const Options& o) {
  auto world = TRY(open_cluster(s));
  auto context = release_context(s, *world);
  const int revision = static_cast<int>(o.revision);
  release::Record record =
      s.helm3() && !o.show_resources
          ? TRY(action::content(context, s.args[0], revision))
          : TRY(action::status(context, s.args[0], revision, o.output == Format::kTable));
  record.chart = value::Value::nil();
  s.print(TRY(release_text(s, record, o.output,
                           {.description = !s.helm3() || o.show_desc})));
  return ok();
}

}  // namespace

constinit const Command kStatus =
    define<Options, bind, run>({.use = "status RELEASE_NAME",
                                .brief = "display the status of the named release",
                                .text = kText,
                                .text_helm3 = kTextHelm3,
                                .args = ArgsRule::exactly(1),
                                .needs = Needs::kCluster,
                                .complete = one_release});

}  // namespace pintle::cli
