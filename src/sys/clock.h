// Clock: the only place that reads time. sys/testing has the twin that tests step.
#pragma once

#include <cstdint>

namespace pintle::sys {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual int64_t now_ns() = 0;        // unix time, nanoseconds
  virtual int64_t monotonic_ns() = 0;
};

Clock& real_clock();

}  // namespace pintle::sys
