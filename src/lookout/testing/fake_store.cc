#include "lookout/testing/fake_store.h"

#include <algorithm>

#include "base/strings.h"

namespace pintle::lookout {
namespace {

std::string order_key(const Subscription& s, const StoredEvent& e) {
  const Event& v = e.event;
  if (s.order_by == "region") return e.region;
  if (s.order_by == "subscription") return "";
  const std::string subject =
      cat(e.cluster_uid, "/", v.subject.name_space, "/", v.subject.kind, "/", v.subject.name);
  if (s.order_by == "subject" || v.release.empty()) return subject;
  return cat(e.cluster_uid, "/", v.release_namespace, "/", v.release);
}

bool finished(DeliveryState s) {
  return s == DeliveryState::kSucceeded || s == DeliveryState::kDead ||
         s == DeliveryState::kCancelled;
}

}  // namespace

int64_t FakeStore::add(Event event, std::string region) {
  std::lock_guard held(mutex_);
  StoredEvent e{static_cast<int64_t>(events_.size()) + 1, now(), std::move(region), "cluster-1",
                std::move(event)};
  events_.push_back(e);
  for (const auto& [id, s] : subscriptions_) {
    if (!matches(s.filter, e.event, e.region, "")) continue;
    Delivery d;
    d.id = static_cast<int64_t>(deliveries_.size()) + 1;
    d.event_sequence = e.sequence;
    d.subscription_id = id;
    d.order_key = order_key(s, e);
    d.due_ms = now();
    deliveries_[d.id] = d;
    unfinished_.emplace(std::make_pair(id, d.order_key), d.id);
  }
  return e.sequence;
}

std::vector<Delivery> FakeStore::all() {
  std::lock_guard held(mutex_);
  std::vector<Delivery> out;
  for (const auto& [id, d] : deliveries_) out.push_back(d);
  return out;
}

std::vector<Attempt> FakeStore::all_attempts() {
  std::lock_guard held(mutex_);
  return attempts_;
}

Result<Subscription> FakeStore::add_subscription(const Subscription& s) {
  std::lock_guard held(mutex_);
  Subscription made = s;
  made.id = static_cast<int64_t>(subscriptions_.size()) + 1;
  subscriptions_[made.id] = made;
  return made;
}

Status FakeStore::update_subscription(const Subscription& s) {
  std::lock_guard held(mutex_);
  Subscription& old = subscriptions_[s.id];
  const std::string secret = s.secret.empty() ? old.secret : s.secret;
  old = s;
  old.secret = secret;
  return ok();
}

Status FakeStore::remove_subscription(int64_t id) {
  std::lock_guard held(mutex_);
  subscriptions_.erase(id);
  return ok();
}

Result<std::vector<Subscription>> FakeStore::subscriptions() {
  std::lock_guard held(mutex_);
  std::vector<Subscription> out;
  for (const auto& [id, s] : subscriptions_) {
    out.push_back(s);
    out.back().secret.clear();
  }
  return out;
}

bool FakeStore::waits(const Delivery& d) {
  const auto s = subscriptions_.find(d.subscription_id);
  if (s == subscriptions_.end() || !s->second.enabled || finished(d.state)) return false;
  return d.state == DeliveryState::kLeased ? d.lease_until_ms <= now() : d.due_ms <= now();
}

Claimed FakeStore::lease(Delivery& d, std::string_view owner, int64_t epoch, int64_t lease_ms) {
  d.state = DeliveryState::kLeased;
  d.lease_owner = owner;
  d.lease_epoch = epoch;
  d.lease_until_ms = now() + lease_ms;
  return {d, events_[static_cast<size_t>(d.event_sequence) - 1], subscriptions_[d.subscription_id]};
}

Result<std::vector<Claimed>> FakeStore::claim(std::string_view owner, int64_t epoch,
                                              int64_t lease_ms, int limit) {
  std::lock_guard held(mutex_);
  ++statements_;
  if (away) return gone();
  std::vector<Claimed> out;
  for (auto it = unfinished_.begin(); it != unfinished_.end();) {
    Delivery& first = deliveries_[it->second];  // a key's ids stand in the order they came
    if (static_cast<int>(out.size()) < limit && waits(first)) {
      out.push_back(lease(first, owner, epoch, lease_ms));
    }
    it = unfinished_.upper_bound(it->first);
  }
  return out;
}

Result<std::vector<Claimed>> FakeStore::claim_more(std::string_view owner, int64_t epoch,
                                                   int64_t lease_ms, int64_t subscription_id,
                                                   int limit) {
  std::lock_guard held(mutex_);
  ++statements_;
  if (away) return gone();
  std::vector<Claimed> out;
  for (auto& [id, d] : deliveries_) {
    if (static_cast<int>(out.size()) == limit) break;
    if (d.subscription_id == subscription_id && d.state != DeliveryState::kLeased && waits(d)) {
      out.push_back(lease(d, owner, epoch, lease_ms));
    }
  }
  return out;
}

Status FakeStore::hold(int64_t subscription_id, int64_t until_ms) {
  std::lock_guard held(mutex_);
  ++statements_;
  if (away) return gone();
  for (auto& [id, d] : deliveries_) {
    const bool waiting = d.state == DeliveryState::kPending || d.state == DeliveryState::kRetry;
    if (d.subscription_id == subscription_id && waiting) d.due_ms = std::max(d.due_ms, until_ms);
  }
  return ok();
}

Result<int64_t> FakeStore::next_due_ms() {
  std::lock_guard held(mutex_);
  ++statements_;
  int64_t next = 0;
  for (auto it = unfinished_.begin(); it != unfinished_.end();
       it = unfinished_.upper_bound(it->first)) {
    const Delivery& d = deliveries_[it->second];
    const auto s = subscriptions_.find(d.subscription_id);
    if (s == subscriptions_.end() || !s->second.enabled) continue;
    const int64_t at = d.state == DeliveryState::kLeased ? d.lease_until_ms : d.due_ms;
    next = next == 0 ? at : std::min(next, at);
  }
  return next;
}

Status FakeStore::finish(const Delivery& leased, DeliveryState state, int64_t due_ms,
                         std::string_view dead_reason, const Attempt& attempt) {
  std::lock_guard held(mutex_);
  ++statements_;
  if (away) return gone();
  Delivery& d = deliveries_[leased.id];
  if (d.state != DeliveryState::kLeased || d.lease_owner != leased.lease_owner ||
      d.lease_until_ms != leased.lease_until_ms) {
    return Error(Code::kFailedPrecondition, "the lease was lost");
  }
  d.state = state;
  d.due_ms = due_ms;
  d.dead_reason = dead_reason;
  if (attempt.n > 0) {
    d.attempts = attempt.n;
    if (d.first_attempt_ms == 0) d.first_attempt_ms = attempt.started_ms;
    attempts_.push_back(attempt);
  }
  if (!finished(state)) return ok();
  const auto [from, to] = unfinished_.equal_range({d.subscription_id, d.order_key});
  for (auto it = from; it != to; ++it) {
    if (it->second == d.id) {
      unfinished_.erase(it);
      break;
    }
  }
  return ok();
}

Result<std::vector<Delivery>> FakeStore::deliveries(const DeliveryQuery& query) {
  std::vector<Delivery> out;
  for (const Delivery& d : all()) {
    if (query.subscription_id != 0 && d.subscription_id != query.subscription_id) continue;
    if (query.state && d.state != *query.state) continue;
    if (d.id > query.after && static_cast<int>(out.size()) < query.limit) out.push_back(d);
  }
  return out;
}

Result<std::vector<Attempt>> FakeStore::attempts(int64_t delivery_id) {
  std::lock_guard held(mutex_);
  std::vector<Attempt> out;
  for (const Attempt& a : attempts_) {
    if (a.delivery_id == delivery_id) out.push_back(a);
  }
  return out;
}

Status FakeStore::resend(int64_t delivery_id) {
  std::lock_guard held(mutex_);
  Delivery& d = deliveries_[delivery_id];
  if (finished(d.state)) unfinished_.emplace(std::make_pair(d.subscription_id, d.order_key), d.id);
  d.state = DeliveryState::kPending;
  d.due_ms = now();
  d.attempts = 0;
  d.first_attempt_ms = 0;
  ++d.generation;
  return ok();
}

Status FakeStore::skip(int64_t delivery_id) {
  std::lock_guard held(mutex_);
  Delivery& d = deliveries_[delivery_id];
  d.state = DeliveryState::kCancelled;
  return ok();
}

}  // namespace pintle::lookout
