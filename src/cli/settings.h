// Settings: what the environment and the global flags say, before any command looks at its own
// (helm pkg/cli/environment.go, pkg/helmpath).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/env.h"
#include "cli/flags.h"

namespace pintle::cli {

struct Settings {
  std::string namespace_flag;  // --namespace or HELM_NAMESPACE; see namespace_()
  std::string kubeconfig, kube_context, kube_token, kube_as_user, kube_apiserver, kube_ca_file,
      kube_tls_server_name;
  Strings kube_as_groups;
  bool kube_insecure_skip_tls_verify = false;
  bool debug = false;
  std::string registry_config, repository_config, repository_cache, content_cache;
  std::string plugins_directory;
  int64_t max_history = 10;
  int64_t burst_limit = 100;
  float qps = 0;
  std::string color = "auto";

  static Settings from(const Env& env);
  void bind(Flags& flags, bool helm3);
};

// $HELM_*_HOME, else $XDG_*_HOME/helm, else the directory under $HOME; joined with `rest`.
std::string cache_path(const Env& env, std::string_view rest);
std::string config_path(const Env& env, std::string_view rest);
std::string data_path(const Env& env, std::string_view rest);

// The namespace commands work in: the flag, else the kubeconfig context's, else "default".
std::string current_namespace(const Env& env, const Settings& settings);

// Name and cluster of each kubeconfig context, sorted by name.
std::vector<std::pair<std::string, std::string>> kube_contexts(const Env& env,
                                                               const Settings& settings);

// What `helm env` prints and plugins see, sorted by name.
std::vector<std::pair<std::string, std::string>> env_vars(const Env& env, const Settings& settings);

// The keyring used for verification when none is named: pubring.gpg or pubring.kbx of GnuPG.
std::string default_keyring(const Env& env);

}  // namespace pintle::cli
