// PersistentVolumeClaims are bound at once to a volume made for them. A volume whose claim is gone
// goes too (reclaim policy Delete).
#include "base/strings.h"
#include "drydock/controllers/common.h"
#include "drydock/controllers/controllers.h"

namespace pintle::drydock {
namespace {

constexpr std::string_view kProvisioner = "drydock.local/simulated";

std::vector<Key> self(World&, const Change& change) { return self_key(change); }

Result<Value> make_volume(World& world, const Value& claim) {
  Value volume = empty_map();
  put(ensure(volume, "metadata"), "name", cat("pvc-", uid_of(claim)));
  put(ensure(volume, "metadata", "annotations"), "pv.kubernetes.io/provisioned-by", kProvisioner);
  Value& spec = ensure(volume, "spec");
  const Value* modes = at(claim, "spec", "accessModes");
  if (modes) put(spec, "accessModes", value::deep_copy(*modes));
  const Value* storage = at(claim, "spec", "resources", "requests", "storage");
  put(ensure(spec, "capacity"), "storage", storage ? *storage : make("1Gi"));
  Value& reference = ensure(spec, "claimRef");
  put(reference, "apiVersion", "v1");
  put(reference, "kind", "PersistentVolumeClaim");
  put(reference, "name", name_of(claim));
  put(reference, "namespace", namespace_of(claim));
  put(reference, "uid", uid_of(claim));
  put(ensure(spec, "hostPath"), "path", cat("/drydock/pvc-", uid_of(claim)));
  put(spec, "persistentVolumeReclaimPolicy", "Delete");
  if (has(claim, "spec", "storageClassName")) {
    put(spec, "storageClassName", text(claim, "spec", "storageClassName"));
  }
  put(spec, "volumeMode", has(claim, "spec", "volumeMode") ? text(claim, "spec", "volumeMode")
                                                            : std::string_view("Filesystem"));
  Result<Value> made = world.create("", "persistentvolumes", std::move(volume));
  if (!made && made.error().code() == Code::kAlreadyExists) {
    return world.get({"", "persistentvolumes", "", cat("pvc-", uid_of(claim))});
  }
  return made;
}

Result<Again> reconcile(World& world, const Key& key) {
  Result<Value> found = world.get(key);
  if (!found) {
    for (const Value& volume : world.list("", "persistentvolumes", "")) {
      bool mine = text(volume, "spec", "claimRef", "name") == key.name &&
                  text(volume, "spec", "claimRef", "namespace") == key.ns &&
                  text(volume, "spec", "persistentVolumeReclaimPolicy") == "Delete";
      if (!mine) continue;
      Status removed = world.remove(key_of("", "persistentvolumes", volume));
      if (!removed && !is_gone(removed.error())) return removed.error();
    }
    return Again();
  }
  Value& claim = *found;
  if (being_deleted(claim)) {
    // The protection finalizer would wait for pods; nothing here reads the volume.
    if (items(claim, "metadata", "finalizers").empty()) return Again();
    std::vector<Value> kept;
    for (const Value& f : items(claim, "metadata", "finalizers")) {
      if (!f.is_string() || f.as_string() != "kubernetes.io/pvc-protection") kept.push_back(f);
    }
    put(ensure(claim, "metadata"), "finalizers", Value::list_of(std::move(kept)));
    drop_when_empty(ensure(claim, "metadata"), "finalizers");
    TRY(world.update("", "persistentvolumeclaims", std::move(claim)));
    return Again();
  }
  if (text(claim, "status", "phase") == "Bound") return Again();
  Value volume;
  std::string_view named = text(claim, "spec", "volumeName");
  if (named.empty()) {
    volume = TRY(make_volume(world, claim));
    put(ensure(claim, "spec"), "volumeName", name_of(volume));
    Value& annotations = ensure(claim, "metadata", "annotations");
    put(annotations, "volume.beta.kubernetes.io/storage-provisioner", kProvisioner);
    put(annotations, "volume.kubernetes.io/storage-provisioner", kProvisioner);
    put(annotations, "pv.kubernetes.io/bind-completed", "yes");
    put(annotations, "pv.kubernetes.io/bound-by-controller", "yes");
    claim = TRY(world.update("", "persistentvolumeclaims", std::move(claim)));
    world.event(claim, "Normal", "ProvisioningSucceeded",
                cat("Successfully provisioned volume ", name_of(volume)), kProvisioner);
  } else {
    Result<Value> existing = world.get({"", "persistentvolumes", "", std::string(named)});
    if (!existing) return Again(2 * kSecond);
    volume = std::move(*existing);
  }
  Value volume_status = empty_map();
  put(volume_status, "phase", "Bound");
  put(volume_status, "lastPhaseTransitionTime", world.now());
  TRY(write_status(world, "", "persistentvolumes", volume, std::move(volume_status)));
  Value status = empty_map();
  put(status, "phase", "Bound");
  for (auto [to, from] : {std::pair{"accessModes", "accessModes"}, {"capacity", "capacity"}}) {
    if (const Value* v = at(volume, "spec", from)) put(status, to, value::deep_copy(*v));
  }
  TRY(write_status(world, "", "persistentvolumeclaims", claim, std::move(status)));
  return Again();
}

}  // namespace

const Controller kVolumes{
    "persistentvolume-controller", {{"", "persistentvolumeclaims", self}}, reconcile};

}  // namespace pintle::drydock
