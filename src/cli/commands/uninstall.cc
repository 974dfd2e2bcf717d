#include "cli/cluster.h"
#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/flag_groups.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
This command takes a release name and uninstalls the release.

It removes all of the resources associated with the last release of the chart
as well as the release history, freeing it up for future use.

Use the '--dry-run' flag to see which releases will be uninstalled without actually
uninstalling them.

Use '--cascade foreground' with '--wait' to ensure resources with finalizers
are fully deleted before the command returns.)";

// Helm 3.22
constexpr std::string_view kTextHelm3 = R"(
This command takes a release name and uninstalls the release.

It removes all of the resources associated with the last release of the chart
as well as the release history, freeing it up for future use.

Use the '--dry-run' flag to see which releases will be uninstalled without actually
uninstalling them.)";

struct Options {
  std::string cascade = "background";
  std::string description;
  bool dry_run = false;
  bool ignore_not_found = false;
  bool keep_history = false;
  bool no_hooks = false;
  Duration timeout{300'000'000'000};
  WaitFlag wait;
};

void bind(Flags& f, Options& o, const Session& s) {
  f.string("cascade", o.cascade,
           s.helm3() ? "Must be \"background\", \"orphan\", or \"foreground\". Selects the "
                       "deletion cascading strategy for the dependents. Defaults to background."
                     : "Must be \"background\", \"orphan\", or \"foreground\". Selects the "
                       "deletion cascading strategy for the dependents. Defaults to background. "
                       "Use \"foreground\" with --wait to ensure resources with finalizers are "
                       "fully deleted before returning.");
  f.string("description", o.description, "add a custom description");
  f.boolean("dry-run", o.dry_run, "simulate a uninstall");
  f.boolean("ignore-not-found", o.ignore_not_found,
            "Treat \"release not found\" as a successful uninstall");
  f.boolean("keep-history", o.keep_history,
            "remove all associated resources and mark the release as deleted, but retain the "
            "release history");
  f.boolean("no-hooks", o.no_hooks, "prevent hooks from running during uninstallation");
  f.duration("timeout", o.timeout,
             "time to wait for any individual Kubernetes operation (like Jobs for hooks)");
  bind_wait(f, o.wait, s,
            "if set, will wait until all the resources are deleted before returning. It will "
            "wait for as long as --timeout");
}

Status run(Session& s, const Options& o) {
  const std::string& c = o.cascade;
  if (c != "background" && c != "foreground" && c != "orphan") {
    return Error(
        Code::kInvalidArgument,
        "invalid cascade value (" + c + "). Must be \"background\", \"foreground\", or \"orphan\"");
  }
  action::UninstallOptions options;
  options.dry_run = o.dry_run;
  options.no_hooks = o.no_hooks;
  options.keep_history = o.keep_history;
  options.ignore_not_found = o.ignore_not_found;
  options.propagation = c == "background"   ? kube::Propagation::kBackground
                        : c == "foreground" ? kube::Propagation::kForeground
                                            : kube::Propagation::kOrphan;
  options.wait = wait_strategy(o.wait);
  options.timeout_ms = milliseconds(o.timeout);
  options.description = o.description;
  auto world = TRY(open_cluster(s));
  auto context = release_context(s, *world);
  for (const std::string& name : s.args) {
    const std::string kept = TRY(action::uninstall(context, name, options));
    if (!kept.empty()) s.print(kept + "\n");
    s.print("release \"" + name + "\" uninstalled\n");
  }
  return ok();
}

Candidates every_release(Session& s, const void*, Args args, std::string_view) {
  return complete_releases(s, args);
}

}  // namespace

constinit const Command kUninstall =
    define<Options, bind, run>({.use = "uninstall RELEASE_NAME [...]",
                                .brief = "uninstall a release",
                                .text = kText,
                                .text_helm3 = kTextHelm3,
                                .aliases = {"del", "delete", "un"},
                                .suggest_for = {"remove", "rm"},
                                .args = ArgsRule::at_least(1),
                                .needs = Needs::kCluster,
                                .complete = every_release});

}  // namespace pintle::cli
