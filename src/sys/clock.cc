#include "sys/clock.h"

#include <ctime>

#include "sys/thread_time.h"

namespace pintle::sys {
namespace {

int64_t read(clockid_t id) {
  timespec t{};
  clock_gettime(id, &t);
  return int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

class RealClock : public Clock {
 public:
  int64_t now_ns() override { return read(CLOCK_REALTIME); }
  int64_t monotonic_ns() override { return read(CLOCK_MONOTONIC); }
};

}  // namespace

Clock& real_clock() {
  static RealClock clock;
  return clock;
}

int64_t thread_time_ns() { return read(CLOCK_THREAD_CPUTIME_ID); }

int local_offset_seconds(int64_t unix_ns) {
  const time_t seconds = unix_ns / 1'000'000'000;
  tm local{};
  return localtime_r(&seconds, &local) ? static_cast<int>(local.tm_gmtoff) : 0;
}

}  // namespace pintle::sys
