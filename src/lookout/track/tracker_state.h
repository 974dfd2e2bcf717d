// What the tracker holds; its parts work on it one file each. Inside this room only.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lookout/fields.h"
#include "lookout/track/managers.h"
#include "lookout/track/tracker.h"
#include "lookout/track/twins.h"
#include "value/value.h"

namespace pintle::lookout {

// One state of one object, read.
struct Seen {
  std::string_view resource;
  Change change = Change::kAdded;
  bool initial = false;
  bool first = false;  // part of the first list ever: nobody has told anything of it yet
  bool old = false;    // part of a first list, and from before what that may tell
  int64_t now_ms = 0;
  Subject subject;
  std::map<std::string, std::string> labels, annotations;
  Managers managers;
  const value::Value* object = nullptr;
};

// ---- Helm ----

// What was released, as the payload says.
struct Content {
  std::string chart, chart_version, app_version, description, values_digest, images, who;
  int64_t rollouts = 0;  // of Argo, in its manifest
};

struct Revision {
  std::string uid, status;
  int64_t number = 0;
  int64_t since_ms = 0;   // in this status
  bool rollback = false;  // pending-rollback was seen, or the description says so
  bool stuck_told = false;
  std::shared_ptr<const Content> content;  // never null; the same in all copies of a revision
};

// Helm has said that a revision is deployed, and its Rollouts have not: outcome.cc.
struct Awaited {
  Event event;           // told when they have
  int64_t since_ms = 0;  // heard of
  int64_t rollouts = 0;  // as many there must be
  bool before = false;   // Helm said so before what may be told
  bool moved = false;    // one of them was seen under way since
};

struct HelmRelease {
  std::string name, name_space;
  std::string record_space;  // where its records are: with Helm 2, Tiller's namespace
  bool helm2 = false;
  std::map<int64_t, Revision> revisions;
  Revision newest;         // the last one of those that exist or existed
  bool gone_told = false;  // release.uninstalled
  int64_t settle_ms = 0;   // when its workloads must be available; 0: not waited for
  std::optional<Awaited> awaited;
  std::string key() const { return name_space + "/" + name; }  // as in WorkloadRecord
};

// ---- the others, by uid ----

// What is under way, and since when nothing about it has changed.
struct Pending {
  std::string what;      // of the round and how far it is; "": nothing is under way
  int64_t since_ms = 0;
  bool told = false;     // release.stuck
};

struct RolloutRecord {
  std::string name, name_space, round, template_digest, status_before, phase, hash, who;
  bool fresh = false;  // the status is of this round
  bool paused = false;
  int64_t step = 0, began_ms = 0, since_ms = 0;
  std::set<std::string> told;  // in this round
  std::vector<std::string> pauses;  // when those under way began
  std::vector<std::string> past;    // pod hashes before this round's: coming back to one is a rollback
  bool rollback = false;
  bool own_release = false;  // of nobody else's
  Twins twins;
  std::string release_key;  // of the Helm release it is of; "": of none
  bool of_helm = false;     // this round is Helm's doing: Helm's record and this tell one outcome
  bool settled = false;
  bool news = false;        // it is not only as it was before what may be told
  Pending pending;
};

struct ApplicationRecord {
  std::string name, name_space, release_namespace, health, sync, operation, phase, revision, who;
  bool operation_new = false;  // begun since it was healthy last
  bool drifted = false;
  bool cascades = false;  // what it deployed goes with it
  std::string noted;      // the state that counts as told
  int64_t since_ms = 0;
  Twins twins;
  Pending pending;
};

struct WorkloadRecord {
  std::string kind, name, name_space, round;
  std::string mark;         // another one is another round
  std::string release_key;  // "NAMESPACE/NAME" of the Helm release it is of; "": of none
  bool available = false;
  int64_t drifted_ms = 0;   // since when; 0: it has not
  int64_t drift_told = 0;   // Managers::helm_ms, from which on one was told
  std::set<std::string> told;
  bool managed = false;  // by Helm or Argo CD, who have their own word on the release
  Pending pending;
};

struct PodRecord {
  std::map<std::string, std::string> images;  // container -> image with digest
  // Of each container and kind of news the last: no more than a status has places for.
  std::map<std::string, std::string> told;
};

struct OwnerRecord {
  std::string release, release_namespace;
  std::map<std::string, std::string> labels;
  std::string parent;       // uid of its controller
  std::string parent_name;  // "KIND/NAMESPACE/NAME" of a controller nobody watches
  int64_t gone_ms = 0;
};

struct Tracker::State {
  struct Baseline {
    int64_t since_ms = 0;
    bool first = false;
  };
  std::string cluster;
  TrackerOptions options;
  std::map<std::string, Baseline, std::less<>> baselines;

  std::map<std::string, HelmRelease> helm;  // "secrets/NAMESPACE/NAME", the records' namespace
  std::set<std::string> vanished;  // keys in `helm` of those without a record, by the list that is being told
  std::unordered_map<std::string, std::string> helm2;  // HelmRelease::key() -> key in `helm`
  std::unordered_map<std::string, std::pair<std::string, int64_t>> helm_uids;  // -> key, revision
  std::unordered_map<std::string, RolloutRecord> rollouts;
  std::unordered_map<std::string, ApplicationRecord> applications;
  std::unordered_map<std::string, WorkloadRecord> workloads;
  std::unordered_map<std::string, PodRecord> pods;
  std::unordered_map<std::string, OwnerRecord> owners;
  std::unordered_map<std::string, std::string> owner_names;  // "KIND/NAMESPACE/NAME" -> uid
  std::deque<std::pair<int64_t, std::string>> gone;          // when, uid: in that order
  std::set<std::pair<int64_t, std::string>> due;             // when, helm key or "@UID"
  uint64_t broken_payloads = 0;
  std::vector<Event> out;         // of the call under way
  std::vector<std::string> told;  // likewise: Tracker::take_told()

  // "CLUSTER/UID/..."
  std::string key(const Subject& s, std::string_view what) const;
  // Adds an event about what was seen, with its release, labels and time.
  Event& tell(const Seen& seen, std::string_view type, std::string dedup_key);
  bool before_baseline(std::string_view resource, int64_t happened_ms) const;

  // The parts.
  void see_release_record(Seen& seen);  // releases.cc
  void begin_round(HelmRelease& release, const Revision& r);
  void forget_release_record(const Subject& s, bool listed, int64_t now_ms);
  void end_vanished(std::string_view resource, int64_t now_ms);
  void end_release(const std::string& helm_key, int64_t now_ms);
  void tell_end(const std::string& helm_key, HelmRelease& release, int64_t now_ms);
  void tick_releases(int64_t now_ms);
  void degrade(const std::string& release_key, std::string_view why, const Subject& cause,
               int64_t now_ms);
  HelmRelease* release_of(const std::string& release_key);  // null: none is known
  // outcome.cc: what becomes of a Helm release that has Rollouts.
  bool has_rollouts(const std::string& release_key) const;
  void await_rollouts(const std::string& helm_key, Event event, bool before, int64_t now_ms);
  void settle_rollouts(HelmRelease& release, int64_t now_ms);
  // stuck.cc: `what` is under way, "" nothing; since_ms: when that began, as far as is known.
  void see_pending(const Subject& s, Pending& p, std::string what, int64_t since_ms);
  void tell_stuck(const std::string& uid, int64_t now_ms);
  void see_rollout(const Seen& seen);  // rollouts.cc
  void forget_rollout(const Seen& seen);
  void see_application(const Seen& seen);  // applications.cc
  void forget_application(const Seen& seen);
  void see_workload(const Seen& seen);     // workloads.cc
  void see_drift(const Seen& seen, WorkloadRecord& w);
  void see_job(const Seen& seen);          // pods.cc
  void see_pod(const Seen& seen);
  void see_owner(const Seen& seen);  // owners.cc
  void forget_owner(const Subject& s, int64_t now_ms);
  void forget_gone(int64_t now_ms);
  Owner owner_of(const Subject& s) const;
  int64_t revision_of(const Owner& owner);  // of its release now; 0: not known
  // "NAMESPACE/NAME" when Helm's annotations name a release, or Helm 2's labels.
  static std::string release_key_of(const Seen& seen);
};

bool is_managed(const Seen& seen);  // by Helm or Argo CD, who have their own word on the release

// The values of `conditions[type]`.
struct Condition {
  std::string_view status, reason, message;
  int64_t changed_ms = 0;
};
Condition condition_of(const value::Value& object, std::string_view type);
// Hex SHA-256 of a value's JSON, cut to 16 digits: to see that it changed.
std::string digest_of(const value::Value* v);

}  // namespace pintle::lookout
