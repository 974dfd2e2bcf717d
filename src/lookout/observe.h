// Observe: from what one informer says to what is stored: cleans, digests, attributes, applies the
// rules and the tracker. Plain and single-threaded for each region; no I/O.
//
// Every state of an Event and of a release record is an observation; of the other objects those
// that mean an event. Warnings of a release's pods wait for others of their kind (groups.h). Memory: the count of each live Event, and the tracker's.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "informer/delivery.h"
#include "lookout/groups.h"
#include "lookout/model.h"
#include "lookout/rules/rules.h"
#include "lookout/track/tracker.h"

namespace pintle::lookout {

class Observer {
 public:
  // rules outlives it (a reload makes new observers' rules: set_rules).
  Observer(std::string region, std::string cluster_uid, const Rules& rules, TrackerOptions options);
  void set_rules(const Rules& rules) { rules_ = &rules; }
  void set_raw_events(bool stored) { raw_events_ = stored; }
  // Counts stored before a restart, so that missed repeats are known (Store::counts).
  void know_counts(const std::vector<std::pair<std::string, int64_t>>& counts);

  // Adds to the batch what this change means; a bookmark ends a list. Error: the object cannot be read; its observation is
  // in the batch all the same.
  Status hear(std::string_view resource, const informer::Change& change, int64_t now_ms,
              Batch& batch);
  void tick(int64_t now_ms, Batch& batch);
  int64_t next_tick_ms() const;  // 0: nothing waits
  // What waits for others of its kind, now: nothing more is heard. An image that waits for its digest
  // is told by its pod, whoever watches that next.
  void flush(Batch& batch);
  // Since when anything is held back that only what was heard since would tell again; 0: nothing is.
  int64_t holds_since_ms() const { return groups_.since_ms(); }
  Tracker& tracker() { return tracker_; }
  const Tracker& tracker() const { return tracker_; }

 private:
  Status hear_event(std::string_view resource, const informer::Change& change, int64_t now_ms,
                    Batch& batch);
  void tell(const KubeEvent& e, const Rules::Hit& hit, bool initial, int64_t now_ms, Event event,
            Batch& batch);
  void add(Event event, int64_t now_ms, Batch& batch);
  // An image that was pulled, until its pod says which digest that was.
  struct Held {
    int64_t due_ms = 0;
    std::string container;
    Event event;
  };
  std::string region_, cluster_uid_;
  const Rules* rules_;
  Tracker tracker_;
  // An Event's count by a hash of its uid, for there are many: with equal hashes two would only mix up
  // their repeats.
  std::unordered_map<size_t, int64_t> counts_;
  std::deque<Held> held_;
  Groups groups_;
  bool raw_events_ = true;
};

// The kinds that release records are of.
inline constexpr std::string_view kReleaseRecords[] = {"secrets", "configmaps"};
inline bool is_release_record(std::string_view resource) {
  return resource == kReleaseRecords[0] || resource == kReleaseRecords[1];
}

// Valid UTF-8, no control characters but newline and tab, at most `limit` bytes (cut at a rune).
std::string clean_text(std::string_view text, size_t limit = 32 << 10);

}  // namespace pintle::lookout
