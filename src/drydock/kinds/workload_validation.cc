// What Deployments, ReplicaSets, StatefulSets, DaemonSets and ReplicationControllers may say.
#include <algorithm>
#include <set>

#include "drydock/kinds/claims.h"
#include "drydock/kinds/families.h"
#include "drydock/kinds/pod_template.h"
#include "drydock/kinds/strategy_validation.h"
#include "drydock/kinds/workload_rules.h"
#include "drydock/validation.h"

namespace pintle::drydock {
namespace {

// The template as a StatefulSet's pods will have it: with a volume for each claim, and names of its own.
Value with_claims(const Value& pod_template, std::span<const Value> claims) {
  Value out = value::deep_copy(pod_template);
  Value& spec = ensure(out, "spec");
  drop(spec, "subdomain");
  drop(spec, "hostname");
  std::vector<Value> volumes;
  std::set<std::string_view> named;
  for (const Value& claim : claims) {
    if (!named.insert(name_of(claim)).second) continue;
    Value volume = empty_map();
    put(volume, "name", name_of(claim));
    put(ensure(volume, "persistentVolumeClaim"), "claimName", name_of(claim));
    volumes.push_back(std::move(volume));
  }
  for (const Value& volume : items(spec, "volumes")) {
    bool claimed = std::any_of(claims.begin(), claims.end(),
                               [&](const Value& claim) { return name_of(claim) == text(volume, "name"); });
    if (!claimed) volumes.push_back(volume);
  }
  if (!volumes.empty()) put(spec, "volumes", Value::list_of(std::move(volumes)));
  return out;
}

// Of Deployments, ReplicaSets and StatefulSets: the selector, and the template unless the selector is bad.
void selector_and_template(const Value& object, std::string_view kind, std::string_view bad_selector,
                           std::vector<Cause>& causes) {
  const Value& spec = pod_spec_of(object);
  const Value* selector = at(spec, "selector");
  const size_t before = causes.size();
  bool empty = false;
  if (!selector) {
    required(causes, "spec.selector");
  } else {
    validate_label_selector(selector, "spec.selector", causes);
    if (causes.size() > before) {
      return invalid_text(causes, "spec.selector", selector_text(*selector), bad_selector);
    }
    empty = entries(*selector, "matchLabels").empty() && items(*selector, "matchExpressions").empty();
    if (empty) invalid_value(causes, "spec.selector", *selector, cat("empty selector is invalid for ", kind));
  }
  static thread_local const Value nothing = empty_map();
  const Value* pod = at(spec, "template");
  const Value* labels = pod ? at(*pod, "metadata", "labels") : nullptr;
  if (!empty && !selector_matches(selector, labels)) {
    invalid_value(causes, "spec.template.metadata.labels", labels ? *labels : Value::nil(),
                  "`selector` does not match template `labels`");
  }
  auto claims = items(spec, "volumeClaimTemplates");
  validate_pod_template(claims.empty() ? (pod ? *pod : nothing) : with_claims(pod ? *pod : nothing, claims),
                        "spec.template", causes);
}

void restart_always(const Value& object, std::vector<Cause>& causes) {
  std::string_view policy = text(object, "spec", "template", "spec", "restartPolicy");
  if (policy != "Always" && !policy.empty()) {
    not_supported(causes, "spec.template.spec.restartPolicy", policy, {"Always"});
  }
}

void no_deadline(const Value& object, std::string_view kind, std::vector<Cause>& causes) {
  if (has(object, "spec", "template", "spec", "activeDeadlineSeconds")) {
    forbidden_field(causes, "spec.template.spec.activeDeadlineSeconds",
                    cat("activeDeadlineSeconds in ", kind, " is not Supported"));
  }
}

void same_selector(const Value& object, const Value* old, std::vector<Cause>& causes) {
  const Value *next = at(object, "spec", "selector"), *before = old ? at(*old, "spec", "selector") : nullptr;
  if (!old || same(next, before)) return;
  invalid_text(causes, "spec.selector", next ? selector_text(*next) : "null", "field is immutable");
}

const Value& part(const Value& spec, std::string_view key) {
  static thread_local const Value nothing = empty_map();
  const Value* found = at(spec, key);
  return found ? *found : nothing;
}

// None negative, no part larger than the whole.
void counts_of_replicas(const Value& object, std::initializer_list<std::string_view> counts, std::string_view part_of_all,
                        std::vector<Cause>& causes) {
  const Value& status = part(object, "status");
  for (std::string_view key : counts) non_negative(status, key, "status", causes);
  auto above = [&](std::string_view key, std::string_view whole, std::string_view detail) {
    if (number(status, key) <= number(status, whole)) return;
    invalid_value(causes, child("status", key), make(number(status, key)), detail);
  };
  for (std::string_view key : {part_of_all, std::string_view("readyReplicas"), std::string_view("availableReplicas")}) {
    above(key, "replicas", "cannot be greater than status.replicas");
  }
  above("availableReplicas", "readyReplicas", "cannot be greater than readyReplicas");
}

}  // namespace

void deployment_validate(const Value& object, const Value* old, std::vector<Cause>& causes) {
  const Value& spec = pod_spec_of(object);
  non_negative(spec, "replicas", "spec", causes);
  selector_and_template(object, "deployment", "invalid label selector", causes);
  restart_always(object, causes);
  no_deadline(object, "ReplicaSet", causes);
  deployment_strategy(part(spec, "strategy"), causes);
  non_negative(spec, "minReadySeconds", "spec", causes);
  non_negative(spec, "revisionHistoryLimit", "spec", causes);
  non_negative(spec, "progressDeadlineSeconds", "spec", causes);
  if (const Value* deadline = at(spec, "progressDeadlineSeconds");
      deadline && as_number(deadline, 0) <= number(spec, "minReadySeconds")) {
    invalid_value(causes, "spec.progressDeadlineSeconds", *deadline,
                  "must be greater than minReadySeconds");
  }
  same_selector(object, old, causes);
}

void replica_set_validate(const Value& object, const Value* old, std::vector<Cause>& causes) {
  non_negative(pod_spec_of(object), "replicas", "spec", causes);
  non_negative(pod_spec_of(object), "minReadySeconds", "spec", causes);
  selector_and_template(object, "deployment", "invalid label selector", causes);
  restart_always(object, causes);
  no_deadline(object, "ReplicaSet", causes);
  same_selector(object, old, causes);
}

// A DaemonSet's selector may be missing: then it matches nothing.
void daemon_set_validate(const Value& object, const Value* old, std::vector<Cause>& causes) {
  const Value& spec = pod_spec_of(object);
  const Value *selector = at(spec, "selector"), *labels = at(spec, "template", "metadata", "labels");
  const size_t before = causes.size();
  validate_label_selector(selector, "spec.selector", causes);
  const bool empty = selector && entries(*selector, "matchLabels").empty() && items(*selector, "matchExpressions").empty();
  if (causes.size() == before && !empty && !selector_matches(selector, labels)) {
    invalid_value(causes, "spec.template.metadata.labels", labels ? *labels : Value::nil(),
                  "`selector` does not match template `labels`");
  }
  if (empty) invalid_value(causes, "spec.selector", *selector, "empty selector is invalid for daemonset");
  validate_pod_template(part(spec, "template"), "spec.template", causes);
  restart_always(object, causes);
  no_deadline(object, "DaemonSet", causes);
  non_negative(spec, "minReadySeconds", "spec", causes);
  daemon_strategy(part(spec, "updateStrategy"), causes);
  non_negative(spec, "revisionHistoryLimit", "spec", causes);
  same_selector(object, old, causes);
}

void stateful_set_validate(const Value& object, const Value* old, std::vector<Cause>& causes) {
  const Value& spec = pod_spec_of(object);
  std::string_view policy = text(spec, "podManagementPolicy");
  if (policy != "OrderedReady" && policy != "Parallel") {
    invalid_value(causes, "spec.podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'");
  }
  stateful_strategy(part(spec, "updateStrategy"), causes);
  for (std::string_view when : {"whenDeleted", "whenScaled"}) {
    one_of(causes, child("spec.persistentVolumeClaimRetentionPolicy", when),
           text(spec, "persistentVolumeClaimRetentionPolicy", when), {"Retain", "Delete"});
  }
  size_t i = 0;
  if (!old) {
    for (const Value& claim : items(spec, "volumeClaimTemplates")) {
      validate_claim_spec(pod_spec_of(claim), element("spec.volumeClaimTemplates", i++) + ".spec", causes);
    }
  }
  non_negative(spec, "replicas", "spec", causes);
  non_negative(spec, "minReadySeconds", "spec", causes);
  non_negative(part(spec, "ordinals"), "start", "spec.ordinals", causes);
  if (std::string_view name = text(spec, "serviceName"); !old && !name.empty()) {
    complain(causes, "spec.serviceName", name, is_dns1123_label(name));
  }
  selector_and_template(object, "statefulset", "", causes);
  restart_always(object, causes);
  no_deadline(object, "StatefulSet", causes);
  if (!old) return;
  Value next = value::deep_copy(spec), before = value::deep_copy(pod_spec_of(*old));
  for (std::string_view key :
       {"replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit",
        "persistentVolumeClaimRetentionPolicy", "minReadySeconds"}) {
    drop(next, key);
    drop(before, key);
  }
  if (!same(next, before)) {
    forbidden_field(causes, "spec",
                    "updates to statefulset spec for fields other than 'replicas', 'ordinals', "
                    "'template', 'updateStrategy', 'revisionHistoryLimit', "
                    "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden");
  }
}

void controller_validate(const Value& object, const Value*, std::vector<Cause>& causes) {
  const Value& spec = pod_spec_of(object);
  non_negative(spec, "replicas", "spec", causes);
  if (entries(spec, "selector").empty()) required(causes, "spec.selector");
  const Value* pod = at(spec, "template");
  if (!pod) {
    required(causes, "spec.template");
    return;
  }
  const Value* labels = at(*pod, "metadata", "labels");
  for (const auto& e : entries(spec, "selector")) {
    const Value* v = labels ? labels->get(e.key) : nullptr;
    if (!v || !same(*v, e.value)) {
      invalid_value(causes, "spec.template.metadata.labels", labels ? *labels : Value::nil(),
                    "`selector` does not match template `labels`");
      break;
    }
  }
  validate_pod_template(*pod, "spec.template", causes);
  restart_always(object, causes);
}

void deployment_status_validate(const Value& object, std::vector<Cause>& causes) {
  counts_of_replicas(object, {"observedGeneration", "replicas", "updatedReplicas", "readyReplicas", "availableReplicas",
                              "unavailableReplicas", "terminatingReplicas", "collisionCount"},
                     "updatedReplicas", causes);
}

void replica_set_status_validate(const Value& object, std::vector<Cause>& causes) {
  counts_of_replicas(object, {"replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas",
                              "observedGeneration", "terminatingReplicas"},
                     "fullyLabeledReplicas", causes);
}

}  // namespace pintle::drydock
