#include "action/create.h"

#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/session.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
This command creates a chart directory along with the common files and
directories used in a chart.

For example, 'helm create foo' will create a directory structure that looks
something like this:

    foo/
    ├── .helmignore   # Contains patterns to ignore when packaging Helm charts.
    ├── Chart.yaml    # Information about your chart
    ├── values.yaml   # The default values for your templates
    ├── charts/       # Charts that this chart depends on
    └── templates/    # The template files
        └── tests/    # The test files

'helm create' takes a path for an argument. If directories in the given path
do not exist, Helm will attempt to create them as it goes. If the given
destination exists and there are files in that directory, conflicting files
will be overwritten, but other files will be left alone.)";

constexpr const char* kChartV3 = "HELM_EXPERIMENTAL_CHART_V3";

struct Options {
  std::string starter;
  std::string chart_api_version = "v2";
};

void bind(Flags& f, Options& o, const Session& s) {
  f.string("starter", o.starter, "the name or absolute path to Helm starter scaffold", 'p');
  if (!s.helm3()) {
    Flag& api =
        f.string("chart-api-version", o.chart_api_version, "chart API version to use (v2 or v3)");
    if (s.env.get(kChartV3).empty()) api.hide();
  }
}

Status run(Session& s, const Options& o) {
  action::Context context = action_context(s);
  const action::CreateOptions options{.starter = o.starter,
                                      .starter_dir = data_path(s.env, "starters"),
                                      .api_version = o.chart_api_version,
                                      .chart_v3 = !s.env.get(kChartV3).empty()};
  return action::create(context, s.args[0], options);
}

}  // namespace

constinit const Command kCreate =
    define<Options, bind, run>({.use = "create NAME",
                                .brief = "create a new chart with the given name",
                                .text = kText,
                                .args = ArgsRule::exactly(1),
                                .needs = Needs::kFiles,
                                .complete = one_file});

}  // namespace pintle::cli
