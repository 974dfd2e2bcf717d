// Clock: the only place that reads time. sys/testing has the twin that tests step.
#pragma once

#include <cstdint>

namespace pintle::sys {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual int64_t now_ns() = 0;  // unix time, nanoseconds
  virtual int64_t monotonic_ns() = 0;
};

Clock& real_clock();

// How far local time is ahead of UTC then (TZ).
int local_offset_seconds(int64_t unix_ns);

}  // namespace pintle::sys
