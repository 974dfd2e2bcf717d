#include "action/dependency.h"
#include "cli/commands/commands.h"
#include "cli/output.h"
#include "cli/session.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
List all of the dependencies declared in a chart.

This can take chart archives and chart directories as input. It will not alter
the contents of a chart.

This will produce an error if the chart cannot be loaded.)";

struct Options {
  uint64_t max_col_width = 80;
};

void bind(Flags& f, Options& o) {
  f.count("max-col-width", o.max_col_width, "maximum column width for output table");
}

Status run(Session& s, const Options& o) {
  action::Context context = action_context(s);
  const auto list = TRY(action::dependency_list(context, chart_directory(s.args)));
  if (list.declared) {
    Table table(o.max_col_width);
    table.add({"NAME", "VERSION", "REPOSITORY", "STATUS"});
    for (const auto& row : list.rows) {
      table.add({row.name, row.version, row.repository, row.status});
    }
    s.print(table.text() + "\n\n");
  }
  for (const std::string& line : list.warnings) s.print(line + "\n");
  return ok();
}

}  // namespace

constinit const Command kDependencyList =
    define<Options, bind, run>({.use = "list CHART",
                                .brief = "list the dependencies for the given chart",
                                .text = kText,
                                .aliases = {"ls"},
                                .args = ArgsRule::at_most(1),
                                .needs = Needs::kFiles});

}  // namespace pintle::cli
