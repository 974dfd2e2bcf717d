// REST: one authenticated connection to an API server. The seam everything cluster-bound stands on:
// the real one goes through `http`, tests put a fake behind it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/http.h"
#include "value/value.h"

namespace pintle::kube {

// Detail of every error that was an HTTP answer: the Status the server sent, or one made of the code.
struct ApiStatus : ErrorDetail {
  int code = 0;
  std::string reason, message;  // "NotFound"
  int retry_after_seconds = 0;
  std::string raw;  // the body
};
bool is_not_found(const Error& e);
bool is_already_exists(const Error& e);
bool is_conflict(const Error& e);

struct Call {
  std::string method = "GET";
  std::string path;   // "/api/v1/namespaces/x/secrets", percent-encoded
  std::string query;  // "labelSelector=..."
  std::string body;
  std::string content_type = "application/json";
  std::string accept = "application/json";
  int64_t timeout_ms = 0;
  const http::Cancel* cancel = nullptr;
  std::function<void()> answered = {};  // of `open`: runs once the head of a 2xx answer has come
  bool retry = true;  // false: one try, for what is not worth waiting for
  std::string if_none_match = {};
  bool alone = false;  // of `open`: on a connection of its own (http.h)
};

class Rest {
 public:
  virtual ~Rest() = default;
  // 2xx (and 304) answers. Others are errors whose text is the server's message, with ApiStatus;
  // 429 and 5xx with Retry-After are retried as client-go does. Warning headers go to `warn` once
  // each. Thread-safe: calls may run in parallel.
  virtual Result<http::Response> call(const Call& call) = 0;
  // A watch or a log: each piece as it comes, until `data` says false or the stream ends.
  virtual Status stream(const Call& call, const std::function<bool(std::string_view piece)>& data) = 0;
  // The same without a thread of its own, for many watches at once: `data` and `done` run on the
  // connection's thread and must be short; `data` may refuse a piece until `resume` (back-pressure).
  // Dropping the handle ends it.
  using Pending = http::Client::Pending;
  using Flow = http::Client::Flow;
  virtual std::unique_ptr<Pending> open(const Call& call,
                                        std::function<Flow(std::string_view piece)> data,
                                        std::function<void(Status)> done) = 0;
  // From now on calls that have no `cancel` of their own end when this is set; null: none does.
  virtual void interrupt_by(const http::Cancel*) {}
  virtual std::string server() const = 0;  // "https://host:port", for messages and the cache's name
};

struct RestOptions {
  std::string user_agent = "Helm/4.3.1";
  std::function<void(std::string_view warning)> warn = {};
  const sys::Environ* environ = nullptr;  // for proxies and exec plugins; null: neither
  bool terminal = false;                  // an exec plugin may ask the user
  std::function<void(std::string_view)> plugin_err = {};  // what an exec plugin says while it runs
  // Requests a second, after `burst` at once; 0: as many as the server takes.
  double qps = 0;
  int64_t burst = 0;
  // Whose thread its requests share with other connections; null: one of their own.
  std::shared_ptr<http::Engine> engine = nullptr;
  // Runs a task soon, elsewhere: `open` leaves to it what may block, which is an exec plugin that
  // has to be run and a token file that has to be read. Empty: that blocks the caller of `open`.
  std::function<void(std::function<void()> task)> aside = {};
};

struct ClientConfig;  // config.h
// Sends nothing yet. Error: a broken certificate, an exec plugin's version that is unknown.
Result<std::unique_ptr<Rest>> connect(const ClientConfig& config, RestOptions options);

// The error of an answer that is no success: the Status in its body, or one made of the code as
// client-go makes it.
Error status_error(const http::Response& response);

// Decodes an answer; error text as client-go gives for what is no JSON.
Result<value::Value> decode(const http::Response& response);

}  // namespace pintle::kube
