// One watch of a region; inside WatchedRegion only.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "informer/shared_informer.h"
#include "lookout/region/region.h"

namespace pintle::lookout {

inline constexpr std::string_view kDefinitions = "customresourcedefinitions.apiextensions.k8s.io";
inline constexpr std::string_view kRollouts = "rollouts.argoproj.io";
inline constexpr std::string_view kApplications = "applications.argoproj.io";

// The checkpoint that keeps reused_below_.
inline constexpr std::string_view kReused = "@reused";

inline uint64_t number_of(std::string_view version) {
  return informer::version_number(version).value_or(0);
}

// A kind is heard once all those of earlier turns are listed: the records of releases, then what
// they install, then its Pods, then the Events of all.
enum Turn : int { kRecordsTurn, kInstalledTurn, kPodsTurn, kEventsTurn };

inline Turn turn_of(std::string_view resource) {
  if (resource == "events") return kEventsTurn;
  if (resource == "pods") return kPodsTurn;
  const bool records = is_release_record(resource) || resource == kDefinitions;
  return records ? kRecordsTurn : kInstalledTurn;
}

struct WatchedRegion::Watch {
  informer::Resource resource;
  std::string name;        // "deployments.apps"
  std::string checkpoint;  // its name there: with "@NAMESPACE" where one is watched alone
  std::shared_ptr<informer::SharedInformer> informer;
  informer::SharedInformer::Registration registration;

  // Set on the work loop.
  std::atomic<bool> denied{false}, absent{false}, set_back{false};
  std::atomic<bool> unknown_user{false};  // denied by a 401
  // Its first list, until that may be heard; of release records.
  Mutex first_mutex;
  std::optional<std::vector<informer::ObjectPtr>> first GUARDED_BY(first_mutex);
  // The region's mutex_, which the analysis cannot name here, guards these.
  uint64_t expired = 0;   // the informer's count of lost histories, when it was last looked at
  std::string version;    // up to which all was heard
  int64_t heard_ms = 0;   // when that was
  int64_t stored_ms = 0;  // when it was stored last
  bool dirty = false;     // something was stored since
  std::deque<std::pair<int64_t, std::string>> passed;  // versions, and when all was heard up to them

  // Up to where all that was heard is stored, or with the writer: what the observer has held back since
  // `held_since_ms` (0: nothing) is not, and would be heard again from there. "": not known yet.
  std::string safe_version(int64_t now_ms, int64_t held_since_ms) {
    if (held_since_ms == 0) {
      passed.clear();
      return version;
    }
    if (passed.empty() || now_ms - passed.back().first >= 1000) passed.emplace_back(now_ms, version);
    while (passed.size() > 1 && passed[1].first < held_since_ms) passed.pop_front();
    return passed.front().first < held_since_ms ? passed.front().second : "";
  }
  std::optional<Gap> lost;  // it is not stored yet, as no checkpoint beyond it is
  bool follows = false;   // every state after `version` was heard: not in a first list, nor in one that told a gap
};

}  // namespace pintle::lookout
