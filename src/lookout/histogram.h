// Histogram: how many times took how long, for the metrics. Plain data; its owner locks.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace pintle::lookout {

struct Histogram {
  // The upper ends, in milliseconds; what took longer is counted in the last place.
  static constexpr std::array<int64_t, 14> kBoundsMs = {
      5,      10,     20,      50,        100,       200,        500,
      1'000,  5'000,  30'000,  300'000,   3'600'000, 21'600'000, 86'400'000};
  std::array<uint64_t, kBoundsMs.size() + 1> counts{};
  int64_t sum_ms = 0;

  void add(int64_t ms) {
    ms = std::max<int64_t>(ms, 0);  // clocks of clusters
    const auto* bound = std::lower_bound(kBoundsMs.begin(), kBoundsMs.end(), ms);
    ++counts[static_cast<size_t>(bound - kBoundsMs.begin())];
    sum_ms += ms;
  }
};

}  // namespace pintle::lookout
