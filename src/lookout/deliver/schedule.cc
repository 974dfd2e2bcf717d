// The retry schedule.
#include <algorithm>
#include <span>

#include "lookout/deliver/deliver.h"

namespace pintle::lookout {
namespace {

constexpr int64_t kSecond = 1000, kMinute = 60 * kSecond, kHour = 60 * kMinute, kDay = 24 * kHour;
constexpr int64_t kDelays[] = {5 * kSecond, 30 * kSecond, 2 * kMinute, 10 * kMinute, 30 * kMinute,
                               1 * kHour,   3 * kHour,    6 * kHour,   12 * kHour};
constexpr int64_t kMaxRetryAfter = kHour;

}  // namespace

std::vector<int64_t> usual_retries_ms() { return {std::begin(kDelays), std::end(kDelays)}; }

std::vector<int64_t> longest_waits_ms(const Manner& manner, int64_t least_ms) {
  // Quiet hours end by the wall clock: as long as nobody says that it went back they may wait.
  const bool quiet = least_ms > 0 && manner.quiet.set();
  std::vector<int64_t> out{quiet ? kDay : manner.digest_ms};
  for (const int64_t delay : manner.retry_ms.empty() ? usual_retries_ms() : manner.retry_ms) {
    out.push_back(std::max(delay * 12 / 10, least_ms));
  }
  return out;
}

int64_t retry_at_ms(const Manner& manner, int attempts, int64_t first_ms, int64_t now_ms,
                    double jitter, int64_t retry_after_ms) {
  const auto delays = manner.retry_ms.empty() ? std::span<const int64_t>(kDelays)
                                              : std::span<const int64_t>(manner.retry_ms);
  const auto n = static_cast<size_t>(std::max(attempts, 1));
  const int64_t end = first_ms + (manner.give_up_ms > 0 ? manner.give_up_ms : kUsualGiveUpMs);
  if (n > delays.size() || now_ms >= end) return 0;
  const auto delay =
      static_cast<int64_t>(static_cast<double>(delays[n - 1]) * (0.8 + 0.4 * jitter));
  // The last one is made in time, however the jitter fell.
  const int64_t due = std::min(now_ms + delay, end);
  return std::max(due, now_ms + std::clamp<int64_t>(retry_after_ms, 0, kMaxRetryAfter));
}

}  // namespace pintle::lookout
