// PersistentVolumeClaim, PersistentVolume, StorageClass, CSIDriver.
#include "base/gotext.h"
#include <algorithm>

#include "drydock/kinds/claims.h"
#include "drydock/kinds/families.h"
#include "drydock/kinds/resource_names.h"
#include "drydock/validation.h"
#include "json/json.h"

namespace pintle::drydock {
namespace {

void claim_defaults(Value& object) {
  default_claim_spec(ensure(object, "spec"));
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

// What a claim is filled from. Kinds that only a feature gate would allow are dropped, as the server does.
void drop_foreign_source(Value& spec) {
  const Value* source = at(spec, "dataSource");
  if (!source) return;
  const std::string_view kind = text(*source, "kind"), group = text(*source, "apiGroup");
  const bool known = (kind == "PersistentVolumeClaim" && group.empty()) ||
                     (kind == "VolumeSnapshot" && group == "snapshot.storage.k8s.io");
  if (!known) drop(spec, "dataSource");
}

Status claim_create(World& world, Value& object) {
  Value status = empty_map();
  put(status, "phase", "Pending");
  put(object, "status", std::move(status));
  protect(object, "kubernetes.io/pvc-protection");
  Value& spec = ensure(object, "spec");
  drop_foreign_source(spec);
  if (spec.get("storageClassName")) return ok();
  for (const Value& c : world.list("storage.k8s.io", "storageclasses", "")) {
    if (text(c, "metadata", "annotations", "storageclass.kubernetes.io/is-default-class") == "true") {
      put(spec, "storageClassName", name_of(c));
    }
  }
  return ok();
}

void validate_source(const Value* source, const std::string& path, std::vector<Cause>& causes) {
  if (!source) return;
  const std::string_view kind = text(*source, "kind"), group = text(*source, "apiGroup");
  if (text(*source, "name").empty()) required(causes, path + ".name");
  if (kind.empty()) required(causes, path + ".kind");
  if (group.empty() && kind != "PersistentVolumeClaim") {
    invalid_value(causes, path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
  }
  if (!group.empty()) complain(causes, path + ".apiGroup", group, is_dns1123_subdomain(group));
}

void claim_validate(const Value& object, const Value* old, std::vector<Cause>& causes) {
  const Value& spec = pod_spec_of(object);
  validate_claim_spec(spec, "spec", causes);
  if (!old) return;
  Value next = value::deep_copy(spec), before = value::deep_copy(pod_spec_of(*old));
  const bool bound = text(object, "status", "phase") == "Bound";  // only then may it grow
  for (std::string_view key : {"resources", "volumeAttributesClassName"}) {
    if (!bound) continue;
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
  default_absent(spec, "volumeMode", "Filesystem");
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

constexpr std::string_view kVolumeSources[] = {
    "hostPath", "gcePersistentDisk", "awsElasticBlockStore", "glusterfs", "flocker", "nfs", "rbd", "quobyte", "cephfs",
    "iscsi", "cinder", "fc", "flexVolume", "azureFile", "vsphereVolume", "photonPersistentDisk", "portworxVolume",
    "azureDisk", "scaleIO", "local", "storageos", "csi"};

void volume_validate(const Value& object, const Value* old, std::vector<Cause>& causes) {
  const Value& spec = pod_spec_of(object);
  validate_access_modes(spec, "", "spec", causes);
  const Value* capacity = at(spec, "capacity");
  Entries sizes = entries_of(capacity);
  if (sizes.empty()) required(causes, "spec.capacity");
  if (sizes.size() != 1 || sizes[0].key.view() != "storage") {
    const std::string shown = capacity ? json::write(*capacity).value_or("null") : "null";
    not_supported_text(causes, "spec.capacity", shown, {"storage"});
  }
  for (const auto& e : sizes) validate_positive_quantity(e.value, keyed("spec.capacity", e.key), causes);
  one_of(causes, "spec.persistentVolumeReclaimPolicy", text(spec, "persistentVolumeReclaimPolicy"),
         {"Delete", "Recycle", "Retain"});
  bool found = false;
  for (std::string_view kind : kVolumeSources) {
    const Value* source = at(spec, kind);
    if (!source) continue;
    if (found) forbidden_field(causes, child("spec", kind), "may not specify more than 1 volume type");
    else validate_volume_source(kind, *source, child("spec", kind), causes);
    found = true;
  }
  if (!found) required(causes, "spec", "must specify a volume type");
  if (std::string_view name = text(spec, "storageClassName"); !name.empty()) {
    complain(causes, "spec.storageClassName", name, is_dns1123_subdomain(name));
  }
  if (has(spec, "volumeMode")) one_of(causes, "spec.volumeMode", text(spec, "volumeMode"), {"Block", "Filesystem"});
  if (!old) return;
  const bool moved = std::any_of(std::begin(kVolumeSources), std::end(kVolumeSources), [&](std::string_view kind) {
    return !same(at(spec, kind), at(*old, "spec", kind));
  });
  if (moved) {
    forbidden_field(causes, "spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation");
  }
  immutable(causes, "volumeMode", at(spec, "volumeMode"), at(*old, "spec", "volumeMode"));
}

void class_defaults(Value& object) {
  default_absent(object, "reclaimPolicy", "Delete");
  default_absent(object, "volumeBindingMode", "Immediate");
}

void class_validate(const Value& object, const Value* old, std::vector<Cause>& causes) {
  const std::string provisioner = to_lower(text(object, "provisioner"));
  if (provisioner.empty()) required(causes, "provisioner");
  else complain(causes, "provisioner", provisioner, is_label_key(provisioner));
  if (has(object, "parameters", "")) invalid_value(causes, "parameters", "", "field can not be empty.");
  if (std::string_view policy = text(object, "reclaimPolicy"); !policy.empty()) {
    one_of(causes, "reclaimPolicy", policy, {"Delete", "Retain"});
  }
  one_of(causes, "volumeBindingMode", text(object, "volumeBindingMode"), {"Immediate", "WaitForFirstConsumer"});
  size_t n = 0;
  for (const Value& term : items(object, "allowedTopologies")) {
    const std::string list = element("allowedTopologies", n++) + ".matchLabelExpressions";
    size_t i = 0;
    for (const Value& e : items(term, "matchLabelExpressions")) {
      const std::string here = element(list, i++);
      if (items(e, "values").empty()) required(causes, here + ".values");
      complain(causes, here + ".key", text(e, "key"), is_label_key(text(e, "key")));
    }
  }
  if (!old) return;
  for (std::string_view key : {"parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"}) {
    immutable(causes, std::string(key), object.get(key), old->get(key));
  }
}

void csi_driver_defaults(Value& object) {
  Value& spec = ensure(object, "spec");
  if (!has(spec, "attachRequired")) put(spec, "attachRequired", true);
  if (!has(spec, "podInfoOnMount")) put(spec, "podInfoOnMount", false);
  if (!has(spec, "storageCapacity")) put(spec, "storageCapacity", false);
  if (!has(spec, "requiresRepublish")) put(spec, "requiresRepublish", false);
  if (!has(spec, "seLinuxMount")) put(spec, "seLinuxMount", false);
  default_absent(spec, "fsGroupPolicy", "ReadWriteOnceWithFSType");
  if (items(spec, "volumeLifecycleModes").empty()) {
    put(spec, "volumeLifecycleModes", Value::list_of({make("Persistent")}));
  }
}

void csi_driver_validate(const Value& object, const Value*, std::vector<Cause>& causes) {
  const Value& spec = pod_spec_of(object);
  for (const Value& mode : items(spec, "volumeLifecycleModes")) {
    one_of(causes, "spec.volumeLifecycleModes", as_text(mode), {"Persistent", "Ephemeral"});
  }
  if (has(spec, "fsGroupPolicy")) {
    one_of(causes, "spec.fsGroupPolicy", text(spec, "fsGroupPolicy"), {"File", "None", "ReadWriteOnceWithFSType"});
  }
}

}  // namespace

void default_claim_spec(Value& spec) {
  default_absent(spec, "volumeMode", "Filesystem");
}

void validate_access_modes(const Value& spec, std::string_view detail, const std::string& path,
                           std::vector<Cause>& causes) {
  const std::string here = path + ".accessModes";
  auto modes = items(spec, "accessModes");
  if (modes.empty()) required(causes, here, detail);
  bool alone = false, shared = false;
  for (const Value& m : modes) {
    const size_t before = causes.size();
    one_of(causes, here, as_text(m), {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"});
    if (as_text(m) == "ReadWriteOncePod") alone = true;
    else if (causes.size() == before) shared = true;
  }
  if (alone && shared) forbidden_field(causes, here, "may not use ReadWriteOncePod with other access modes");
}

void validate_claim_spec(const Value& spec, const std::string& path, std::vector<Cause>& causes) {
  if (items(spec, "accessModes").empty()) {
    required(causes, path + ".accessModes", "at least 1 access mode is required");
  }
  validate_label_selector(at(spec, "selector"), path + ".selector", causes);
  if (!items(spec, "accessModes").empty()) validate_access_modes(spec, "", path, causes);
  const Value* size = at(spec, "resources", "requests", "storage");
  if (!size) required(causes, path + ".resources[storage]");
  else validate_positive_quantity(*size, path + ".resources[storage]", causes);
  for (std::string_view key : {"storageClassName", "volumeAttributesClassName"}) {
    if (std::string_view name = text(spec, key); !name.empty()) {
      complain(causes, child(path, key), name, is_dns1123_subdomain(name));
    }
  }
  if (has(spec, "volumeMode")) one_of(causes, path + ".volumeMode", text(spec, "volumeMode"), {"Block", "Filesystem"});
  validate_source(at(spec, "dataSource"), path + ".dataSource", causes);
}

void add_storage_kinds(std::vector<KindRules>& out) {
  out.push_back({.group = "", .kind = "PersistentVolumeClaim", .defaults = claim_defaults,
                 .create = claim_create, .update = keep_status, .validate = claim_validate});
  out.push_back({.group = "", .kind = "PersistentVolume", .defaults = volume_defaults,
                 .create = volume_create, .update = keep_status, .validate = volume_validate});
  out.push_back({.group = "storage.k8s.io", .kind = "StorageClass", .defaults = class_defaults,
                 .validate = class_validate});
  out.push_back({.group = "storage.k8s.io", .kind = "CSIDriver", .defaults = csi_driver_defaults,
                 .validate = csi_driver_validate});
}

}  // namespace pintle::drydock
