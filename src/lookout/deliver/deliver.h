// Deliver: sends what the outbox holds. One thread waits for the next due delivery or a wake-up (no
// polling), claims, sends through one HTTP client (asynchronously: a hanging receiver holds a slot
// of its endpoint, never a thread), and writes each attempt's end. Names are resolved, and files
// written, on a few workers.
//
// Guarantees
// - At least once, with a stable webhook-id; a repeat only after an attempt that failed or whose
//   outcome is unknown. Order per key: claim() hands out one delivery of a key at a time.
// - Retries after 5 s, 30 s, 2 min, 10 min, 30 min, 1 h, 3 h, 6 h, 12 h, or as the subscription says,
//   each within 20 %; given up 24 h after the first attempt, or as it says. Retry-After is honoured
//   up to an hour.
// - Whom a message calls is found when it is sent (people.h), at each attempt anew.
// - In a subscription's quiet hours nothing of it is sent but what is severe enough; it waits.
// - An endpoint that failed 10 times in a row is tried every 60 s (breaker): with what is due, else
//   with something that waits. When it answers again, and at a start, all that waits for another try
//   is tried at once. What fails before its time is no attempt: its schedule goes on.
// - At most `per_endpoint` requests of one endpoint at once, and one at once after a failure, so that
//   one dead among 1,000 holds up nobody.
// - Of what is due to a slow endpoint no more is claimed than it takes in some seconds; the rest
//   stays in the store as it is, and costs next to nothing.
// - A sink's limit (20 messages a minute to a robot) is kept for each credential: what is beyond
//   waits and is told together in one message; nothing is dropped. Of several processes each may send
//   its part of the limit, whatever the others send.
// - Every URL passes the guard (guard.h) at each attempt, and the connection goes to the address
//   that was checked.
// - What is handed out and not yet under way when its subscription is changed, disabled or removed
//   is looked at anew: nothing goes to an old address once the change has returned here, or, made
//   by another process, is known here. What is under way ends.
// - When the wall clock goes back, what waits does so for no longer than its schedule says from
//   then on, found out within 30 s; at a start likewise, or for a Retry-After's hour at most.
// - stop() lets requests under way end for `grace`, then leaves them leased: their outcome is
//   unknown, and they come again.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/log.h"
#include "lookout/deliver/guard.h"
#include "lookout/histogram.h"
#include "lookout/store.h"
#include "sys/clock.h"
#include "sys/disk.h"

namespace pintle::lookout {

struct DeliverOptions {
  std::string owner = {};  // this process: unique among those that share the database
  int64_t epoch = 0;
  int64_t lease_ms = 60'000;
  int64_t timeout_ms = 10'000;             // a request; at most 30 s
  int per_endpoint = 4, in_flight = 1024;  // messages; of those that wait claimed, too
  GuardOptions guard = {};
  // Who is who, as it is now; asked on the deliverer's thread. Without it nobody is known.
  std::function<std::shared_ptr<const Directory>()> directory = {};
  // How many share the database, and so the limits; asked on the deliverer's thread. Without it: one.
  std::function<int()> processes = {};
  Resolve resolve = {};      // for tests; called on a worker
  std::function<void()> told = {};  // an event of its own is stored; on the deliverer's thread
  Log log = {};              // what no attempt can tell: the store fails, a lease was lost
  uint64_t random_seed = 0;  // jitter; 0: the system's
};

struct DeliverCounters {
  uint64_t attempts = 0, succeeded = 0, retried = 0, dead = 0, open_breakers = 0;
  struct Sink {
    std::map<std::string, uint64_t> attempts = {};  // of deliveries: "2xx" ... "5xx", "ok", "error"
    uint64_t dead = 0;
    Histogram first_attempt = {}, delivered = {};  // from the event's storing, of what is told first
  };
  std::map<std::string, Sink> sinks = {};  // by kind
};

class Deliverer {
 public:
  // store, clock and disk outlive it. Error: bad guard options.
  static Result<std::unique_ptr<Deliverer>> start(Store& store, sys::Clock& clock, sys::Disk& disk,
                                                  DeliverOptions options);
  virtual ~Deliverer() = default;  // stop(0)
  virtual void wake() = 0;         // something was committed; any thread
  // Holds for the attempts that begin from now on; any thread. `with` is what changes together with
  // it (a subscription's address): none begins between the two. Error: `with` failed, or the guard
  // is bad; then the guard stays.
  virtual Status set_guard(GuardOptions guard, const std::function<Status()>& with = {}) = 0;
  // Ends in the grace, but for a sink's own send, which has its timeout.
  virtual void stop(int64_t grace_ms) = 0;
  virtual DeliverCounters counters() const = 0;
};

inline constexpr int64_t kUsualGiveUpMs = 24 * 3'600'000LL;
std::vector<int64_t> usual_retries_ms();
// The longest that a delivery waits after [n] attempts, but for the end of quiet hours; a retry's
// at least least_ms. Pure.
std::vector<int64_t> longest_waits_ms(const Manner& manner, int64_t least_ms);

// When the attempt after `attempts` failed ones is due; 0: never (give up). `jitter` in [0, 1)
// moves it between 80 and 120 %; retry_after_ms is the least that passes; the manner may have a
// schedule of its own. Pure.
int64_t retry_at_ms(const Manner& manner, int attempts, int64_t first_ms, int64_t now_ms,
                    double jitter, int64_t retry_after_ms);

}  // namespace pintle::lookout
