#include "action/template.h"

#include "action/releases.h"
#include "cli/cluster.h"
#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/flag_groups.h"
#include "cli/prepare_install.h"
#include "cli/progress.h"
#include "cli/tls_files.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
Render chart templates locally and display the output.

Any values that would normally be looked up or retrieved in-cluster will be
faked locally. Additionally, none of the server-side testing of chart validity
(e.g. whether an API is supported) is done.

To specify the Kubernetes API versions used for Capabilities.APIVersions, use
the '--api-versions' flag. This flag can be specified multiple times or as a
comma-separated list:

    $ helm template --api-versions networking.k8s.io/v1 --api-versions cert-manager.io/v1 mychart ./mychart

or

    $ helm template --api-versions networking.k8s.io/v1,cert-manager.io/v1 mychart ./mychart)";

// Helm 3.22
constexpr std::string_view kTextHelm3 = R"(
Render chart templates locally and display the output.

Any values that would normally be looked up or retrieved in-cluster will be
faked locally. Additionally, none of the server-side testing of chart validity
(e.g. whether an API is supported) is done.)";

struct Options {
  InstallFlags install;
  Strings show_only, api_versions;
  std::string output_dir, kube_version;
  bool validate = false, include_crds = false, skip_tests = false, is_upgrade = false;
  bool release_name = false;
};

void bind(Flags& f, Options& o, const Session& s) {
  bind_install(f, o.install, s, /*of_template=*/true);
  f.array("show-only", o.show_only, "only show manifests rendered from the given templates", 's');
  f.string("output-dir", o.output_dir,
           "writes the executed templates to files in output-dir instead of stdout");
  if (s.helm3()) {
    f.boolean("validate", o.validate,
              "validate your manifests against the Kubernetes cluster you are currently pointing "
              "at. This is the same validation performed on an install");
  } else {
    f.boolean("validate", o.validate, "deprecated").deprecate("use '--dry-run=server' instead");
    f.exclusive("validate dry-run");
  }
  f.boolean("include-crds", o.include_crds, "include CRDs in the templated output");
  f.boolean("skip-tests", o.skip_tests, "skip tests from templated output");
  f.boolean("is-upgrade", o.is_upgrade, "set .Release.IsUpgrade instead of .Release.IsInstall");
  f.string("kube-version", o.kube_version, "Kubernetes version used for Capabilities.KubeVersion");
  f.list("api-versions", o.api_versions,
         s.helm3() ? "Kubernetes api versions used for Capabilities.APIVersions"
                   : "Kubernetes api versions used for Capabilities.APIVersions (multiple can be "
                     "specified)",
         'a');
  f.boolean("release-name", o.release_name, "use release name in the output-dir path.");
}

Result<DryRun> strategy(const Options& o, Session& s) {
  const DryRun asked = TRY(dry_run(o.install.dry_run, s, /*of_template=*/true));
  if (o.validate) return DryRun::kServer;
  return s.helm3() ? DryRun::kClient : asked;
}

// Helm 3 renders here either way, but --dry-run=server lets templates look things up.
bool looks_up(const Options& o, const Session& s) {
  const std::string& v = o.install.dry_run.text;
  return s.helm3() && (v == "server" || v == "none" || v == "false");
}

// An install that stops before anything is stored: the cluster gives its version, its APIs and what
// templates look up, and must know every kind.
Result<action::ClientRelease> server_install(Session& s, action::Context& context,
                                             const Options& o, PreparedInstall& prepared,
                                             const action::ClientInstallOptions& rendering) {
  const auto world = TRY(open_to_install(s, context));
  action::InstallOptions options = install_options(s, o.install, prepared.name);
  options.dry_run = action::DryRun::kServer;
  options.replace = true;
  options.render = rendering;
  options.render.environment = cluster_environment(*world->cluster);
  action::ClientRelease out;
  bool rendered = true;
  options.rendered_badly = [&](const action::ClientRelease& bad) {
    rendered = false;
    out = bad;
  };
  auto record = action::install(context, *prepared.chart, prepared.values, options);
  context.cluster = nullptr;
  context.releases = nullptr;
  if (record) {
    out.manifest = std::move(record->manifest);
    out.hooks.assign(record->hooks.begin(), record->hooks.end());
    return out;
  }
  if (rendered) return record.error();
  out.error = record.error();
  return out;
}

Status run(Session& s, const Options& o) {
  std::optional<render::KubeVersion> kube;
  if (!o.kube_version.empty()) {
    auto parsed = render::parse_kube_version(o.kube_version, s.helm3());
    if (!parsed) {
      return Error::wrap("invalid kube version '" + o.kube_version + "'", parsed.error());
    }
    kube = std::move(*parsed);
  }
  const DryRun where = TRY(strategy(o, s));
  TRY(check_tls_files(s, tls_files(o.install.chart)));

  action::Context context = action_context(s);
  PreparedInstall prepared = TRY(prepare_install(s, context, o.install, "release-name"));
  action::ClientInstallOptions options = client_install_options(s, o.install, prepared.name);
  if (kube) options.capabilities.kube_version = std::move(*kube);
  auto& api_versions = options.capabilities.api_versions;
  api_versions.insert(api_versions.end(), o.api_versions.begin(), o.api_versions.end());
  options.is_upgrade = o.is_upgrade;
  options.include_crds = o.include_crds;
  options.output_dir = o.output_dir;
  options.use_release_name = o.release_name;
  std::unique_ptr<ClusterWorld> world;
  if (looks_up(o, s)) {
    world = TRY(open_cluster(s));
    options.environment = cluster_environment(*world->cluster);
  }
  auto progress = std::make_unique<Progress>(s, "rendering " + prepared.chart->name());
  auto release =
      TRY(where == DryRun::kServer
              ? server_install(s, context, o, prepared, options)
              : action::client_install(context, *prepared.chart, prepared.values, options));
  progress.reset();
  if (release.error && !s.settings.debug) {
    return Error::with_cause(
        release.error->text() + "\n\nUse --debug flag to render out invalid YAML", *release.error);
  }
  const auto error = release.error;
  s.print(TRY(action::template_text(
      context, std::move(release), options,
      {.no_hooks = o.install.no_hooks, .skip_tests = o.skip_tests, .show_only = o.show_only})));
  if (error) return *error;
  return ok();
}

Candidates complete(Session& s, const Options& o, Args args, std::string_view word) {
  return complete_install(s, o.install, args, word);
}

}  // namespace

constinit const Command kTemplate =
    define<Options, bind, run>({.use = "template [NAME] [CHART]",
                                .brief = "locally render templates",
                                .text = kText,
                                .text_helm3 = kTextHelm3,
                                .args = ArgsRule::at_least(1),
                                .needs = Needs::kFiles,
                                .complete = completer<Options, complete>()});

}  // namespace pintle::cli
