// Namespace, Node, Event, Lease, CertificateSigningRequest, APIService, RuntimeClass.
#include <algorithm>

#include "base/gotext.h"
#include "crypt/crypt.h"
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

void namespace_validate(const Value& object, const Value*, std::vector<Cause>& causes) {
  for (const Value& f : items(object, "spec", "finalizers")) {
    const std::string_view name = as_text(f);
    complain(causes, "spec.finalizers", name, is_label_key(name));
    if (name != "kubernetes" && name.find('/') == name.npos) {
      invalid_value(causes, "spec.finalizers", name, "name is neither a standard finalizer name nor is it fully qualified");
    }
  }
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

// Of the request only its envelope: nothing here signs certificates.
void signing_validate(const Value& object, const Value*, std::vector<Cause>& causes) {
  const std::string_view request = text(object, "spec", "request");
  const auto bytes = crypt::base64_decode(request);
  if (bytes && bytes->find("-----BEGIN CERTIFICATE REQUEST-----") != std::string::npos) return;
  invalid_value(causes, "spec.request", request, "PEM block type must be CERTIFICATE REQUEST");
}

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

void api_service_defaults(Value& object) {
  if (Value* service = find(object, "spec", "service")) default_absent(*service, "port", 443);
}

void api_service_validate(const Value& object, const Value*, std::vector<Cause>& causes) {
  const Value& spec = pod_spec_of(object);
  const std::string_view group = text(spec, "group"), version = text(spec, "version");
  if (const std::string wanted = cat(version, ".", group); !name_of(object).empty() && name_of(object) != wanted) {
    invalid_value(causes, "metadata.name", name_of(object), cat("must be `spec.version+\".\"+spec.group`: ", quote(wanted)));
  }
  if (!group.empty()) complain(causes, "spec.group", group, is_dns1123_subdomain(group));
  else if (version != "v1") required(causes, "spec.group", "only v1 may have an empty group and it better be legacy kube");
  complain(causes, "spec.version", version, is_dns1035_label(version));
  auto within = [&](std::string_view key, int64_t most) {
    const int64_t n = number(spec, key);
    if (n <= 0 || n > most) invalid_value(causes, child("spec", key), make(n), cat("must be positive and less than ", most));
  };
  within("groupPriorityMinimum", 20000);
  within("versionPriority", 1000);
  const bool insecure = flag(spec, "insecureSkipTLSVerify"), signed_by = !text(spec, "caBundle").empty();
  const Value* service = at(spec, "service");
  if (!service) {
    if (insecure) {
      invalid_value(causes, "spec.insecureSkipTLSVerify", make(true), "local APIServices may not have insecureSkipTLSVerify");
    }
    return;
  }
  for (std::string_view key : {"namespace", "name"}) {
    if (text(*service, key).empty()) required(causes, child("spec.service", key));
  }
  if (const int64_t port = number(*service, "port"); !is_port(port)) {
    invalid_value(causes, "spec.service.port", make(port), cat("port is not valid: ", kPortRange));
  }
  if (insecure && signed_by) {
    invalid_value(causes, "spec.insecureSkipTLSVerify", make(true), "may not be true if caBundle is present");
  }
}

void runtime_class_validate(const Value& object, const Value* old, std::vector<Cause>& causes) {
  const std::string_view handler = text(object, "handler");
  if (handler.empty()) required(causes, "handler");
  else complain(causes, "handler", handler, is_dns1123_label(handler));
  validate_labels(at(object, "scheduling", "nodeSelector"), "scheduling.nodeSelector", causes);
  if (old) immutable(causes, "handler", at(object, "handler"), at(*old, "handler"));
}

}  // namespace

void add_cluster_kinds(std::vector<KindRules>& out) {
  out.push_back({.group = "", .kind = "Namespace", .defaults = namespace_defaults,
                 .create = namespace_create, .update = namespace_update,
                 .validate = namespace_validate, .validate_status = namespace_status_validate, .selectable = namespace_fields});
  out.push_back({.group = "", .kind = "Node", .defaults = node_defaults, .update = keep_status,
                 .selectable = node_fields});
  out.push_back({.group = "", .kind = "Event", .validate = event_validate, .selectable = event_fields});
  out.push_back({.group = "coordination.k8s.io", .kind = "Lease", .create = lease_create, .update = lease_update,
                 .validate = lease_validate});
  out.push_back({.group = "certificates.k8s.io", .kind = "CertificateSigningRequest",
                 .validate = signing_validate, .selectable = signing_fields});
  out.push_back({.group = "apiregistration.k8s.io", .kind = "APIService", .defaults = api_service_defaults,
                 .validate = api_service_validate});
  out.push_back({.group = "node.k8s.io", .kind = "RuntimeClass", .validate = runtime_class_validate});
}

}  // namespace pintle::drydock
