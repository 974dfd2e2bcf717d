// Backoff: how long to wait before the next try, as client-go's reflector does: 0.8 s, doubled up
// to 30 s, each stretched by a random part of itself, so that a steady failure is tried every 30 to
// 60 s; it starts anew when it was not asked for 2 minutes. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>

#include "sys/clock.h"

namespace pintle::informer {

// Uniform in [0, 1). Tests script it. Called on the loop's thread; the system's on any.
using Random = std::function<double()>;
Random system_random();

inline constexpr int64_t kMs = 1'000'000;  // nanoseconds
inline constexpr int64_t kSecond = 1'000 * kMs;

struct BackoffOptions {
  int64_t first_ns = 800 * kMs;
  int64_t cap_ns = 30 * kSecond;
  int64_t reset_ns = 120 * kSecond;
  double factor = 2.0;
  double jitter = 1.0;  // the delay is uniform in [d, d * (1 + jitter))
};

class Backoff {
 public:
  Backoff(sys::Clock& clock, Random random, BackoffOptions options = {});
  int64_t next_ns();

 private:
  sys::Clock& clock_;
  Random random_;
  BackoffOptions options_;
  int64_t base_, used_at_;
};

}  // namespace pintle::informer
