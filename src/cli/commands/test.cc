#include "cli/cluster.h"
#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/release_status.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
The test command runs the tests for a release.

The argument this command takes is the name of a deployed release.
The tests to be run are defined in the chart that was installed.)";

struct Options {
  Strings filter;
  bool logs = false;
  Duration timeout{300'000'000'000};
  bool hide_notes = false;  // Helm 3
};

void bind(Flags& f, Options& o, const Session& s) {
  f.list("filter", o.filter,
         "specify tests by attribute (currently \"name\") using attribute=value syntax or "
         "'!attribute=value' to exclude a test (can specify multiple or separate values with "
         "commas: name=test1,name=test2)");
  f.boolean("logs", o.logs,
            "dump the logs from test pods (this runs after all tests are complete, but before "
            "any cleanup)");
  f.duration("timeout", o.timeout,
             "time to wait for any individual Kubernetes operation (like Jobs for hooks)");
  if (s.helm3()) {
    f.boolean("hide-notes", o.hide_notes,
              "if set, do not show notes in test output. Does not affect presence in chart "
              "metadata");
  }
}

// "name=x" chooses tests, "!name=x" leaves them out; anything else says nothing.
action::TestOptions chosen(const Options& o) {
  action::TestOptions out;
  for (const std::string& filter : o.filter) {
    if (filter.starts_with("name=")) {
      out.include.push_back(filter.substr(5));
    } else if (filter.starts_with("!name=")) {
      out.exclude.push_back(filter.substr(6));
    } else if (filter.starts_with("! name=")) {
      out.exclude.push_back(filter.substr(7));
    }
  }
  out.timeout_ms = milliseconds(o.timeout);
  return out;
}

Status show(Session& s, const Options& o, action::Context& context,
            const action::TestOptions& options, const action::TestReport& report) {
  s.print(TRY(status_page(s, report.record,
                          {.debug = s.settings.debug,
                           .description = !s.helm3(),
                           .hide_notes = !s.helm3() || o.hide_notes})));
  if (!o.logs) return report.run.status;
  std::string logs;
  const Status read = action::test_logs(context, report.record,
                                        current_namespace(s.env, s.settings), options, logs);
  s.print("\n" + logs);
  if (read) return report.run.status;
  if (report.run.status || s.helm3()) return read;
  return Error::with_cause(report.run.status.error().text() + "\n" + read.error().text(),
                           report.run.status.error());
}

Status run(Session& s, const Options& o) {
  const action::TestOptions options = chosen(o);
  auto world = TRY(open_cluster(s));
  auto context = release_context(s, *world);
  action::TestReport report = TRY(action::test(context, s.args[0], options));
  // Helm 3 cleans up before it reads the logs of what is gone then.
  Status cleaned = ok();
  if (s.helm3()) cleaned = report.run.clean_up();
  const Status shown = show(s, o, context, options, report);
  if (!s.helm3()) cleaned = report.run.clean_up();
  return shown ? cleaned : shown;
}

}  // namespace

constinit const Command kTest = define<Options, bind, run>({.use = "test [RELEASE]",
                                                            .brief = "run tests for a release",
                                                            .text = kText,
                                                            .args = ArgsRule::exactly(1),
                                                            .needs = Needs::kCluster,
                                                            .complete = one_release});

}  // namespace pintle::cli
