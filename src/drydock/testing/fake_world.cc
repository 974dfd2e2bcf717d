#include "drydock/testing/fake_world.h"

#include "base/check.h"
#include "base/strings.h"
#include "drydock/controllers/common.h"
#include "json/json.h"

namespace pintle::drydock {
namespace {

struct Row {
  const char *group, *plural, *kind;
  bool namespaced = true;
};
constexpr Row kRows[] = {
    {"", "namespaces", "Namespace", false}, {"", "nodes", "Node", false},
    {"", "persistentvolumes", "PersistentVolume", false},
    {"", "pods", "Pod"}, {"", "services", "Service"}, {"", "endpoints", "Endpoints"},
    {"", "configmaps", "ConfigMap"}, {"", "secrets", "Secret"},
    {"", "serviceaccounts", "ServiceAccount"}, {"", "resourcequotas", "ResourceQuota"},
    {"", "persistentvolumeclaims", "PersistentVolumeClaim"},
    {"apps", "deployments", "Deployment"}, {"apps", "replicasets", "ReplicaSet"},
    {"apps", "statefulsets", "StatefulSet"}, {"apps", "daemonsets", "DaemonSet"},
    {"apps", "controllerrevisions", "ControllerRevision"},
    {"batch", "jobs", "Job"}, {"batch", "cronjobs", "CronJob"},
    {"discovery.k8s.io", "endpointslices", "EndpointSlice"},
    {"policy", "poddisruptionbudgets", "PodDisruptionBudget"},
    {"autoscaling", "horizontalpodautoscalers", "HorizontalPodAutoscaler"},
    {"storage.k8s.io", "storageclasses", "StorageClass", false},
    {"rbac.authorization.k8s.io", "clusterroles", "ClusterRole", false},
};

}  // namespace

FakeWorld::FakeWorld() {
  for (const Row& row : kRows) {
    auto resource = std::make_shared<Resource>();
    resource->group = row.group;
    resource->version = "v1";
    resource->plural = row.plural;
    resource->kind = row.kind;
    resource->namespaced = row.namespaced;
    resource->verbs = {"create", "delete", "get", "list", "patch", "update", "watch"};
    x_resources.push_back(std::move(resource));
  }
  add("", "nodes", R"({"metadata": {"name": "node-0"}})");
  add("", "namespaces", R"({"metadata": {"name": "default"}, "spec": {"finalizers": ["kubernetes"]}})");
}

value::Value FakeWorld::add(std::string_view group, std::string_view plural, std::string_view text) {
  Result<Value> object = json::read(text, {.numbers = json::Numbers::kExact});
  CHECK(object);
  ResourcePtr kind = resource(group, plural);
  CHECK(kind);
  if (kind->namespaced) default_to(ensure(*object, "metadata"), "namespace", "default");
  Result<Value> made = create(group, plural, std::move(*object));
  CHECK(made);
  return *made;
}

void FakeWorld::run(int64_t ns) {
  int64_t end = x_now + ns;
  for (int guard = 0; guard < 100'000; ++guard) {
    if (x_runner.run_due(*this) > 0) continue;
    std::optional<int64_t> due = x_runner.next_due_ns();
    if (!due || *due > end) break;
    x_now = std::max(x_now, *due);
  }
  x_now = end;
}

bool FakeWorld::has_event(std::string_view reason, std::string_view message) const {
  for (const Event& e : events) {
    if (e.reason == reason && e.message.find(message) != std::string::npos) return true;
  }
  return false;
}

std::string FakeWorld::now() { return format_time(x_now); }

std::string FakeWorld::random_suffix(size_t n) {
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  std::string out(n, 'b');
  uint64_t id = ++x_suffixes;
  for (size_t i = n; i-- > 0; id /= kAlphabet.size()) out[i] = kAlphabet[id % kAlphabet.size()];
  return out;
}

std::string FakeWorld::new_uid() { return cat("uid-", ++x_uids); }

ResourcePtr FakeWorld::resource(std::string_view group, std::string_view plural) {
  for (const ResourcePtr& r : x_resources) {
    if (r->group == group && r->plural == plural) return r;
  }
  return nullptr;
}

Result<value::Value> FakeWorld::get(const Key& key) {
  auto it = x_objects.find(key);
  if (it == x_objects.end()) return Error(Code::kNotFound, cat(key.plural, " \"", key.name, "\" not found"));
  return value::deep_copy(it->second);
}

std::vector<value::Value> FakeWorld::list(std::string_view group, std::string_view plural,
                                          std::string_view ns, std::string_view) {
  std::vector<Value> found;
  for (const auto& [key, object] : x_objects) {
    bool in = key.group == group && key.plural == plural && (ns.empty() || key.ns == ns);
    if (in) found.push_back(value::deep_copy(object));
  }
  return found;
}

void FakeWorld::store(const Key& key, const value::Value* before, value::Value after) {
  put(ensure(after, "metadata"), "resourceVersion", std::to_string(++x_version));
  ++writes;
  Value old = before ? *before : Value();
  x_objects[key] = std::move(after);
  Value seen = x_objects[key];
  x_runner.changed(*this, {key.group, key.plural, before ? &old : nullptr, &seen});
}

void FakeWorld::erase(const Key& key) {
  Value old = x_objects[key];
  x_objects.erase(key);
  ++writes;
  x_runner.changed(*this, {key.group, key.plural, &old, nullptr});
}

Result<value::Value> FakeWorld::create(std::string_view group, std::string_view plural,
                                       value::Value object) {
  Value& meta = ensure(object, "metadata");
  if (unset(meta, "name")) put(meta, "name", cat(text(meta, "generateName"), random_suffix(5)));
  Key key = key_of(group, plural, object);
  if (x_objects.contains(key)) {
    return Error(Code::kAlreadyExists, cat(plural, " \"", key.name, "\" already exists"));
  }
  put(meta, "uid", new_uid());
  put(meta, "creationTimestamp", now());
  put(meta, "generation", 1);
  store(key, nullptr, value::deep_copy(object));
  return get(key);
}

Result<value::Value> FakeWorld::update(std::string_view group, std::string_view plural,
                                       value::Value object, std::string_view subresource) {
  Key key = key_of(group, plural, object);
  Value before = TRY(get(key));
  std::string_view version = text(object, "metadata", "resourceVersion");
  if (!version.empty() && version != text(before, "metadata", "resourceVersion")) {
    return Error(Code::kAborted, "the object has been modified");
  }
  Value after = value::deep_copy(object);
  if (subresource.empty()) copy_entry(after, before, "status");
  if (subresource == "status") copy_entry(after, before, "spec");
  if (same(before, after)) return before;
  if (!same(at(before, "spec"), at(after, "spec"))) {
    put(ensure(after, "metadata"), "generation", number(before, "metadata", "generation") + 1);
  }
  store(key, &before, std::move(after));
  const Value& now = x_objects[key];
  bool held = !items(now, "metadata", "finalizers").empty() || !items(now, "spec", "finalizers").empty();
  Value result = value::deep_copy(now);
  if (being_deleted(now) && !held && number(now, "metadata", "deletionGracePeriodSeconds") == 0) erase(key);
  return result;
}

Status FakeWorld::remove(const Key& key, std::string_view propagation, int64_t grace) {
  Value before = TRY(get(key));
  Value after = value::deep_copy(before);
  Value& meta = ensure(after, "metadata");
  if (propagation == "Foreground") push(meta, "finalizers", make("foregroundDeletion"));
  if (propagation == "Orphan") push(meta, "finalizers", make("orphan"));
  bool running = key.plural == "pods" && has(after, "spec", "nodeName") && !pod_finished(after);
  if (grace < 0) grace = running ? 30 : 0;
  bool held = !items(after, "metadata", "finalizers").empty() || !items(after, "spec", "finalizers").empty();
  if (grace == 0 && !held) {
    erase(key);
    return ok();
  }
  default_to(meta, "deletionTimestamp", format_time(x_now + grace * kSecond));
  put(meta, "deletionGracePeriodSeconds", grace);
  if (!same(before, after)) store(key, &before, std::move(after));
  return ok();
}

void FakeWorld::event(const value::Value& about, std::string_view type, std::string_view reason,
                      std::string_view message, std::string_view component) {
  events.push_back({std::string(name_of(about)), std::string(type), std::string(reason),
                    std::string(message), std::string(component)});
}

}  // namespace pintle::drydock
