// Who we are to the API server: the header of each request, renewed when it goes stale. Inside this
// room only. Thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "base/result.h"
#include "http/http.h"
#include "kube/config.h"

namespace pintle::kube {

// What an exec plugin gave (client.authentication.k8s.io ExecCredential).
struct ExecCredential {
  std::string token, certificate_pem, key_pem;
  int64_t expires_ns = 0;  // unix; 0: never
};
struct PluginWorld {
  const sys::Environ* environ = nullptr;  // null: no plugin is run
  bool terminal = false;                  // it may ask the user
  std::function<void(std::string_view)> err = {};  // what it says while it runs
};
// Runs the plugin. Errors: `getting credentials: exec: ...` as client-go words them.
Result<ExecCredential> run_exec_plugin(const ClientConfig& config, const PluginWorld& world,
                                       const http::Cancel* cancel);

class Credentials {
 public:
  Credentials(const ClientConfig& config, PluginWorld world)
      : config_(config), world_(std::move(world)) {}

  // The Authorization header's value; "" for none. Error: the plugin's, the token file's.
  Result<std::string> authorization(const http::Cancel* cancel);
  // The plugin's client certificate, if any; runs it when it has not run.
  Result<http::Tls> tls(const http::Cancel* cancel);
  // Whether the next call runs no plugin and reads no file.
  bool ready();
  // The server refused what we sent. True when asking again may give something else.
  bool renew();

 private:
  bool fresh(int64_t now_ns) const REQUIRES(mutex_);
  Status refresh(const http::Cancel* cancel) REQUIRES(mutex_);
  const ClientConfig config_;
  const PluginWorld world_;
  std::atomic<bool> refused_{false};  // apart: a plugin runs under the mutex
  Mutex mutex_;
  bool have_exec_ GUARDED_BY(mutex_) = false;
  ExecCredential exec_ GUARDED_BY(mutex_);
  std::string file_token_ GUARDED_BY(mutex_);
  int64_t file_read_ns_ GUARDED_BY(mutex_) = 0;
};

}  // namespace pintle::kube
