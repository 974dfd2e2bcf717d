// Namespaces: one that is being deleted loses its contents, then its finalizer. Every other one has
// the "default" ServiceAccount and the ConfigMap with the API server's CA.
#include <map>

#include "base/strings.h"
#include "drydock/controllers/common.h"
#include "drydock/controllers/controllers.h"

namespace pintle::drydock {
namespace {

std::vector<Key> self(World&, const Change& change) { return self_key(change); }

// The last object to go wakes its namespace.
std::vector<Key> gone_content(World& world, const Change& change) {
  std::string_view ns = namespace_of(change.object());
  if (change.after || ns.empty()) return {};
  Key key{"", "namespaces", "", std::string(ns)};
  Result<Value> found = world.get(key);
  if (!found || !being_deleted(*found)) return {};
  return {key};
}

void set_condition(World& world, Value& status, std::string_view type, bool bad, std::string_view reason,
                   std::string_view message) {
  Value* condition = find_condition(status, type);
  if (!condition) {
    Value fresh = empty_map();
    put(fresh, "type", type);
    push(status, "conditions", std::move(fresh));
    condition = find_condition(status, type);
  }
  std::string_view state = bad ? "True" : "False";
  if (text(*condition, "status") != state) put(*condition, "lastTransitionTime", world.now());
  put(*condition, "status", state);
  put(*condition, "reason", reason);
  put(*condition, "message", message);
}

Result<Again> reconcile(World& world, const Key& key) {
  Result<Value> found = world.get(key);
  if (!found || !being_deleted(*found)) return Again();
  Value& space = *found;

  std::map<std::string, size_t> remaining, finalizers;
  for (const ResourcePtr& resource : world.resources()) {
    if (!resource->namespaced) continue;
    bool deletable = false;
    for (const std::string& verb : resource->verbs) deletable |= verb == "delete";
    if (!deletable) continue;
    for (const Value& object : world.list(resource->group, resource->plural, key.name)) {
      if (!being_deleted(object)) {
        Status removed = world.remove(key_of(resource->group, resource->plural, object));
        if (!removed && !is_gone(removed.error())) return removed.error();
      }
    }
    for (const Value& object : world.list(resource->group, resource->plural, key.name)) {
      ++remaining[cat(resource->plural, ".", resource->group)];
      for (const Value& f : items(object, "metadata", "finalizers")) {
        if (f.is_string()) ++finalizers[std::string(f.as_string())];
      }
    }
  }

  Value status = has(space, "status") ? value::deep_copy(*at(space, "status")) : empty_map();
  put(status, "phase", "Terminating");
  set_condition(world, status, "NamespaceDeletionDiscoveryFailure", false, "ResourcesDiscovered",
                "All resources successfully discovered");
  set_condition(world, status, "NamespaceDeletionGroupVersionParsingFailure", false, "ParsedGroupVersions",
                "All legacy kube types successfully parsed");
  set_condition(world, status, "NamespaceDeletionContentFailure", false, "ContentDeleted",
                "All content successfully deleted, may be waiting on finalization");
  std::string kinds, waiting;
  for (const auto& [name, n] : remaining) {
    kinds += cat(kinds.empty() ? "" : ", ", name, " has ", n, " resource instances");
  }
  for (const auto& [name, n] : finalizers) {
    waiting += cat(waiting.empty() ? "" : ", ", name, " in ", n, " resource instances");
  }
  set_condition(world, status, "NamespaceContentRemaining", !kinds.empty(),
                kinds.empty() ? "ContentRemoved" : "SomeResourcesRemain",
                kinds.empty() ? "All content successfully removed"
                              : cat("Some resources are remaining: ", kinds));
  set_condition(world, status, "NamespaceFinalizersRemaining", !waiting.empty(),
                waiting.empty() ? "ContentHasNoFinalizers" : "SomeFinalizersRemain",
                waiting.empty() ? "All content-preserving finalizers finished"
                                : cat("Some content in the namespace has finalizers remaining: ", waiting));
  TRY(write_status(world, "", "namespaces", space, std::move(status)));
  if (!remaining.empty()) return Again();

  std::vector<Value> kept;
  for (const Value& finalizer : items(space, "spec", "finalizers")) {
    if (!finalizer.is_string() || finalizer.as_string() != "kubernetes") kept.push_back(finalizer);
  }
  bool last = kept.empty();
  put(ensure(space, "spec"), "finalizers", Value::list_of(std::move(kept)));
  drop_when_empty(ensure(space, "spec"), "finalizers");
  TRY(world.update("", "namespaces", std::move(space), "finalize"));
  if (last && world.get(key)) {
    Status removed = world.remove(key);
    if (!removed && !is_gone(removed.error())) return removed.error();
  }
  return Again();
}

// ---- what every namespace has ----

std::vector<Key> of_namespace(World&, const Change& change) {
  std::string_view ns = namespace_of(change.object());
  return {{"", "namespaces", "", std::string(ns.empty() ? name_of(change.object()) : ns)}};
}
std::vector<Key> default_account(World& world, const Change& change) {
  if (change.after || name_of(*change.before) != "default") return {};
  return of_namespace(world, change);
}
std::vector<Key> root_ca(World& world, const Change& change) {
  if (name_of(change.object()) != "kube-root-ca.crt") return {};
  return of_namespace(world, change);
}

Result<Again> furnish(World& world, const Key& key) {
  Result<Value> found = world.get(key);
  if (!found || being_deleted(*found)) return Again();
  if (!world.get({"", "serviceaccounts", key.name, "default"})) {
    Value account = empty_map();
    put(ensure(account, "metadata"), "name", "default");
    put(ensure(account, "metadata"), "namespace", key.name);
    Result<Value> made = world.create("", "serviceaccounts", std::move(account));
    if (!made && made.error().code() != Code::kAlreadyExists) return made.error();
  }
  Result<Value> map = world.get({"", "configmaps", key.name, "kube-root-ca.crt"});
  std::string certificate = world.ca_certificate();
  if (map && text(*map, "data", "ca.crt") == certificate) return Again();
  Value wanted = map ? std::move(*map) : empty_map();
  Value& meta = ensure(wanted, "metadata");
  put(meta, "name", "kube-root-ca.crt");
  put(meta, "namespace", key.name);
  put(ensure(meta, "annotations"), "kubernetes.io/description",
      "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints "
      "such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across "
      "distributions of Kubernetes clusters.");
  put(wanted, "data", empty_map());
  put(ensure(wanted, "data"), "ca.crt", certificate);
  if (map) {
    TRY(world.update("", "configmaps", std::move(wanted)));
  } else {
    Result<Value> made = world.create("", "configmaps", std::move(wanted));
    if (!made && made.error().code() != Code::kAlreadyExists) return made.error();
  }
  return Again();
}

}  // namespace

const Controller kNamespaces{
    "namespace-controller", {{"", "namespaces", self}, {"", "*", gone_content}}, reconcile};
const Controller kServiceAccounts{"serviceaccount-controller",
                                  {{"", "namespaces", of_namespace},
                                   {"", "serviceaccounts", default_account},
                                   {"", "configmaps", root_ca}},
                                  furnish};

}  // namespace pintle::drydock
