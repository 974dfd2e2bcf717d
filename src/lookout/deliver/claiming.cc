// What the store gives, to the endpoints where it waits; or back, or aside.
#include "lookout/deliver/engine.h"

#include <climits>

#include "base/strings.h"
#include "lookout/deliver/recipients.h"

namespace pintle::lookout {

namespace {

constexpr int kClaimAtOnce = 64;

}  // namespace

void DeliverEngine::claim() {
  const auto used = static_cast<int>(under_way_.size() + waiting_);
  const int room = std::min(options_.in_flight - used, kClaimAtOnce);
  claim_soon_ = room <= 0;  // when something has ended
  if (claim_soon_) return;
  divide_limits();
  const std::vector<int64_t> crowding = what_crowds();
  const Status tried = try_what_failed();
  auto claimed =
      tried ? store_.claim(options_.owner, options_.epoch, options_.lease_ms, room, crowding)
            : Result<std::vector<Claimed>>(tried.error());
  if (!claimed) return store_fails("claiming deliveries", claimed.error());
  store_failed_ = false;
  for (Claimed& c : *claimed) admit(std::move(c));
  pump();
  claim_soon_ = claim_soon_ || static_cast<int>(claimed->size()) == room;  // there may be more
  if (claim_soon_) return;  // first what has happened meanwhile
  const int64_t time = now();
  const auto due = store_.next_due_ms();
  // What is due and was not handed out waits for one before it; that one's end calls again.
  next_claim_ms_ = !due || *due == 0 ? time + kLookAgainMs
                                     : std::clamp(*due, *due <= time ? time + kStoreRetryMs : time,
                                                  time + kLookAgainMs);
}

// Told once, until it answers again.
void DeliverEngine::store_fails(std::string_view at, const Error& error) {
  if (!store_failed_) options_.log("WARN", at, {{"error", error.text()}});
  store_failed_ = true;
  next_claim_ms_ = now() + kStoreRetryMs;
}

void DeliverEngine::admit(Claimed c) {
  const SinkKind* sink = find_sink(c.subscription.sink_kind);
  if (sink == nullptr) return poison(c, Error(cat("no sink ", c.subscription.sink_kind)));
  if (const int64_t until = waits_until(c); until > 0) return put_back(c, until);
  find_whom(c);
  auto route = sink->route(c.subscription);
  if (!route) return poison(c, route.error());
  auto& slot = endpoints_[route->key];
  if (!slot) {
    slot = std::make_unique<Endpoint>(*sink);
    slot->divide(processes_);
  }
  Endpoint& e = *slot;
  e.together = route->merge > 1;
  const int64_t time = now(), next = e.next_ms(time);
  if (next > time + kShortWaitMs) {
    e.behind = true;
    hold(c.subscription.id, next);
    return put_back_from(e, c, next);
  }
  // Nothing more is asked for when there is no room; what comes all the same waits if it is little.
  const size_t room = e.room(e.slots(options_.per_endpoint));
  if (e.waiting.size() + 1 >= room) e.crowding.insert(c.subscription.id);
  if (e.waiting.size() >= std::min(room * 3, room + kClaimAtOnce)) {
    return put_back(c, std::min(time, c.delivery.due_ms));
  }
  auto job = std::make_unique<Job>();
  job->id = ++last_job_;
  job->sink = sink;
  job->endpoint = &e;
  job->route = std::move(*route);
  job->claimed.push_back(std::move(c));
  e.waiting.push_back(std::move(job));
  busy_.insert(&e);
  ++waiting_;
}

void DeliverEngine::divide_limits() {
  const int processes = options_.processes ? std::max(options_.processes(), 1) : 1;
  if (std::exchange(processes_, processes) == processes) return;
  for (const auto& [key, e] : endpoints_) e->divide(processes);
}

// Subscriptions of which nothing is claimed now: more would not fit where it goes to. Where they go
// may have changed.
std::vector<int64_t> DeliverEngine::what_crowds() {
  std::vector<int64_t> out;
  const int64_t version = store_.known_version();
  const bool changed = std::exchange(crowding_version_, version) != version;
  for (Endpoint* e : busy_) {
    if (e->crowding.empty()) continue;
    if (changed || e->waiting.size() * 2 <= e->room(e->slots(options_.per_endpoint))) {
      e->crowding.clear();
    }
    out.insert(out.end(), e->crowding.begin(), e->crowding.end());
  }
  return out;
}

// The end of its subscription's quiet hours; 0: it may go.
int64_t DeliverEngine::waits_until(const Claimed& c) {
  const QuietHours& quiet = c.subscription.manner.quiet;
  return c.event.event.severity < quiet.but ? quiet_until_ms(quiet, now()) : 0;
}

void DeliverEngine::find_whom(Claimed& c) {
  static const Directory kNobody;
  if (c.subscription.manner.whom.empty()) return;
  const auto known = options_.directory ? options_.directory() : nullptr;
  find_recipients(c, known != nullptr ? *known : kNobody, now());
}

// Subscriptions that were told to an endpoint that answers again, and at a start all there are: they
// need not wait for their schedule.
Status DeliverEngine::try_what_failed() {
  for (; !back_.empty(); back_.erase(back_.begin())) {
    TRY(store_.try_early(*back_.begin(), INT_MAX));
  }
  return ok();
}

// An endpoint whose breaker is open is tried each minute with what is due; if there is nothing, with
// something that waits.
void DeliverEngine::probe() {
  const int64_t time = now();
  for (Endpoint* e : open_) {
    if (e->probe_ms(time) > time) continue;
    e->next_probe_ms = time + Breaker::kProbeMs;
    for (auto it = e->failing.begin(); it != e->failing.end();) {
      const auto found = store_.try_early(*it, 1);
      claim_soon_ = claim_soon_ || (found && *found > 0);
      if (!found || *found > 0) break;
      it = e->failing.erase(it);  // nothing of it waits
    }
  }
}

// What is tried early from an endpoint that fails waits as it would have.
void DeliverEngine::put_back_from(const Endpoint& e, const Claimed& c, int64_t due_ms) {
  put_back(c, c.early && e.breaker.open() ? std::max(due_ms, c.delivery.due_ms) : due_ms);
}

void DeliverEngine::put_back(const Claimed& c, int64_t due_ms) {
  Ending e;
  e.delivery = c.delivery;
  e.due_ms = due_ms;
  end(std::move(e));
}

// What else waits in the subscription is not worth a claim before then. It costs for each that waits,
// so it is done seldom: what comes in between goes back by itself.
void DeliverEngine::hold(int64_t subscription, int64_t until_ms) {
  constexpr int64_t kLeastMs = 200, kTimes = 20;
  int64_t& again = held_[subscription];
  const int64_t began = clock_.monotonic_ns() / kMs;
  if (began < again) return;
  if (Status s = store_.hold(subscription, until_ms); !s) {
    options_.log("WARN", "holding a subscription", {{"error", s.error().text()}});
  }
  const int64_t ended = clock_.monotonic_ns() / kMs;
  again = ended + std::max(kLeastMs, kTimes * (ended - began));
}

}  // namespace pintle::lookout
