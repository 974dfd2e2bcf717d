#include "cli/kubeconfig.h"

#include <algorithm>

namespace pintle::cli {

kube::ConfigFlags config_flags(const Settings& settings) {
  return {.kubeconfig = settings.kubeconfig,
          .context = settings.kube_context,
          .token = settings.kube_token,
          .as_user = settings.kube_as_user,
          .apiserver = settings.kube_apiserver,
          .ca_file = settings.kube_ca_file,
          .tls_server_name = settings.kube_tls_server_name,
          .ns = settings.namespace_flag,
          .as_groups = settings.kube_as_groups,
          .insecure = settings.kube_insecure_skip_tls_verify};
}

std::string current_namespace(const Env& env, const Settings& settings) {
  return kube::default_namespace(config_flags(settings), env.disk, env.environ);
}

std::vector<std::pair<std::string, std::string>> kube_contexts(const Env& env,
                                                               const Settings& settings) {
  std::vector<std::pair<std::string, std::string>> out;
  if (const auto config = kube::load_kubeconfig(config_flags(settings), env.disk, env.environ)) {
    for (const kube::KubeContext& c : config->contexts) out.emplace_back(c.name, c.cluster);
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace pintle::cli
