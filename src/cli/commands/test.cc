#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/world.h"

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

Status run(Session& s, const Options&) { return needs_world(s); }

}  // namespace

constinit const Command kTest = define<Options, bind, run>({.use = "test [RELEASE]",
                                                            .brief = "run tests for a release",
                                                            .text = kText,
                                                            .args = ArgsRule::exactly(1),
                                                            .needs = Needs::kCluster,
                                                            .complete = one_release});

}  // namespace pintle::cli
