// HorizontalPodAutoscaler, PodDisruptionBudget, webhook configurations, PriorityClass, ResourceQuota,
// LimitRange.
#include "drydock/kinds/families.h"
#include "drydock/validation.h"
#include "json/json.h"

namespace pintle::drydock {
namespace {

Value utilization(int64_t percent) {
  Value target = empty_map();
  put(target, "type", "Utilization");
  put(target, "averageUtilization", percent);
  Value resource = empty_map();
  put(resource, "name", "cpu");
  put(resource, "target", std::move(target));
  Value metric = empty_map();
  put(metric, "type", "Resource");
  put(metric, "resource", std::move(resource));
  return metric;
}

Value policy(std::string_view type, int64_t n) {
  Value p = empty_map();
  put(p, "type", type);
  put(p, "value", n);
  put(p, "periodSeconds", 15);
  return p;
}

void autoscaler_defaults(Value& object) {
  Value& spec = ensure(object, "spec");
  if (!has(spec, "minReplicas")) put(spec, "minReplicas", 1);
  if (text(object, "apiVersion") == "autoscaling/v1") {
    if (!has(spec, "targetCPUUtilizationPercentage")) put(spec, "targetCPUUtilizationPercentage", 80);
    return;
  }
  if (items(spec, "metrics").empty()) put(spec, "metrics", Value::list_of({utilization(80)}));
  Value* behavior = find(spec, "behavior");
  if (!behavior) return;
  auto fill = [&](std::string_view key, int64_t window, std::vector<Value> policies) {
    Value* rules = find(*behavior, key);
    if (!rules) rules = &ensure(*behavior, key);
    if (window >= 0 && !has(*rules, "stabilizationWindowSeconds")) {
      put(*rules, "stabilizationWindowSeconds", window);
    }
    default_to(*rules, "selectPolicy", "Max");
    if (items(*rules, "policies").empty()) put(*rules, "policies", Value::list_of(std::move(policies)));
  };
  fill("scaleUp", 0, {policy("Pods", 4), policy("Percent", 100)});
  fill("scaleDown", -1, {policy("Percent", 100)});
}

Status autoscaler_create(World&, Value& object) {
  Value status = empty_map();
  put(status, "desiredReplicas", 0);
  if (text(object, "apiVersion") == "autoscaling/v1") put(status, "currentReplicas", 0);
  else put(status, "currentMetrics", Value::nil());
  put(object, "status", std::move(status));
  return ok();
}

void autoscaler_validate(const Value& object, const Value*, std::vector<Cause>& causes) {
  const Value& spec = pod_spec_of(object);
  int64_t least = number_or(1, spec, "minReplicas"), most = number(spec, "maxReplicas");
  if (least < 1) {
    invalid_value(causes, "spec.minReplicas", make(least), "must be greater than or equal to 1");
  }
  if (most < 1) required(causes, "spec.maxReplicas", "must be set and greater than 0");
  if (most < least) {
    invalid_value(causes, "spec.maxReplicas", make(most),
                  "must be greater than or equal to `minReplicas`");
  }
  if (text(spec, "scaleTargetRef", "kind").empty()) required(causes, "spec.scaleTargetRef.kind");
  if (text(spec, "scaleTargetRef", "name").empty()) required(causes, "spec.scaleTargetRef.name");
}

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
    // The server prints its own struct here, in Go's names and order.
    auto shown = [&](std::string_view key) {
      const Value* v = at(spec, key);
      return v ? json::write(*v).value_or("null") : std::string("null");
    };
    invalid_text(causes, "spec",
                 cat("{\"MinAvailable\":", shown("minAvailable"), ",\"Selector\":", shown("selector"),
                     ",\"MaxUnavailable\":", shown("maxUnavailable"),
                     ",\"UnhealthyPodEvictionPolicy\":", shown("unhealthyPodEvictionPolicy"), "}"),
                 "minAvailable and maxUnavailable cannot be both set");
  }
  for (std::string_view key : {"minAvailable", "maxUnavailable"}) {
    validate_share(causes, child("spec", key), at(spec, key));
  }
  validate_label_selector(at(spec, "selector"), "spec.selector", causes);
}

void webhook_defaults(Value& object, bool mutating) {
  for (Value& hook : elements(object, "webhooks")) {
    default_to(hook, "failurePolicy", "Fail");
    default_to(hook, "matchPolicy", "Equivalent");
    if (!has(hook, "namespaceSelector")) put(hook, "namespaceSelector", empty_map());
    if (!has(hook, "objectSelector")) put(hook, "objectSelector", empty_map());
    if (!has(hook, "timeoutSeconds")) put(hook, "timeoutSeconds", 10);
    if (mutating) default_to(hook, "reinvocationPolicy", "Never");
    for (Value& rule : elements(hook, "rules")) default_to(rule, "scope", "*");
    if (Value* service = find(hook, "clientConfig", "service"); service && !has(*service, "port")) {
      put(*service, "port", 443);
    }
  }
}
void mutating_defaults(Value& object) { webhook_defaults(object, true); }
void validating_defaults(Value& object) { webhook_defaults(object, false); }

void priority_class_defaults(Value& object) { default_to(object, "preemptionPolicy", "PreemptLowerPriority"); }

void priority_class_validate(const Value& object, const Value* old, std::vector<Cause>& causes) {
  if (name_of(object).starts_with("system-") && !old) {
    forbidden_field(causes, "metadata.name", "priority class names with 'system-' prefix are reserved for system use only");
  }
  constexpr int64_t kHighest = 1'000'000'000;
  if (!name_of(object).starts_with("system-") && number(object, "value") > kHighest) {
    forbidden_field(causes, "value", "maximum allowed value of a user defined priority is 1000000000");
  }
  if (!old) return;
  if (number(object, "value") != number(*old, "value")) {
    forbidden_field(causes, "value", "may not be changed in an update.");
  }
  immutable(causes, "preemptionPolicy", at(object, "preemptionPolicy"), at(*old, "preemptionPolicy"));
}

void limit_range_defaults(Value& object) {
  for (Value& item : elements(object, "spec", "limits")) {
    if (text(item, "type") != "Container") continue;
    auto fill = [&](std::string_view to, std::string_view from) {
      for (const auto& e : entries(item, from)) {
        value::Str key = e.key;
        Value copy = e.value;
        if (!has(item, to, key)) put_value(ensure(item, to), key, std::move(copy));
      }
    };
    fill("default", "max");
    fill("defaultRequest", "default");
    fill("defaultRequest", "min");
  }
}

void limit_range_validate(const Value& object, const Value*, std::vector<Cause>& causes) {
  size_t i = 0;
  for (const Value& limit : items(object, "spec", "limits")) {
    const std::string here = element("spec.limits", i++) + ".type";
    const std::string_view type = text(limit, "type");
    const bool standard = type == "Pod" || type == "Container" || type == "PersistentVolumeClaim";
    if (!standard && type.find('/') == std::string_view::npos) {
      invalid_value(causes, here, type, "must be a standard limit type or fully qualified");
    }
  }
}

}  // namespace

void add_policy_kinds(std::vector<KindRules>& out) {
  out.push_back({.group = "autoscaling", .kind = "HorizontalPodAutoscaler",
                 .defaults = autoscaler_defaults, .create = autoscaler_create, .update = keep_status,
                 .validate = autoscaler_validate});
  out.push_back({.group = "policy", .kind = "PodDisruptionBudget", .create = budget_create,
                 .update = keep_status, .validate = budget_validate, .generation = true});
  out.push_back({.group = "admissionregistration.k8s.io", .kind = "MutatingWebhookConfiguration",
                 .defaults = mutating_defaults, .generation = true});
  out.push_back({.group = "admissionregistration.k8s.io", .kind = "ValidatingWebhookConfiguration",
                 .defaults = validating_defaults, .generation = true});
  out.push_back({.group = "scheduling.k8s.io", .kind = "PriorityClass",
                 .defaults = priority_class_defaults, .validate = priority_class_validate,
                 .generation = true});
  out.push_back({.group = "", .kind = "ResourceQuota", .create = drop_status, .update = keep_status});
  out.push_back({.group = "", .kind = "LimitRange", .defaults = limit_range_defaults, .validate = limit_range_validate});
}

}  // namespace pintle::drydock
