#include "kube/credentials.h"

#include "base/gotext.h"
#include "base/path.h"
#include "base/strings.h"
#include "crypt/crypt.h"
#include "json/json.h"
#include "kube/time.h"
#include "sys/clock.h"
#include "sys/process.h"

namespace pintle::kube {
namespace {

constexpr int64_t kTokenFileAge = 60'000'000'000;  // client-go reads a token file again each minute
constexpr int64_t kExecTimeoutMs = 120'000;        // a plugin that hangs must not hang us
constexpr size_t kMaxAnswer = 4 << 20;
constexpr std::string_view kNoPlugin =
    "\n\nIt looks like you are trying to use a client-go credential plugin that is not installed.\n\n"
    "To learn more about this feature, consult the documentation available at:\n"
    "      https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins";

std::string text_at(const value::Value& map, std::string_view key) {
  const value::Value* v = map.get(key);
  return v && v->is_string() ? std::string(v->as_string()) : std::string();
}

value::Value map_of(std::initializer_list<std::pair<std::string_view, value::Value>> entries) {
  auto map = value::make_map();
  for (const auto& [key, v] : entries) map->set(key, v);
  return value::Value::map(map);
}

// KUBERNETES_EXEC_INFO.
std::string exec_info(const ClientConfig& config, bool interactive) {
  auto spec = value::make_map();
  if (config.exec->provide_cluster_info) {
    auto cluster = value::make_map();
    cluster->set("server", value::str(config.server));
    if (!config.tls_server_name.empty()) {
      cluster->set("tls-server-name", value::str(config.tls_server_name));
    }
    if (config.insecure) cluster->set("insecure-skip-tls-verify", value::Value::boolean(true));
    if (!config.ca_pem.empty()) {
      cluster->set("certificate-authority-data", value::str(crypt::base64_encode(config.ca_pem)));
    }
    if (!config.proxy.empty()) cluster->set("proxy-url", value::str(config.proxy));
    spec->set("cluster", value::Value::map(cluster));
  }
  spec->set("interactive", value::Value::boolean(interactive));
  auto text = json::write(map_of({{"kind", value::str("ExecCredential")},
                                  {"apiVersion", value::str(config.exec->api_version)},
                                  {"spec", value::Value::map(spec)}}));
  return text ? std::move(*text) : "{}";
}

Error failed(std::string_view why) {
  return Error(Code::kUnauthenticated, cat("getting credentials: ", why));
}

}  // namespace

Result<ExecCredential> run_exec_plugin(const ClientConfig& config, const PluginWorld& world,
                                       const http::Cancel* cancel) {
  const ExecConfig& exec = *config.exec;
  if (exec.interactive_mode == "Always" && !world.terminal) {
    return failed("exec plugin cannot support interactive mode: standard input is not a terminal");
  }
  const bool interactive = world.terminal && exec.interactive_mode != "Never";
  sys::Command command;
  const bool relative = exec.command.find('/') != std::string::npos && !path::is_abs(exec.command);
  command.argv.push_back(relative ? path::join({exec.directory, exec.command}) : exec.command);
  command.argv.insert(command.argv.end(), exec.args.begin(), exec.args.end());
  command.environ = world.environ->all();
  for (const auto& pair : exec.env) command.environ->push_back(pair);
  command.environ->emplace_back("KUBERNETES_EXEC_INFO", exec_info(config, interactive));
  if (!interactive) command.input = "";
  command.timeout_ms = kExecTimeoutMs;
  command.with_terminal = true;  // Ctrl-C reaches it too
  command.on_err = world.err;
  command.max_output = kMaxAnswer;
  if (cancel) command.stop = [cancel] { return cancel->cancelled(); };
  auto ran = sys::run(command);
  if (!ran) {
    const std::string& text = ran.error().text();
    if (!text.starts_with("exec: ")) return failed("exec: " + text);
    return failed(cat("exec: executable ", exec.command, " not found", kNoPlugin,
                      exec.install_hint.empty() ? "" : "\n\n", exec.install_hint));
  }
  if (cancel && cancel->cancelled()) return Error(Code::kCancelled, "getting credentials: context canceled");
  if (ran->too_much) return failed(cat("exec: executable ", exec.command, " wrote too much"));
  if (ran->timed_out) return failed(cat("exec: executable ", exec.command, " timed out"));
  if (ran->exit_code != 0) {
    std::string text = cat("exec: executable ", exec.command, " failed with exit code ", ran->exit_code);
    if (const auto said = trim_space(ran->err); !said.empty()) text += cat(": ", said.substr(0, 2048));
    return failed(text);
  }
  auto answer = json::read(ran->out);
  if (!answer) return failed("decoding stdout: " + answer.error().text());
  if (const std::string got = text_at(*answer, "apiVersion"); got != exec.api_version) {
    return failed(cat("exec plugin is configured to use API version ", exec.api_version,
                      ", plugin returned version ", got));
  }
  const value::Value* status = answer->get("status");
  if (!status || !status->is_map()) return failed("exec plugin didn't return a status field");
  ExecCredential c;
  c.token = text_at(*status, "token");
  c.certificate_pem = text_at(*status, "clientCertificateData");
  c.key_pem = text_at(*status, "clientKeyData");
  if (c.token.empty() && c.certificate_pem.empty() && c.key_pem.empty()) {
    return failed("exec plugin didn't return a token or cert/key pair");
  }
  if (c.certificate_pem.empty() != c.key_pem.empty()) {
    return failed("exec plugin returned only certificate or key, not both");
  }
  if (const auto expires = parse_time(text_at(*status, "expirationTimestamp"))) c.expires_ns = *expires;
  return c;
}

bool Credentials::fresh(int64_t now_ns) const {
  if (config_.exec && world_.environ) {
    return !refused_ && have_exec_ && (exec_.expires_ns == 0 || exec_.expires_ns > now_ns);
  }
  if (config_.token_file.empty()) return true;
  return !refused_ && !file_token_.empty() && now_ns - file_read_ns_ <= kTokenFileAge;
}

Status Credentials::refresh(const http::Cancel* cancel) {
  const int64_t now = sys::real_clock().now_ns();
  if (fresh(now)) return ok();
  if (refused_.exchange(false)) have_exec_ = false;
  if (config_.exec && world_.environ) {
    exec_ = TRY(run_exec_plugin(config_, world_, cancel));
    have_exec_ = true;
    return ok();
  }
  auto text = sys::real_disk().read_file(config_.token_file, 1 << 20);
  if (!text && file_token_.empty() && config_.token.empty()) return std::move(text).error();
  if (text) file_token_ = std::string(trim_space(*text));
  file_read_ns_ = now;
  return ok();
}

bool Credentials::ready() {
  if (!mutex_.try_lock()) return false;  // who holds it is running a plugin
  Lock held(mutex_, std::adopt_lock);
  return fresh(sys::real_clock().now_ns());
}

Result<std::string> Credentials::authorization(const http::Cancel* cancel) {
  Lock held(mutex_);
  TRY(refresh(cancel));
  if (!config_.username.empty() || !config_.password.empty()) {
    return "Basic " + crypt::base64_encode(cat(config_.username, ":", config_.password));
  }
  const std::string& token = !exec_.token.empty()     ? exec_.token
                             : !file_token_.empty()   ? file_token_
                                                      : config_.token;
  return token.empty() ? std::string() : "Bearer " + token;
}

Result<http::Tls> Credentials::tls(const http::Cancel* cancel) {
  Lock held(mutex_);
  TRY(refresh(cancel));
  http::Tls tls{config_.ca_pem, config_.certificate_pem, config_.key_pem, config_.insecure,
                config_.tls_server_name};
  if (!exec_.certificate_pem.empty()) {
    tls.certificate_pem = exec_.certificate_pem;
    tls.key_pem = exec_.key_pem;
  }
  return tls;
}

bool Credentials::renew() {
  const bool renewable = config_.exec.has_value() || !config_.token_file.empty();
  refused_ = true;
  return renewable;
}

}  // namespace pintle::kube
