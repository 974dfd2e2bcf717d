#include "cli/cluster.h"

#include "base/gotext.h"
#include "base/strings.h"
#include "cli/kubeconfig.h"
#include "cli/printing_cluster.h"
#include "cli/session.h"
#include "json/json.h"
#include "kube/real_cluster.h"
#include "yaml/yaml.h"

namespace pintle::cli {
namespace {

// kubectl's cache of what the server serves, which Helm shares.
std::string discovery_cache(const Env& env) {
  if (const std::string own = env.get("KUBECACHEDIR"); !own.empty()) return own;
  const std::string home = env.get("HOME");
  return home.empty() ? "" : home + "/.kube/cache";
}

// As Helm's log.Fatal words it; Helm 3's log says where in its source.
Error fatal(const Session& s, int helm3_line, std::string_view text) {
  return Error(Code::kInvalidArgument,
               s.helm3() ? cat("helm.go:", helm3_line, ": ", text) : std::string(text));
}

// HELM_MEMORY_DRIVER_DATA: files of release records, as lists.
Result<std::unique_ptr<storage::Driver>> memory_driver(const Session& s, const std::string& ns) {
  std::vector<release::Record> records;
  const std::string files = s.env.get("HELM_MEMORY_DRIVER_DATA");
  for (std::string_view file : split(files, ":")) {
    const auto text = s.env.disk.read_file(std::string(file));
    if (!text) return fatal(s, 122, cat("Unable to read memory driver data", text.error().text()));
    const auto unread = [&](std::string_view why) {
      return fatal(s, 127, cat("Unable to unmarshal memory driver data: ", why));
    };
    const auto list = yaml::read_list(*text);
    if (!list) {
      return unread(replace_all(list.error().text(), "[]interface {}",
                                s.helm3() ? "[]*release.Release" : "[]*v1.Release"));
    }
    for (const value::Value& item : list->items()) {
      auto record = release::from_value(item);
      if (!record) {
        return unread(cat("error unmarshaling JSON: while decoding JSON: ", record.error().text()));
      }
      records.push_back(std::move(*record));
    }
  }
  auto out = storage::memory(ns, records);
  if (!out) return fatal(s, 132, out.error().text());
  return out;
}

Result<std::unique_ptr<ClusterWorld>> in_memory(const Session& s, const std::string& ns) {
  auto world = std::make_unique<ClusterWorld>();
  world->cluster = std::make_unique<PrintingCluster>(s.env.build.kube_version);
  world->releases = TRY(memory_driver(s, ns));
  return world;
}

}  // namespace

Status check_driver(const Session& s) {
  const std::string driver = s.env.get("HELM_DRIVER");
  if (driver == "memory") {
    if (!s.env.open_cluster) TRY(memory_driver(s, ""));
    return ok();
  }
  for (std::string_view known : {"", "secret", "secrets", "configmap", "configmaps", "sql"}) {
    if (driver == known) return ok();
  }
  return fatal(s, 83, cat("unknown driver ", quote(driver)));
}

Result<std::unique_ptr<ClusterWorld>> open_cluster(Session& s, bool all_namespaces) {
  const std::string current = current_namespace(s.env, s.settings);
  const std::string ns = all_namespaces ? "" : current;
  if (s.env.open_cluster) return s.env.open_cluster(s.settings, ns);
  const std::string driver = s.env.get("HELM_DRIVER");
  if (driver == "memory") return in_memory(s, ns);
  if (driver == "sql") {
    return Error(Code::kUnimplemented, "the sql driver is not part of this build of pintle");
  }
  auto config = kube::client_config(config_flags(s.settings), s.env.disk, s.env.environ);
  if (!config) return Error::wrap("kubernetes cluster unreachable", config.error());
  kube::RestOptions connection;
  connection.user_agent = cat("Helm/", without_prefix(s.env.build.version, "v"));
  connection.environ = &s.env.environ;
  connection.terminal = s.env.in_is_terminal;
  connection.plugin_err = [&s](std::string_view text) { s.env.err.write(text); };
  connection.qps = s.settings.qps;
  connection.burst = s.settings.burst_limit;
  connection.warn = [log = s.log](std::string_view text) { log("WARN", text); };
  auto world = std::make_unique<ClusterWorld>();
  auto rest = kube::connect(*config, std::move(connection));
  if (!rest) return Error::wrap("kubernetes cluster unreachable", rest.error());
  world->rest = std::move(*rest);
  world->cluster = kube::make_cluster(*world->rest, {.ns = current,
                                                     .cache_directory = discovery_cache(s.env),
                                                     .log = s.log,
                                                     .disk = s.env.disk,
                                                     .clock = s.env.clock});
  if (s.env.draw) world->view = std::make_unique<WaitView>(s.env, *world->rest);
  const storage::DriverOptions options{
      .namespace_ = ns,
      .writer = s.helm3() ? release::Writer::kHelm3 : release::Writer::kHelm4,
      .log = s.log};
  world->releases = driver.starts_with("configmap")
                        ? storage::config_maps(*world->rest, s.env.clock, options)
                        : storage::secrets(*world->rest, s.env.clock, options);
  return world;
}

action::Context release_context(Session& s, ClusterWorld& world) {
  action::Context context = action_context(s);
  attach(context, world);
  return context;
}

void attach(action::Context& context, ClusterWorld& world) {
  context.cluster = world.cluster.get();
  context.releases = world.releases.get();
  if (!world.view) return;
  context.progress = [&world](const std::vector<kube::NotReady>& not_ready) {
    world.view->waiting_for(not_ready);
  };
}

void catch_interrupts(Session& s, action::Context& context) {
  if (!s.env.catch_interrupts) return;
  const http::Interrupts* interrupts = s.env.catch_interrupts();
  context.cancel = &interrupts->asked;
  context.give_up = &interrupts->again;
  if (context.cluster) context.cluster->interrupt_by(context.cancel);
  if (context.releases) context.releases->interrupt_by(interrupts);
}

render::Environment cluster_environment(kube::Cluster& cluster) {
  render::Environment out;
  out.lookup = [&cluster](std::string_view api_version, std::string_view kind, std::string_view ns,
                          std::string_view name) {
    return cluster.lookup(api_version, kind, ns, name);
  };
  return out;
}

Result<Strings> namespaces(ClusterWorld& world) {
  if (!world.rest) return Error("no server");
  kube::Call call;
  call.path = "/api/v1/namespaces";
  call.query = "timeoutSeconds=3";
  call.timeout_ms = 3000;
  const auto list = TRY(json::read(TRY(world.rest->call(call)).body));
  Strings out;
  if (const value::Value* items = list.get("items")) {
    for (const value::Value& item : items->items()) {
      const value::Value* metadata = item.get("metadata");
      const value::Value* name = metadata ? metadata->get("name") : nullptr;
      if (name && name->is_string()) out.emplace_back(name->as_string());
    }
  }
  return out;
}

kube::WaitStrategy wait_strategy(const WaitFlag& flag) {
  if (flag.helm3 || flag.strategy == "legacy") return kube::WaitStrategy::kLegacy;
  return flag.strategy == "watcher" ? kube::WaitStrategy::kWatcher : kube::WaitStrategy::kHookOnly;
}

int64_t milliseconds(Duration d) { return d.ns / 1'000'000; }

}  // namespace pintle::cli
