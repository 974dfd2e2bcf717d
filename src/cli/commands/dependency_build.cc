#include "action/dependency.h"
#include "cli/commands/commands.h"
#include "cli/flag_groups.h"
#include "cli/progress.h"
#include "cli/session.h"
#include "cli/tls_files.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
Build out the charts/ directory from the Chart.lock file.

Build is used to reconstruct a chart's dependencies to the state specified in
the lock file. This will not re-negotiate dependencies, as 'helm dependency update'
does.

If no lock file is found, 'helm dependency build' will mirror the behavior
of 'helm dependency update'.)";

struct Options {
  ConnectionFlags connection;
  std::string keyring;
  bool skip_refresh = false;
  bool verify = false;
};

void bind(Flags& f, Options& o, const Session& s) {
  bind_connection(f, o.connection);
  o.keyring = default_keyring(s.env);
  f.string("keyring", o.keyring, "keyring containing public keys");
  f.boolean("skip-refresh", o.skip_refresh, "do not refresh the local repository cache");
  f.boolean("verify", o.verify, "verify the packages against signatures");
}

Status run(Session& s, const Options& o) {
  TRY(check_tls_files(s, tls_files(o.connection)));
  action::Context context = action_context(s);
  const auto epoch = TRY(source_date_epoch(s));
  const std::string chart = chart_directory(s.args);
  const Progress progress(s, "building dependencies of " + chart);
  return action::dependency_build(context, chart,
                                  {.verify = o.verify,
                                   .keyring = o.keyring,
                                   .skip_refresh = o.skip_refresh,
                                   .source_date_epoch = epoch});
}

}  // namespace

constinit const Command kDependencyBuild = define<Options, bind, run>(
    {.use = "build CHART",
     .brief = "rebuild the charts/ directory based on the Chart.lock file",
     .text = kText,
     .args = ArgsRule::at_most(1),
     .needs = Needs::kFiles});

}  // namespace pintle::cli
