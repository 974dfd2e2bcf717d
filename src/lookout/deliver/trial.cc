#include "lookout/deliver/trial.h"

#include <chrono>
#include <memory>
#include <optional>

#include "base/mutex.h"
#include "base/strings.h"
#include "lookout/deliver/attempt_text.h"
#include "lookout/deliver/recipients.h"
#include "lookout/sinks/sink.h"

namespace pintle::lookout {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kConnectMs = 3'000;
constexpr size_t kMaxBody = 64 << 10, kMaxHeader = 16 << 10;
constexpr auto kLookAround = std::chrono::milliseconds(100);

// Where the client's thread puts the answer.
struct Inbox {
  Mutex mutex;
  Condition changed;
  std::optional<Result<http::Response>> answer GUARDED_BY(mutex);
};

Result<http::Response> exchange(http::Request request, const Route& route,
                                const TrialOptions& options) {
  request.timeout_ms = route.timeout_ms > 0 ? route.timeout_ms : options.timeout_ms;
  request.max_body = kMaxBody;
  request.max_header = kMaxHeader;
  request.take_partial = true;
  http::Options client_options;
  client_options.tls = route.tls;
  client_options.connect_timeout_ms = kConnectMs;
  const auto client = TRY(http::Client::make(std::move(client_options)));
  const auto inbox = std::make_shared<Inbox>();  // shared: with the client's thread
  const auto pending = client->start(request, [inbox](Result<http::Response> r) {
    Lock held(inbox->mutex);
    inbox->answer = std::move(r);
    inbox->changed.notify_all();
  });
  Lock held(inbox->mutex);
  while (!inbox->answer) {
    inbox->changed.wait_for(inbox->mutex, kLookAround);
    if (!inbox->answer && options.stopped && options.stopped()) {
      return Error("lookout is stopping", Code::kUnavailable);
    }
  }
  return std::move(*inbox->answer);
}

Status attempt_http(const SinkKind& sink, const Claimed& claimed, const Route& route,
                    const TrialOptions& options, int64_t now_ms, Attempt& out) {
  auto request = TRY(sink.request({&claimed, 1}, now_ms));
  if (request.url.empty()) {
    return Error("this sink has nothing to tell of a test", Code::kFailedPrecondition);
  }
  const Target target = TRY(check_url(request.url, options.guard, options.resolve));
  request.connect_to = target.addresses;
  const auto answer = exchange(request, route, options);
  out.peer = peer_text(target, answer ? answer->address : "");
  if (!answer) {
    out.error = error_text(answer.error(), request, claimed.subscription);
    out.result = outcome_name(Outcome::kRetry);
    return ok();
  }
  const Verdict verdict = sink.judge(*answer);
  out.status = verdict.status;
  out.result = outcome_name(verdict.outcome);
  out.tls = answer->tls;
  out.error = reason_text(verdict.why, claimed.subscription);
  out.response_head = response_text(*answer, claimed.subscription);
  return ok();
}

Status attempt_own(const SinkKind& sink, const Claimed& claimed, const Route& route,
                   const TrialOptions& options, int64_t now_ms, sys::Disk& disk, Attempt& out) {
  Target target;
  if (!route.url.empty()) {
    target = TRY(check_url(route.url, options.guard, options.resolve));
    out.peer = peer_text(target, "");
  }
  const Verdict verdict =
      sink.send({&claimed, 1}, {now_ms, target, disk, options.guard, options.resolve});
  out.status = verdict.status;
  out.result = outcome_name(verdict.outcome);
  out.tls = verdict.tls;
  out.error = reason_text(verdict.why, claimed.subscription);
  return ok();
}

}  // namespace

Claimed trial_of(Subscription s, int64_t now_ms) {
  Claimed out;
  out.delivery.subscription_id = s.id;
  out.event.stored_ms = now_ms;
  out.event.region = out.event.cluster_uid = "lookout";
  Event& e = out.event.event;
  e.type = "lookout.test";
  e.subject.version = "v1";
  e.subject.kind = "Subscription";
  e.subject.name = s.name;
  e.reason = "Test";
  e.message = cat("a test of the subscription ", s.name);
  e.time_ms = now_ms;
  out.subscription = std::move(s);
  return out;
}

Attempt try_once(Claimed claimed, const TrialOptions& options, sys::Clock& clock,
                 sys::Disk& disk) {
  Attempt out;
  out.n = 1;
  out.started_ms = clock.now_ns() / kMs;
  static const Directory kNobody;
  find_recipients(claimed, options.directory ? *options.directory : kNobody, out.started_ms);
  out.told = told_text({&claimed, 1});
  claimed = addressed({&claimed, 1})[0];
  const int64_t start = clock.monotonic_ns();
  const auto attempt = [&]() -> Status {
    const SinkKind* sink = find_sink(claimed.subscription.sink_kind);
    if (sink == nullptr) return Error(cat("no sink ", claimed.subscription.sink_kind));
    const Route route = TRY(sink->route(claimed.subscription));
    return sink->request != nullptr
               ? attempt_http(*sink, claimed, route, options, out.started_ms, out)
               : attempt_own(*sink, claimed, route, options, out.started_ms, disk, out);
  };
  if (const Status done = attempt(); !done) {
    out.error = error_text(done.error(), {}, claimed.subscription);
    const bool later = done.error().code() == Code::kUnavailable;
    out.result = outcome_name(later ? Outcome::kRetry : Outcome::kDead);
  }
  out.took_ms = (clock.monotonic_ns() - start) / kMs;
  return out;
}

}  // namespace pintle::lookout
