// CustomResourceDefinitions: one that is written gets its names accepted and is established; one that
// is being deleted loses its objects first, then its finalizer. Part of the API server itself, so it
// runs even where the simulated controllers do not.
#include <set>

#include "base/gotext.h"
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

// Two definitions of one group may not share a name; the first to have it keeps it.
NameConflict conflict_of(World& world, const Value& crd) {
  std::set<std::string> plurals, kinds;  // resources' names of all forms; kinds and list kinds
  for (const Value& other : world.list(kDefinitionGroup, kDefinitionPlural, "")) {
    if (name_of(other) == name_of(crd) || text(other, "spec", "group") != text(crd, "spec", "group")) continue;
    const Value* names = at(other, "status", "acceptedNames");
    if (!names) continue;
    for (std::string_view key : {"plural", "singular"}) plurals.emplace(text(*names, key));
    for (const Value& s : items(*names, "shortNames")) plurals.emplace(s.is_string() ? s.as_string() : "");
    for (std::string_view key : {"kind", "listKind"}) kinds.emplace(text(*names, key));
  }
  NameConflict out;
  auto check = [&](const std::set<std::string>& used, std::string_view name, std::string_view reason) {
    if (name.empty() || !used.contains(std::string(name))) return;
    out = {std::string(reason), cat(quote(name), " is already in use")};
  };
  const Value& names = *at(crd, "spec", "names");
  check(plurals, text(names, "plural"), "PluralConflict");
  check(plurals, text(names, "singular"), "SingularConflict");
  for (const Value& s : items(names, "shortNames")) check(plurals, s.is_string() ? s.as_string() : "", "ShortNamesConflict");
  check(kinds, text(names, "kind"), "KindConflict");
  check(kinds, text(names, "listKind"), "ListKindConflict");
  return out;
}

// A definition that goes sets its names free for the others of its group.
std::vector<Key> rivals(World& world, const Change& change) {
  std::vector<Key> out;
  if (change.after || !change.before) return out;
  for (const Value& other : world.list(kDefinitionGroup, kDefinitionPlural, "")) {
    if (text(other, "spec", "group") != text(*change.before, "spec", "group")) continue;
    out.push_back({std::string(kDefinitionGroup), std::string(kDefinitionPlural), "", std::string(name_of(other))});
  }
  return out;
}

Result<Again> reconcile(World& world, const Key& key) {
  Result<Value> found = world.get(key);
  if (!found) return Again();
  if (being_deleted(*found)) return clean_up(world, key, std::move(*found));
  put(*found, "status", definition_status(*found, world.now(), conflict_of(world, *found)));
  TRY(world.update(key.group, key.plural, std::move(*found), "status"));
  return Again();
}

}  // namespace

const Controller kDefinitions{"crd-controller",
                              {{kDefinitionGroup, kDefinitionPlural, self}, {kDefinitionGroup, kDefinitionPlural, rivals}, {"", "*", gone_object}},
                              reconcile,
                              "kube-apiserver"};

const std::vector<const Controller*>& server_controllers() {
  static const std::vector<const Controller*> all = {&kDefinitions};
  return all;
}

}  // namespace pintle::drydock
