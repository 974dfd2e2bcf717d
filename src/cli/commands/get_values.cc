#include "chart/values.h"
#include "cli/cluster.h"
#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/flag_groups.h"
#include "cli/output.h"
#include "json/json.h"
#include "yaml/yaml.h"

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

Status run(Session& s, const Options& o) {
  auto world = TRY(open_cluster(s));
  auto context = release_context(s, *world);
  const auto record =
      TRY(action::content(context, s.args[0], static_cast<int>(o.revision)));
  value::Value values = record.config;
  if (o.all) {
    const chart::Chart chart = release::loaded_chart(record.chart);
    values = TRY(chart::coalesce_values(chart, record.config,
                                        {.log = s.log, .helm3 = s.helm3()}));
  }
  if (o.output == Format::kJson) {
    s.print(TRY(json::write(values)) + "\n");
    return ok();
  }
  if (o.output == Format::kTable) {
    s.print(o.all ? "COMPUTED VALUES:\n" : "USER-SUPPLIED VALUES:\n");
  }
  s.print(TRY(yaml::write(values)));
  return ok();
}

}  // namespace

constinit const Command kGetValues =
    define<Options, bind, run>({.use = "values RELEASE_NAME",
                                .brief = "download the values file for a named release",
                                .text = kText,
                                .args = ArgsRule::exactly(1),
                                .needs = Needs::kCluster,
                                .complete = one_release});

}  // namespace pintle::cli
