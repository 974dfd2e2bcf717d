#include "informer/backoff.h"

#include <algorithm>
#include <memory>
#include <random>

namespace pintle::informer {

Random system_random() {
  // Shared: a Random is copied to everyone who draws; each copy is used on one loop.
  auto engine = std::make_shared<std::mt19937_64>(std::random_device{}());
  return [engine] { return std::uniform_real_distribution<double>(0.0, 1.0)(*engine); };
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
