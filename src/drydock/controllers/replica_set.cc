// ReplicaSet: as many pods from the template as spec.replicas asks for.
#include "base/strings.h"
#include "drydock/controllers/common.h"
#include "drydock/controllers/controllers.h"

namespace pintle::drydock {
namespace {

constexpr std::string_view kName = "replicaset-controller";
constexpr int64_t kBurst = 500;

std::vector<Key> pod_owner(World& world, const Change& change) {
  auto keys = owner_keys(change, "ReplicaSet", "apps", "replicasets");
  if (!keys.empty() || !change.after || controller_of(*change.after)) return keys;
  // An orphan may be adopted by whoever selects it.
  for (const Value& set : world.list("apps", "replicasets", namespace_of(*change.after))) {
    if (matches(at(set, "spec", "selector"), *change.after)) {
      keys.push_back(key_of("apps", "replicasets", set));
    }
  }
  return keys;
}

Status scale(World& world, const Value& set, std::vector<Value> active) {
  int64_t difference = number(set, "spec", "replicas") - static_cast<int64_t>(active.size());
  if (difference > 0) {
    const Value* tmpl = at(set, "spec", "template");
    for (int64_t i = 0; tmpl && i < std::min(difference, kBurst); ++i) {
      TRY(create_pod(world, pod_from_template(*tmpl, set, "apps/v1", "ReplicaSet"), set, kName));
    }
  }
  if (difference < 0) {
    sort_for_deletion(active);
    for (int64_t i = 0; i < std::min(-difference, kBurst); ++i) {
      TRY(delete_pod(world, active[static_cast<size_t>(i)], set, kName));
    }
  }
  return ok();
}

void set_failure(World& world, Value& status, const Status& scaled, int64_t difference) {
  Value* old = find_condition(status, "ReplicaFailure");
  if (scaled) {
    if (old) drop_condition(status, "ReplicaFailure");
    return;
  }
  if (old) return;
  Value condition = empty_map();
  put(condition, "type", "ReplicaFailure");
  put(condition, "status", "True");
  put(condition, "lastTransitionTime", world.now());
  put(condition, "reason", difference > 0 ? "FailedCreate" : "FailedDelete");
  put(condition, "message", scaled.error().text());
  push(status, "conditions", std::move(condition));
}

Result<Again> reconcile(World& world, const Key& key) {
  Result<Value> found = world.get(key);
  if (!found) return Again();
  Value& set = *found;
  std::vector<Value> pods = TRY(claim(world, "", "pods", set, "apps/v1", "ReplicaSet"));

  std::vector<Value> active;
  int64_t labelled = 0, ready = 0, available = 0, terminating = 0;
  int64_t min_ready = number(set, "spec", "minReadySeconds");
  const Value* labels = at(set, "spec", "template", "metadata", "labels");
  Again again;
  for (Value& pod : pods) {
    if (!pod_finished(pod) && being_deleted(pod)) ++terminating;
    if (!pod_active(pod)) continue;
    if (entries_of(labels).empty() || matches_all(labels, pod)) ++labelled;
    if (pod_ready(pod)) ++ready;
    if (pod_available(world, pod, min_ready, &again)) ++available;
    active.push_back(std::move(pod));
  }

  int64_t count = static_cast<int64_t>(active.size());
  int64_t difference = number(set, "spec", "replicas") - count;
  Status scaled = being_deleted(set) ? ok() : scale(world, set, std::move(active));

  Value status = has(set, "status") ? value::deep_copy(*at(set, "status")) : empty_map();
  put(status, "replicas", count);
  set_count(status, "fullyLabeledReplicas", labelled);
  set_count(status, "readyReplicas", ready);
  set_count(status, "availableReplicas", available);
  put(status, "terminatingReplicas", terminating);
  set_count(status, "observedGeneration", number(set, "metadata", "generation"));
  set_failure(world, status, scaled, difference);
  TRY(write_status(world, "apps", "replicasets", set, std::move(status)));
  if (!scaled) return scaled.error();
  return again;
}

std::vector<Key> self(World&, const Change& change) { return self_key(change); }

}  // namespace

const Controller kReplicaSets{
    kName, {{"apps", "replicasets", self}, {"", "pods", pod_owner}}, reconcile};

}  // namespace pintle::drydock
