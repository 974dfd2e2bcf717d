#include "drydock/fault_front.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"

namespace pintle::drydock {
namespace {

// Takes an answer and cuts the connection instead.
class LostExchange : public httpd::Exchange {
 public:
  explicit LostExchange(ExchangePtr inner) : x_inner(std::move(inner)) {}
  const httpd::Request& request() const override { return x_inner->request(); }
  void respond(httpd::Response) override { x_inner->abort(); }
  void start(int, std::vector<httpd::Header>) override { x_inner->abort(); }
  bool send(httpd::Frame) override { return false; }
  size_t queued_bytes() const override { return 0; }
  void finish() override { x_inner->abort(); }
  void abort() override { x_inner->abort(); }
  void on_close(std::function<void()> f) override { x_inner->on_close(std::move(f)); }

 private:
  ExchangePtr x_inner;
};

bool is_watch(const httpd::Request& request) {
  if (request.method != "GET") return false;
  if (request.path.find("/watch/") != std::string::npos) return true;
  for (std::string_view part : split(request.query, "&")) {
    if (part == "watch=true" || part == "watch=1" || part == "watch") return true;
  }
  return false;
}

// Reason and text that a Kubernetes server has for a status.
std::pair<std::string_view, std::string_view> usual(int status) {
  switch (status) {
    case 401: return {"Unauthorized", "Unauthorized"};
    case 403: return {"Forbidden", "forbidden"};
    case 404: return {"NotFound", "the server could not find the requested resource"};
    case 409: return {"Conflict", "the server reported a conflict"};
    case 410: return {"Expired", "the requested resource version is too old"};
    case 429: return {"TooManyRequests", "too many requests, please try again later"};
    case 500: return {"InternalError", "an error on the server has prevented the request from succeeding"};
    case 503: return {"ServiceUnavailable", "the server is currently unable to handle the request"};
    case 504: return {"Timeout", "the server was unable to return a response in the time allotted"};
    default: return {"", "the server refused the request"};
  }
}

httpd::Response refusal(const Action& action) {
  auto [reason, message] = usual(action.status);
  ApiError detail;
  detail.code = action.status;
  detail.reason = reason;
  detail.retry_after_seconds = action.retry_after_seconds;
  return error_response(api_error(action.message.empty() ? std::string(message) : action.message, std::move(detail)));
}

}  // namespace

void FaultFront::serve(const ExchangePtr& exchange) {
  const httpd::Request& request = exchange->request();
  Action action = x_faults.decide(request.method, request.path, request.header("User-Agent"), is_watch(request));
  if (action.latency_ms <= 0) return act(exchange, action);
  int64_t at = x_rest.machine.monotonic_ns() + action.latency_ms * 1'000'000;
  later(at, [this, exchange, action] { act(exchange, action); }, exchange);
}

void FaultFront::act(const ExchangePtr& exchange, const Action& action) {
  switch (action.effect) {
    case Fault::Effect::kNone: return drydock::serve(x_rest, exchange);
    case Fault::Effect::kStatus: return exchange->respond(refusal(action));
    case Fault::Effect::kCut: return exchange->abort();
    case Fault::Effect::kLost: return drydock::serve(x_rest, std::make_shared<LostExchange>(exchange));
    // Kept by its own callback until the peer gives up.
    case Fault::Effect::kHang: return exchange->on_close([exchange] {});
    case Fault::Effect::kSilent: return drydock::serve(x_rest, exchange, WatchFate::kSilent);
    case Fault::Effect::kHalfOpen: return drydock::serve(x_rest, exchange, WatchFate::kHalfOpen);
  }
}

void FaultFront::later(int64_t at_ns, std::function<void()> task, ExchangePtr exchange) {
  Lock held(x_lock);
  if (x_stop) return exchange->abort();
  x_waiting.emplace(at_ns, Waiting{std::move(task), std::move(exchange)});
  if (!x_thread.joinable()) x_thread = std::thread([this] { run(); });
  x_wake.notify_one();
}

void FaultFront::run() {
  Lock held(x_lock);
  while (!x_stop) {
    if (x_waiting.empty()) {
      x_wake.wait(x_lock);
      continue;
    }
    int64_t left = x_waiting.begin()->first - x_rest.machine.monotonic_ns();
    if (left > 0) {
      x_wake.wait_for(x_lock, std::chrono::nanoseconds(std::min<int64_t>(left, 1'000'000'000)));
      continue;
    }
    Waiting due = std::move(x_waiting.begin()->second);
    x_waiting.erase(x_waiting.begin());
    held.unlock();
    due.task();
    held.lock();
  }
}

void FaultFront::stop() {
  std::multimap<int64_t, Waiting> left;
  {
    Lock held(x_lock);
    x_stop = true;
    left.swap(x_waiting);
  }
  x_wake.notify_all();
  if (x_thread.joinable()) x_thread.join();
  for (auto& [_, waiting] : left) waiting.exchange->abort();
}

}  // namespace pintle::drydock
