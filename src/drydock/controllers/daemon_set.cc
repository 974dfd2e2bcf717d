// DaemonSet: one pod on every node that the template's nodeSelector allows.
#include <algorithm>

#include "base/strings.h"
#include "drydock/controllers/common.h"
#include "drydock/controllers/controllers.h"
#include "drydock/controllers/revisions.h"

namespace pintle::drydock {
namespace {

constexpr std::string_view kName = "daemonset-controller";
constexpr std::string_view kHash = "controller-revision-hash";
constexpr std::string_view kGeneration = "deprecated.daemonset.template.generation";

std::vector<Key> self(World&, const Change& change) { return self_key(change); }
std::vector<Key> pod_owner(World&, const Change& change) {
  return owner_keys(change, "DaemonSet", "apps", "daemonsets");
}
std::vector<Key> all_sets(World& world, const Change& change) {
  bool labels = change.before && change.after &&
                same(at(*change.before, "metadata", "labels"), at(*change.after, "metadata", "labels"));
  if (labels) return {};
  std::vector<Key> keys;
  for (const Value& set : world.list("apps", "daemonsets", "")) keys.push_back(key_of("apps", "daemonsets", set));
  return keys;
}

// The scheduler puts a daemon's pod on the node that its affinity names.
void pin_to(Value& pod, std::string_view node) {
  Value field = empty_map();
  put(field, "key", "metadata.name");
  put(field, "operator", "In");
  put(field, "values", Value::list_of({make(node)}));
  Value term = empty_map();
  put(term, "matchFields", Value::list_of({std::move(field)}));
  put(ensure(pod, "spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"),
      "nodeSelectorTerms", Value::list_of({std::move(term)}));
  Value& spec = ensure(pod, "spec");
  for (auto [key, effect] : {std::pair{"not-ready", "NoExecute"}, {"unreachable", "NoExecute"},
                             {"disk-pressure", "NoSchedule"}, {"memory-pressure", "NoSchedule"},
                             {"pid-pressure", "NoSchedule"}, {"unschedulable", "NoSchedule"},
                             {"network-unavailable", "NoSchedule"}}) {
    if (key == std::string_view("network-unavailable") && !flag(spec, "hostNetwork")) continue;
    Value toleration = empty_map();
    put(toleration, "key", cat("node.kubernetes.io/", key));
    put(toleration, "operator", "Exists");
    put(toleration, "effect", effect);
    push(spec, "tolerations", std::move(toleration));
  }
}

std::string node_of(const Value& pod) {
  if (has(pod, "spec", "nodeName")) return std::string(text(pod, "spec", "nodeName"));
  for (const Value& term : items(pod, "spec", "affinity", "nodeAffinity",
                                 "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")) {
    for (const Value& field : items(term, "matchFields")) {
      for (const Value& v : items(field, "values")) {
        if (v.is_string()) return std::string(v.as_string());
      }
    }
  }
  return "";
}

Result<Again> reconcile(World& world, const Key& key) {
  Result<Value> found = world.get(key);
  if (!found || !has(*found, "spec", "template")) return Again();
  Value& set = *found;
  std::vector<Value> pods = TRY(claim(world, "", "pods", set, "apps/v1", "DaemonSet"));
  if (being_deleted(set)) return Again();
  Revisions revisions = TRY(sync_revisions(world, set, "DaemonSet", kHash));
  std::string hash(text(revisions.update(), "metadata", "labels", kHash));
  const Value& tmpl = *at(set, "spec", "template");
  bool rolling = text(set, "spec", "updateStrategy", "type") != "OnDelete";
  int64_t min_ready = number(set, "spec", "minReadySeconds");

  int64_t desired = 0, scheduled = 0, misplaced = 0, ready = 0, available = 0, updated = 0;
  Again again;
  std::vector<const Value*> outdated;
  std::vector<std::string> in_use;
  for (const Value& node : world.list("", "nodes", "")) {
    const Value* wanted = at(tmpl, "spec", "nodeSelector");
    bool fits = entries_of(wanted).empty() || matches_all(wanted, node);
    desired += fits;
    const Value* pod = nullptr;
    for (const Value& candidate : pods) {
      if (node_of(candidate) != name_of(node)) continue;
      if (!fits) {
        ++misplaced;
        if (!being_deleted(candidate)) TRY(delete_pod(world, candidate, set, kName));
      } else if (pod_finished(candidate) && !being_deleted(candidate)) {
        TRY(delete_pod(world, candidate, set, kName));
      } else {
        pod = &candidate;
      }
    }
    if (!fits) continue;
    if (!pod) {
      Value fresh = pod_from_template(tmpl, set, "apps/v1", "DaemonSet");
      put(ensure(fresh, "metadata", "labels"), kHash, hash);
      std::string_view generation = text(set, "metadata", "annotations", kGeneration);
      if (!generation.empty()) {
        put(ensure(fresh, "metadata", "labels"), "pod-template-generation", generation);
      }
      pin_to(fresh, name_of(node));
      TRY(create_pod(world, std::move(fresh), set, kName));
      ++scheduled;
      ++updated;
      continue;
    }
    ++scheduled;
    if (pod_ready(*pod)) ++ready;
    if (!being_deleted(*pod) && pod_available(world, *pod, min_ready, &again)) ++available;
    std::string_view own = text(*pod, "metadata", "labels", kHash);
    in_use.push_back(cat(name_of(set), "-", own));
    if (own == hash) {
      ++updated;
    } else if (!being_deleted(*pod)) {
      outdated.push_back(pod);
    }
  }
  if (rolling) {
    const Value* limit = at(set, "spec", "updateStrategy", "rollingUpdate", "maxUnavailable");
    int64_t room = std::max<int64_t>(int_or_percent(limit, desired, true, 1), 1) - (desired - available);
    for (const Value* pod : outdated) {
      // What does not serve anyway goes first and costs nothing.
      bool serves = pod_available(world, *pod, min_ready);
      if (serves && room <= 0) continue;
      if (serves) --room;
      TRY(delete_pod(world, *pod, set, kName));
    }
  }
  Value status = has(set, "status") ? value::deep_copy(*at(set, "status")) : empty_map();
  put(status, "currentNumberScheduled", scheduled);
  put(status, "numberMisscheduled", misplaced);
  put(status, "desiredNumberScheduled", desired);
  put(status, "numberReady", ready);
  set_count(status, "observedGeneration", number(set, "metadata", "generation"));
  set_count(status, "updatedNumberScheduled", updated);
  set_count(status, "numberAvailable", available);
  set_count(status, "numberUnavailable", desired - available);
  TRY(write_status(world, "apps", "daemonsets", set, std::move(status)));
  TRY(trim_revisions(world, set, revisions, in_use));
  return again;
}

}  // namespace

const Controller kDaemonSets{kName,
                             {{"apps", "daemonsets", self}, {"", "pods", pod_owner}, {"", "nodes", all_sets}},
                             reconcile};

}  // namespace pintle::drydock
