// StatefulSet: numbered pods with their own claims, made and replaced in order (or all at once with
// Parallel), from the current or the update revision according to the partition.
#include <algorithm>
#include <charconv>
#include <map>

#include "base/strings.h"
#include "drydock/controllers/common.h"
#include "drydock/controllers/controllers.h"
#include "drydock/controllers/revisions.h"

namespace pintle::drydock {
namespace {

constexpr std::string_view kName = "statefulset-controller";
constexpr std::string_view kRevisionLabel = "controller-revision-hash";

std::vector<Key> self(World&, const Change& change) { return self_key(change); }
std::vector<Key> pod_owner(World&, const Change& change) {
  return owner_keys(change, "StatefulSet", "apps", "statefulsets");
}

struct Sync {
  World& world;
  Value set;
  Revisions revisions;
  std::string current, update;  // names of revisions
  std::map<int64_t, Value> pods{};

  int64_t replicas() const { return number_or(1, set, "spec", "replicas"); }
  int64_t first() const { return number(set, "spec", "ordinals", "start"); }
  int64_t end() const { return first() + replicas(); }
  bool parallel() const { return text(set, "spec", "podManagementPolicy") == "Parallel"; }
  bool on_delete() const { return text(set, "spec", "updateStrategy", "type") == "OnDelete"; }
  int64_t partition() const {
    return number(set, "spec", "updateStrategy", "rollingUpdate", "partition");
  }
  std::string_view revision_of(const Value& pod) const {
    return text(pod, "metadata", "labels", kRevisionLabel);
  }
  bool healthy(const Value& pod, Again* again) const {
    return !being_deleted(pod) &&
           pod_available(world, pod, number(set, "spec", "minReadySeconds"), again);
  }

  std::string claim_name(const Value& tmpl, int64_t ordinal) const {
    return cat(name_of(tmpl), "-", name_of(set), "-", ordinal);
  }
  bool retained(std::string_view when) const {
    return text(set, "spec", "persistentVolumeClaimRetentionPolicy", when) != "Delete";
  }

  Status make_claims(int64_t ordinal) {
    for (const Value& tmpl : items(set, "spec", "volumeClaimTemplates")) {
      std::string name = claim_name(tmpl, ordinal);
      if (world.get({"", "persistentvolumeclaims", std::string(namespace_of(set)), name})) continue;
      Value claim = value::deep_copy(tmpl);
      drop(claim, "status");
      Value& meta = ensure(claim, "metadata");
      put(meta, "name", name);
      put(meta, "namespace", namespace_of(set));
      for (const auto& [label, v] : entries(set, "spec", "selector", "matchLabels")) {
        put(ensure(meta, "labels"), label.view(), v);
      }
      if (!retained("whenDeleted")) {
        push(meta, "ownerReferences", owner_reference(set, "apps/v1", "StatefulSet"));
      }
      TRY(world.create("", "persistentvolumeclaims", std::move(claim)));
      world.event(set, "Normal", "SuccessfulCreate",
                  cat("Create Claim ", name, " Pod ", name_of(set), "-", ordinal, " in StatefulSet ",
                      name_of(set), " success"), kName);
    }
    return ok();
  }

  Status make_pod(int64_t ordinal) {
    bool old = !on_delete() && ordinal < partition() && current != update;
    // Until the update has come this far, a lost pod returns as it was.
    const std::string& revision = old ? current : update;
    Value tmpl = value::deep_copy(*at(set, "spec", "template"));
    for (const Value& r : revisions.all) {
      if (name_of(r) == revision) tmpl = template_of(r);
    }
    Value pod = pod_from_template(tmpl, set, "apps/v1", "StatefulSet");
    std::string name = cat(name_of(set), "-", ordinal);
    Value& meta = ensure(pod, "metadata");
    drop(meta, "generateName");
    put(meta, "name", name);
    put(meta, "generateName", cat(name_of(set), "-"));
    Value& labels = ensure(meta, "labels");
    put(labels, "statefulset.kubernetes.io/pod-name", name);
    put(labels, "apps.kubernetes.io/pod-index", std::to_string(ordinal));
    put(labels, kRevisionLabel, revision);
    Value& spec = ensure(pod, "spec");
    put(spec, "hostname", name);
    if (has(set, "spec", "serviceName")) put(spec, "subdomain", text(set, "spec", "serviceName"));
    std::vector<Value> volumes;
    for (const Value& claim : items(set, "spec", "volumeClaimTemplates")) {
      Value volume = empty_map();
      put(volume, "name", name_of(claim));
      put(ensure(volume, "persistentVolumeClaim"), "claimName", claim_name(claim, ordinal));
      volumes.push_back(std::move(volume));
    }
    for (const Value& volume : items(spec, "volumes")) {
      bool replaced = false;
      for (const Value& claim : items(set, "spec", "volumeClaimTemplates")) {
        replaced |= name_of(claim) == text(volume, "name");
      }
      if (!replaced) volumes.push_back(volume);
    }
    if (!volumes.empty()) put(spec, "volumes", Value::list_of(std::move(volumes)));
    TRY(make_claims(ordinal));
    Result<Value> made = world.create("", "pods", std::move(pod));
    if (!made) {
      world.event(set, "Warning", "FailedCreate",
                  cat("Create Pod ", name, " in StatefulSet ", name_of(set), " failed error: ",
                      made.error().text()), kName);
      return made.error();
    }
    world.event(set, "Normal", "SuccessfulCreate",
                cat("Create Pod ", name, " in StatefulSet ", name_of(set), " successful"), kName);
    pods[ordinal] = std::move(*made);
    return ok();
  }

  Status delete_one(const Value& pod) {
    Status removed = world.remove(key_of("", "pods", pod));
    if (!removed) return is_gone(removed.error()) ? ok() : removed;
    world.event(set, "Normal", "SuccessfulDelete",
                cat("Delete Pod ", name_of(pod), " in StatefulSet ", name_of(set), " successful"), kName);
    return ok();
  }

  // One step towards the wanted pods.
  Status step(Again& again) {
    for (int64_t i = first(); i < end(); ++i) {
      auto it = pods.find(i);
      if (it == pods.end()) {
        TRY(make_pod(i));
        if (!parallel()) return ok();
        continue;
      }
      const Value& pod = it->second;
      if (pod_finished(pod) && !being_deleted(pod)) {
        world.event(set, "Warning", "RecreatingFailedPod",
                    cat("StatefulSet ", namespace_of(set), "/", name_of(set), " is recreating failed Pod ",
                        name_of(pod)), kName);
        TRY(delete_one(pod));
        if (!parallel()) return ok();
      } else if (!healthy(pod, &again) && !parallel()) {
        // An unhealthy pod of an old revision may be replaced below, else it is waited for.
        if (revision_of(pod) == update || on_delete() || i < partition()) return ok();
        break;
      }
    }
    for (auto it = pods.rbegin(); it != pods.rend(); ++it) {
      if (it->first >= first() && it->first < end()) continue;
      if (being_deleted(it->second)) {
        if (!parallel()) return ok();
        continue;
      }
      TRY(delete_one(it->second));
      TRY(drop_claims(it->first));
      if (!parallel()) return ok();
    }
    if (on_delete()) return ok();
    for (int64_t i = end() - 1; i >= std::max(first(), partition()); --i) {
      auto it = pods.find(i);
      if (it == pods.end()) return ok();
      if (being_deleted(it->second)) return ok();
      if (revision_of(it->second) != update) return delete_one(it->second);
      if (!healthy(it->second, &again)) return ok();
    }
    return ok();
  }
  Status drop_claims(int64_t ordinal) {
    if (retained("whenScaled")) return ok();
    for (const Value& tmpl : items(set, "spec", "volumeClaimTemplates")) {
      Status removed = world.remove({"", "persistentvolumeclaims", std::string(namespace_of(set)),
                                     claim_name(tmpl, ordinal)});
      if (!removed && !is_gone(removed.error())) return removed;
    }
    return ok();
  }

  Status report(Again& again) {
    int64_t total = 0, ready = 0, available = 0, currents = 0, updates = 0;
    for (const auto& [ordinal, pod] : pods) {
      ++total;
      if (pod_ready(pod)) ++ready;
      if (healthy(pod, &again)) ++available;
      if (being_deleted(pod)) continue;
      if (revision_of(pod) == current) ++currents;
      if (revision_of(pod) == update) ++updates;
    }
    // The rollout is over when every pod is of the new revision and ready.
    bool over = !on_delete() && partition() == 0 && updates == total && total == replicas() &&
                ready == total;
    if (over && current != update) {
      current = update;
      currents = updates;
    }
    Value status = has(set, "status") ? value::deep_copy(*at(set, "status")) : empty_map();
    put(status, "observedGeneration", number(set, "metadata", "generation"));
    put(status, "replicas", total);
    set_count(status, "readyReplicas", ready);
    put(status, "availableReplicas", available);
    set_count(status, "currentReplicas", currents);
    set_count(status, "updatedReplicas", updates);
    put(status, "currentRevision", current);
    put(status, "updateRevision", update);
    default_to(status, "collisionCount", 0);
    TRY(write_status(world, "apps", "statefulsets", set, std::move(status)));
    return ok();
  }
};

Result<Again> reconcile(World& world, const Key& key) {
  Result<Value> found = world.get(key);
  if (!found || !has(*found, "spec", "template")) return Again();
  std::vector<Value> mine = TRY(claim(world, "", "pods", *found, "apps/v1", "StatefulSet"));
  Revisions revisions =
      TRY(sync_revisions(world, *found, "StatefulSet", "controller.kubernetes.io/hash"));
  std::string update(name_of(revisions.update()));
  std::string current(text(*found, "status", "currentRevision"));
  if (current.empty()) current = update;
  Sync sync{world, std::move(*found), std::move(revisions), current, update};
  std::vector<std::string> in_use{current};
  for (Value& pod : mine) {
    std::string_view ordinal = name_of(pod).substr(name_of(pod).rfind('-') + 1);
    int64_t n = -1;
    std::from_chars(ordinal.data(), ordinal.data() + ordinal.size(), n);
    if (n < 0) continue;
    in_use.emplace_back(sync.revision_of(pod));
    sync.pods.emplace(n, std::move(pod));
  }
  Again again;
  if (!being_deleted(sync.set)) TRY(sync.step(again));
  TRY(sync.report(again));
  TRY(trim_revisions(world, sync.set, sync.revisions, in_use));
  return again;
}

}  // namespace

const Controller kStatefulSets{
    kName, {{"apps", "statefulsets", self}, {"", "pods", pod_owner}}, reconcile};

}  // namespace pintle::drydock
