#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/flag_groups.h"
#include "cli/show.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
This command inspects a chart (directory, file, or URL) and displays all its content
(values.yaml, Chart.yaml, README))";

struct Options {
  ChartPathFlags chart;
  bool devel = false;
};

void bind(Flags& f, Options& o, const Session& s) {
  bind_chart_path(f, o.chart, s.env);
  f.boolean("devel", o.devel,
            "use development versions, too. Equivalent to version '>0.0.0-0'. If --version is "
            "set, this is ignored");
}

Status run(Session& s, const Options& o) {
  return run_show(s, o.chart, o.devel, {.part = action::ShowPart::kAll, .jsonpath = {}});
}

}  // namespace

constinit const Command kShowAll =
    define<Options, bind, run>({.use = "all [CHART]",
                                .brief = "show all information of the chart",
                                .text = kText,
                                .args = ArgsRule::exactly(1),
                                .needs = Needs::kFiles,
                                .complete = one_chart});

}  // namespace pintle::cli
