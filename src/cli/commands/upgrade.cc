#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"
#include "cli/cluster.h"
#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/flag_groups.h"
#include "cli/output.h"
#include "cli/prepare_install.h"
#include "cli/release_status.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
This command upgrades a release to a new version of a chart.

The upgrade arguments must be a release and chart. The chart
argument can be either: a chart reference('example/mariadb'), a path to a chart directory,
a packaged chart, or a fully qualified URL. For chart references, the latest
version will be specified unless the '--version' flag is set.

To override values in a chart, use either the '--values' flag and pass in a file
or use the '--set' flag and pass configuration from the command line, to force string
values, use '--set-string'. You can use '--set-file' to set individual
values from a file when the value itself is too long for the command line
or is dynamically generated. You can also use '--set-json' to set json values
(scalars/objects/arrays) from the command line. Additionally, you can use '--set-json' and passing json object as a string.

You can specify the '--values'/'-f' flag multiple times. The priority will be given to the
last (right-most) file specified. For example, if both myvalues.yaml and override.yaml
contained a key called 'Test', the value set in override.yaml would take precedence:

    $ helm upgrade -f myvalues.yaml -f override.yaml redis ./redis

You can specify the '--set' flag multiple times. The priority will be given to the
last (right-most) set specified. For example, if both 'bar' and 'newbar' values are
set for a key called 'foo', the 'newbar' value would take precedence:

    $ helm upgrade --set foo=bar --set foo=newbar redis ./redis

You can update the values for an existing release with this command as well via the
'--reuse-values' flag. The 'RELEASE' and 'CHART' arguments should be set to the original
parameters, and existing values will be merged with any values set via '--values'/'-f'
or '--set' flags. Priority is given to new values.

    $ helm upgrade --reuse-values --set foo=bar --set foo=newbar redis ./redis

The --dry-run flag will output all generated chart manifests, including Secrets
which can contain sensitive values. To hide Kubernetes Secrets use the
--hide-secret flag. Please carefully consider how and when these flags are used.)";

// Helm 3.22
constexpr std::string_view kTextHelm3 = R"(
This command upgrades a release to a new version of a chart.

The upgrade arguments must be a release and chart. The chart
argument can be either: a chart reference('example/mariadb'), a path to a chart directory,
a packaged chart, or a fully qualified URL. For chart references, the latest
version will be specified unless the '--version' flag is set.

To override values in a chart, use either the '--values' flag and pass in a file
or use the '--set' flag and pass configuration from the command line, to force string
values, use '--set-string'. You can use '--set-file' to set individual
values from a file when the value itself is too long for the command line
or is dynamically generated. You can also use '--set-json' to set json values
(scalars/objects/arrays) from the command line.

You can specify the '--values'/'-f' flag multiple times. The priority will be given to the
last (right-most) file specified. For example, if both myvalues.yaml and override.yaml
contained a key called 'Test', the value set in override.yaml would take precedence:

    $ helm upgrade -f myvalues.yaml -f override.yaml redis ./redis

You can specify the '--set' flag multiple times. The priority will be given to the
last (right-most) set specified. For example, if both 'bar' and 'newbar' values are
set for a key called 'foo', the 'newbar' value would take precedence:

    $ helm upgrade --set foo=bar --set foo=newbar redis ./redis

You can update the values for an existing release with this command as well via the
'--reuse-values' flag. The 'RELEASE' and 'CHART' arguments should be set to the original
parameters, and existing values will be merged with any values set via '--values'/'-f'
or '--set' flags. Priority is given to new values.

    $ helm upgrade --reuse-values --set foo=bar --set foo=newbar redis ./redis

The --dry-run flag will output all generated chart manifests, including Secrets
which can contain sensitive values. To hide Kubernetes Secrets use the
--hide-secret flag. Please carefully consider how and when these flags are used.)";

Candidates version_of_second(Session& s, const void*, Args args, std::string_view) {
  return args.size() == 2 ? complete_versions(s, args[1]) : Candidates{{}, kNoFiles};
}

struct Options {
  action::UserValues values;
  ChartPathFlags chart;
  bool cleanup_on_fail = false;
  bool create_namespace = false;
  bool dependency_update = false;
  std::string description;
  bool devel = false;
  bool disable_openapi_validation = false;
  DryRunFlag dry_run;
  bool enable_dns = false;
  bool force_conflicts = false;
  bool force_replace = false;
  bool hide_notes = false;
  bool hide_secret = false;
  int64_t history_max = 0;
  bool install = false;
  Pairs labels;
  bool no_hooks = false;
  Format output = Format::kTable;
  PostRenderFlag post_renderer;
  bool render_subchart_notes = false;
  bool reset_then_reuse_values = false;
  bool reset_values = false;
  bool reuse_values = false;
  bool rollback_on_failure = false;
  std::string server_side = "auto";
  bool skip_crds = false;
  bool skip_schema_validation = false;
  bool take_ownership = false;
  Duration timeout{300'000'000'000};
  WaitFlag wait;
  bool wait_for_jobs = false;
};

void bind(Flags& f, Options& o, const Session& s) {
  bind_values(f, o.values, s.helm3());
  bind_chart_path(f, o.chart, s.env);
  f.boolean("cleanup-on-fail", o.cleanup_on_fail,
            "allow deletion of new resources created in this upgrade when upgrade fails");
  f.boolean("create-namespace", o.create_namespace,
            "if --install is set, create the release namespace if not present");
  f.boolean("dependency-update", o.dependency_update,
            "update dependencies if they are missing before installing the chart");
  f.string("description", o.description, "add a custom description");
  f.boolean("devel", o.devel,
            "use development versions, too. Equivalent to version '>0.0.0-0'. If --version is "
            "set, this is ignored");
  f.boolean("disable-openapi-validation", o.disable_openapi_validation,
            "if set, the upgrade process will not validate rendered templates against the "
            "Kubernetes OpenAPI Schema");
  bind_dry_run(f, o.dry_run, s.helm3(),
               "simulate an install. If --dry-run is set with no option being specified or as "
               "'--dry-run=client', it will not attempt cluster connections. Setting "
               "'--dry-run=server' allows attempting cluster connections.");
  f.boolean("enable-dns", o.enable_dns, "enable DNS lookups when rendering templates");
  if (!s.helm3()) {
    f.boolean("force-conflicts", o.force_conflicts,
              "if set server-side apply will force changes against conflicts");
    f.boolean("force-replace", o.force_replace, "force resource updates by replacement");
  }
  f.boolean("hide-notes", o.hide_notes,
            "if set, do not show notes in upgrade output. Does not affect presence in chart "
            "metadata");
  f.boolean("hide-secret", o.hide_secret,
            "hide Kubernetes Secrets when also using the --dry-run flag");
  o.history_max = s.settings.max_history;
  f.integer("history-max", o.history_max,
            "limit the maximum number of revisions saved per release. Use 0 for no limit");
  f.boolean("install", o.install, "if a release by this name doesn't already exist, run an install",
            'i');
  f.pairs("labels", o.labels,
          "Labels that would be added to release metadata. Should be separated by comma. "
          "Original release labels will be merged with upgrade labels. You can unset label "
          "using null.",
          'l');
  f.boolean("no-hooks", o.no_hooks, "disable pre/post upgrade hooks");
  bind_output(f, o.output);
  bind_post_renderer(f, o.post_renderer, s);
  f.boolean("render-subchart-notes", o.render_subchart_notes,
            "if set, render subchart notes along with the parent");
  f.boolean("reset-then-reuse-values", o.reset_then_reuse_values,
            "when upgrading, reset the values to the ones built into the chart, apply the last "
            "release's values and merge in any overrides from the command line via --set and "
            "-f. If '--reset-values' or '--reuse-values' is specified, this is ignored");
  f.boolean("reset-values", o.reset_values,
            "when upgrading, reset the values to the ones built into the chart");
  f.boolean("reuse-values", o.reuse_values,
            "when upgrading, reuse the last release's values and merge in any overrides from "
            "the command line via --set and -f. If '--reset-values' is specified, this is "
            "ignored");
  if (!s.helm3()) {
    f.boolean("rollback-on-failure", o.rollback_on_failure,
              "if set, Helm will rollback the upgrade to previous success release upon failure. "
              "The --wait flag will be defaulted to \"watcher\" if --rollback-on-failure is set");
    f.string(
        "server-side", o.server_side,
        "must be \"true\", \"false\" or \"auto\". Object updates run in the server instead "
        "of the client (\"auto\" defaults the value from the previous chart release's method)");
  }
  f.boolean("skip-crds", o.skip_crds,
            "if set, no CRDs will be installed when an upgrade is performed with install flag "
            "enabled. By default, CRDs are installed if not already present, when an upgrade is "
            "performed with install flag enabled");
  f.boolean("skip-schema-validation", o.skip_schema_validation,
            "if set, disables JSON schema validation");
  f.boolean("take-ownership", o.take_ownership,
            "if set, upgrade will ignore the check for helm annotations and take ownership of "
            "the existing resources");
  f.duration("timeout", o.timeout,
             "time to wait for any individual Kubernetes operation (like Jobs for hooks)");
  bind_wait(f, o.wait, s,
            "if set, will wait until all Pods, PVCs, Services, and minimum number of Pods of a "
            "Deployment, StatefulSet, or ReplicaSet are in a ready state before marking the "
            "release as successful. It will wait for as long as --timeout");
  f.boolean("wait-for-jobs", o.wait_for_jobs,
            "if set and --wait enabled, will wait until all Jobs have been completed before "
            "marking the release as successful. It will wait for as long as --timeout");
  if (s.helm3()) {
    f.boolean("atomic", o.rollback_on_failure,
              "if set, upgrade process rolls back changes made in case of failed upgrade. The "
              "--wait flag will be set automatically if --atomic is used");
    f.boolean("force", o.force_replace, "force resource updates through a replacement strategy");
  }
  if (!s.helm3()) {
    f.boolean("force", o.force_replace, "deprecated").deprecate("use --force-replace instead");
    f.boolean("atomic", o.rollback_on_failure, "deprecated")
        .deprecate("use --rollback-on-failure instead");
    f.exclusive("force-replace force-conflicts");
    f.exclusive("force force-conflicts");
  }
  f.find("version")->complete(version_of_second);
}

// The flags as install knows them, for a release that does not exist yet.
InstallFlags as_install(const Options& o) {
  InstallFlags out;
  out.values = o.values;
  out.chart = o.chart;
  out.wait = o.wait;
  out.post_renderer = o.post_renderer;
  out.create_namespace = o.create_namespace;
  out.force_replace = o.force_replace;
  out.force_conflicts = o.force_conflicts;
  out.server_side = o.server_side != "false";
  out.no_hooks = o.no_hooks;
  out.wait_for_jobs = o.wait_for_jobs;
  out.devel = o.devel;
  out.dependency_update = o.dependency_update;
  out.disable_openapi_validation = o.disable_openapi_validation;
  out.rollback_on_failure = o.rollback_on_failure;
  out.skip_crds = o.skip_crds;
  out.render_subchart_notes = o.render_subchart_notes;
  out.skip_schema_validation = o.skip_schema_validation;
  out.enable_dns = o.enable_dns;
  out.hide_notes = o.hide_notes;
  out.take_ownership = o.take_ownership;
  out.description = o.description;
  out.labels = o.labels;
  out.timeout = o.timeout;
  return out;
}

action::UpgradeOptions upgrade_options(Session& s, const Options& o, const InstallFlags& flags) {
  const action::InstallOptions common = install_options(s, flags, s.args[0]);
  action::UpgradeOptions out;
  static_cast<action::ApplyFlags&>(out) = common;
  out.render = common.render;
  out.render.hide_secret = o.hide_secret;
  out.server_side = o.server_side;
  out.validate = common.validate;
  out.reset_values = o.reset_values;
  out.reuse_values = o.reuse_values;
  out.reset_then_reuse_values = o.reset_then_reuse_values;
  out.rollback_on_failure = o.rollback_on_failure;
  out.cleanup_on_fail = o.cleanup_on_fail;
  out.take_ownership = o.take_ownership;
  out.history_max = static_cast<int>(std::clamp<int64_t>(o.history_max, 0, INT32_MAX));
  return out;
}

Status print(Session& s, const Options& o, const release::Record& record) {
  s.print(TRY(release_text(s, record, o.output,
                           {.debug = s.settings.debug,
                            .description = !s.helm3(),
                            .hide_notes = o.hide_notes})));
  return ok();
}

Status install_instead(Session& s, const Options& o, action::Context& context,
                       const InstallFlags& flags, DryRun where, bool replace) {
  if (o.output == Format::kTable) {
    s.print(cat("Release ", quote(s.args[0]), " does not exist. Installing it now.\n"));
  }
  PreparedInstall prepared = TRY(prepare_install(s, context, flags, ""));
  action::InstallOptions options = install_options(s, flags, prepared.name);
  options.dry_run = to_action(where);
  options.replace = replace;
  options.render.hide_secret = o.hide_secret;
  options.render.environment = cluster_environment(*context.cluster);
  const auto record = TRY(interruptible(s, context, s.args[0], [&] {
    return action::install(context, *prepared.chart, prepared.values, options);
  }));
  return print(s, o, record);
}

Status run(Session& s, const Options& o) {
  const DryRun where = TRY(dry_run(o.dry_run, s, /*of_template=*/false));
  const InstallFlags flags = as_install(o);
  std::unique_ptr<ClusterWorld> world;
  action::Context context = action_context(s);
  if (o.install) {
    world = TRY(open_cluster(s));
    attach(context, *world);
    const auto present = TRY(action::presence(context, s.args[0]));
    if (present != action::Presence::kPresent) {
      const bool replace = present == action::Presence::kUninstalled;
      return install_instead(s, o, context, flags, where, replace);
    }
  }
  LoadedChart loaded = TRY(load_chart(s, context,
                                      {.reference = s.args[1],
                                       .where = o.chart,
                                       .values = o.values,
                                       .devel = o.devel,
                                       .dependency_update = o.dependency_update}));
  if (!world) {
    auto opened = open_cluster(s);
    if (!opened) return Error::wrap("UPGRADE FAILED", opened.error());
    world = std::move(*opened);
    attach(context, *world);
  }
  action::UpgradeOptions options = upgrade_options(s, o, flags);
  options.dry_run = to_action(where);
  if (where != DryRun::kClient) {
    options.render.environment = cluster_environment(*world->cluster);
  }
  const auto record = interruptible(s, context, s.args[0], [&] {
    return action::upgrade(context, *loaded.chart, loaded.values, options);
  });
  if (!record) return Error::wrap("UPGRADE FAILED", record.error());
  if (o.output == Format::kTable) {
    s.print(cat("Release ", quote(s.args[0]), " has been upgraded. Happy Helming!\n"));
  }
  return print(s, o, *record);
}

Candidates release_then_chart(Session& s, const void*, Args args, std::string_view word) {
  if (args.empty()) return complete_releases(s, args);
  return args.size() == 1 ? complete_charts(s, word, true) : no_more_args();
}

}  // namespace

constinit const Command kUpgrade = define<Options, bind, run>({.use = "upgrade [RELEASE] [CHART]",
                                                               .brief = "upgrade a release",
                                                               .text = kText,
                                                               .text_helm3 = kTextHelm3,
                                                               .args = ArgsRule::exactly(2),
                                                               .needs = Needs::kCluster,
                                                               .complete = release_then_chart});

}  // namespace pintle::cli
