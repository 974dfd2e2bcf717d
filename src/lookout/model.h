// What flows through lookout, as plain data: an observation is one state of one Kubernetes object,
// an event is what it means to people and business systems.
//
//   informer -> observe (Observation, Event) -> store (one transaction) -> deliver -> sinks
//
// Times are milliseconds since 1970, UTC. Texts are valid UTF-8 without control characters but
// newline and tab: observe cleans what comes in.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace pintle::lookout {

// The object something happened to.
struct Subject {
  std::string group, version, kind, name_space, name, uid;
};

enum class Change : uint8_t { kAdded, kModified, kDeleted };

// Stored once for each (cluster, resource, uid, version): guarantee G1.
struct Observation {
  std::string resource;  // "events", "events.events.k8s.io", "deployments.apps"
  std::string uid, version;
  Change change = Change::kAdded;
  Subject subject;       // an Event's involved object, else the object itself
  std::string digest;    // hex SHA-256 of the object's text
  int64_t received_ms = 0;
  int64_t count = 1;        // an Event's repeats
  int64_t count_delta = 1;  // since the state stored before; more than 1: repeats were missed
  // A restored server may have given the version a second time: then another digest is another
  // state, which is stored under the version with a part of its digest.
  bool reused = false;
};

enum class Severity : uint8_t { kInfo, kWarning, kError };

// type: "kubernetes.event" for every raw Event, else a business event: "release.deployed",
// "release.step", "image.pulled", "pod.failed", "region.unhealthy" ... (catalog.h lists them).
struct Event {
  std::string type;
  Severity severity = Severity::kInfo;
  Subject subject;
  // The release it belongs to; name empty: none is known.
  std::string release, release_namespace;
  int64_t revision = 0;
  std::string reason, message;
  int64_t time_ms = 0;  // when it happened, as the cluster says
  std::map<std::string, std::string> labels;  // the subject's, where known; for filters
  std::string data = "{}";  // a JSON object: chart, version, images, who, step, ... by type
  // Equal keys are one event, whichever source tells first; "": every one is its own, and it is
  // stored only if its observation is new.
  std::string dedup_key;
  // Keys of what it tells besides: it is stored unless it and all of them were told before.
  std::vector<std::string> also_keys = {};
  int observation = -1;  // its place in the batch; -1: none
};

// How far a region's resource has been seen and stored.
struct Checkpoint {
  std::string resource, version;
  int64_t observed_ms = 0;
  std::string state = "watching";  // "watching", "absent", "denied", "lost: WHY": what follows is
};

// States that may have been lost: what came between two that were seen was not.
struct Gap {
  std::string resource;
  int64_t from_ms = 0, to_ms = 0;
  std::string from_version, cause;
};

// What one transaction stores: all of it or nothing.
struct Batch {
  int64_t region_id = 0;
  std::string region, cluster_uid;
  int64_t epoch = 0;  // the writer's Lease epoch: an older one than the region's is refused
  std::vector<Observation> observations;
  std::vector<Event> events;
  std::vector<Checkpoint> checkpoints;
  std::vector<Gap> gaps;
  // Keys that count as told from then on, of events that are not: what was there before anybody looked,
  // and other names of what is told.
  std::vector<std::string> told = {};
};

}  // namespace pintle::lookout
