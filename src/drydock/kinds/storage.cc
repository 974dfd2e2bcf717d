// PersistentVolumeClaim, PersistentVolume, StorageClass, CSIDriver.
#include "drydock/kinds/families.h"
#include "drydock/validation.h"

namespace pintle::drydock {
namespace {

void claim_defaults(Value& object) {
  default_to(ensure(object, "spec"), "volumeMode", "Filesystem");
  default_to(ensure(object, "status"), "phase", "Pending");
}

// StorageObjectInUseProtection.
void protect(Value& object, std::string_view finalizer) {
  Value& metadata = ensure(object, "metadata");
  for (const Value& f : items(metadata, "finalizers")) {
    if (f.is_string() && f.as_string() == finalizer) return;
  }
  push(metadata, "finalizers", make(finalizer));
}

Status claim_create(World& world, Value& object) {
  Value status = empty_map();
  put(status, "phase", "Pending");
  put(object, "status", std::move(status));
  protect(object, "kubernetes.io/pvc-protection");
  Value& spec = ensure(object, "spec");
  if (spec.get("storageClassName")) return ok();
  for (const Value& c : world.list("storage.k8s.io", "storageclasses", "")) {
    if (text(c, "metadata", "annotations", "storageclass.kubernetes.io/is-default-class") == "true") {
      put(spec, "storageClassName", name_of(c));
    }
  }
  return ok();
}

void access_modes(const Value& spec, std::vector<Cause>& causes) {
  auto modes = items(spec, "accessModes");
  if (modes.empty()) required(causes, "spec.accessModes", "at least 1 access mode is required");
  for (const Value& m : modes) {
    std::string_view mode = m.is_string() ? m.as_string() : std::string_view();
    if (mode != "ReadWriteOnce" && mode != "ReadOnlyMany" && mode != "ReadWriteMany" &&
        mode != "ReadWriteOncePod") {
      not_supported(causes, "spec.accessModes", mode,
                    {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"});
    }
  }
}

void claim_validate(const Value& object, const Value* old, std::vector<Cause>& causes) {
  const Value& spec = pod_spec_of(object);
  access_modes(spec, causes);
  if (!has(spec, "resources", "requests", "storage")) {
    required(causes, "spec.resources[storage]");
  }
  if (std::string_view name = text(spec, "storageClassName"); !name.empty()) {
    for (const std::string& m : is_dns1123_subdomain(name)) {
      invalid_value(causes, "spec.storageClassName", name, m);
    }
  }
  if (!old) return;
  Value next = value::deep_copy(spec), before = value::deep_copy(pod_spec_of(*old));
  for (std::string_view key : {"resources", "volumeAttributesClassName"}) {
    drop(next, key);
    drop(before, key);
  }
  if (!has(before, "volumeName")) drop(next, "volumeName");
  if (!same(next, before)) {
    forbidden_field(causes, "spec",
                    "spec is immutable after creation except resources.requests and "
                    "volumeAttributesClassName for bound claims");
  }
}

void volume_defaults(Value& object) {
  Value& spec = ensure(object, "spec");
  default_to(spec, "persistentVolumeReclaimPolicy", "Retain");
  default_to(spec, "volumeMode", "Filesystem");
  if (Value* host = find(spec, "hostPath"); host && !has(*host, "type")) put(*host, "type", "");
  default_to(ensure(object, "status"), "phase", "Pending");
}

Status volume_create(World& world, Value& object) {
  Value status = empty_map();
  put(status, "phase", "Pending");
  put(status, "lastPhaseTransitionTime", world.now());
  put(object, "status", std::move(status));
  protect(object, "kubernetes.io/pv-protection");
  return ok();
}

void volume_validate(const Value& object, const Value*, std::vector<Cause>& causes) {
  const Value& spec = pod_spec_of(object);
  access_modes(spec, causes);
  if (entries(spec, "capacity").empty()) required(causes, "spec.capacity");
}

void class_defaults(Value& object) {
  default_to(object, "reclaimPolicy", "Delete");
  default_to(object, "volumeBindingMode", "Immediate");
}

void class_validate(const Value& object, const Value* old, std::vector<Cause>& causes) {
  if (text(object, "provisioner").empty()) required(causes, "provisioner");
  if (!old) return;
  for (std::string_view key : {"parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"}) {
    if (same(at(object, key), at(*old, key))) continue;
    if (key == "parameters" || key == "provisioner") {
      forbidden_field(causes, std::string(key), cat("updates to ", key, " are forbidden."));
    } else {
      immutable(causes, std::string(key), at(object, key), at(*old, key));
    }
  }
}

void csi_driver_defaults(Value& object) {
  Value& spec = ensure(object, "spec");
  if (!has(spec, "attachRequired")) put(spec, "attachRequired", true);
  if (!has(spec, "podInfoOnMount")) put(spec, "podInfoOnMount", false);
  if (!has(spec, "storageCapacity")) put(spec, "storageCapacity", false);
  if (!has(spec, "requiresRepublish")) put(spec, "requiresRepublish", false);
  if (!has(spec, "seLinuxMount")) put(spec, "seLinuxMount", false);
  default_to(spec, "fsGroupPolicy", "ReadWriteOnceWithFSType");
  if (items(spec, "volumeLifecycleModes").empty()) {
    put(spec, "volumeLifecycleModes", Value::list_of({make("Persistent")}));
  }
}

}  // namespace

void add_storage_kinds(std::vector<KindRules>& out) {
  out.push_back({.group = "", .kind = "PersistentVolumeClaim", .defaults = claim_defaults,
                 .create = claim_create, .update = keep_status, .validate = claim_validate});
  out.push_back({.group = "", .kind = "PersistentVolume", .defaults = volume_defaults,
                 .create = volume_create, .update = keep_status, .validate = volume_validate});
  out.push_back({.group = "storage.k8s.io", .kind = "StorageClass", .defaults = class_defaults,
                 .validate = class_validate});
  out.push_back({.group = "storage.k8s.io", .kind = "CSIDriver", .defaults = csi_driver_defaults});
}

}  // namespace pintle::drydock
