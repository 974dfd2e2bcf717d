// PodDisruptionBudget and PriorityClass.
#include "drydock/go_struct.h"
#include "drydock/kinds/families.h"
#include "drydock/validation.h"

namespace pintle::drydock {
namespace {

Status budget_create(World&, Value& object) {
  Value status = empty_map();
  for (std::string_view key :
       {"disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"}) {
    put(status, key, 0);
  }
  put(object, "status", std::move(status));
  return ok();
}

void budget_validate(const Value& object, const Value*, std::vector<Cause>& causes) {
  const Value& spec = pod_spec_of(object);
  if (has(spec, "minAvailable") && has(spec, "maxUnavailable")) {
    // The selector's type is of another package, and has tags.
    const std::string shown = go_struct(&spec, "MinAvailable,Selector,MaxUnavailable,UnhealthyPodEvictionPolicy");
    invalid_text(causes, "spec", shown, "minAvailable and maxUnavailable cannot be both set");
  }
  for (std::string_view key : {"minAvailable", "maxUnavailable"}) {
    validate_share(causes, child("spec", key), at(spec, key));
    not_above_100_percent(causes, child("spec", key), at(spec, key));
  }
  validate_label_selector(at(spec, "selector"), "spec.selector", causes);
  if (has(spec, "unhealthyPodEvictionPolicy")) {
    one_of(causes, "spec.unhealthyPodEvictionPolicy", text(spec, "unhealthyPodEvictionPolicy"),
           {"AlwaysAllow", "IfHealthyBudget"});
  }
}

void priority_class_defaults(Value& object) { default_absent(object, "preemptionPolicy", "PreemptLowerPriority"); }

void priority_class_validate(const Value& object, const Value* old, std::vector<Cause>& causes) {
  if (name_of(object).starts_with("system-") && !old) {
    forbidden_field(causes, "metadata.name",
                    cat("priority class names with 'system-' prefix are reserved for system use only. error: ",
                        name_of(object), " is not a known system priority class"));
  }
  constexpr int64_t kHighest = 1'000'000'000;
  if (!name_of(object).starts_with("system-") && number(object, "value") > kHighest && !old) {
    forbidden_field(causes, "value", "maximum allowed value of a user defined priority is 1000000000");
  }
  if (!old && has(object, "preemptionPolicy")) {
    one_of_or_required(causes, "preemptionPolicy", text(object, "preemptionPolicy"), {"PreemptLowerPriority", "Never"});
  }
  if (!old) return;
  if (number(object, "value") != number(*old, "value")) {
    forbidden_field(causes, "value", "may not be changed in an update.");
  }
  immutable(causes, "preemptionPolicy", at(object, "preemptionPolicy"), at(*old, "preemptionPolicy"));
}

}  // namespace

void add_policy_kinds(std::vector<KindRules>& out) {
  out.push_back({.group = "policy", .kind = "PodDisruptionBudget", .create = budget_create,
                 .update = keep_status, .validate = budget_validate, .generation = true});
  out.push_back({.group = "scheduling.k8s.io", .kind = "PriorityClass",
                 .defaults = priority_class_defaults, .validate = priority_class_validate,
                 .generation = true});
}

}  // namespace pintle::drydock
