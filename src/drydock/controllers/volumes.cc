// PersistentVolumeClaims and PersistentVolumes: a claim is bound to the smallest volume that fits, or to
// one made for it when its class exists; a volume whose claim is gone is released, and goes with reclaim
// policy Delete. What is in use is protected: a claim by the pods that name it, a volume by its claim.
// As kube-controller-manager's persistentvolume-binder and protection controllers, with a provisioner
// behind every class but kubernetes.io/no-provisioner. A class that waits for the first consumer waits
// for a pod that names the claim, not for its scheduling.
#include <algorithm>

#include "base/strings.h"
#include "cel/quantity.h"
#include "drydock/controllers/common.h"
#include "drydock/controllers/controllers.h"

namespace pintle::drydock {
namespace {

constexpr std::string_view kBinder = "persistentvolume-controller";
constexpr std::string_view kClaimPlural = "persistentvolumeclaims";
constexpr std::string_view kVolumePlural = "persistentvolumes";

Key claim_key(std::string_view ns, std::string_view name) {
  return {"", std::string(kClaimPlural), std::string(ns), std::string(name)};
}
Key volume_key(std::string_view name) { return {"", std::string(kVolumePlural), "", std::string(name)}; }

// ---- what wakes what ----

std::vector<Key> pending_claims(World& world) {
  std::vector<Key> keys;
  for (const Value& claim : world.list("", kClaimPlural, "")) {
    if (text(claim, "status", "phase") != "Bound") keys.push_back(key_of("", kClaimPlural, claim));
  }
  return keys;
}
std::vector<Key> of_claim(World&, const Change& change) {
  std::vector<Key> keys{key_of("", kClaimPlural, change.object())};
  std::string_view volume = text(change.object(), "spec", "volumeName");
  if (!change.after && !volume.empty()) keys.push_back(volume_key(volume));
  return keys;
}
std::vector<Key> of_volume(World& world, const Change& change) {
  std::vector<Key> keys;
  bool free = change.after && !has(*change.after, "spec", "claimRef");
  if (free && (!change.before || text(*change.after, "status", "phase") != text(*change.before, "status", "phase"))) {
    keys = pending_claims(world);
  }
  keys.push_back(key_of("", kVolumePlural, change.object()));
  return keys;
}
std::vector<Key> of_class(World& world, const Change&) { return pending_claims(world); }

bool uses(const Value& pod, std::string_view claim) {
  for (const Value& volume : items(pod, "spec", "volumes")) {
    if (text(volume, "persistentVolumeClaim", "claimName") == claim) return true;
  }
  return false;
}
// A pod that comes may be the first consumer; one that ends or goes may be the last.
std::vector<Key> of_pod(World&, const Change& change) {
  bool lasts = change.before && change.after && pod_finished(*change.before) == pod_finished(*change.after);
  std::vector<Key> keys;
  if (lasts) return keys;
  for (const Value& volume : items(change.object(), "spec", "volumes")) {
    std::string_view claim = text(volume, "persistentVolumeClaim", "claimName");
    if (!claim.empty()) keys.push_back(claim_key(namespace_of(change.object()), claim));
  }
  return keys;
}

// ---- volumes ----

Status set_phase(World& world, Value& volume, std::string_view phase) {
  if (text(volume, "status", "phase") == phase) return ok();
  Value status = has(volume, "status") ? value::deep_copy(*at(volume, "status")) : empty_map();
  put(status, "phase", phase);
  put(status, "lastPhaseTransitionTime", world.now());
  TRY(write_status(world, "", kVolumePlural, volume, std::move(status)));
  return ok();
}

Status unprotect(World& world, std::string_view plural, Value object, std::string_view finalizer) {
  std::vector<Value> kept;
  for (const Value& f : items(object, "metadata", "finalizers")) {
    if (!f.is_string() || f.as_string() != finalizer) kept.push_back(f);
  }
  if (kept.size() == items(object, "metadata", "finalizers").size()) return ok();
  put(ensure(object, "metadata"), "finalizers", Value::list_of(std::move(kept)));
  drop_when_empty(ensure(object, "metadata"), "finalizers");
  Result<Value> updated = world.update("", plural, std::move(object));
  if (!updated && !is_gone(updated.error())) return updated.error();
  return ok();
}

Result<Again> keep_volume(World& world, const Key& key) {
  Result<Value> found = world.get(key);
  if (!found) return Again();
  Value& volume = *found;
  bool claimed = false, bound = false;
  bool named = false;  // its claim, with a uid
  if (const Value* reference = at(volume, "spec", "claimRef")) {
    Result<Value> claim = world.get(claim_key(text(*reference, "namespace"), text(*reference, "name")));
    std::string_view uid = text(*reference, "uid");
    named = !uid.empty();
    claimed = claim && (!named || uid == uid_of(*claim));
    bound = claimed && text(*claim, "spec", "volumeName") == key.name;
    if (!claimed && named) {
      TRY(set_phase(world, volume, "Released"));  // exchanges the volume: reference and uid are gone
      bool goes = text(volume, "spec", "persistentVolumeReclaimPolicy") == "Delete" && !being_deleted(volume);
      if (goes) {
        Status removed = world.remove(key);
        if (!removed && !is_gone(removed.error())) return removed.error();
        return Again();  // being deleted, it comes back here
      }
    }
  }
  if (!claimed && !named) TRY(set_phase(world, volume, "Available"));
  if (being_deleted(volume) && !bound) {
    TRY(unprotect(world, kVolumePlural, std::move(volume), "kubernetes.io/pv-protection"));
  }
  return Again();
}

// ---- claims ----

Value reference_to(const Value& claim) {
  Value reference = empty_map();
  put(reference, "apiVersion", "v1");
  put(reference, "kind", "PersistentVolumeClaim");
  put(reference, "name", name_of(claim));
  put(reference, "namespace", namespace_of(claim));
  put(reference, "uid", uid_of(claim));
  return reference;
}

Result<Value> make_volume(World& world, const Value& claim, const Value& storage_class) {
  Value volume = empty_map();
  put(ensure(volume, "metadata"), "name", cat("pvc-", uid_of(claim)));
  put(ensure(volume, "metadata", "annotations"), "pv.kubernetes.io/provisioned-by",
      text(storage_class, "provisioner"));
  Value& spec = ensure(volume, "spec");
  const Value* modes = at(claim, "spec", "accessModes");
  if (modes) put(spec, "accessModes", value::deep_copy(*modes));
  const Value* storage = at(claim, "spec", "resources", "requests", "storage");
  put(ensure(spec, "capacity"), "storage", storage ? *storage : make("1Gi"));
  put(spec, "claimRef", reference_to(claim));
  put(ensure(spec, "hostPath"), "path", cat("/drydock/pvc-", uid_of(claim)));
  std::string_view policy = text(storage_class, "reclaimPolicy");
  put(spec, "persistentVolumeReclaimPolicy", policy.empty() ? std::string_view("Delete") : policy);
  put(spec, "storageClassName", name_of(storage_class));
  std::string_view mode = text(claim, "spec", "volumeMode");
  put(spec, "volumeMode", mode.empty() ? std::string_view("Filesystem") : mode);
  Result<Value> made = world.create("", kVolumePlural, std::move(volume));
  if (!made && made.error().code() == Code::kAlreadyExists) {
    return world.get(volume_key(cat("pvc-", uid_of(claim))));
  }
  return made;
}

bool allows(const Value& volume, const Value& claim) {
  for (const Value& wanted : items(claim, "spec", "accessModes")) {
    auto modes = items(volume, "spec", "accessModes");
    bool offered = std::any_of(modes.begin(), modes.end(), [&](const Value& m) { return same(m, wanted); });
    if (!offered) return false;
  }
  return true;
}

// The smallest volume that the claim may have; one that already names the claim before all others.
std::optional<Value> best_volume(World& world, const Value& claim) {
  auto size = [](const Value* v) {
    auto q = cel::parse_quantity(v && v->is_string() ? v->as_string() : "");
    return q ? q->nano : decltype(q->nano)(0);
  };
  auto asked = size(at(claim, "spec", "resources", "requests", "storage"));
  std::optional<Value> best;
  for (Value& volume : world.list("", kVolumePlural, "")) {
    if (being_deleted(volume)) continue;
    if (const Value* reference = at(volume, "spec", "claimRef")) {
      bool mine = text(*reference, "name") == name_of(claim) && text(*reference, "namespace") == namespace_of(claim) &&
                  (text(*reference, "uid").empty() || text(*reference, "uid") == uid_of(claim));
      if (mine) return std::move(volume);
      continue;
    }
    auto offered = size(at(volume, "spec", "capacity", "storage"));
    bool fits = text(volume, "spec", "storageClassName") == text(claim, "spec", "storageClassName") &&
                text(volume, "spec", "volumeMode") == text(claim, "spec", "volumeMode") &&
                (!has(claim, "spec", "selector") || matches(at(claim, "spec", "selector"), volume)) &&
                allows(volume, claim) && offered >= asked;
    if (fits && (!best || offered < size(at(*best, "spec", "capacity", "storage")))) best = std::move(volume);
  }
  return best;
}

// A volume for the claim; none: it has to wait, and an event says for what.
Result<std::optional<Value>> find_or_make(World& world, Value& claim) {
  if (std::string_view named = text(claim, "spec", "volumeName"); !named.empty()) {
    Result<Value> volume = world.get(volume_key(named));
    if (!volume) return std::optional<Value>();
    return std::optional<Value>(std::move(*volume));
  }
  if (std::optional<Value> volume = best_volume(world, claim)) return volume;
  std::string name(text(claim, "spec", "storageClassName"));
  if (name.empty()) {
    world.event(claim, "Normal", "FailedBinding",
                "no persistent volumes available for this claim and no storage class is set", kBinder);
    return std::optional<Value>();
  }
  Result<Value> storage_class = world.get({"storage.k8s.io", "storageclasses", "", name});
  if (!storage_class) {
    world.event(claim, "Warning", "ProvisioningFailed", cat("storageclass.storage.k8s.io \"", name, "\" not found"),
                kBinder);
    return std::optional<Value>();
  }
  bool waits = text(*storage_class, "volumeBindingMode") == "WaitForFirstConsumer";
  if (waits) {
    std::vector<Value> pods = world.list("", "pods", namespace_of(claim));
    bool wanted = std::any_of(pods.begin(), pods.end(), [&](const Value& p) { return uses(p, name_of(claim)); });
    if (!wanted) {
      world.event(claim, "Normal", "WaitForFirstConsumer",
                  "waiting for first consumer to be created before binding", kBinder);
      return std::optional<Value>();
    }
  }
  std::string_view provisioner = text(*storage_class, "provisioner");
  if (provisioner == "kubernetes.io/no-provisioner") return std::optional<Value>();
  world.event(claim, "Normal", "ExternalProvisioning",
              cat("Waiting for a volume to be created either by the external provisioner '", provisioner,
                  "' or manually by the system administrator. If volume creation is delayed, please verify that the "
                  "provisioner is running and correctly registered."),
              kBinder);
  Value volume = TRY(make_volume(world, claim, *storage_class));
  Value& annotations = ensure(claim, "metadata", "annotations");
  put(annotations, "volume.beta.kubernetes.io/storage-provisioner", provisioner);
  put(annotations, "volume.kubernetes.io/storage-provisioner", provisioner);
  world.event(claim, "Normal", "ProvisioningSucceeded", cat("Successfully provisioned volume ", name_of(volume)),
              provisioner);
  return std::optional<Value>(std::move(volume));
}

Result<Again> bind(World& world, Value& claim) {
  std::optional<Value> volume = TRY(find_or_make(world, claim));
  if (!volume) return Again();
  if (text(*volume, "spec", "claimRef", "uid").empty()) {
    if (!has(*volume, "spec", "claimRef")) {
      put(ensure(*volume, "metadata", "annotations"), "pv.kubernetes.io/bound-by-controller", "yes");
    }
    put(ensure(*volume, "spec"), "claimRef", reference_to(claim));
    volume = TRY(world.update("", kVolumePlural, std::move(*volume)));
  }
  Value& annotations = ensure(claim, "metadata", "annotations");
  if (text(claim, "spec", "volumeName").empty()) put(annotations, "pv.kubernetes.io/bound-by-controller", "yes");
  put(annotations, "pv.kubernetes.io/bind-completed", "yes");
  put(ensure(claim, "spec"), "volumeName", name_of(*volume));
  claim = TRY(world.update("", kClaimPlural, std::move(claim)));
  TRY(set_phase(world, *volume, "Bound"));
  Value status = empty_map();
  put(status, "phase", "Bound");
  for (std::string_view field : {"accessModes", "capacity"}) {
    if (const Value* v = at(*volume, "spec", field)) put(status, field, value::deep_copy(*v));
  }
  TRY(write_status(world, "", kClaimPlural, claim, std::move(status)));
  return Again();
}

Result<Again> reconcile(World& world, const Key& key) {
  if (key.plural == kVolumePlural) return keep_volume(world, key);
  Result<Value> found = world.get(key);
  if (!found) return Again();
  Value& claim = *found;
  if (!being_deleted(claim)) {
    if (text(claim, "status", "phase") == "Bound") return Again();
    return bind(world, claim);
  }
  for (const Value& pod : world.list("", "pods", key.ns)) {
    if (!pod_finished(pod) && uses(pod, key.name)) return Again();  // its end comes back here
  }
  TRY(unprotect(world, kClaimPlural, std::move(claim), "kubernetes.io/pvc-protection"));
  return Again();
}

}  // namespace

const Controller kVolumes{kBinder,
                          {{"", kClaimPlural, of_claim},
                           {"", kVolumePlural, of_volume},
                           {"", "pods", of_pod},
                           {"storage.k8s.io", "storageclasses", of_class}},
                          reconcile};

}  // namespace pintle::drydock
