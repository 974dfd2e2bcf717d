// Tally: how deliveries went, by kind of sink. Thread-safe.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "lookout/deliver/deliver.h"

namespace pintle::lookout {

class Tally {
 public:
  // An attempt of a claimed delivery has ended so.
  void count(const Claimed& c, const Attempt& a, DeliveryState state, int64_t now_ms) {
    Lock held(mutex_);
    DeliverCounters::Sink& sink = sinks_[c.subscription.sink_kind];
    ++sink.attempts[std::string(code_class(a))];
    if (state == DeliveryState::kDead) ++sink.dead;
    if (c.delivery.generation > 1) return;  // it was told before, whenever that was
    if (c.delivery.attempts == 0) sink.first_attempt.add(a.started_ms - c.event.stored_ms);
    if (state == DeliveryState::kSucceeded) sink.delivered.add(now_ms - c.event.stored_ms);
  }
  void read(DeliverCounters& out) const {
    Lock held(mutex_);
    out.sinks = sinks_;
  }

 private:
  // HTTP's; without a status what the sink says.
  static std::string_view code_class(const Attempt& a) {
    static constexpr std::string_view kClasses[] = {"1xx", "2xx", "3xx", "4xx", "5xx"};
    if (a.status >= 100 && a.status < 600) return kClasses[a.status / 100 - 1];
    return a.error.empty() ? "ok" : "error";
  }

  mutable Mutex mutex_;
  std::map<std::string, DeliverCounters::Sink> sinks_ GUARDED_BY(mutex_);
};

}  // namespace pintle::lookout
