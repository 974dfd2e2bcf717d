// CustomResourceDefinitions: one that is written gets its names accepted and is established; one that
// is being deleted loses its objects first, then its finalizer. Part of the API server itself, so it
// runs even where the simulated controllers do not.
#include "base/strings.h"
#include "drydock/controllers/common.h"
#include "drydock/controllers/controllers.h"
#include "drydock/custom_resources.h"

namespace pintle::drydock {
namespace {

std::vector<Key> self(World&, const Change& change) { return self_key(change); }

// The last object to go wakes its definition.
std::vector<Key> gone_object(World& world, const Change& change) {
  if (change.after || change.group.find('.') == std::string_view::npos) return {};
  Key key{std::string(kDefinitionGroup), std::string(kDefinitionPlural), "",
          cat(change.plural, ".", change.group)};
  Result<Value> found = world.get(key);
  if (!found || !being_deleted(*found)) return {};
  return {key};
}

void terminating(World& world, Value& crd, bool now, std::string_view reason, std::string_view message) {
  Value& status = ensure(crd, "status");
  Value* condition = nullptr;
  for (Value& c : elements(status, "conditions")) {
    if (text(c, "type") == "Terminating") condition = &c;
  }
  Value next = condition ? value::deep_copy(*condition) : empty_map();
  std::string_view state = now ? "True" : "False";
  if (text(next, "status") != state) put(next, "lastTransitionTime", world.now());
  put(next, "type", "Terminating");
  put(next, "status", state);
  put(next, "reason", reason);
  put(next, "message", message);
  if (condition) *condition = std::move(next);
  else push(status, "conditions", std::move(next));
}

Result<Again> clean_up(World& world, const Key& key, Value crd) {
  bool ours = false;
  std::vector<Value> kept;
  for (const Value& f : items(crd, "metadata", "finalizers")) {
    bool match = f.is_string() && f.as_string() == kDefinitionFinalizer;
    ours = ours || match;
    if (!match) kept.push_back(f);
  }
  if (!ours) return Again();
  std::string group(text(crd, "spec", "group")), plural(text(crd, "spec", "names", "plural"));
  for (const Value& object : world.list(group, plural, "")) {
    if (being_deleted(object)) continue;
    Status removed = world.remove(key_of(group, plural, object));
    if (!removed && !is_gone(removed.error())) return removed.error();
  }
  size_t left = world.list(group, plural, "").size();
  if (left > 0) {
    terminating(world, crd, true, "InstanceDeletionInProgress", "CustomResource deletion is in progress");
    TRY(world.update(key.group, key.plural, std::move(crd), "status"));
    return Again();
  }
  terminating(world, crd, false, "InstanceDeletionCompleted", "removed all instances");
  Value next = TRY(world.update(key.group, key.plural, std::move(crd), "status"));
  Value& meta = ensure(next, "metadata");
  if (kept.empty()) drop(meta, "finalizers");
  else put(meta, "finalizers", Value::list_of(std::move(kept)));
  TRY(world.update(key.group, key.plural, std::move(next)));
  return Again();
}

Result<Again> reconcile(World& world, const Key& key) {
  Result<Value> found = world.get(key);
  if (!found) return Again();
  if (being_deleted(*found)) return clean_up(world, key, std::move(*found));
  put(*found, "status", definition_status(*found, world.now()));
  TRY(world.update(key.group, key.plural, std::move(*found), "status"));
  return Again();
}

}  // namespace

const Controller kDefinitions{"crd-controller",
                              {{kDefinitionGroup, kDefinitionPlural, self}, {"", "*", gone_object}},
                              reconcile,
                              "kube-apiserver"};

const std::vector<const Controller*>& server_controllers() {
  static const std::vector<const Controller*> all = {&kDefinitions};
  return all;
}

}  // namespace pintle::drydock
