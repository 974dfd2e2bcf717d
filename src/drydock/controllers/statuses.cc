// Kinds of which little more than the status is kept: autoscalers (there are no metrics: they scale
// into their limits and no further), disruption budgets and quotas (pods and object counts; cpu and
// memory are not summed).
#include <algorithm>
#include <map>

#include "base/strings.h"
#include "drydock/controllers/common.h"
#include "drydock/controllers/controllers.h"

namespace pintle::drydock {
namespace {

std::vector<Key> self(World&, const Change& change) { return self_key(change); }

// ---- HorizontalPodAutoscaler ----

Result<Again> autoscale(World& world, const Key& key) {
  Result<Value> found = world.get(key);
  if (!found || being_deleted(*found)) return Again();
  // The controller looks at an autoscaler for the first time one period after it was made.
  constexpr int64_t kPeriod = 15'000'000'000;
  int64_t born = parse_time(text(*found, "metadata", "creationTimestamp"));
  if (int64_t left = born + kPeriod - world.now_ns(); left > 0) return Again(left);
  std::string_view kind = text(*found, "spec", "scaleTargetRef", "kind");
  std::string_view plural = kind == "Deployment" ? "deployments" : kind == "StatefulSet" ? "statefulsets"
                            : kind == "ReplicaSet" ? "replicasets" : "";
  Value status = has(*found, "status") ? value::deep_copy(*at(*found, "status")) : empty_map();
  Result<Value> target = world.get({"apps", std::string(plural), key.ns,
                                    std::string(text(*found, "spec", "scaleTargetRef", "name"))});
  put(status, "currentMetrics", Value());
  int64_t replicas = target ? number_or(1, *target, "spec", "replicas") : 0;
  int64_t least = number_or(1, *found, "spec", "minReplicas");
  int64_t most = number(*found, "spec", "maxReplicas");
  int64_t wanted = replicas == 0 ? 0 : replicas > most ? most : std::max(replicas, least);
  set_count(status, "currentReplicas", target ? replicas : 0);
  // There are no metrics: only the bounds say what is wanted.
  if (replicas == 0 || wanted != replicas || !has(status, "desiredReplicas")) put(status, "desiredReplicas", wanted);
  std::string reason = target ? "SucceededGetScale" : "FailedGetScale";
  std::string message = target ? "the HPA controller was able to get the target's current scale"
                               : "the HPA controller was unable to get the target's current scale";
  if (wanted != replicas) {
    put(ensure(*target, "spec"), "replicas", wanted);
    TRY(world.update("apps", plural, std::move(*target), "scale"));
    std::string_view why = wanted < replicas ? "Current number of replicas above Spec.MaxReplicas"
                                             : "Current number of replicas below Spec.MinReplicas";
    world.event(*found, "Normal", "SuccessfulRescale", cat("New size: ", wanted, "; reason: ", why),
                "horizontal-pod-autoscaler");
    put(status, "lastScaleTime", world.now());
    reason = "SucceededRescale";
    message = cat("the HPA controller was able to update the target scale to ", wanted);
  }
  Value condition = empty_map();
  put(condition, "type", "AbleToScale");
  put(condition, "status", target ? "True" : "False");
  put(condition, "reason", reason);
  put(condition, "message", message);
  const Value* old = find_condition(status, "AbleToScale");
  bool turned = !old || text(*old, "status") != text(condition, "status");
  put(condition, "lastTransitionTime", turned ? world.now() : std::string(text(*old, "lastTransitionTime")));
  drop_condition(status, "AbleToScale");
  push(status, "conditions", std::move(condition));
  TRY(write_status(world, "autoscaling", "horizontalpodautoscalers", *found, std::move(status)));
  return Again();
}
std::vector<Key> autoscalers(World& world, const Change& change) {
  return keys_in_namespace(world, "autoscaling", "horizontalpodautoscalers", change);
}

// ---- PodDisruptionBudget ----

std::vector<Key> budgets(World& world, const Change& change) {
  if (change.before && change.after && pod_ready(*change.before) == pod_ready(*change.after)) return {};
  std::vector<Key> keys;
  for (const Value& budget : world.list("policy", "poddisruptionbudgets", namespace_of(change.object()))) {
    if (matches(at(budget, "spec", "selector"), change.object())) {
      keys.push_back(key_of("policy", "poddisruptionbudgets", budget));
    }
  }
  return keys;
}

Result<Value> scaled_owner(World& world, const Value& object) {
  const Value* owner = controller_of(object);
  std::string_view kind = owner ? text(*owner, "kind") : "";
  std::string_view plural = kind == "ReplicaSet" ? "replicasets" : kind == "Deployment" ? "deployments"
                            : kind == "StatefulSet" ? "statefulsets" : "";
  if (plural.empty()) return Error(Code::kNotFound, "no owner that can be scaled");
  return world.get({"apps", std::string(plural), std::string(namespace_of(object)), std::string(text(*owner, "name"))});
}

// How many pods the controllers of these pods want in all; a Deployment speaks for its ReplicaSets.
int64_t wanted_pods(World& world, const std::vector<Value>& pods) {
  std::map<std::string, int64_t> wanted;  // by uid of the controller
  for (const Value& pod : pods) {
    Result<Value> owner = scaled_owner(world, pod);
    if (!owner) continue;
    Result<Value> above = scaled_owner(world, *owner);
    const Value& top = above ? *above : *owner;
    wanted[std::string(uid_of(top))] = number_or(1, top, "spec", "replicas");
  }
  int64_t sum = 0;
  for (const auto& [uid, n] : wanted) sum += n;
  return sum;
}

Result<Again> guard(World& world, const Key& key) {
  Result<Value> found = world.get(key);
  if (!found || being_deleted(*found)) return Again();
  std::vector<Value> pods;
  for (Value& pod : world.list("", "pods", key.ns)) {
    if (!pod_finished(pod) && matches(at(*found, "spec", "selector"), pod)) pods.push_back(std::move(pod));
  }
  if (pods.empty()) world.event(*found, "Normal", "NoPods", "No matching pods found", "controllermanager");
  int64_t healthy = 0;
  for (const Value& pod : pods) healthy += pod_ready(pod) && !being_deleted(pod);
  const Value* least = at(*found, "spec", "minAvailable");
  bool absolute = least && !least->is_string();
  int64_t expected = absolute ? static_cast<int64_t>(pods.size()) : wanted_pods(world, pods);
  const Value* unavailable = at(*found, "spec", "maxUnavailable");
  int64_t desired = unavailable
                        ? std::max<int64_t>(expected - int_or_percent(unavailable, expected, true, 0), 0)
                        : int_or_percent(at(*found, "spec", "minAvailable"), expected, true, 0);
  int64_t allowed = expected == 0 ? 0 : std::max<int64_t>(healthy - desired, 0);
  Value status = has(*found, "status") ? value::deep_copy(*at(*found, "status")) : empty_map();
  put(status, "observedGeneration", number(*found, "metadata", "generation"));
  put(status, "currentHealthy", healthy);
  put(status, "desiredHealthy", desired);
  put(status, "expectedPods", expected);
  put(status, "disruptionsAllowed", allowed);
  Value condition = empty_map();
  std::string_view state = allowed > 0 ? "True" : "False";
  put(condition, "type", "DisruptionAllowed");
  put(condition, "status", state);
  put(condition, "reason", allowed > 0 ? "SufficientPods" : "InsufficientPods");
  put(condition, "message", "");
  put(condition, "observedGeneration", number(*found, "metadata", "generation"));
  const Value* old = find_condition(status, "DisruptionAllowed");
  bool turned = !old || text(*old, "status") != state;
  put(condition, "lastTransitionTime", turned ? world.now() : std::string(text(*old, "lastTransitionTime")));
  drop_condition(status, "DisruptionAllowed");
  push(status, "conditions", std::move(condition));
  TRY(write_status(world, "policy", "poddisruptionbudgets", *found, std::move(status)));
  return Again();
}

// ---- ResourceQuota ----

std::vector<Key> quotas(World& world, const Change& change) {
  if (change.before && change.after) return {};
  return keys_in_namespace(world, "", "resourcequotas", change);
}

Result<Again> count(World& world, const Key& key) {
  Result<Value> found = world.get(key);
  if (!found || being_deleted(*found)) return Again();
  Value status = empty_map();
  if (const Value* hard = at(*found, "spec", "hard")) put(status, "hard", value::deep_copy(*hard));
  Value& used = ensure(status, "used");
  for (const auto& [name, limit] : entries(*found, "spec", "hard")) {
    std::string_view what = without_prefix(name.view(), "count/");
    size_t dot = what.find('.');
    std::string_view group = dot == what.npos ? "" : what.substr(dot + 1);
    std::string_view plural = what.substr(0, dot);
    ResourcePtr resource = world.resource(group, plural);
    size_t n = resource && resource->namespaced ? world.list(group, plural, key.ns).size() : 0;
    put(used, name.view(), std::to_string(n));
  }
  TRY(write_status(world, "", "resourcequotas", *found, std::move(status)));
  return Again();
}

}  // namespace

const Controller kAutoscalers{"horizontal-pod-autoscaler",
                              {{"autoscaling", "horizontalpodautoscalers", self},
                               {"apps", "deployments", autoscalers},
                               {"apps", "statefulsets", autoscalers}},
                              autoscale};
const Controller kDisruptionBudgets{
    "disruption-controller", {{"policy", "poddisruptionbudgets", self}, {"", "pods", budgets}}, guard};
const Controller kQuotas{"resourcequota-controller",
                         {{"", "resourcequotas", self},
                          {"", "pods", quotas},
                          {"", "services", quotas},
                          {"", "configmaps", quotas},
                          {"", "secrets", quotas},
                          {"", "persistentvolumeclaims", quotas}},
                         count};

}  // namespace pintle::drydock
