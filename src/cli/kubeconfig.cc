// The little of a kubeconfig that commands need without a cluster: the current context's namespace
// and the contexts' names, merged over several files as client-go does (the first file to name
// something wins).
#include <map>

#include "base/path.h"
#include "base/strings.h"
#include "cli/settings.h"
#include "yaml/yaml.h"

namespace pintle::cli {
namespace {

struct KubeContext {
  std::string cluster, namespace_;
};

struct KubeConfig {
  std::string current;
  std::map<std::string, KubeContext> contexts;
  std::map<std::string, std::string> servers;  // by cluster name
};

std::string text_at(const value::Value& map, std::string_view key) {
  const value::Value* v = map.get(key);
  return v && v->is_string() ? std::string(v->as_string()) : std::string();
}

void merge_file(std::string_view text, KubeConfig& config) {
  const auto root = yaml::read(text);
  if (!root) return;
  if (config.current.empty()) config.current = text_at(*root, "current-context");
  const auto each = [&](std::string_view list, std::string_view body, auto add) {
    const value::Value* items = root->get(list);
    if (!items) return;
    for (const value::Value& item : items->items()) {
      if (const value::Value* v = item.get(body)) add(text_at(item, "name"), *v);
    }
  };
  each("contexts", "context", [&](std::string name, const value::Value& v) {
    config.contexts.emplace(std::move(name),
                            KubeContext{text_at(v, "cluster"), text_at(v, "namespace")});
  });
  each("clusters", "cluster", [&](std::string name, const value::Value& v) {
    config.servers.emplace(std::move(name), text_at(v, "server"));
  });
}

KubeConfig load(const Env& env, const Settings& settings) {
  Strings paths;
  if (!settings.kubeconfig.empty()) {
    paths.push_back(settings.kubeconfig);
  } else if (const std::string list = env.get("KUBECONFIG"); !list.empty()) {
    for (std::string_view path : split(list, ":")) {
      if (!path.empty()) paths.emplace_back(path);
    }
  } else {
    paths.push_back(path::join({env.get("HOME"), ".kube/config"}));
  }
  KubeConfig config;
  for (const std::string& path : paths) {
    if (const auto text = env.disk.read_file(path, 64u << 20)) merge_file(*text, config);
  }
  return config;
}

// Inside a pod, the service account's namespace stands in for a missing one.
std::string pod_namespace(const Env& env) {
  const std::string kAccount = "/var/run/secrets/kubernetes.io/serviceaccount/";
  if (env.get("KUBERNETES_SERVICE_HOST").empty() || env.get("KUBERNETES_SERVICE_PORT").empty() ||
      !env.disk.stat(kAccount + "token")) {
    return "";
  }
  if (std::string name = env.get("POD_NAMESPACE"); !name.empty()) return name;
  const auto text = env.disk.read_file(kAccount + "namespace", 4096);
  if (!text) return "default";
  const size_t end = text->find_last_not_of(" \t\r\n");
  return end == std::string::npos ? "default" : text->substr(0, end + 1);
}

}  // namespace

std::string current_namespace(const Env& env, const Settings& settings) {
  if (!settings.namespace_flag.empty()) return settings.namespace_flag;
  const KubeConfig config = load(env, settings);
  const std::string& name = settings.kube_context.empty() ? config.current : settings.kube_context;
  const auto context = config.contexts.find(name);
  if (context != config.contexts.end()) {
    const auto server = config.servers.find(context->second.cluster);
    const bool usable = !settings.kube_apiserver.empty() ||
                        (server != config.servers.end() && !server->second.empty());
    if (usable && !context->second.namespace_.empty()) return context->second.namespace_;
  }
  const std::string pod = pod_namespace(env);
  return pod.empty() ? "default" : pod;
}

std::vector<std::pair<std::string, std::string>> kube_contexts(const Env& env,
                                                               const Settings& settings) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [name, context] : load(env, settings).contexts) {
    out.emplace_back(name, context.cluster);
  }
  return out;
}

}  // namespace pintle::cli
