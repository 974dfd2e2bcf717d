// Observe: from what one informer says to what is stored: cleans, digests, attributes, applies the
// rules and the tracker. Plain and single-threaded for each region; no I/O.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.h"
#include "informer/delivery.h"
#include "lookout/model.h"
#include "lookout/rules.h"
#include "lookout/tracker.h"

namespace pintle::lookout {

class Observer {
 public:
  // rules outlives it (a reload makes new observers' rules: set_rules).
  Observer(std::string region, std::string cluster_uid, const Rules& rules, TrackerOptions options);
  void set_rules(const Rules& rules) { rules_ = &rules; }
  // Counts stored before a restart, so that missed repeats are known (Store::counts).
  void know_counts(const std::vector<std::pair<std::string, int64_t>>& counts);

  // Adds to the batch what this change means. Error: the object cannot be read; its observation is
  // in the batch all the same.
  Status hear(std::string_view resource, const informer::Change& change, int64_t now_ms,
              Batch& batch);
  void tick(int64_t now_ms, Batch& batch);
  const Tracker& tracker() const { return tracker_; }

 private:
  void hear_event(const informer::Change& change, std::string_view resource, int64_t now_ms,
                  Batch& batch);
  std::string region_, cluster_uid_;
  const Rules* rules_;
  Tracker tracker_;
  std::unordered_map<std::string, int64_t> counts_;  // uid of an Event -> its count
};

// Valid UTF-8, no control characters but newline and tab, at most `limit` bytes (cut at a rune).
std::string clean_text(std::string_view text, size_t limit = 32 << 10);

}  // namespace pintle::lookout
