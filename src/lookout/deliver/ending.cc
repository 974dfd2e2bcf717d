// How an attempt ends, and telling the store: again and again while it cannot be reached.
#include "lookout/deliver/engine.h"

#include "base/strings.h"
#include "lookout/deliver/attempt_text.h"

namespace pintle::lookout {

void DeliverEngine::fail(uint64_t id, const Error& error) {
  const auto it = under_way_.find(id);
  if (it == under_way_.end()) return;
  std::erase_if(resolving_, [&](const auto& r) { return r.second == id; });
  Verdict v;
  v.why = error_text(error, it->second->request, it->second->claimed[0].subscription);
  // What the guard refuses, it will refuse again.
  const bool refused = error.code() == Code::kPermissionDenied;
  v.outcome = refused ? Outcome::kDead : Outcome::kRetry;
  v.alive = refused;
  conclude(id, std::move(v), "");
}

// It has not been sent, and is claimed again as it is to go then.
void DeliverEngine::take_back(uint64_t id, int64_t later_ms) {
  const auto it = under_way_.find(id);
  const std::unique_ptr<Job> job = std::move(it->second);
  under_way_.erase(it);
  --job->endpoint->active;
  --attempts_;
  for (const Claimed& c : job->claimed) put_back(c, now() + later_ms);
  claim_soon_ = true;
}

void DeliverEngine::conclude(uint64_t id, Verdict v, std::string head) {
  const auto it = under_way_.find(id);
  std::unique_ptr<Job> job = std::move(it->second);
  under_way_.erase(it);
  Endpoint& e = *job->endpoint;
  v.why = reason_text(std::move(v.why), job->claimed[0].subscription);
  --e.active;
  e.took((clock_.monotonic_ns() - job->started_ns) / kMs);
  if (v.alive) {
    e.breaker.succeeded();
    if (open_.erase(&e) > 0) back_.merge(e.failing);
    e.failing.clear();
  } else {
    e.breaker.failed(now());
    e.failing.insert(job->claimed[0].subscription.id);
    if (e.breaker.open()) open_.insert(&e);
  }
  open_breakers_ = open_.size();
  if (v.outcome == Outcome::kRetry && v.retry_after_ms > 0) {
    e.hold_until_ms = std::max(e.hold_until_ms, now() + v.retry_after_ms);
  }
  if (v.outcome == Outcome::kRetry && job->alone) {  // those of its key that follow wait with it
    std::erase_if(e.waiting, [&](const std::unique_ptr<Job>& other) {
      const bool follows =
          other->alone &&
          other->claimed[0].delivery.order_key == job->claimed[0].delivery.order_key &&
          other->claimed[0].subscription.id == job->claimed[0].subscription.id;
      if (follows) put_back(other->claimed[0], now()), --waiting_;
      return follows;
    });
  }
  if (v.outcome == Outcome::kDead && job->claimed.size() > 1) return tell_alone(std::move(job));
  for (const Claimed& c : job->claimed) record(*job, c, v, head);
  if (v.outcome == Outcome::kDisable) pause(job->claimed[0].subscription);
  claim_soon_ = true;  // the next of its keys
}

// One of many cannot be told: which one shows when each is told by itself.
void DeliverEngine::tell_alone(std::unique_ptr<Job> job) {
  Endpoint& e = *job->endpoint;
  for (auto c = job->claimed.rbegin(); c != job->claimed.rend(); ++c) {
    auto one = std::make_unique<Job>();
    one->id = ++last_job_;
    one->sink = job->sink;
    one->endpoint = &e;
    one->route = job->route;
    one->alone = true;
    one->claimed.push_back(std::move(*c));
    e.waiting.push_front(std::move(one));
    ++waiting_;
  }
  busy_.insert(&e);
}

void DeliverEngine::record(const Job& job, const Claimed& c, const Verdict& v, const std::string& head) {
  Ending e;
  e.delivery = c.delivery;
  Attempt& a = e.attempt;
  a.delivery_id = c.delivery.id;
  a.n = c.delivery.attempts + 1;
  a.started_ms = job.started_ms;
  a.took_ms = (clock_.monotonic_ns() - job.started_ns) / kMs;
  a.status = v.status;
  a.error = v.why;
  a.response_head = head;
  a.told = job.told;
  a.peer = peer_text(job.target, job.answered_from);
  a.result = outcome_name(v.outcome);
  a.tls = job.tls;
  switch (v.outcome) {
    case Outcome::kSucceeded:
      e.state = DeliveryState::kSucceeded;
      if (!job.mark.key.empty()) {
        Mark mark = job.mark;
        mark.sequence = c.event.sequence;
        (void)store_.put_mark(mark);  // else it is done again, which is harmless
      }
      ++succeeded_;
      break;
    case Outcome::kRetry: {
      if (c.early) {  // its schedule goes on, and its attempts are those of the schedule
        tally_.count(c, a, DeliveryState::kRetry, now());
        options_.log("DEBUG", "an endpoint that fails was tried early",
                     {{"subscription", c.subscription.name}, {"error", a.error}});
        return put_back(c, std::max(c.delivery.due_ms, now()));
      }
      const int64_t first =
          c.delivery.first_attempt_ms ? c.delivery.first_attempt_ms : job.started_ms;
      const double jitter = std::uniform_real_distribution<double>(0, 1)(random_);
      e.due_ms = retry_at_ms(c.subscription.manner, a.n, first, now(), jitter, v.retry_after_ms);
      e.state = e.due_ms ? DeliveryState::kRetry : DeliveryState::kDead;
      if (!e.due_ms) e.reason = cat("given up after ", a.n, " attempts: ", v.why);
      ++(e.due_ms ? retried_ : dead_);
      break;
    }
    case Outcome::kDead:
    case Outcome::kDisable:
      e.state = DeliveryState::kDead;
      e.reason = v.why;
      ++dead_;
  }
  tally_.count(c, a, e.state, now());
  end(std::move(e));
  if (v.outcome != Outcome::kSucceeded && c.subscription.manner.disable_after_ms > 0) {
    disable_failing(c.subscription);
  }
}

void DeliverEngine::disable_failing(const Subscription& s) {
  const auto done = store_.disable_failing(s.id);
  if (done && !*done) return;
  options_.log("WARN", done ? "a subscription whose every attempt has failed is paused"
                            : "whether a subscription has failed for too long is not known",
               {{"subscription", s.name}, {"error", done ? "" : done.error().text()}});
  if (done && options_.told) options_.told();
  claim_soon_ = true;
}

void DeliverEngine::poison(const Claimed& c, const Error& error) {
  Ending e;
  e.state = DeliveryState::kDead;
  e.reason = e.attempt.error = error_text(error, {}, c.subscription);
  e.attempt.result = outcome_name(Outcome::kDead);
  ++dead_;
  end_unsent(c, std::move(e));
}

// By an event that asked for the same, or by a newer one. Who resends one wants it done again.
bool DeliverEngine::done_before(const Claimed& c, const Mark& mark) {
  const auto made = mark.key.empty() ? Result<Mark>(Error("")) : store_.mark(mark.key);
  if (!made) return false;
  return made->sequence > c.event.sequence ||
         (made->value == mark.value && c.delivery.generation == 1);
}

// The sink has nothing to tell of it.
void DeliverEngine::pass_over(const Claimed& c, std::string_view why) {
  Ending e;
  e.state = DeliveryState::kSucceeded;
  e.attempt.response_head = why;
  e.attempt.result = outcome_name(Outcome::kSucceeded);
  ++succeeded_;
  end_unsent(c, std::move(e));
}

void DeliverEngine::end_unsent(const Claimed& c, Ending e) {
  e.delivery = c.delivery;
  e.attempt.delivery_id = c.delivery.id;
  e.attempt.n = c.delivery.attempts + 1;
  e.attempt.started_ms = now();
  tally_.count(c, e.attempt, e.state, now());
  end(std::move(e));
  claim_soon_ = true;
}

void DeliverEngine::pause(const Subscription& s) {
  if (Status done = store_.pause_subscription(s.id, true, "its receiver is gone: it answered 410"); !done) {
    options_.log("WARN", "pausing a subscription whose receiver is gone",
                 {{"subscription", s.name}, {"error", done.error().text()}});
  }
}

void DeliverEngine::end(Ending e) {
  if (late_.empty() && end_now(e)) return;
  if (late_.empty()) next_late_ms_ = now() + kStoreRetryMs;
  late_.push_back(std::move(e));
}

// False: the store is away; the end is worth telling it again.
bool DeliverEngine::end_now(const Ending& e) {
  Status s = store_.finish(e.delivery, e.state, e.due_ms, e.reason, e.attempt);
  if (s) return true;
  if (s.error().code() == Code::kUnavailable && now() < e.delivery.lease_until_ms) return false;
  // What was put back untried may have been cancelled since.
  if (e.state == DeliveryState::kPending && s.error().code() == Code::kFailedPrecondition) return true;
  options_.log("WARN", "an attempt's end was not stored; the delivery will come again",
               {{"delivery", std::to_string(e.delivery.id)}, {"error", s.error().text()}});
  return true;
}

void DeliverEngine::end_late_ones() {
  if (late_.empty() || now() < next_late_ms_) return;
  while (!late_.empty() && end_now(late_.front())) late_.pop_front();
  next_late_ms_ = now() + kStoreRetryMs;
}

// Stopping: what has not been started goes back at once, not when its lease ends.
void DeliverEngine::abandon_waiting() {
  for (Endpoint* e : busy_) {
    for (const auto& job : e->waiting) {
      for (const Claimed& c : job->claimed) put_back(c, now());
    }
    e->waiting.clear();
  }
  busy_.clear();
  waiting_ = 0;
}

}  // namespace pintle::lookout
