// Garbage collection by ownerReferences: background (dependents of what is gone go), foreground (what
// waits with the finalizer goes when its blocking dependents have), orphan (dependents lose the
// reference first). The REST layer sets the finalizers as the delete options ask.
#include "base/strings.h"
#include "drydock/controllers/common.h"
#include "drydock/controllers/controllers.h"

namespace pintle::drydock {
namespace {

constexpr std::string_view kForeground = "foregroundDeletion";
constexpr std::string_view kOrphan = "orphan";

bool has_finalizer(const Value& object, std::string_view name) {
  for (const Value& finalizer : items(object, "metadata", "finalizers")) {
    if (finalizer.is_string() && finalizer.as_string() == name) return true;
  }
  return false;
}

Status drop_finalizer(World& world, const Key& key, Value object, std::string_view name) {
  std::vector<Value> kept;
  for (const Value& finalizer : items(object, "metadata", "finalizers")) {
    if (!finalizer.is_string() || finalizer.as_string() != name) kept.push_back(finalizer);
  }
  Value& meta = ensure(object, "metadata");
  put(meta, "finalizers", Value::list_of(std::move(kept)));
  drop_when_empty(meta, "finalizers");
  Result<Value> updated = world.update(key.group, key.plural, std::move(object));
  if (!updated && !is_gone(updated.error())) return updated.error();
  return ok();
}

// Who must be looked at: the object, when it has owners or waits; what named a gone object as owner;
// an owner that waits for this dependent.
std::vector<Key> affected(World& world, const Change& change) {
  std::vector<Key> keys;
  const Value& object = change.object();
  if (!change.after) {
    keys = world.dependents(uid_of(object));
    for (const Value& reference : items(object, "metadata", "ownerReferences")) {
      std::string_view version = text(reference, "apiVersion");
      size_t slash = version.find('/');
      std::string_view group = slash == version.npos ? "" : version.substr(0, slash);
      for (const ResourcePtr& resource : world.resources()) {
        if (resource->group != group || resource->kind != text(reference, "kind")) continue;
        keys.push_back({resource->group, resource->plural,
                        resource->namespaced ? std::string(namespace_of(object)) : "",
                        std::string(text(reference, "name"))});
      }
    }
    return keys;
  }
  bool waits = being_deleted(object) && (has_finalizer(object, kForeground) || has_finalizer(object, kOrphan));
  bool owners_changed = !change.before || !same(at(*change.before, "metadata", "ownerReferences"),
                                                at(object, "metadata", "ownerReferences"));
  bool owned = !items(object, "metadata", "ownerReferences").empty();
  if (waits || (owned && owners_changed)) keys.push_back(key_of(change.group, change.plural, object));
  if (waits) {
    for (Key& key : world.dependents(uid_of(object))) keys.push_back(std::move(key));
  }
  return keys;
}

enum class Owner : uint8_t { kSolid, kWaiting, kGone };

Owner look_up(World& world, const Value& object, const Value& reference) {
  std::string_view version = text(reference, "apiVersion");
  size_t slash = version.find('/');
  std::string_view group = slash == version.npos ? "" : version.substr(0, slash);
  for (const ResourcePtr& resource : world.resources()) {
    if (resource->group != group || resource->kind != text(reference, "kind")) continue;
    Result<Value> owner = world.get({resource->group, resource->plural,
                                     resource->namespaced ? std::string(namespace_of(object)) : "",
                                     std::string(text(reference, "name"))});
    if (!owner || uid_of(*owner) != text(reference, "uid")) return Owner::kGone;
    bool waits = being_deleted(*owner) && has_finalizer(*owner, kForeground);
    return waits ? Owner::kWaiting : Owner::kSolid;
  }
  return Owner::kSolid;  // an unknown kind keeps its dependents, as a discovery failure does
}

Status orphan_dependents(World& world, const Value& owner) {
  for (const Key& key : world.dependents(uid_of(owner))) {
    Result<Value> found = world.get(key);
    if (!found) continue;
    std::vector<Value> kept;
    for (const Value& reference : items(*found, "metadata", "ownerReferences")) {
      if (text(reference, "uid") != uid_of(owner)) kept.push_back(reference);
    }
    Value& meta = ensure(*found, "metadata");
    put(meta, "ownerReferences", Value::list_of(std::move(kept)));
    drop_when_empty(meta, "ownerReferences");
    TRY(world.update(key.group, key.plural, std::move(*found)));
  }
  return ok();
}

bool blocked(World& world, const Value& owner) {
  for (const Key& key : world.dependents(uid_of(owner))) {
    Result<Value> found = world.get(key);
    if (!found) continue;
    for (const Value& reference : items(*found, "metadata", "ownerReferences")) {
      if (text(reference, "uid") == uid_of(owner) && flag(reference, "blockOwnerDeletion")) return true;
    }
  }
  return false;
}

Status remove(World& world, const Key& key, std::string_view propagation) {
  Status removed = world.remove(key, propagation);
  if (!removed && !is_gone(removed.error())) return removed;
  return ok();
}

Result<Again> reconcile(World& world, const Key& key) {
  Result<Value> found = world.get(key);
  if (!found) return Again();
  const Value& object = *found;
  if (being_deleted(object)) {
    if (has_finalizer(object, kOrphan)) {
      TRY(orphan_dependents(world, object));
      TRY(drop_finalizer(world, key, std::move(*found), kOrphan));
    } else if (has_finalizer(object, kForeground) && !blocked(world, object)) {
      TRY(drop_finalizer(world, key, std::move(*found), kForeground));
    }
    return Again();
  }
  std::vector<Value> solid;
  bool gone = false, waiting = false;
  for (const Value& reference : items(object, "metadata", "ownerReferences")) {
    switch (look_up(world, object, reference)) {
      case Owner::kSolid: solid.push_back(reference); break;
      case Owner::kGone: gone = true; break;
      case Owner::kWaiting: waiting = true; break;
    }
  }
  if (!gone && !waiting) return Again();
  if (solid.empty()) {
    // A dependent with dependents of its own goes in the foreground too, so that the owner waits.
    bool foreground = waiting && !world.dependents(uid_of(object)).empty();
    TRY(remove(world, key, foreground ? "Foreground" : "Background"));
    return Again();
  }
  Value& meta = ensure(*found, "metadata");
  put(meta, "ownerReferences", Value::list_of(std::move(solid)));
  TRY(world.update(key.group, key.plural, std::move(*found)));
  return Again();
}

}  // namespace

const Controller kGarbage{"garbage-collector-controller", {{"", "*", affected}}, reconcile};

}  // namespace pintle::drydock
