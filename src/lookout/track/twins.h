// Twins: pairs what an Event and a state tell of one transition, for those that may happen again
// and so have no key both could know. Whoever comes second within the window gets the key of the
// first; a pair is used up, so that the next repeat is a new one. Inside this room only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pintle::lookout {

class Twins {
 public:
  static constexpr int64_t kWindowMs = 120'000;

  // The key to tell this under: `own`, or that of its twin.
  std::string meet(std::string_view what, bool from_event, std::string_view own, int64_t now_ms) {
    std::erase_if(waiting_, [&](const One& o) { return now_ms - o.at_ms > kWindowMs; });
    const auto twin = std::find_if(waiting_.begin(), waiting_.end(), [&](const One& o) {
      return o.what == what && o.from_event != from_event;
    });
    if (twin != waiting_.end()) {
      std::string key = std::move(twin->key);
      waiting_.erase(twin);
      return key;
    }
    if (waiting_.size() >= kMost) waiting_.erase(waiting_.begin());
    waiting_.push_back({std::string(what), std::string(own), from_event, now_ms});
    return std::string(own);
  }

 private:
  static constexpr size_t kMost = 64;
  struct One {
    std::string what, key;
    bool from_event = false;
    int64_t at_ms = 0;
  };
  std::vector<One> waiting_;
};

}  // namespace pintle::lookout
