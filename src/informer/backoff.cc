#include "informer/backoff.h"

#include <algorithm>
#include <atomic>
#include <random>

namespace pintle::informer {

Random system_random() {
  // SplitMix64: eight bytes that all loops share.
  return [] {
    static std::atomic<uint64_t> state{std::random_device{}()};
    uint64_t z = state.fetch_add(0x9e3779b97f4a7c15) + 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1.0p-53;
  };
}

Backoff::Backoff(sys::Clock& clock, Random random, BackoffOptions options)
    : clock_(clock),
      random_(std::move(random)),
      options_(options),
      base_(options.first_ns),
      used_at_(clock.monotonic_ns()) {}

int64_t Backoff::next_ns() {
  const int64_t now = clock_.monotonic_ns();
  if (now - used_at_ > options_.reset_ns) base_ = options_.first_ns;
  used_at_ = now;
  const double stretched = static_cast<double>(base_) * (1.0 + options_.jitter * random_());
  base_ =
      std::min(static_cast<int64_t>(static_cast<double>(base_) * options_.factor), options_.cap_ns);
  return static_cast<int64_t>(stretched);
}

}  // namespace pintle::informer
