// Kubeconfig: from files, flags and the pod's own account to what a connection needs, with
// client-go's merge rules, precedence and error texts (tools/clientcmd). Files are read through
// Disk, variables through Environ. Pure otherwise; thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "sys/disk.h"
#include "sys/environ.h"
#include "value/value.h"

namespace pintle::kube {

// The --kube-* flags; "" where not given.
struct ConfigFlags {
  std::string kubeconfig, context, token, as_user, apiserver, ca_file, tls_server_name, ns;
  std::vector<std::string> as_groups;
  bool insecure = false;
};

// An exec credential plugin of a user entry (client.authentication.k8s.io).
struct ExecConfig {
  std::string api_version, command, install_hint, interactive_mode;
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;
  bool provide_cluster_info = false;
  std::string directory;  // of the kubeconfig, for a command that is a relative path
};

// All a connection needs. Certificates are PEM texts, read from their files.
struct ClientConfig {
  std::string server;
  std::string ca_pem, certificate_pem, key_pem;
  bool insecure = false;
  std::string tls_server_name, proxy;
  std::string token, token_file;  // the file is read again as it changes
  std::string username, password;
  std::optional<ExecConfig> exec;
  std::string as_user, as_uid;
  std::vector<std::string> as_groups;
  std::map<std::string, std::vector<std::string>> as_extra;
};

struct KubeContext {
  std::string name, cluster, user, ns;
};

// The merged files.
struct KubeConfig {
  std::string current;
  std::vector<KubeContext> contexts;                // by name
  std::map<std::string, value::Value> clusters, users;  // as written
  std::map<std::string, std::string> directories;   // "cluster/NAME", "user/NAME": of their file
};

// The files --kubeconfig, KUBECONFIG or ~/.kube/config name. A missing file of a list is skipped;
// a missing --kubeconfig is an error. Error: `error loading config file "PATH": yaml: ...`.
Result<KubeConfig> load_kubeconfig(const ConfigFlags& flags, sys::Disk& disk,
                                   const sys::Environ& environ);

// What to connect to: flags over the current context over the pod's account over
// http://localhost:8080. Errors: `invalid configuration: ...`, `context "x" does not exist`.
Result<ClientConfig> client_config(const ConfigFlags& flags, sys::Disk& disk,
                                   const sys::Environ& environ);

// The namespace to work in: the flag, the context's, the pod's, "default".
std::string default_namespace(const ConfigFlags& flags, sys::Disk& disk, const sys::Environ& environ);

}  // namespace pintle::kube
