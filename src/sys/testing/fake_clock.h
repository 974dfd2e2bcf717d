// FakeClock: a clock that tests step, also while other threads look at it.
#pragma once

#include <atomic>

#include "sys/clock.h"

namespace pintle::sys {

class FakeClock : public Clock {
 public:
  explicit FakeClock(int64_t start_ns = 0) : now_(start_ns) {}
  int64_t now_ns() override { return now_; }
  int64_t monotonic_ns() override { return now_; }
  void step(int64_t ns) { now_ += ns; }

 private:
  std::atomic<int64_t> now_;
};

}  // namespace pintle::sys
