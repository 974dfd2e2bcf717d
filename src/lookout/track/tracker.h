// Tracker: one state machine for each Helm release, Rollout, Application and workload of a cluster;
// turns object states into release events. Events of Kubernetes are hints (rules.h), states decide.
//
// Every transition has a dedup_key of subject, revision or generation, and transition, so the same
// one told by an Event and by a state, or told again after a restart, is stored once. The tracker
// keeps no durable state: fed with everything that exists, it ends where it was. What it does not tell
// although a later one would (it was there before anybody looked, or goes by another key) is in
// take_told(), to be stored as told.
//
// Sources: release Secrets and ConfigMaps by their labels (status transitions of Helm 3 and 4: spec
// events-informers §3.4; Helm 2: OWNER=TILLER), Deployment, StatefulSet, DaemonSet, Job, Pod status,
// argoproj.io Rollout and Application status. A release has drifted when somebody else than Helm has
// written to the spec of one of its workloads since Helm did (managers.h).
// Limits: memory is one small record for each release revision that exists and each live workload.
// Single-threaded: each region has its own.
//
// Parts: releases.cc (Helm's records), managers.cc (managedFields), rollouts.cc, outcome.cc (Helm's word
// and its Rollouts'), applications.cc, workloads.cc, stuck.cc, pods.cc (and Jobs), owners.cc (whose an
// object is), twins.h (an Event and a state that tell the same).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "lookout/model.h"

namespace pintle::lookout {

// Whose an object is: by app.kubernetes.io/instance, else meta.helm.sh/release-name and -namespace,
// else through its controller owners that the tracker has seen (also deleted ones, for an hour).
struct Owner {
  std::string release, name_space;
  std::map<std::string, std::string> labels;  // of the object, where it was seen
};

struct TrackerOptions {
  int64_t stuck_ms = 10 * 60 * 1000;  // under way without getting further for longer: release.stuck
  int64_t settle_ms = 60 * 1000;      // how long a deployed release may take to be available
  int64_t group_ms = 10 * 1000;       // how long warnings of a release's pods wait for others (groups.h)
  bool operator==(const TrackerOptions&) const = default;
};

// What a release record's name says: "sh.helm.release.v1.web.v3", or Helm 2's "web.v3". nullopt: it is none.
struct RecordName {
  std::string_view release;  // of the name given
  int64_t revision = 0;
};
std::optional<RecordName> record_name(std::string_view record);
// Whether the first of the records that are there is of another life of its release than those that
// were known and are all gone, the last of them of revision `known`: a life counts from 1 on, and its
// records go the oldest first.
inline bool begins_anew(int64_t first, int64_t known) { return first <= known; }

// Of two release records by their names: a release's are in the order of their revisions, in which a
// list of them is to be observed.
bool comes_before(std::string_view a, std::string_view b);

class Tracker {
 public:
  explicit Tracker(std::string cluster_uid, TrackerOptions options = {});
  ~Tracker();

  // One object's new state (JSON as listed or watched, at least metadata), or its last one when it
  // is gone. `initial`: part of the first list, which tells what is, not what happened: events with
  // a dedup_key are still given, for what happened while nobody watched.
  // A delete that is `listed` was learnt from a list, which is told to its end: list_over().
  // Error: broken JSON or an unknown resource; counted by the caller, never fatal.
  Result<std::vector<Event>> observe(std::string_view resource, Change change,
                                     std::string_view json, bool initial, int64_t now_ms,
                                     bool listed = false);
  // The ends of the releases of which such a list has left nothing. resource: as in observe.
  std::vector<Event> list_over(std::string_view resource, int64_t now_ms);
  // Keys that the last observe() makes told without an event: Batch::told.
  std::vector<std::string> take_told();
  // What the first list of a resource may tell: states that came about before `since_ms` are the
  // ground others are told against. `first`: nobody has watched this resource yet, so states of
  // unknown age tell nothing either. Without a call all of it is told.
  void set_baseline(std::string_view resource, int64_t since_ms, bool first);

  // Nothing of pods, or Jobs, is known any more: they are no longer watched.
  void forget(std::string_view resource);

  // An Event's word on an object: it is told under `dedup_key`, or not at all. An Event and a state
  // that tell the same get the same key, whichever comes first.
  struct Hint {
    bool tell = true;
    std::string dedup_key;
    std::string type = {};  // what it is rather than the rule's; "": the rule's
  };
  // `key` is what the rule made of it, `detail` its first group, event_ms when it happened.
  Hint hint(const Subject& subject, std::string_view type, std::string_view detail,
            std::string_view key, int64_t event_ms, bool initial, int64_t now_ms);
  // The round of updates an object is in (rules' {generation}); "": it is not tracked.
  std::string generation_of(const Subject& subject) const;
  bool knows(const Subject& subject) const;  // it was observed, and is not gone
  // The digest of a container's image, where its pod has told: "nginx@sha256:...".
  std::string image_of(const Subject& pod, std::string_view container) const;
  // The one whose image is known; "": none is, or several are.
  std::string only_container(const Subject& pod) const;

  // Time passing: stuck releases. When to call again: 0 for not before the next observe.
  std::vector<Event> tick(int64_t now_ms);
  int64_t next_tick_ms() const;

  Owner owner_of(const Subject& subject) const;
  int64_t revision_of(const Owner& owner) const;  // of its release now; 0: not known
  size_t size() const;  // records held

  // The state of each release, for the status page and the API.
  struct Release {
    std::string name, name_space, state;  // "deployed", "pending", "stuck", "drifted", ...
    int64_t revision = 0, since_ms = 0;
    std::string kind;  // "Helm", "Rollout", "Application"
    std::string chart, app_version, who;
  };
  std::vector<Release> releases() const;
  uint64_t broken_payloads() const;  // release records whose content could not be read

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace pintle::lookout
