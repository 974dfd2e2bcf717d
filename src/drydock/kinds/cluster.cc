// Namespace, Node, Event, Lease, CertificateSigningRequest.
#include <algorithm>

#include "drydock/kinds/families.h"
#include "drydock/validation.h"

namespace pintle::drydock {
namespace {

void namespace_defaults(Value& object) {
  if (std::string name(name_of(object)); !name.empty()) {
    put(ensure(object, "metadata", "labels"), "kubernetes.io/metadata.name", name);
  }
  default_to(ensure(object, "status"), "phase", "Active");
}

Status namespace_create(World&, Value& object) {
  std::string name(name_of(object));
  put(ensure(object, "metadata", "labels"), "kubernetes.io/metadata.name", name);
  Value& spec = ensure(object, "spec");
  auto held = items(spec, "finalizers");
  bool there = std::any_of(held.begin(), held.end(), [](const Value& f) {
    return f.is_string() && f.as_string() == "kubernetes";
  });
  if (!there) push(spec, "finalizers", make("kubernetes"));
  Value status = empty_map();
  put(status, "phase", "Active");
  put(object, "status", std::move(status));
  return ok();
}

Status namespace_update(World&, Value& object, const Value& old) {
  copy_entry(object, old, "status");
  copy_entry(ensure(object, "spec"), pod_spec_of(old), "finalizers");
  return ok();
}

void namespace_status_validate(const Value& object, std::vector<Cause>& causes) {
  const std::string_view phase = text(object, "status", "phase");
  const bool deleted = has(object, "metadata", "deletionTimestamp");
  if (phase == (deleted ? "Terminating" : "Active")) return;
  invalid_value(causes, "status.Phase", phase,
                deleted ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
                        : "may only be 'Active' if `deletionTimestamp` is empty");
}

void node_defaults(Value& object) {
  Value* status = find(object, "status");
  if (status && !has(*status, "allocatable") && has(*status, "capacity")) {
    put(*status, "allocatable", value::deep_copy(*at(*status, "capacity")));
  }
}

std::vector<std::string_view> namespace_fields() { return {"status.phase", "name"}; }
std::vector<std::string_view> node_fields() { return {"spec.unschedulable"}; }
void event_validate(const Value& object, const Value*, std::vector<Cause>& causes) {
  const std::string_view about = text(object, "involvedObject", "namespace");
  if (about == namespace_of(object) || (about.empty() && namespace_of(object) == "default")) return;
  invalid_value(causes, "involvedObject.namespace", about, "does not match event.namespace");
}

std::vector<std::string_view> event_fields() {
  return {"involvedObject.kind", "involvedObject.namespace", "involvedObject.name",
          "involvedObject.uid", "involvedObject.apiVersion", "involvedObject.resourceVersion",
          "involvedObject.fieldPath", "reason", "reportingComponent", "source", "type"};
}
std::vector<std::string_view> signing_fields() { return {"spec.signerName"}; }

// Fields of a feature that is off.
Status lease_create(World&, Value& object) {
  Value* spec = find(object, "spec");
  for (std::string_view key : {"strategy", "preferredHolder"}) {
    if (spec) drop(*spec, key);
  }
  return ok();
}
Status lease_update(World& world, Value& object, const Value&) { return lease_create(world, object); }

void lease_validate(const Value& object, const Value*, std::vector<Cause>& causes) {
  const Value& spec = pod_spec_of(object);
  if (const Value* n = at(spec, "leaseDurationSeconds"); n && as_number(n, 0) <= 0) {
    invalid_value(causes, "spec.leaseDurationSeconds", *n, "must be greater than 0");
  }
  non_negative(spec, "leaseTransitions", "spec", causes);
}

}  // namespace

void add_cluster_kinds(std::vector<KindRules>& out) {
  out.push_back({.group = "", .kind = "Namespace", .defaults = namespace_defaults,
                 .create = namespace_create, .update = namespace_update,
                 .validate_status = namespace_status_validate, .selectable = namespace_fields});
  out.push_back({.group = "", .kind = "Node", .defaults = node_defaults, .update = keep_status,
                 .selectable = node_fields});
  out.push_back({.group = "", .kind = "Event", .validate = event_validate, .selectable = event_fields});
  out.push_back({.group = "coordination.k8s.io", .kind = "Lease", .create = lease_create, .update = lease_update,
                 .validate = lease_validate});
  out.push_back({.group = "certificates.k8s.io", .kind = "CertificateSigningRequest",
                 .selectable = signing_fields});
}

}  // namespace pintle::drydock
