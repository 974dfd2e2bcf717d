// Precedence, as client-go has it: for clusters, users and contexts the first file that names one
// wins, whole; current-context likewise. Relative paths in an entry are relative to its file.
#include "kube/config.h"

#include "base/gotext.h"
#include "base/path.h"
#include "base/strings.h"
#include "base/url.h"
#include "crypt/crypt.h"
#include "kube/config_shape.h"
#include "yaml/yaml.h"

namespace pintle::kube {
namespace {

constexpr size_t kMaxFile = 64u << 20;
const std::string kAccount = "/var/run/secrets/kubernetes.io/serviceaccount/";

std::string text_at(const value::Value& map, std::string_view key) {
  const value::Value* v = map.get(key);
  return v && v->is_string() ? std::string(v->as_string()) : std::string();
}

bool flag_at(const value::Value& map, std::string_view key) {
  const value::Value* v = map.get(key);
  return v && v->is(value::Type::kBool) && v->as_bool();
}

std::vector<std::string> texts_at(const value::Value& map, std::string_view key) {
  std::vector<std::string> out;
  if (const value::Value* v = map.get(key)) {
    for (const value::Value& item : v->items()) {
      if (item.is_string()) out.emplace_back(item.as_string());
    }
  }
  return out;
}

void merge_file(const value::Value& root, const std::string& directory, KubeConfig& config) {
  if (config.current.empty()) config.current = text_at(root, "current-context");
  const auto each = [&](std::string_view list, std::string_view body, auto add) {
    const value::Value* items = root.get(list);
    if (!items) return;
    for (const value::Value& item : items->items()) {
      const value::Value* v = item.get(body);
      add(text_at(item, "name"), v ? *v : value::Value::map(value::make_map()));
    }
  };
  each("contexts", "context", [&](std::string name, const value::Value& v) {
    for (const KubeContext& known : config.contexts) {
      if (known.name == name) return;
    }
    config.contexts.push_back(
        {std::move(name), text_at(v, "cluster"), text_at(v, "user"), text_at(v, "namespace")});
  });
  each("clusters", "cluster", [&](const std::string& name, const value::Value& v) {
    if (config.clusters.emplace(name, v).second) config.directories["cluster/" + name] = directory;
  });
  each("users", "user", [&](const std::string& name, const value::Value& v) {
    if (config.users.emplace(name, v).second) config.directories["user/" + name] = directory;
  });
}

bool in_pod(sys::Disk& disk, const sys::Environ& environ) {
  if (environ.get("KUBERNETES_SERVICE_HOST").empty()) return false;
  if (environ.get("KUBERNETES_SERVICE_PORT").empty()) return false;
  const auto info = disk.stat(kAccount + "token");
  return info && !info->is_directory();
}

ClientConfig pod_config(const ConfigFlags& flags, sys::Disk& disk, const sys::Environ& environ) {
  ClientConfig c;
  const std::string host = environ.get("KUBERNETES_SERVICE_HOST");
  const bool v6 = host.find(':') != std::string::npos;
  c.server = cat("https://", v6 ? "[" : "", host, v6 ? "]:" : ":", environ.get("KUBERNETES_SERVICE_PORT"));
  c.token_file = kAccount + "token";
  if (auto ca = disk.read_file(kAccount + "ca.crt", kMaxFile)) c.ca_pem = std::move(*ca);
  if (!flags.apiserver.empty()) c.server = flags.apiserver;
  if (!flags.token.empty()) {
    c.token = flags.token;
    c.token_file.clear();
  }
  return c;
}

// Collects every complaint, so that a broken file is told about once, whole.
struct Complaints {
  std::vector<std::string> list;
  void add(std::string text) { list.push_back(std::move(text)); }
  Error error() const {
    std::string text = list.size() == 1 ? list[0] : cat("[", join(list, ", "), "]");
    return Error(Code::kFailedPrecondition, "invalid configuration: " + text);
  }
};

struct EntryReader {
  sys::Disk& disk;
  const value::Value& entry;
  const std::string& directory;

  std::string file_path(std::string_view key) const {
    std::string p = text_at(entry, key);
    return p.empty() || path::is_abs(p) ? p : path::join({directory, p});
  }
  // The PEM text under `key`-data (base64) or in the file under `key`.
  std::string pem(std::string_view key, std::string_view unreadable, const std::string& name,
                  Complaints& bad) const {
    if (const std::string data = text_at(entry, cat(key, "-data")); !data.empty()) {
      auto decoded = crypt::base64_decode(data);
      if (decoded) return std::move(*decoded);
      bad.add(cat(key, "-data of ", name, ": ", decoded.error().text()));
      return "";
    }
    const std::string file = file_path(key);
    if (file.empty()) return "";
    auto text = disk.read_file(file, kMaxFile);
    if (text) return std::move(*text);
    bad.add(cat("unable to read ", unreadable, " ", file, " for ", name, " due to ", text.error().text()));
    return "";
  }
};

void read_cluster(const EntryReader& from, const std::string& name, ClientConfig& c, Complaints& bad) {
  if (std::string server = text_at(from.entry, "server"); !server.empty()) c.server = std::move(server);
  c.insecure = flag_at(from.entry, "insecure-skip-tls-verify");
  c.tls_server_name = text_at(from.entry, "tls-server-name");
  c.proxy = text_at(from.entry, "proxy-url");
  c.ca_pem = from.pem("certificate-authority", "certificate-authority", name, bad);
}

void read_exec(const value::Value& v, const std::string& directory, const std::string& name,
               ClientConfig& c, Complaints& bad) {
  ExecConfig e;
  e.command = text_at(v, "command");
  e.api_version = text_at(v, "apiVersion");
  e.install_hint = text_at(v, "installHint");
  e.interactive_mode = text_at(v, "interactiveMode");
  e.provide_cluster_info = flag_at(v, "provideClusterInfo");
  e.args = texts_at(v, "args");
  e.directory = directory;
  const auto must = [&](bool good, std::string_view what) {
    if (!good) bad.add(cat(what, " for ", name, " to use exec authentication plugin"));
  };
  must(!e.command.empty(), "command must be specified");
  must(!e.api_version.empty(), "apiVersion must be specified");
  if (const value::Value* env = v.get("env")) {
    for (const value::Value& item : env->items()) {
      e.env.emplace_back(text_at(item, "name"), text_at(item, "value"));
      must(!e.env.back().first.empty(), "env variable name must be specified");
    }
  }
  if (e.interactive_mode.empty() && e.api_version != "client.authentication.k8s.io/v1") {
    e.interactive_mode = "IfAvailable";
  }
  must(!e.interactive_mode.empty(), "interactiveMode must be specified");
  c.exec = std::move(e);
}

void read_user(const EntryReader& from, const std::string& name, ClientConfig& c, Complaints& bad) {
  c.token = text_at(from.entry, "token");
  c.token_file = from.file_path("tokenFile");
  c.username = text_at(from.entry, "username");
  c.password = text_at(from.entry, "password");
  c.as_user = text_at(from.entry, "as");
  c.as_uid = text_at(from.entry, "as-uid");
  c.as_groups = texts_at(from.entry, "as-groups");
  if (const value::Value* extra = from.entry.get("as-user-extra"); extra && extra->as_map()) {
    for (const auto& [key, value] : *extra->as_map()) {
      c.as_extra[std::string(key.view())] = texts_at(*extra, key.view());
    }
  }
  c.certificate_pem = from.pem("client-certificate", "client-cert", name, bad);
  c.key_pem = from.pem("client-key", "client-key", name, bad);
  if (!c.certificate_pem.empty() && c.key_pem.empty() && bad.list.empty()) {
    bad.add(cat("client-key-data or client-key must be specified for ", name,
                " to use the clientCert authentication method."));
  }
  if (!c.token.empty() && !(c.username + c.password).empty()) {
    bad.add(cat("more than one authentication method found for ", name,
                "; found [token basicAuth], only one is allowed"));
  }
  if (const value::Value* exec = from.entry.get("exec"); exec && exec->is_map()) {
    read_exec(*exec, from.directory, name, c, bad);
  }
  if (const value::Value* provider = from.entry.get("auth-provider"); provider && provider->is_map()) {
    bad.add(cat("no Auth Provider found for name ", quote(text_at(*provider, "name"))));
  }
}

const KubeContext* find_context(const KubeConfig& config, std::string_view name) {
  for (const KubeContext& c : config.contexts) {
    if (c.name == name) return &c;
  }
  return nullptr;
}

// rest.DefaultServerURL: an address alone gets the scheme that the other settings ask for.
Result<std::string> server_url(const ClientConfig& c) {
  auto url = parse_url(c.server);
  if (!url || url->scheme.empty() || url->host.empty()) {
    const bool tls = c.insecure || !c.ca_pem.empty() || !c.certificate_pem.empty();
    url = TRY(parse_url(cat(tls ? "https://" : "http://", c.server)));
    if (!url->path.empty() && url->path != "/") {
      return Error(Code::kInvalidArgument, cat("host must be a URL or a host:port pair: ", quote(c.server)));
    }
  }
  url->raw_query.clear();
  url->force_query = false;
  std::string out = url->text();
  while (out.ends_with('/')) out.pop_back();
  return out;
}

}  // namespace

Result<KubeConfig> load_kubeconfig(const ConfigFlags& flags, sys::Disk& disk,
                                   const sys::Environ& environ) {
  std::vector<std::string> paths;
  if (!flags.kubeconfig.empty()) {
    paths.push_back(flags.kubeconfig);
    if (auto info = disk.stat(flags.kubeconfig); !info) return std::move(info).error();
  } else if (const std::string list = environ.get("KUBECONFIG"); !list.empty()) {
    for (std::string_view p : split(list, ":")) {
      if (!p.empty()) paths.emplace_back(p);
    }
  } else {
    paths.push_back(path::join({sys::home_dir(environ), ".kube/config"}));
  }
  KubeConfig config;
  for (const std::string& p : paths) {
    auto text = disk.read_file(p, kMaxFile);
    if (!text) {
      if (text.error().code() == Code::kNotFound) continue;
      return Error::wrap(cat("error loading config file ", quote(p)), std::move(text).error());
    }
    auto root = yaml::read_exact(*text);
    if (!root) {
      const std::string_view why =
          without_prefix(root.error().text(), "error converting YAML to JSON: ");
      return Error(Code::kInvalidArgument, cat("error loading config file ", quote(p), ": ", why));
    }
    if (const Status shape = check_shape(*root); !shape) {
      return Error::wrap(cat("error loading config file ", quote(p)), shape.error());
    }
    auto absolute = sys::absolute(disk, p);
    merge_file(*root, path::dir(absolute ? *absolute : p), config);
  }
  return config;
}

Result<ClientConfig> client_config(const ConfigFlags& flags, sys::Disk& disk,
                                   const sys::Environ& environ) {
  const KubeConfig config = TRY(load_kubeconfig(flags, disk, environ));
  const KubeContext* context =
      find_context(config, flags.context.empty() ? config.current : flags.context);
  if (!flags.context.empty() && !context) {
    return Error(Code::kFailedPrecondition, cat("context ", quote(flags.context), " does not exist"));
  }
  ClientConfig c;
  Complaints bad;
  if (!config.current.empty() && flags.context.empty() && !context) {
    bad.add("context was not found for specified context: " + config.current);
  }
  bool from_file = false;
  if (context) {
    const auto entry = [&](const auto& entries, std::string_view kind, const std::string& name, auto read) {
      const auto it = entries.find(name);
      if (it == entries.end()) return;
      from_file = true;
      const auto directory = config.directories.find(cat(kind, "/", name));
      read(EntryReader{disk, it->second, directory->second}, name, c, bad);
    };
    entry(config.clusters, "cluster", context->cluster, read_cluster);
    entry(config.users, "user", context->user, read_user);
  }
  if (!flags.apiserver.empty()) c.server = flags.apiserver;
  if (!flags.tls_server_name.empty() || !flags.apiserver.empty()) c.tls_server_name = flags.tls_server_name;
  if (flags.insecure || !flags.ca_file.empty()) {
    c.insecure = flags.insecure;
    c.ca_pem.clear();
  }
  if (!flags.ca_file.empty()) {
    auto ca = disk.read_file(flags.ca_file, kMaxFile);
    if (ca) {
      c.ca_pem = std::move(*ca);
    } else {
      bad.add(cat("unable to read certificate-authority ", flags.ca_file, " for ",
                  context ? context->cluster : "", " due to ", ca.error().text()));
    }
  }
  if (!flags.token.empty()) {
    c.token = flags.token;
    c.token_file.clear();
  }
  if (!flags.as_user.empty()) c.as_user = flags.as_user;
  if (!flags.as_groups.empty()) c.as_groups = flags.as_groups;
  if (c.as_user.empty() && (!c.as_groups.empty() || !c.as_uid.empty() || !c.as_extra.empty())) {
    bad.add(cat("requesting uid, groups or user-extra for ", context ? context->user : "",
                " without impersonating a user"));
  }
  if (!bad.list.empty()) return bad.error();
  if (c.server.empty() && !from_file && in_pod(disk, environ)) return pod_config(flags, disk, environ);
  if (c.server.empty()) c.server = environ.get("KUBERNETES_MASTER");
  if (c.server.empty()) c.server = "http://localhost:8080";
  c.server = TRY(server_url(c));
  if (!c.server.starts_with("https://")) {  // credentials never travel in the clear
    c.token.clear();
    c.token_file.clear();
    c.username.clear();
    c.password.clear();
    c.exec.reset();
  }
  if (c.insecure) c.ca_pem.clear();
  return c;
}

std::string default_namespace(const ConfigFlags& flags, sys::Disk& disk, const sys::Environ& environ) {
  if (!flags.ns.empty()) return flags.ns;
  if (const auto config = load_kubeconfig(flags, disk, environ)) {
    const KubeContext* context =
        find_context(*config, flags.context.empty() ? config->current : flags.context);
    // client-go asks a context for its namespace only when it could be connected to.
    const auto cluster = context ? config->clusters.find(context->cluster) : config->clusters.end();
    const bool server = !flags.apiserver.empty() || (cluster != config->clusters.end() &&
                                                     !text_at(cluster->second, "server").empty());
    if (context && server && !context->ns.empty()) return context->ns;
  }
  if (in_pod(disk, environ)) {
    if (std::string ns = environ.get("POD_NAMESPACE"); !ns.empty()) return ns;
    if (const auto text = disk.read_file(kAccount + "namespace", 4096)) {
      if (const auto ns = trim_space(*text); !ns.empty()) return std::string(ns);
    }
  }
  return "default";
}

}  // namespace pintle::kube
