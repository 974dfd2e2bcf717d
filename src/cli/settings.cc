#include "cli/settings.h"

#include <algorithm>

#include "base/gotext.h"
#include "base/path.h"
#include "base/strings.h"

namespace pintle::cli {
namespace {

std::string env_or(const Env& env, const std::string& name, std::string fallback) {
  return env.environ.find(name).value_or(std::move(fallback));
}

int64_t env_int_or(const Env& env, const std::string& name, int64_t fallback) {
  if (!env.has(name)) return fallback;
  ParseError error;
  const int64_t n = parse_int(env.get(name), 10, 64, &error);
  return error == ParseError::kNone ? n : fallback;
}

bool env_bool_or(const Env& env, const std::string& name, bool fallback) {
  const auto b = parse_bool(env.get(name));
  return b ? *b : fallback;
}

Strings comma_list(std::string_view text) {
  const std::string_view kTrim = ", ";
  const size_t begin = text.find_first_not_of(kTrim);
  if (begin == std::string_view::npos) return {};
  text = text.substr(begin, text.find_last_not_of(kTrim) - begin + 1);
  const auto parts = split(text, ",");
  return {parts.begin(), parts.end()};
}

std::string color_mode(const Env& env) {
  if (!env.get("NO_COLOR").empty()) return "never";
  const std::string mode = to_lower(env.get("HELM_COLOR"));
  return mode == "never" || mode == "always" ? mode : "auto";
}

std::string base_path(const Env& env, const std::string& helm_var, const std::string& xdg_var,
                      std::string_view under_home, std::string_view rest) {
  if (const std::string own = env.get(helm_var); !own.empty()) return path::join({own, rest});
  if (const std::string xdg = env.get(xdg_var); !xdg.empty()) {
    return path::join({xdg, "helm", rest});
  }
  return path::join({env.get("HOME"), under_home, "helm", rest});
}

// klog's flags: accepted and hidden, without effect here. Their setters only check the value as
// Go's flag package does.
Status set_klog_bool(void*, bool, std::string_view text) {
  if (!parse_bool(text)) return Error(Code::kInvalidArgument, "parse error");
  return ok();
}
Status set_klog_uint(void*, bool, std::string_view text) {
  ParseError error;
  parse_uint(text, 0, 64, &error);
  if (error == ParseError::kRange) return Error(Code::kOutOfRange, "value out of range");
  if (error == ParseError::kSyntax) return Error(Code::kInvalidArgument, "parse error");
  return ok();
}
Status set_klog_string(void*, bool, std::string_view) { return ok(); }
Status klog_level(std::string_view text) {
  ParseError error;
  parse_int(text, 10, 32, &error);
  if (error == ParseError::kNone) return ok();
  return Error(Code::kInvalidArgument,
               "strconv.ParseInt: parsing " + quote(text) +
                   (error == ParseError::kRange ? ": value out of range" : ": invalid syntax"));
}
Status set_klog_level(void*, bool, std::string_view text) { return klog_level(text); }
Status set_klog_severity(void*, bool, std::string_view text) {
  const std::string upper = to_upper(text);
  for (std::string_view name : {"INFO", "WARNING", "ERROR", "FATAL"}) {
    if (upper == name) return ok();
  }
  return klog_level(text);
}
Status set_klog_vmodule(void*, bool, std::string_view text) {
  for (const std::string& item : text.empty() ? Strings{} : comma_list(text)) {
    const size_t eq = item.find('=');
    if (eq == std::string::npos || eq == 0 || eq + 1 == item.size()) {
      return Error(Code::kInvalidArgument,
                   "syntax error: expect comma-separated list of filename=N");
    }
  }
  return ok();
}
Status set_klog_location(void*, bool, std::string_view text) {
  if (text.empty()) return ok();
  const size_t colon = text.find(':');
  ParseError error = ParseError::kSyntax;
  if (colon != std::string_view::npos) parse_int(text.substr(colon + 1), 10, 64, &error);
  if (error != ParseError::kNone || text.find(".go") == std::string_view::npos) {
    return Error(Code::kInvalidArgument, "syntax error: expect file.go:234");
  }
  return ok();
}

void bind_klog(Flags& f) {
  for (std::string_view name :
       {"add-dir-header", "alsologtostderr", "legacy-stderr-threshold-behavior", "logtostderr",
        "one-output", "skip-headers", "skip-log-headers"}) {
    f.custom(name, "bool", "false", nullptr, set_klog_bool, "").when_bare("true").hide();
  }
  for (std::string_view name : {"log-dir", "log-file"}) {
    f.custom(name, "string", "", nullptr, set_klog_string, "").hide();
  }
  f.custom("alsologtostderrthreshold", "severity", "", nullptr, set_klog_severity, "").hide();
  f.custom("log-backtrace-at", "traceLocation", "", nullptr, set_klog_location, "").hide();
  f.custom("log-file-max-size", "uint64", "", nullptr, set_klog_uint, "").hide();
  f.custom("stderrthreshold", "severity", "", nullptr, set_klog_severity, "").hide();
  f.custom("v", "Level", "", nullptr, set_klog_level, "", 'v').hide();
  f.custom("vmodule", "moduleSpec", "", nullptr, set_klog_vmodule, "").hide();
}

}  // namespace

std::string cache_path(const Env& env, std::string_view rest) {
  return base_path(env, "HELM_CACHE_HOME", "XDG_CACHE_HOME", ".cache", rest);
}
std::string config_path(const Env& env, std::string_view rest) {
  return base_path(env, "HELM_CONFIG_HOME", "XDG_CONFIG_HOME", ".config", rest);
}
std::string data_path(const Env& env, std::string_view rest) {
  return base_path(env, "HELM_DATA_HOME", "XDG_DATA_HOME", ".local/share", rest);
}

Settings Settings::from(const Env& env) {
  Settings s;
  s.namespace_flag = env.get("HELM_NAMESPACE");
  s.max_history = env_int_or(env, "HELM_MAX_HISTORY", 10);
  s.kube_context = env.get("HELM_KUBECONTEXT");
  s.kube_token = env.get("HELM_KUBETOKEN");
  s.kube_as_user = env.get("HELM_KUBEASUSER");
  s.kube_as_groups = comma_list(env.get("HELM_KUBEASGROUPS"));
  s.kube_apiserver = env.get("HELM_KUBEAPISERVER");
  s.kube_ca_file = env.get("HELM_KUBECAFILE");
  s.kube_tls_server_name = env.get("HELM_KUBETLS_SERVER_NAME");
  s.kube_insecure_skip_tls_verify = env_bool_or(env, "HELM_KUBEINSECURE_SKIP_TLS_VERIFY", false);
  s.plugins_directory = env_or(env, "HELM_PLUGINS", data_path(env, "plugins"));
  s.registry_config = env_or(env, "HELM_REGISTRY_CONFIG", config_path(env, "registry/config.json"));
  s.repository_config =
      env_or(env, "HELM_REPOSITORY_CONFIG", config_path(env, "repositories.yaml"));
  s.repository_cache = env_or(env, "HELM_REPOSITORY_CACHE", cache_path(env, "repository"));
  s.content_cache = env_or(env, "HELM_CONTENT_CACHE", cache_path(env, "content"));
  s.burst_limit = env_int_or(env, "HELM_BURST_LIMIT", 100);
  if (const auto qps = parse_float(env.get("HELM_QPS"))) s.qps = static_cast<float>(*qps);
  s.color = color_mode(env);
  s.debug = env_bool_or(env, "HELM_DEBUG", false);
  return s;
}

void Settings::bind(Flags& f, bool helm3) {
  f.string("namespace", namespace_flag, "namespace scope for this request", 'n');
  f.string("kubeconfig", kubeconfig, "path to the kubeconfig file");
  f.string("kube-context", kube_context, "name of the kubeconfig context to use");
  f.string("kube-token", kube_token, "bearer token used for authentication");
  f.string("kube-as-user", kube_as_user, "username to impersonate for the operation");
  f.array("kube-as-group", kube_as_groups,
          "group to impersonate for the operation, this flag can be repeated to specify multiple "
          "groups.");
  f.string("kube-apiserver", kube_apiserver,
           "the address and the port for the Kubernetes API server");
  f.string("kube-ca-file", kube_ca_file,
           "the certificate authority file for the Kubernetes API server connection");
  f.string("kube-tls-server-name", kube_tls_server_name,
           "server name to use for Kubernetes API server certificate validation. If it is not "
           "provided, the hostname used to contact the server is used");
  f.boolean("kube-insecure-skip-tls-verify", kube_insecure_skip_tls_verify,
            "if true, the Kubernetes API server's certificate will not be checked for validity. "
            "This will make your HTTPS connections insecure");
  f.boolean("debug", debug, "enable verbose output");
  f.string("registry-config", registry_config, "path to the registry config file");
  f.string("repository-config", repository_config,
           "path to the file containing repository names and URLs");
  f.string("repository-cache", repository_cache,
           "path to the directory containing cached repository indexes");
  f.integer("burst-limit", burst_limit, "client-side default throttling limit");
  f.real("qps", qps,
         "queries per second used when communicating with the Kubernetes API, not including "
         "bursting");
  if (!helm3) {
    f.string("content-cache", content_cache,
             "path to the directory containing cached content (e.g. charts)");
    f.string("color", color, "use colored output (never, auto, always)");
    f.string("colour", color, "use colored output (never, auto, always)");
  }
  bind_klog(f);
}

std::vector<std::pair<std::string, std::string>> env_vars(const Env& env,
                                                          const Settings& settings) {
  std::string qps;
  append_float(qps, settings.qps, 'f', 2, 32);
  const auto yes_no = [](bool b) { return std::string(b ? "true" : "false"); };
  std::vector<std::pair<std::string, std::string>> vars = {
      {"HELM_BIN", env.program},
      {"HELM_BURST_LIMIT", std::to_string(settings.burst_limit)},
      {"HELM_CACHE_HOME", cache_path(env, "")},
      {"HELM_CONFIG_HOME", config_path(env, "")},
      {"HELM_CONTENT_CACHE", settings.content_cache},
      {"HELM_DATA_HOME", data_path(env, "")},
      {"HELM_DEBUG", yes_no(settings.debug)},
      {"HELM_KUBEAPISERVER", settings.kube_apiserver},
      {"HELM_KUBEASGROUPS", join(settings.kube_as_groups, ",")},
      {"HELM_KUBEASUSER", settings.kube_as_user},
      {"HELM_KUBECAFILE", settings.kube_ca_file},
      {"HELM_KUBECONTEXT", settings.kube_context},
      {"HELM_KUBEINSECURE_SKIP_TLS_VERIFY", yes_no(settings.kube_insecure_skip_tls_verify)},
      {"HELM_KUBETLS_SERVER_NAME", settings.kube_tls_server_name},
      {"HELM_KUBETOKEN", settings.kube_token},
      {"HELM_MAX_HISTORY", std::to_string(settings.max_history)},
      {"HELM_NAMESPACE", current_namespace(env, settings)},
      {"HELM_PLUGINS", settings.plugins_directory},
      {"HELM_QPS", qps},
      {"HELM_REGISTRY_CONFIG", settings.registry_config},
      {"HELM_REPOSITORY_CACHE", settings.repository_cache},
      {"HELM_REPOSITORY_CONFIG", settings.repository_config},
  };
  if (env.build.helm3) {
    std::erase_if(vars, [](const auto& v) { return v.first == "HELM_CONTENT_CACHE"; });
  }
  if (!settings.kubeconfig.empty()) vars.emplace_back("KUBECONFIG", settings.kubeconfig);
  return vars;
}

std::string default_keyring(const Env& env) {
  const std::string home = env_or(env, "GNUPGHOME", path::join({env.get("HOME"), ".gnupg"}));
  const std::string legacy = path::join({home, "pubring.gpg"});
  if (env.build.helm3) return legacy;
  const auto missing = [&](const std::string& path) {
    const auto info = env.disk.stat(path);
    return !info && info.error().code() == Code::kNotFound;
  };
  if (!missing(legacy)) return legacy;
  const std::string keybox = path::join({home, "pubring.kbx"});
  return missing(keybox) ? legacy : keybox;
}

}  // namespace pintle::cli
