#include "cli/prepare_install.h"

#include "action/dependency.h"
#include "base/strings.h"
#include "chart/load.h"
#include "cli/post_render.h"
#include "cli/progress.h"
#include "cli/schema_documents.h"

namespace pintle::cli {
namespace {

using ChartPtr = std::unique_ptr<chart::Chart>;

// Every dependency in charts/, or all fetched again if --dependency-update says so.
Result<ChartPtr> with_dependencies(Session& s, action::Context& context,
                                   const ChartRequest& request, const std::string& path,
                                   ChartPtr chart, const chart::LoadOptions& loading) {
  if (chart->metadata.dependencies.empty()) return chart;
  const auto epoch = TRY(source_date_epoch(s));
  const Status complete = action::check_dependencies(*chart);
  if (complete) return chart;
  if (!request.dependency_update) {
    return Error::wrap(
        s.helm3() ? "An error occurred while checking for chart dependencies. You may need to run "
                    "`helm dependency build` to fetch missing dependencies"
                  : "an error occurred while checking for chart dependencies. You may need to run "
                    "'helm dependency build' to fetch missing dependencies",
        complete.error());
  }
  {
    const Progress progress(s, "updating dependencies of " + chart->name());
    TRY(action::dependency_update(context, path,
                                  {.keyring = request.where.keyring, .source_date_epoch = epoch}));
  }
  auto reloaded = chart::load(context.disk, path, loading);
  if (!reloaded) {
    return Error::wrap("failed reloading chart after repo update", reloaded.error());
  }
  return reloaded;
}

}  // namespace

Result<LoadedChart> load_chart(Session& s, action::Context& context, const ChartRequest& request) {
  ChartPathFlags where = request.where;
  if (where.version.empty() && request.devel) s.log("DEBUG", "setting version to >0.0.0-0");
  where.version = chart_version(request.where, request.devel);
  const std::string path = TRY(locate_chart(s, where, request.reference));
  if (request.of_install) s.log("DEBUG", "Chart path", {{"path", path}});
  value::Value values = TRY(user_values(s, context, request.values));
  const chart::LoadOptions loading{.log = s.log, .helm3 = s.helm3(), .read = render::expect_keys};
  ChartPtr chart = TRY(chart::load(context.disk, path, loading));
  if (request.of_install) TRY(action::check_installable(*chart));
  if (chart->metadata.deprecated) {
    s.log("WARN", s.helm3() ? "WARNING: This chart is deprecated" : "this chart is deprecated");
  }
  chart = TRY(with_dependencies(s, context, request, path, std::move(chart), loading));
  return LoadedChart{std::move(chart), std::move(values)};
}

Result<PreparedInstall> prepare_install(Session& s, action::Context& context,
                                        const InstallFlags& flags, const std::string& fixed_name) {
  s.log("DEBUG", "Original chart version", {{"version", flags.chart.version}});
  const auto named = TRY(action::name_and_chart(context, s.args,
                                                {.name_template = flags.name_template,
                                                 .fixed_name = fixed_name,
                                                 .generate = flags.generate_name}));
  LoadedChart loaded = TRY(load_chart(s, context,
                                      {.reference = named.chart,
                                       .where = flags.chart,
                                       .values = flags.values,
                                       .devel = flags.devel,
                                       .dependency_update = flags.dependency_update,
                                       .of_install = true}));
  return PreparedInstall{named.name, std::move(loaded.chart), std::move(loaded.values)};
}

Result<std::unique_ptr<ClusterWorld>> open_to_install(Session& s, action::Context& context) {
  auto world = open_cluster(s);
  if (!world && world.error().code() == Code::kUnimplemented) return world.error();  // no cluster was asked for
  if (!world) return action::not_reachable(context, world.error());
  attach(context, **world);
  return world;
}

action::ClientInstallOptions client_install_options(Session& s, const InstallFlags& flags,
                                                    const std::string& name) {
  action::ClientInstallOptions out;
  out.release_name = name;
  out.namespace_ = current_namespace(s.env, s.settings);
  out.capabilities = render::default_capabilities();
  const Build& build = s.env.build;
  out.capabilities.helm_version = build.version;
  out.capabilities.git_commit = build.git_commit;
  out.capabilities.git_tree_state = build.git_tree_state;
  out.capabilities.go_version = build.go_version;
  out.capabilities.kube_client_version = build.kube_client_version;
  if (auto kube = render::parse_kube_version(build.kube_version)) {
    out.capabilities.kube_version = *kube;
  }
  out.labels = flags.labels;
  out.enable_dns = flags.enable_dns;
  out.subchart_notes = flags.render_subchart_notes;
  out.skip_schema = flags.skip_schema_validation;
  out.schema_loader = schema_documents(s.env, s.log);
  out.post_render = post_renderer(s, flags.post_renderer);
  return out;
}

action::InstallOptions install_options(Session& s, const InstallFlags& flags,
                                       const std::string& name) {
  action::InstallOptions out;
  out.render = client_install_options(s, flags, name);
  out.force_replace = flags.force_replace;
  out.force_conflicts = flags.force_conflicts;
  out.no_hooks = flags.no_hooks;
  out.wait = wait_strategy(flags.wait);
  if (s.helm3() && flags.rollback_on_failure) out.wait = kube::WaitStrategy::kLegacy;
  out.wait_for_jobs = flags.wait_for_jobs;
  out.timeout_ms = milliseconds(flags.timeout);
  out.description = flags.description;
  out.server_side = flags.server_side && !s.helm3();
  out.create_namespace = flags.create_namespace;
  out.replace = flags.replace;
  out.skip_crds = flags.skip_crds;
  out.validate = !flags.disable_openapi_validation;
  out.rollback_on_failure = flags.rollback_on_failure;
  out.take_ownership = flags.take_ownership;
  return out;
}

}  // namespace pintle::cli
