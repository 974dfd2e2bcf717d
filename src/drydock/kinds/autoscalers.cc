// HorizontalPodAutoscaler.
#include "cel/quantity.h"
#include "drydock/kinds/families.h"
#include "drydock/kinds/resource_names.h"
#include "drydock/validation.h"

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
    default_absent(*rules, "selectPolicy", "Max");
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

// Each source of metrics: its field, and what its target must have.
struct Source {
  std::string_view type, field;
  bool names_resource, names_container, names_metric;
};
constexpr Source kSources[] = {{"Object", "object", false, false, true},
                               {"External", "external", false, false, true},
                               {"Pods", "pods", false, false, true},
                               {"Resource", "resource", true, false, false},
                               {"ContainerResource", "containerResource", true, true, false}};

void target_reference(const Value* ref, const std::string& path, std::vector<Cause>& causes) {
  static thread_local const Value nothing = empty_map();
  const Value& r = ref ? *ref : nothing;
  for (std::string_view key : {"kind", "name"}) {
    if (text(r, key).empty()) required(causes, child(path, key));
    else complain(causes, child(path, key), text(r, key), is_path_segment(text(r, key)));
  }
  const std::string_view version = text(r, "apiVersion"), kind = text(r, "kind");
  const bool core = kind == "ReplicationController";
  if (!core && version.find('/') == version.npos) {
    invalid_value(causes, path + ".apiVersion", version, "apiVersion must specify API group");
  }
}

void metric_target(const Value& source, const Source& of, const std::string& path, std::vector<Cause>& causes) {
  const Value* target = at(source, "target");
  static thread_local const Value nothing = empty_map();
  const Value& t = target ? *target : nothing;
  const std::string_view type = text(t, "type");
  if (type.empty()) required(causes, path + ".type", "must specify a metric target type");
  if (type != "Utilization" && type != "Value" && type != "AverageValue") {
    invalid_value(causes, path + ".type", type, "must be either Utilization, Value, or AverageValue");
  }
  for (std::string_view key : {"value", "averageValue"}) {
    const auto q = cel::parse_quantity(text(t, key));
    if (q && q->nano <= 0) invalid_value(causes, child(path, key), *at(t, key), "must be positive");
  }
  const Value *share = at(t, "averageUtilization"), *value = at(t, "value"), *average = at(t, "averageValue");
  if (share && as_number(share, 0) < 1) {
    invalid_value(causes, path + ".averageUtilization", *share, "must be greater than 0");
  }
  if (of.names_resource) {
    if (!share && !average) {
      required(causes, path + ".averageUtilization", "must set either a target raw value or a target utilization");
    }
    if (share && average) {
      forbidden_field(causes, path + ".averageValue", "may not set both a target raw value and a target utilization");
    }
  } else if (of.type == "Pods") {
    if (!average) required(causes, path + ".averageValue", "must specify a positive target averageValue");
  } else if (!value && !average) {
    required(causes, path + ".averageValue",
             of.type == "Object" ? "must set either a target value or averageValue"
                                 : "must set either a target value for metric or a per-pod target");
  } else if (value && average && of.type == "External") {
    forbidden_field(causes, path + ".value", "may not set both a target value for metric and a per-pod target");
  }
}

void metric_source(const Value& source, const Source& of, const std::string& path, std::vector<Cause>& causes) {
  if (of.type == "Object") target_reference(at(source, "describedObject"), path + ".describedObject", causes);
  if (of.names_metric) {
    const std::string_view name = text(source, "metric", "name");
    if (name.empty()) required(causes, path + ".metric.name", "must specify a metric name");
    else complain(causes, path + ".metric.name", name, is_path_segment(name));
  }
  if (of.names_resource) {
    const std::string_view name = text(source, "name"), container = text(source, "container");
    if (name.empty()) required(causes, path + ".name", "must specify a resource name");
    else if (of.names_container) validate_container_resource_name(name, path + ".name", causes);
    if (of.names_container && container.empty()) required(causes, path + ".container", "must specify a container");
    else if (of.names_container) complain(causes, path + ".container", container, is_dns1123_label(container));
  }
  metric_target(source, of, path + ".target", causes);
}

void metric(const Value& m, const std::string& path, std::vector<Cause>& causes) {
  const std::string_view type = text(m, "type");
  if (type.empty()) required(causes, path + ".type", "must specify a metric source type");
  one_of(causes, path + ".type", type, {"ContainerResource", "External", "Object", "Pods", "Resource"});
  std::vector<std::string_view> others;
  size_t sources = 0;
  for (const Source& s : kSources) {
    const Value* source = at(m, s.field);
    if (!source) continue;
    if (sources++ == 0) metric_source(*source, s, child(path, s.field), causes);
    if (s.type != type) others.push_back(s.field);
  }
  for (const Source& s : kSources) {
    if (s.type == type && !has(m, s.field)) {
      required(causes, child(path, s.field), "must populate information for the given metric source");
    }
  }
  if (sources == 1) return;
  for (std::string_view field : others) {
    forbidden_field(causes, child(path, field), "must populate the given metric source only");
  }
}

void scaling_rules(const Value* rules, const std::string& path, std::vector<Cause>& causes) {
  if (!rules) return;
  if (const Value* window = at(*rules, "stabilizationWindowSeconds")) {
    const std::string here = path + ".stabilizationWindowSeconds";
    if (as_number(window, 0) < 0) invalid_value(causes, here, *window, "must be greater than or equal to zero");
    if (as_number(window, 0) > 3600) invalid_value(causes, here, *window, "must be less than or equal to 3600");
  }
  if (has(*rules, "selectPolicy")) {
    one_of(causes, path + ".selectPolicy", text(*rules, "selectPolicy"), {"Disabled", "Max", "Min"});
  }
  auto policies = items(*rules, "policies");
  if (policies.empty()) required(causes, path + ".policies", "must specify at least one Policy");
  for (size_t i = 0; i < policies.size(); ++i) {
    const std::string here = element(path + ".policies", i);
    one_of(causes, here + ".type", text(policies[i], "type"), {"Percent", "Pods"});
    for (std::string_view key : {"value", "periodSeconds"}) {
      const int64_t n = number(policies[i], key);
      if (n <= 0) invalid_value(causes, child(here, key), make(n), "must be greater than zero");
    }
    if (const int64_t n = number(policies[i], "periodSeconds"); n > 1800) {
      invalid_value(causes, here + ".periodSeconds", make(n), "must be less than or equal to 1800");
    }
  }
}

void autoscaler_validate(const Value& object, const Value*, std::vector<Cause>& causes) {
  const Value& spec = pod_spec_of(object);
  const int64_t least = number_or(1, spec, "minReplicas"), most = number(spec, "maxReplicas");
  if (least < 1) {
    invalid_value(causes, "spec.minReplicas", make(least), "must be greater than or equal to 1");
  }
  if (most == 0) required(causes, "spec.maxReplicas", "must be set and greater than 0");
  if (most < 0) invalid_value(causes, "spec.maxReplicas", make(most), "must be greater than or equal to 1");
  if (most < least) {
    invalid_value(causes, "spec.maxReplicas", make(most),
                  "must be greater than or equal to `minReplicas`");
  }
  target_reference(at(spec, "scaleTargetRef"), "spec.scaleTargetRef", causes);
  auto metrics = items(spec, "metrics");
  bool wakes = false;
  for (size_t i = 0; i < metrics.size(); ++i) {
    metric(metrics[i], element("spec.metrics", i), causes);
    wakes = wakes || text(metrics[i], "type") == "Object" || text(metrics[i], "type") == "External";
  }
  if (least == 0 && !wakes) {
    forbidden_field(causes, "spec.metrics",
                    "must specify at least one Object or External metric to support scaling to zero replicas");
  }
  scaling_rules(at(spec, "behavior", "scaleUp"), "spec.behavior.scaleUp", causes);
  scaling_rules(at(spec, "behavior", "scaleDown"), "spec.behavior.scaleDown", causes);
}

}  // namespace

void add_autoscaler_kinds(std::vector<KindRules>& out) {
  out.push_back({.group = "autoscaling", .kind = "HorizontalPodAutoscaler", .defaults = autoscaler_defaults,
                 .create = autoscaler_create, .update = keep_status, .validate = autoscaler_validate});
}

}  // namespace pintle::drydock
