#include <algorithm>

#include "cli/cluster.h"
#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/output.h"
#include "cli/release_status.h"

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

Result<std::string> json_text(const std::vector<release::Record>& records) {
  Strings rows;
  for (const release::Record& r : records) {
    JsonObject row;
    row.add_raw("revision", std::to_string(r.version));
    if (!r.last_deployed.zero()) row.add("updated", r.last_deployed.text);
    row.add("status", r.status).add("chart", release::chart_label(r));
    row.add("app_version", release::app_version(r));
    if (r.rollback_revision != 0) {
      row.add_raw("rollback_revision", std::to_string(r.rollback_revision));
    }
    rows.push_back(row.add("description", r.description).close());
  }
  return json_array(rows);
}

std::string table_text(const std::vector<release::Record>& records, bool rollback) {
  Table table;
  std::vector<std::string> header = {"REVISION", "UPDATED", "STATUS", "CHART", "APP VERSION"};
  if (rollback) header.emplace_back("ROLLBACK");
  header.emplace_back("DESCRIPTION");
  table.add(header);
  for (const release::Record& r : records) {
    std::vector<std::string> row = {std::to_string(r.version), ansic_time(r.last_deployed),
                                    r.status, release::chart_label(r), release::app_version(r)};
    if (rollback) {
      row.push_back(r.rollback_revision > 0 ? std::to_string(r.rollback_revision) : "");
    }
    row.push_back(r.description);
    table.add(std::move(row));
  }
  return table.text() + "\n";
}

Status run(Session& s, const Options& o) {
  auto world = TRY(open_cluster(s));
  auto context = release_context(s, *world);
  const auto records = TRY(action::history(
      context, s.args[0], static_cast<int>(std::clamp<int64_t>(o.max, 0, INT32_MAX))));
  if (o.output == Format::kTable) {
    s.print(table_text(records, o.show_rollback_revision));
    return ok();
  }
  s.print(TRY(structured(o.output, TRY(json_text(records)))));
  return ok();
}

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
