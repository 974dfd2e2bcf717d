#include "action/dependency.h"
#include "cli/commands/commands.h"
#include "cli/flag_groups.h"
#include "cli/progress.h"
#include "cli/session.h"
#include "cli/tls_files.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
Update the on-disk dependencies to mirror Chart.yaml.

This command verifies that the required charts, as expressed in 'Chart.yaml',
are present in 'charts/' and are at an acceptable version. It will pull down
the latest charts that satisfy the dependencies, and clean up old dependencies.

On successful update, this will generate a lock file that can be used to
rebuild the dependencies to an exact version.

Dependencies are not required to be represented in 'Chart.yaml'. For that
reason, an update command will not remove charts unless they are (a) present
in the Chart.yaml file, but (b) at the wrong version.)";

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
  const Progress progress(s, "updating dependencies of " + chart);
  return action::dependency_update(context, chart,
                                   {.verify = o.verify,
                                    .keyring = o.keyring,
                                    .skip_refresh = o.skip_refresh,
                                    .source_date_epoch = epoch});
}

}  // namespace

constinit const Command kDependencyUpdate =
    define<Options, bind, run>({.use = "update CHART",
                                .brief = "update charts/ based on the contents of Chart.yaml",
                                .text = kText,
                                .aliases = {"up"},
                                .args = ArgsRule::at_most(1),
                                .needs = Needs::kFiles});

}  // namespace pintle::cli
