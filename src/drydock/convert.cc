#include "drydock/convert.h"

#include <utility>

#include "drydock/tree.h"
#include "json/json.h"

namespace pintle::drydock {
namespace {

bool is_hpa_v1(const Resource& r) { return r.group == "autoscaling" && r.version == "v1" && r.kind == "HorizontalPodAutoscaler"; }
bool is_new_event(const Resource& r) { return r.group == "events.k8s.io"; }

void move_entry(Value& object, std::string_view from, std::string_view to) {
  if (const Value* v = object.get(from)) {
    Value kept = *v;
    drop(object, from);
    put(object, to, std::move(kept));
  }
}

// events.k8s.io/v1 -> core/v1, and back: the same data under other names.
constexpr std::pair<std::string_view, std::string_view> kEventNames[] = {
    {"regarding", "involvedObject"},           {"note", "message"},
    {"reportingController", "reportingComponent"}, {"deprecatedCount", "count"},
    {"deprecatedFirstTimestamp", "firstTimestamp"}, {"deprecatedLastTimestamp", "lastTimestamp"},
    {"deprecatedSource", "source"}};

// v2 holds what v1 cannot say in annotations, as the API server does.
constexpr std::string_view kMetrics = "autoscaling.alpha.kubernetes.io/metrics";
constexpr std::string_view kBehavior = "autoscaling.alpha.kubernetes.io/behavior";
constexpr std::string_view kConditions = "autoscaling.alpha.kubernetes.io/conditions";
constexpr std::string_view kCurrent = "autoscaling.alpha.kubernetes.io/current-metrics";

void annotate(Value& object, std::string_view key, const Value& v) {
  std::string out;
  if (json::append(out, v)) put(ensure(object, "metadata", "annotations"), key, out);
}

Value take_annotation(Value& object, std::string_view key) {
  Value* annotations = find(object, "metadata", "annotations");
  if (!annotations) return {};
  auto v = json::read(text(*annotations, key), {.numbers = json::Numbers::kExact});
  drop(*annotations, key);
  if (annotations->length() == 0) drop(ensure(object, "metadata"), "annotations");
  return v ? std::move(*v) : Value();
}

bool is_cpu_utilization(const Value& metric) {
  return text(metric, "type") == "Resource" && text(metric, "resource", "name") == "cpu";
}

void hpa_to_v1(Value& object) {
  if (Value* spec = find(object, "spec")) {
    std::vector<Value> others;
    for (const Value& m : items(*spec, "metrics")) {
      const Value* target = at(m, "resource", "target", "averageUtilization");
      if (is_cpu_utilization(m) && target) {
        put(*spec, "targetCPUUtilizationPercentage", *target);
      } else {
        others.push_back(m);
      }
    }
    drop(*spec, "metrics");
    Value behavior = at(*spec, "behavior") ? *at(*spec, "behavior") : Value();
    drop(*spec, "behavior");
    if (!others.empty()) annotate(object, kMetrics, Value::list_of(std::move(others)));
    if (!behavior.is_nil()) annotate(object, kBehavior, behavior);
  }
  if (Value* status = find(object, "status")) {
    std::vector<Value> others;
    for (const Value& m : items(*status, "currentMetrics")) {
      const Value* current = at(m, "resource", "current", "averageUtilization");
      if (is_cpu_utilization(m) && current) {
        put(*status, "currentCPUUtilizationPercentage", *current);
      } else {
        others.push_back(m);
      }
    }
    Value conditions = at(*status, "conditions") ? *at(*status, "conditions") : Value();
    drop(*status, "currentMetrics");
    drop(*status, "conditions");
    if (!others.empty()) annotate(object, kCurrent, Value::list_of(std::move(others)));
    if (!conditions.is_nil()) annotate(object, kConditions, conditions);
  }
}

Value cpu_metric(std::string_view part, const Value& percent) {
  Value metric = empty_map();
  put(metric, "type", "Resource");
  Value& resource = ensure(metric, "resource");
  put(resource, "name", "cpu");
  Value& target = ensure(resource, part);
  if (part == "target") put(target, "type", "Utilization");
  put(target, "averageUtilization", percent);
  return metric;
}

void hpa_from_v1(Value& object) {
  Value metrics = take_annotation(object, kMetrics), behavior = take_annotation(object, kBehavior);
  Value conditions = take_annotation(object, kConditions), current = take_annotation(object, kCurrent);
  if (Value* spec = find(object, "spec")) {
    if (metrics.is_list()) put(*spec, "metrics", metrics);
    if (behavior.is_map()) put(*spec, "behavior", behavior);
    if (const Value* percent = at(*spec, "targetCPUUtilizationPercentage")) {
      Value metric = cpu_metric("target", *percent);
      drop(*spec, "targetCPUUtilizationPercentage");
      push(*spec, "metrics", std::move(metric));
    }
  }
  if (Value* status = find(object, "status")) {
    if (conditions.is_list()) put(*status, "conditions", conditions);
    if (current.is_list()) put(*status, "currentMetrics", current);
    if (const Value* percent = at(*status, "currentCPUUtilizationPercentage")) {
      Value metric = cpu_metric("current", *percent);
      drop(*status, "currentCPUUtilizationPercentage");
      push(*status, "currentMetrics", std::move(metric));
    }
  }
}

}  // namespace

bool needs_conversion(const Resource& served) { return is_hpa_v1(served) || is_new_event(served); }

void convert_from_stored(const Resource& served, Value& object) {
  put(object, "kind", served.kind);
  put(object, "apiVersion", served.api_version());
  if (is_hpa_v1(served)) hpa_to_v1(object);
  if (is_new_event(served)) {
    for (auto& [fresh, old] : kEventNames) move_entry(object, old, fresh);
  }
}

void convert_to_stored(const Resource& served, const Resource& stored, Value& object) {
  if (is_hpa_v1(served)) hpa_from_v1(object);
  if (is_new_event(served)) {
    for (auto& [fresh, old] : kEventNames) move_entry(object, fresh, old);
  }
  put(object, "kind", stored.kind);
  put(object, "apiVersion", stored.api_version());
}

}  // namespace pintle::drydock
