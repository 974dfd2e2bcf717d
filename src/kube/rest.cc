// The real connection: `http` with credentials, client-go's retries and once-only warnings on top.
// A call that is told to wait (429, 5xx with Retry-After) waits and is sent again, ten times at
// most; a 401 is sent once more when the credentials can be renewed; a leader change in etcd once.
#include "kube/rest.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "base/gotext.h"
#include "base/mutex.h"
#include "base/strings.h"
#include "kube/config.h"
#include "kube/credentials.h"
#include "sys/clock.h"

namespace pintle::kube {
namespace {

constexpr int kRetries = 10;
constexpr int kLongestRetryAfter = 120;

// `299 - "text" "date"`: the text.
std::string warning_text(std::string_view header) {
  const size_t open = header.find('"');
  std::string out;
  if (!header.starts_with("299 ") || open == std::string_view::npos) return out;
  for (size_t i = open + 1; i < header.size() && header[i] != '"'; ++i) {
    if (header[i] == '\\' && i + 1 < header.size()) ++i;
    out += header[i];
  }
  return out;
}

bool etcd_hiccup(const http::Response& r) {
  return r.status >= 500 && (r.body.find("etcdserver: leader changed\"") != std::string::npos ||
                             r.body.find("raft proposal dropped\"") != std::string::npos);
}

// False when cancelled meanwhile.
bool sleep_for(int64_t ms, const http::Cancel* cancel) {
  for (; ms > 0; ms -= 50) {
    if (cancel && cancel->cancelled()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(std::min<int64_t>(ms, 50)));
  }
  return !(cancel && cancel->cancelled());
}

// A bucket of `burst` tokens that `qps` a second drip into. Thread-safe.
class Throttle {
 public:
  Throttle(double qps, int64_t burst)
      : qps_(qps), burst_(static_cast<double>(std::max<int64_t>(burst, 1))), tokens_(burst_) {}

  // Milliseconds to wait before the request may go.
  int64_t take() {
    if (qps_ <= 0) return 0;
    Lock held(mutex_);
    const int64_t now = sys::real_clock().monotonic_ns();
    if (last_ != 0) tokens_ = std::min(burst_, tokens_ + static_cast<double>(now - last_) / 1e9 * qps_);
    last_ = now;
    tokens_ -= 1;
    return tokens_ >= 0 ? 0 : static_cast<int64_t>(-tokens_ / qps_ * 1000);
  }

 private:
  const double qps_, burst_;
  Mutex mutex_;
  double tokens_ GUARDED_BY(mutex_);  // below zero: promised to who waits
  int64_t last_ GUARDED_BY(mutex_) = 0;
};

// What a connection is made of. Shared with what prepares a request aside, which may outlive it.
class Session {
 public:
  Session(const ClientConfig& config, RestOptions options)
      : config_(config), options_(std::move(options)),
        credentials_(config_, {options_.environ, options_.terminal, options_.plugin_err}) {}

  const RestOptions& options() const { return options_; }
  const std::string& server() const { return config_.server; }
  bool at_once() { return !options_.aside || credentials_.ready(); }
  bool renew() {
    if (!credentials_.renew()) return false;
    Lock held(mutex_);
    stale_ = config_.exec.has_value();
    return true;
  }

  struct Prepared {
    http::Client* client;
    http::Request request;
  };
  // May run an exec plugin and read a token file.
  Result<Prepared> prepare(const Call& call, const http::Cancel* cancel) {
    http::Client* client = TRY(this->client(call, cancel));
    return Prepared{client, TRY(request(call, cancel))};
  }

  void warn(const http::Response& response) {
    if (!options_.warn) return;
    for (const auto& [name, value] : response.headers) {
      if (name != "warning") continue;
      const std::string text = warning_text(value);
      Lock held(warned_mutex_);
      if (!text.empty() && warned_.insert(text).second) options_.warn(text);
    }
  }

 private:
  // As net/http words what fails before a request is sent.
  Error unsent(const Call& call, const Error& why) const {
    std::string verb = to_lower(call.method);
    verb[0] = call.method[0];
    return Error::wrap(cat(verb, " ", quote(config_.server + call.path +
                                            (call.query.empty() ? "" : "?" + call.query))),
                       why);
  }

  // A new one after credentials changed: connections belong to a certificate.
  Result<http::Client*> client(const Call& call, const http::Cancel* cancel) {
    {
      Lock held(mutex_);
      if (!clients_.empty() && !stale_) return clients_.back().get();
    }
    http::Options options;
    auto tls = credentials_.tls(cancel);
    if (!tls) return unsent(call, tls.error());
    options.tls = std::move(*tls);
    options.proxy = config_.proxy;
    options.proxy_environ = options_.environ;
    options.engine = options_.engine;
    Lock held(mutex_);
    if (clients_.empty() || stale_) {
      clients_.push_back(TRY(http::Client::make(std::move(options))));
      stale_ = false;
    }
    return clients_.back().get();
  }

  Result<http::Request> request(const Call& call, const http::Cancel* cancel) {
    http::Request r;
    r.method = call.method;
    r.url = cat(config_.server, call.path, call.query.empty() ? "" : "?", call.query);
    r.body = call.body;
    r.timeout_ms = call.timeout_ms;
    r.cancel = cancel;
    r.answered = call.answered;
    r.alone = call.alone;
    r.headers = {{"User-Agent", options_.user_agent}, {"Accept", call.accept}};
    if (!call.body.empty()) r.headers.emplace_back("Content-Type", call.content_type);
    if (!call.if_none_match.empty()) r.headers.emplace_back("If-None-Match", call.if_none_match);
    auto authorization = credentials_.authorization(cancel);
    if (!authorization) return unsent(call, authorization.error());
    if (!authorization->empty()) r.headers.emplace_back("Authorization", std::move(*authorization));
    if (!config_.as_user.empty()) r.headers.emplace_back("Impersonate-User", config_.as_user);
    if (!config_.as_uid.empty()) r.headers.emplace_back("Impersonate-Uid", config_.as_uid);
    for (const auto& g : config_.as_groups) r.headers.emplace_back("Impersonate-Group", g);
    for (const auto& [key, values] : config_.as_extra) {
      for (const auto& v : values) r.headers.emplace_back("Impersonate-Extra-" + key, v);
    }
    return r;
  }

  const ClientConfig config_;
  const RestOptions options_;
  Credentials credentials_;
  Mutex warned_mutex_;
  std::set<std::string> warned_ GUARDED_BY(warned_mutex_);
  Mutex mutex_;
  bool stale_ GUARDED_BY(mutex_) = false;
  std::vector<std::unique_ptr<http::Client>> clients_ GUARDED_BY(mutex_);  // the last one is used
};

// A request that is still being prepared, or its handle.
class Aside final : public Rest::Pending {
 public:
  struct Shared {
    Mutex mutex;  // held while `done` runs, so that dropping waits for it
    std::unique_ptr<Rest::Pending> begun GUARDED_BY(mutex);
    bool gone GUARDED_BY(mutex) = false;
    http::Cancel cancel;  // of the preparations
  };
  explicit Aside(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}
  ~Aside() override {
    shared_->cancel.cancel();
    std::unique_ptr<Rest::Pending> begun;
    Lock held(shared_->mutex);
    shared_->gone = true;
    begun = std::move(shared_->begun);
  }
  void resume() override {
    Lock held(shared_->mutex);
    if (shared_->begun) shared_->begun->resume();
  }
  bool begun() const override {
    Lock held(shared_->mutex);
    return shared_->begun && shared_->begun->begun();
  }

 private:
  std::shared_ptr<Shared> shared_;  // with the task that prepares it
};

class RealRest final : public Rest {
 public:
  RealRest(const ClientConfig& config, RestOptions options)
      : session_(std::make_shared<Session>(config, std::move(options))),
        throttle_(session_->options().qps, session_->options().burst) {}

  Result<http::Response> call(const Call& call) override {
    bool renewed = false, calmed = false;
    for (int attempt = 0;; ++attempt) {
      const http::Cancel* cancel = cancel_of(call);
      auto [client, request] = TRY(session_->prepare(call, cancel));
      if (!sleep_for(throttle_.take(), cancel)) {
        return Error(Code::kCancelled, "client rate limiter Wait returned an error: context canceled");
      }
      auto response = client->send(request);
      if (!response) {
        const bool again = call.method == "GET" && call.retry && attempt < kRetries &&
                           response.error().code() == Code::kUnavailable && lost(response.error());
        if (!again || !sleep_for(1000, cancel)) return std::move(response).error();
        continue;
      }
      session_->warn(*response);
      if (response->status == 401 && !renewed && session_->renew()) {
        renewed = true;
        continue;
      }
      if (etcd_hiccup(*response) && !calmed) {
        calmed = true;
        continue;
      }
      if ((response->status < 200 || response->status >= 300) && response->status != 304) {
        Error error = status_error(*response);
        const bool wait = response->status == 429 || response->status >= 500;
        const auto* status = error.find<ApiStatus>();
        const bool told = wait && !response->header("retry-after").empty();
        if (!told || !call.retry || attempt >= kRetries) return error;
        const int seconds = std::clamp(status->retry_after_seconds, 0, kLongestRetryAfter);
        if (!sleep_for(seconds * 1000, cancel)) return error;
        continue;
      }
      return response;
    }
  }

  Status stream(const Call& call, const std::function<bool(std::string_view)>& data) override {
    auto [client, request] = TRY(session_->prepare(call, cancel_of(call)));
    http::Response refused;
    auto status = client->stream(request, [&](const http::Response& head) {
      refused = head;
      return true;
    }, data);
    if (!status) return std::move(status).error();
    if (*status >= 200 && *status < 300) return ok();
    return status_error(refused);
  }

  std::unique_ptr<Pending> open(const Call& call, std::function<Flow(std::string_view)> data,
                                std::function<void(Status)> done) override {
    if (session_->at_once()) {
      auto prepared = session_->prepare(call, cancel_of(call));
      if (prepared) return begin(session_.get(), std::move(*prepared), std::move(data), std::move(done));
      done(prepared.error());
      return nullptr;
    }
    auto shared = std::make_shared<Aside::Shared>();
    session_->options().aside([session = session_, shared, call, cancel = cancel_of(call),
                               data = std::move(data), done = std::move(done)] {
      auto prepared = session->prepare(call, &shared->cancel);
      Lock held(shared->mutex);
      if (shared->gone) return;
      if (!prepared) return done(prepared.error());
      prepared->request.cancel = cancel;
      shared->begun = begin(session.get(), std::move(*prepared), data, done);
    });
    return std::make_unique<Aside>(std::move(shared));
  }

  void interrupt_by(const http::Cancel* cancel) override { interrupt_.store(cancel); }
  std::string server() const override { return session_->server(); }

 private:
  const http::Cancel* cancel_of(const Call& call) const {
    return call.cancel ? call.cancel : interrupt_.load();
  }

  static bool lost(const Error& e) {
    return e.text().ends_with(": EOF") || e.text().ends_with("connection reset by peer") ||
           e.text().find("http2: ") != std::string::npos;
  }

  // The session outlives its clients, and they what they have begun.
  static std::unique_ptr<Pending> begin(Session* session, Session::Prepared prepared,
                                        std::function<Flow(std::string_view)> data,
                                        std::function<void(Status)> done) {
    return prepared.client->start(
        std::move(prepared.request),
        [session, done = std::move(done)](Result<http::Response> r) {
          if (!r) return done(std::move(r).error());
          session->warn(*r);
          if (r->status == 401) session->renew();
          if (r->status < 200 || r->status >= 300) return done(status_error(*r));
          done(ok());
        },
        std::move(data));
  }

  const std::shared_ptr<Session> session_;
  Throttle throttle_;
  std::atomic<const http::Cancel*> interrupt_{nullptr};
};

}  // namespace

Result<std::unique_ptr<Rest>> connect(const ClientConfig& config, RestOptions options) {
  if (config.exec && config.exec->api_version != "client.authentication.k8s.io/v1" &&
      config.exec->api_version != "client.authentication.k8s.io/v1beta1") {
    return Error(Code::kFailedPrecondition,
                 cat("exec plugin: invalid apiVersion \"", config.exec->api_version, "\""));
  }
  return std::make_unique<RealRest>(config, std::move(options));
}

}  // namespace pintle::kube
