// Endpoint: what is known of one place messages go to: its breaker, its limits, what waits for it.
// Plain data; the deliverer's thread alone uses it. Time is given.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <span>

#include "lookout/sinks/sink.h"

namespace pintle::lookout {

// At most `messages` in any `span_ms`. Three quarters may go as they come; the last quarter is
// spread over the span, for messages that tell many events at once.
class Window {
 public:
  explicit Window(Limit limit) : whole_(limit), limit_(limit) {}
  void divide(int among);           // processes: each may send its part
  void count(int64_t now_ms);
  int64_t next_ms(int64_t now_ms);  // when a message may go: now_ms or later
  bool calm(int64_t now_ms);        // within the first three quarters
  bool idle(int64_t now_ms);
  void clock_went_back(int64_t by_ms);

 private:
  void forget(int64_t now_ms);
  int free_ones() const { return limit_.messages * 3 / 4; }
  const Limit whole_;
  Limit limit_;
  std::deque<int64_t> sent_;
};

// Closed until `kOpenAfter` failures in a row; then one try every `kProbeMs`.
class Breaker {
 public:
  static constexpr int kOpenAfter = 10;
  static constexpr int64_t kProbeMs = 60'000;
  void succeeded() { failures_ = 0, open_until_ = 0; }
  void failed(int64_t now_ms);
  bool open() const { return failures_ >= kOpenAfter; }
  bool doubtful() const { return failures_ > 0; }
  int64_t next_ms() const { return open_until_; }
  void clock_went_back(int64_t by_ms) { open_until_ -= by_ms; }

 private:
  int failures_ = 0;
  int64_t open_until_ = 0;
};

struct Job;

struct Endpoint {
  explicit Endpoint(const SinkKind& kind);

  void divide(int among);  // its limits
  // When a message may go there: now_ms or later.
  int64_t next_ms(int64_t now_ms);
  // Likewise one that is not due, to see whether it answers again; INT64_MAX: not now.
  int64_t probe_ms(int64_t now_ms);
  int slots(int per_endpoint) const;
  // How many may wait at once so that with so many slots they take some seconds at most.
  size_t room(int slots) const;
  void took(int64_t ms) { usual_ms = (usual_ms * 7 + static_cast<double>(ms)) / 8; }
  bool limited() const { return !windows.empty(); }
  // Whether what waits is to be told together.
  bool merges(int64_t now_ms);
  bool idle(int64_t now_ms);
  void clock_went_back(int64_t by_ms);

  const SinkKind& sink;
  Breaker breaker;
  std::vector<Window> windows;
  int64_t hold_until_ms = 0;  // it asked for so long
  bool together = false;  // its messages may tell many events: one after the other, for their order
  bool behind = false;    // something had to wait: messages tell many until nothing does
  int active = 0;         // messages under way
  double usual_ms = 50;   // a message takes, lately
  std::set<int64_t> failing;  // subscriptions whose messages failed since one succeeded
  int64_t next_probe_ms = 0;  // while the breaker is open, with what is not due
  std::deque<std::unique_ptr<Job>> waiting;
  std::set<int64_t> crowding;  // subscriptions that are left out until half of what waits has gone
};

}  // namespace pintle::lookout
