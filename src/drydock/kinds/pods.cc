#include <algorithm>

#include "base/gotext.h"
#include "drydock/kinds/families.h"
#include "drydock/kinds/pod_template.h"
#include "drydock/validation.h"

namespace pintle::drydock {
namespace {

// A pod's containers ask for what they are limited to, unless they say otherwise.
void default_requests(Value& container) {
  Entries limits = entries(container, "resources", "limits");
  if (limits.empty()) return;
  Value& requests = ensure(container, "resources", "requests");
  for (const auto& e : limits) {
    if (!requests.get(e.key)) put_value(requests, e.key, e.value);
  }
}

// With the host's network a container's ports are the host's.
void default_host_ports(Value& container) {
  for (Value& port : elements(container, "ports")) {
    if (number(port, "hostPort") == 0) put(port, "hostPort", number(port, "containerPort"));
  }
}

void pod_defaults(Value& pod) {
  Value& spec = ensure(pod, "spec");
  default_pod_spec(spec);
  for (std::string_view key : {"containers", "initContainers"}) {
    for (Value& c : elements(spec, key)) {
      default_requests(c);
      if (flag(spec, "hostNetwork")) default_host_ports(c);
    }
  }
  if (!has(spec, "enableServiceLinks")) put(spec, "enableServiceLinks", true);
}

void pod_template_defaults(Value& object) { default_pod_template(object); }

// Admission: Priority and DefaultTolerationSeconds.
void add_toleration(Value& spec, std::string_view key) {
  for (const Value& t : items(spec, "tolerations")) {
    std::string_view effect = text(t, "effect");
    bool effect_fits = effect == "NoExecute" || effect.empty();
    if (effect_fits && (text(t, "key") == key || text(t, "key").empty())) return;
  }
  Value t = empty_map();
  put(t, "key", key);
  put(t, "operator", "Exists");
  put(t, "effect", "NoExecute");
  put(t, "tolerationSeconds", 300);
  push(spec, "tolerations", std::move(t));
}

std::string_view quality_of(const Value& pod) {
  bool any = false, guaranteed = true;
  for (std::string_view list : {"initContainers", "containers"}) {
    for (const Value& c : items(pod, "spec", list)) {
      for (std::string_view resource : {"cpu", "memory"}) {
        std::string_view limit = text(c, "resources", "limits", resource);
        std::string_view request = text(c, "resources", "requests", resource);
        if (!request.empty() || !limit.empty()) any = true;
        if (limit.empty() || limit == "0" || request != limit) guaranteed = false;
      }
    }
  }
  if (!any) return "BestEffort";
  return guaranteed ? "Guaranteed" : "Burstable";
}

Status pod_create(World& world, Value& pod) {
  Value& spec = ensure(pod, "spec");
  const std::string wanted(text(spec, "priorityClassName"));
  int64_t priority = 0;
  std::string policy = "PreemptLowerPriority";
  if (wanted == "system-cluster-critical") {
    priority = 2000000000;
  } else if (wanted == "system-node-critical") {
    priority = 2000001000;
  } else if (!wanted.empty()) {
    auto found = world.get({"scheduling.k8s.io", "priorityclasses", "", wanted});
    if (!found) {
      return forbidden("", "pods", name_of(pod),
                       cat("no PriorityClass with name ", wanted, " was found"));
    }
    priority = number(*found, "value");
    if (has(*found, "preemptionPolicy")) policy = text(*found, "preemptionPolicy");
  }
  if (number(spec, "terminationGracePeriodSeconds") < 0) put(spec, "terminationGracePeriodSeconds", 1);
  put(spec, "priority", priority);
  if (!has(spec, "preemptionPolicy")) put(spec, "preemptionPolicy", policy);
  add_toleration(spec, "node.kubernetes.io/not-ready");
  add_toleration(spec, "node.kubernetes.io/unreachable");
  Value status = empty_map();
  put(status, "phase", "Pending");
  put(status, "qosClass", quality_of(pod));
  put(pod, "status", std::move(status));
  return ok();
}

// Left out of an update: what the server had added when the pod was made.
Status pod_update(World&, Value& pod, const Value& old) {
  copy_entry(pod, old, "status");
  Value& spec = ensure(pod, "spec");
  add_toleration(spec, "node.kubernetes.io/not-ready");
  add_toleration(spec, "node.kubernetes.io/unreachable");
  for (std::string_view key : {"priority", "preemptionPolicy", "serviceAccountName", "serviceAccount"}) {
    if (unset(spec, key)) copy_entry(spec, pod_spec_of(old), key);
  }
  return ok();
}

// Only these may change once a pod exists.
Value mutable_parts_gone(const Value& pod) {
  Value spec = empty_map();
  if (const Value* s = at(pod, "spec")) spec = value::deep_copy(*s);
  for (std::string_view key : {"containers", "initContainers"}) {
    for (Value& c : elements(spec, key)) drop(c, "image");
  }
  // Tolerations may grow; a negative grace may become 1; the scheduler gives the node.
  for (std::string_view key : {"activeDeadlineSeconds", "tolerations", "schedulingGates"}) {
    drop(spec, key);
  }
  return spec;
}

bool only_added_tolerations(const Value& pod, const Value& old) {
  auto next = items(pod, "spec", "tolerations"), before = items(old, "spec", "tolerations");
  return std::all_of(before.begin(), before.end(), [&](const Value& had) {
    return std::any_of(next.begin(), next.end(), [&](const Value& t) {
      return text(t, "key") == text(had, "key") && text(t, "operator") == text(had, "operator") &&
             text(t, "value") == text(had, "value") && text(t, "effect") == text(had, "effect");
    });
  });
}

void pod_validate(const Value& pod, const Value* old, std::vector<Cause>& causes) {
  validate_pod_spec(pod_spec_of(pod), "spec", causes);
  for (std::string_view key : {"containers", "initContainers"}) {  // templates may say what they like
    size_t i = 0;
    for (const Value& c : items(pod, "spec", key)) {
      const std::string here = element(child("spec", key), i++) + ".image";
      if (const std::string_view image = text(c, "image"); trim_space(image) != image) {
        invalid_value(causes, here, image, "must not have leading or trailing whitespace");
      }
    }
  }
  if (!old) return;
  for (std::string_view key : {"containers", "initContainers"}) {
    if (items(pod, "spec", key).size() == items(*old, "spec", key).size()) continue;
    return forbidden_field(causes, cat("spec.", key), "pod updates may not add or remove containers");
  }
  if (!only_added_tolerations(pod, *old)) {
    forbidden_field(causes, "spec.tolerations", "existing toleration can not be modified except its tolerationSeconds");
  }
  if (!same(mutable_parts_gone(pod), mutable_parts_gone(*old))) {
    forbidden_field(causes, "spec",
                    "pod updates may not change fields other than `spec.containers[*].image`,"
                    "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` "
                    "(only additions to existing tolerations),`spec.terminationGracePeriodSeconds` "
                    "(allow it to be set to 1 if it was previously negative)");
  }
}

void pod_template_validate(const Value& object, const Value*, std::vector<Cause>& causes) {
  const Value* inner = at(object, "template");
  validate_pod_template(inner ? *inner : pod_spec_of(Value()), "template", causes);
}

std::vector<std::string_view> pod_fields() {
  return {"spec.nodeName",       "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName",
          "spec.hostNetwork",    "status.phase",       "status.podIP",       "status.podIPs",
          "status.nominatedNodeName"};
}

}  // namespace

void add_pod_kinds(std::vector<KindRules>& out) {
  out.push_back({.group = "",
                 .kind = "Pod",
                 .defaults = pod_defaults,
                 .create = pod_create,
                 .update = pod_update,
                 .validate = pod_validate,
                 .generation = true,
                 .selectable = pod_fields});
  out.push_back({.group = "", .kind = "PodTemplate", .defaults = pod_template_defaults,
                 .validate = pod_template_validate, .generation = true});
}

}  // namespace pintle::drydock
