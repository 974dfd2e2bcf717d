// WorkQueue: keys to be worked on, each once (client-go's util/workqueue): set semantics, delays
// and rate limits.
//
// Guarantees: a key that waits is not queued twice; one that is being worked on is queued again
// once it is done, and never worked on twice at a time. Of two delays of a key the earlier one
// holds. shut_down takes nothing more, forgets delayed keys and hands out what waits; with drain it
// also waits until all is done. Thread-safe. No thread of its own: delayed keys become due when
// somebody asks.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "base/mutex.h"
#include "informer/backoff.h"
#include "sys/clock.h"

namespace pintle::informer {

// How long a key that failed waits. Thread-safe.
class RateLimiter {
 public:
  virtual ~RateLimiter() = default;
  virtual int64_t when_ns(const std::string& key) = 0;  // counts a failure
  virtual void forget(const std::string& key) = 0;
  virtual int requeues(const std::string& key) = 0;
};
// base * 2^failures, capped.
std::unique_ptr<RateLimiter> exponential_limiter(int64_t base_ns, int64_t cap_ns);
// `fast` for the first `tries` failures of a key, `slow` for the others.
std::unique_ptr<RateLimiter> fast_slow_limiter(int64_t fast_ns, int64_t slow_ns, int tries);
// A bucket for all keys together.
std::unique_ptr<RateLimiter> bucket_limiter(sys::Clock& clock, double per_second, int burst);
// The longer wait of two.
std::unique_ptr<RateLimiter> longest_of(std::unique_ptr<RateLimiter> a,
                                        std::unique_ptr<RateLimiter> b);
// Per key 5 ms * 2^n up to 1000 s; together 10 per second with bursts of 100.
std::unique_ptr<RateLimiter> default_limiter(sys::Clock& clock);

struct WorkCounters {  // workqueue_* of client-go
  size_t depth = 0, delayed = 0, working = 0;  // now
  uint64_t adds = 0, retries = 0;
  int64_t queue_ns = 0, work_ns = 0;              // sums
  int64_t unfinished_ns = 0, longest_running_ns = 0;  // now
};

class WorkQueue {
 public:
  explicit WorkQueue(sys::Clock& clock, std::unique_ptr<RateLimiter> limiter = nullptr);

  void add(const std::string& key);
  void add_after(const std::string& key, int64_t delay_ns);
  void add_rate_limited(const std::string& key);
  void forget(const std::string& key) { limiter_->forget(key); }
  int requeues(const std::string& key) { return limiter_->requeues(key); }

  std::optional<std::string> try_get();  // nullopt: nothing is due
  std::optional<std::string> get();      // waits; nullopt: shut down and empty
  void done(const std::string& key);

  void shut_down();
  void shut_down_with_drain();
  bool shutting_down();
  size_t size();
  WorkCounters counters();

 private:
  void add_locked(const std::string& key) REQUIRES(mutex_);
  void promote() REQUIRES(mutex_);
  std::optional<std::string> pop() REQUIRES(mutex_);

  sys::Clock& clock_;
  std::unique_ptr<RateLimiter> limiter_;
  Mutex mutex_;
  Condition changed_;
  std::deque<std::string> queue_ GUARDED_BY(mutex_);
  // Waiting or to be queued again; since when.
  std::unordered_map<std::string, int64_t> dirty_ GUARDED_BY(mutex_);
  std::unordered_map<std::string, int64_t> working_ GUARDED_BY(mutex_);  // since when
  std::multimap<int64_t, std::string> delayed_ GUARDED_BY(mutex_);
  std::unordered_map<std::string, int64_t> delayed_at_ GUARDED_BY(mutex_);
  bool stop_ GUARDED_BY(mutex_) = false;
  WorkCounters counters_ GUARDED_BY(mutex_);
};

}  // namespace pintle::informer
