// Each try is one exchange or two: read the Lease (unless this one holds it and knows its version),
// then create or update it. The answer of one step decides the next; a step that fails ends the
// try.
#include "informer/lease.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <ctime>

#include "base/strings.h"
#include "informer/resource.h"
#include "informer/scan.h"
#include "json/json.h"

namespace pintle::informer {
namespace {

std::string micro_time(int64_t unix_ns) {
  const time_t seconds = static_cast<time_t>(unix_ns / kSecond);
  tm t{};
  gmtime_r(&seconds, &t);
  char out[64];
  const size_t n = strftime(out, sizeof out, "%Y-%m-%dT%H:%M:%S", &t);
  snprintf(out + n, sizeof out - n, ".%06" PRId64 "Z", unix_ns % kSecond / 1000);
  return out;
}

LeaseRecord record_of(std::string_view lease) {
  LeaseRecord r;
  r.holder = string_at(lease, {"spec", "holderIdentity"});
  r.acquire_time = string_at(lease, {"spec", "acquireTime"});
  r.renew_time = string_at(lease, {"spec", "renewTime"});
  r.duration_seconds = number_at(lease, {"spec", "leaseDurationSeconds"});
  r.transitions = number_at(lease, {"spec", "leaseTransitions"});
  return r;
}

std::string lease_json(std::string_view metadata, const LeaseRecord& r) {
  std::string out =
      cat("{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"metadata\":", metadata,
          ",\"spec\":{");
  const auto text = [&](std::string_view name, std::string_view value) {
    if (value.empty()) return;
    append(out, {"\"", name, "\":"});
    json::append_string(out, value);
    out += ',';
  };
  text("acquireTime", r.acquire_time);
  text("renewTime", r.renew_time);
  out += "\"holderIdentity\":";
  json::append_string(out, r.holder);
  return cat(out, ",\"leaseDurationSeconds\":", r.duration_seconds,
             ",\"leaseTransitions\":", r.transitions, "}}");
}

}  // namespace

Result<std::unique_ptr<Elector>> Elector::make(Loop& loop, kube::Rest& rest, Random random,
                                               ElectorOptions options) {
  const auto refuse = [](std::string_view why) {
    return Error(Code::kInvalidArgument, std::string(why));
  };
  if (options.name.empty() || options.name_space.empty())
    return refuse("a lease needs a namespace and a name");
  if (options.identity.empty()) return refuse("Lock identity is empty");
  if (options.lease_ns <= options.renew_deadline_ns) {
    return refuse("leaseDuration must be greater than renewDeadline");
  }
  if (static_cast<double>(options.renew_deadline_ns) <=
      1.2 * static_cast<double>(options.retry_ns)) {
    return refuse("renewDeadline must be greater than retryPeriod*JitterFactor");
  }
  if (options.retry_ns < 1) return refuse("retryPeriod must be greater than zero");
  return std::unique_ptr<Elector>(new Elector(loop, rest, std::move(random), std::move(options)));
}

Elector::Elector(Loop& loop, kube::Rest& rest, Random random, ElectorOptions options)
    : loop_(loop), rest_(rest), random_(std::move(random)), options_(std::move(options)) {}

Elector::~Elector() {
  inlet_.reset();
  loop_.cancel(timer_);
  loop_.cancel(deadline_);
}

void Elector::start() {
  if (running_) return;
  running_ = true;
  attempt();
}

void Elector::stop() {
  if (!running_) return;
  running_ = false;
  loop_.cancel(timer_);
  loop_.cancel(deadline_);
  timer_ = deadline_ = 0;
  inlet_.reset();
  step_ = Step::kIdle;
  leading_ = false;
  if (options_.on_stopped) options_.on_stopped();
  if (!options_.release_on_stop || record_.holder != options_.identity) return;
  if (object_.empty()) {
    send(Step::kReread, nullptr);  // it may be another's by now
  } else {
    give_back();
  }
}

void Elector::give_back() {
  LeaseRecord free = record_;
  free.holder.clear();
  free.duration_seconds = 1;
  free.renew_time = free.acquire_time = micro_time(loop_.clock().now_ns());
  send(Step::kRelease, &free);
}

void Elector::attempt() {
  timer_ = 0;
  inlet_.reset();  // a try that never ended
  const bool valid = leading_ && !object_.empty() &&
                     loop_.clock().monotonic_ns() - observed_ns_ < options_.lease_ns;
  if (valid) {
    const LeaseRecord next = wanted();
    send(Step::kUpdate, &next);
  } else {
    send(Step::kGet, nullptr);
  }
}

LeaseRecord Elector::wanted() const {
  LeaseRecord next;
  next.holder = options_.identity;
  next.duration_seconds = options_.lease_ns / kSecond;
  next.renew_time = micro_time(loop_.clock().now_ns());
  const bool mine = record_.holder == options_.identity;
  next.acquire_time = mine ? record_.acquire_time : next.renew_time;
  const int64_t change = mine || object_.empty() ? 0 : 1;
  next.transitions = std::max(record_.transitions + change, least_epoch_);
  return next;
}

void Elector::send(Step step, const LeaseRecord* record) {
  kube::Call call;
  call.path = cat("/apis/coordination.k8s.io/v1/namespaces/", options_.name_space, "/leases");
  call.method = record == nullptr ? "GET" : step == Step::kCreate ? "POST" : "PUT";
  if (step != Step::kCreate) append(call.path, {"/", options_.name});
  call.timeout_ms = std::max<int64_t>(1000, options_.renew_deadline_ns / 2 / kMs);
  if (record) {
    const auto known = value_at(object_, {"metadata"});  // with the version it was read at
    call.body = lease_json(known ? std::string(*known)
                                 : cat("{\"name\":\"", options_.name, "\",\"namespace\":\"",
                                       options_.name_space, "\"}"),
                           *record);
  }
  step_ = step;
  body_.clear();
  sent_ns_ = loop_.clock().monotonic_ns();
  inlet_ = std::make_unique<Inlet>(loop_, [this] { ready(); });
  inlet_->open(rest_, call);
}

void Elector::ready() {
  if (!inlet_) return;
  inlet_->take(body_);
  auto end = inlet_->ended();
  if (!end) return;
  inlet_.reset();
  answered(std::exchange(step_, Step::kIdle), std::move(*end), std::exchange(body_, {}));
}

void Elector::remember(std::string body) {
  LeaseRecord seen = record_of(body);
  if (!(seen == record_)) observed_ns_ = loop_.clock().monotonic_ns();
  record_ = std::move(seen);
  object_ = std::move(body);
}

void Elector::answered(Step step, Status status, std::string body) {
  if (step == Step::kRelease) {
    // The last renewal had reached the server after all.
    if (!status && kube::is_conflict(status.error())) send(Step::kReread, nullptr);
    return;
  }
  if (step == Step::kReread) {
    if (!status) return;
    remember(std::move(body));
    if (record_.holder == options_.identity) give_back();
    return;
  }
  if (!status) {
    object_.clear();  // what is known of it may be old: it is read anew
    if (step != Step::kGet || refusal_of(status.error()) != Refusal::kAbsent) {
      tried(kube::is_conflict(status.error()) ? ok() : status);
      return finish(false);
    }
    record_ = {};
    if (!may_take()) return finish(false);
    const LeaseRecord first = wanted();
    return send(Step::kCreate, &first);
  }
  tried(ok());
  remember(std::move(body));
  if (step == Step::kGet) return try_take();
  // Counted from when it was sent: the server may have taken it at any time since.
  observed_ns_ = renewed_ns_ = sent_ns_;
  finish(true);
}

void Elector::try_take() {
  const bool mine = record_.holder == options_.identity;
  const bool fresh = loop_.clock().monotonic_ns() - observed_ns_ <
                     std::max<int64_t>(record_.duration_seconds, 1) * kSecond;
  if (!mine && !record_.holder.empty() && fresh) return finish(false);
  if (!mine && !may_take()) return finish(false);
  const LeaseRecord next = wanted();
  send(Step::kUpdate, &next);
}

void Elector::tried(const Status& status) {
  if (options_.on_try) options_.on_try(status);
}

void Elector::finish(bool won) {
  if (!running_) return;
  if (record_.holder != told_ && !record_.holder.empty()) {
    told_ = record_.holder;
    if (options_.on_holder) options_.on_holder(told_);
    if (!running_) return;
  }
  if (leading_ && !record_.holder.empty() && record_.holder != options_.identity) return lose();
  if (won) {
    loop_.cancel(deadline_);
    const int64_t left = renewed_ns_ + options_.renew_deadline_ns - loop_.clock().monotonic_ns();
    deadline_ = loop_.after(left, [this] {
      deadline_ = 0;
      lose();
    });
    const bool began = !std::exchange(leading_, true);
    if (began || told_epoch_ != record_.transitions) {
      told_epoch_ = record_.transitions;
      if (options_.on_started) options_.on_started(told_epoch_);
    }
    if (!running_) return;
  }
  // Those who wait spread out; who leads keeps its beat.
  const double stretch = leading_ ? 1.0 : 1.0 + 1.2 * random_();
  timer_ = loop_.after(static_cast<int64_t>(static_cast<double>(options_.retry_ns) * stretch),
                       [this] { attempt(); });
}

// Leading ends; it goes on as one of those who wait.
void Elector::lose() {
  if (!leading_) return;
  leading_ = false;
  inlet_.reset();
  step_ = Step::kIdle;
  loop_.cancel(deadline_);
  loop_.cancel(timer_);
  deadline_ = timer_ = 0;
  if (options_.on_stopped) options_.on_stopped();
  if (!running_) return;
  const double stretch = 1.0 + 1.2 * random_();
  timer_ = loop_.after(static_cast<int64_t>(static_cast<double>(options_.retry_ns) * stretch),
                       [this] { attempt(); });
}

Status Elector::healthy(int64_t tolerance_ns) const {
  if (!leading_) return ok();
  if (loop_.clock().monotonic_ns() - renewed_ns_ <= options_.lease_ns + tolerance_ns) return ok();
  return Error(Code::kUnavailable,
               cat("failed election to renew leadership on lease ", options_.name));
}

}  // namespace pintle::informer
