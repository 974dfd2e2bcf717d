// Deployment: one ReplicaSet per template, rolled from the old ones to the new one. Strategies, limits,
// revisions, conditions and their words as kube-controller-manager's deployment controller; the name of
// a ReplicaSet ends in a hash of our own (see template_hash). A rollback (kubectl rollout undo) is a
// template that an old ReplicaSet already has: that one becomes the new one again.
#include <algorithm>
#include <charconv>
#include <climits>
#include <cmath>

#include "base/strings.h"
#include "drydock/controllers/common.h"
#include "drydock/controllers/controllers.h"

namespace pintle::drydock {
namespace {

constexpr std::string_view kName = "deployment-controller";
constexpr std::string_view kRevision = "deployment.kubernetes.io/revision";
constexpr std::string_view kRevisionHistory = "deployment.kubernetes.io/revision-history";
constexpr std::string_view kDesired = "deployment.kubernetes.io/desired-replicas";
constexpr std::string_view kMax = "deployment.kubernetes.io/max-replicas";
constexpr std::string_view kHash = "pod-template-hash";
constexpr size_t kMaxHistoryChars = 2000;

int64_t size_of(const Value& set) { return number(set, "spec", "replicas"); }

int64_t annotated(const Value& object, std::string_view name, int64_t fallback) {
  std::string_view t = text(object, "metadata", "annotations", name);
  int64_t n = fallback;
  std::from_chars(t.data(), t.data() + t.size(), n);
  return n;
}

bool same_template(const Value& set, const Value& deployment) {
  Value a = value::deep_copy(*at(set, "spec", "template"));
  Value b = value::deep_copy(*at(deployment, "spec", "template"));
  for (Value* tmpl : {&a, &b}) {
    if (Value* labels = find(*tmpl, "metadata", "labels")) drop(*labels, kHash);
  }
  return same(a, b);
}

bool annotate(Value& object, std::string_view name, std::string_view value) {
  Value& annotations = ensure(object, "metadata", "annotations");
  if (text(annotations, name) == value && has(annotations, name)) return false;
  put(annotations, name, value);
  return true;
}

struct Rollout {
  World& world;
  Value deployment;
  std::vector<Value> olds;  // by age
  std::optional<Value> current;

  int64_t replicas() const { return number_or(1, deployment, "spec", "replicas"); }
  bool rolling() const { return text(deployment, "spec", "strategy", "type") != "Recreate"; }
  std::pair<int64_t, int64_t> fenceposts() const {
    if (!rolling()) return {0, 0};
    const Value* limits = at(deployment, "spec", "strategy", "rollingUpdate");
    int64_t surge = limits ? int_or_percent(at(*limits, "maxSurge"), replicas(), true, 0) : 0;
    int64_t unavailable = limits ? int_or_percent(at(*limits, "maxUnavailable"), replicas(), false, 0) : 0;
    if (surge == 0 && unavailable == 0) unavailable = 1;
    return {surge, std::min(unavailable, replicas())};
  }
  int64_t max_surge() const { return fenceposts().first; }
  int64_t max_unavailable() const { return fenceposts().second; }
  bool has_deadline() const {
    const Value* deadline = at(deployment, "spec", "progressDeadlineSeconds");
    return deadline && as_number(deadline, INT_MAX) != INT_MAX;
  }
  bool paused() const { return flag(deployment, "spec", "paused"); }

  template <typename F>
  int64_t sum(F count) const {
    int64_t n = current ? count(*current) : 0;
    for (const Value& set : olds) n += count(set);
    return n;
  }
  static int64_t actual(const Value& set) { return number(set, "status", "replicas"); }
  static int64_t ready(const Value& set) { return number(set, "status", "readyReplicas"); }
  static int64_t available(const Value& set) { return number(set, "status", "availableReplicas"); }
  static int64_t terminating(const Value& set) { return number(set, "status", "terminatingReplicas"); }

  void event(std::string_view type, std::string_view reason, std::string_view message) {
    world.event(deployment, type, reason, message, kName);
  }

  // ---- conditions ----
  void set_condition(Value& status, std::string_view type, std::string_view state,
                     std::string_view reason, std::string_view message, bool refresh = false) {
    Value fresh = empty_map();
    put(fresh, "type", type);
    put(fresh, "status", state);
    put(fresh, "lastUpdateTime", world.now());
    put(fresh, "lastTransitionTime", world.now());
    put(fresh, "reason", reason);
    put(fresh, "message", message);
    if (const Value* old = find_condition(status, type)) {
      bool same_state = text(*old, "status") == state;
      if (same_state && text(*old, "reason") == reason && !refresh) return;
      if (same_state) put(fresh, "lastTransitionTime", text(*old, "lastTransitionTime"));
    }
    drop_condition(status, type);
    push(status, "conditions", std::move(fresh));
  }
  Value status_copy() const {
    const Value* status = at(deployment, "status");
    return status ? value::deep_copy(*status) : empty_map();
  }
  // The status and the revision annotation travel together, as UpdateStatus of the whole object.
  Status write(Value status, bool annotated_anew = false) {
    if (!annotated_anew && same(at(deployment, "status"), &status)) return ok();
    put(deployment, "status", std::move(status));
    deployment = TRY(world.update("apps", "deployments", deployment, "status"));
    return ok();
  }

  Status check_paused() {
    if (!has_deadline()) return ok();
    Value status = status_copy();
    const Value* condition = find_condition(status, "Progressing");
    std::string reason(condition ? text(*condition, "reason") : "");
    if (reason == "ProgressDeadlineExceeded") return ok();
    if (paused() && reason != "DeploymentPaused") {
      set_condition(status, "Progressing", "Unknown", "DeploymentPaused", "Deployment is paused");
    } else if (!paused() && reason == "DeploymentPaused") {
      set_condition(status, "Progressing", "Unknown", "DeploymentResumed", "Deployment is resumed");
    }
    return write(std::move(status));
  }

  // ---- ReplicaSets ----
  bool annotate_set(Value& set, std::string_view revision, bool exists) {
    bool changed = false;
    for (const auto& [name, v] : entries(deployment, "metadata", "annotations")) {
      std::string_view n = name.view();
      if (n == "kubectl.kubernetes.io/last-applied-configuration" || n == kRevision ||
          n == kRevisionHistory || n == kDesired || n == kMax ||
          n == "deprecated.deployment.rollback.to") {
        continue;
      }
      if (v.is_string()) changed |= annotate(set, n, v.as_string());
    }
    std::string old(text(set, "metadata", "annotations", kRevision));
    int64_t next = 0;
    std::from_chars(revision.data(), revision.data() + revision.size(), next);
    if (annotated(set, kRevision, 0) < next) {
      changed |= annotate(set, kRevision, revision);
      if (!old.empty()) {
        std::string history(text(set, "metadata", "annotations", kRevisionHistory));
        history = history.empty() ? old : cat(history, ",", old);
        while (history.size() > kMaxHistoryChars) {
          size_t comma = history.find(',');
          history = comma == history.npos ? old : history.substr(comma + 1);
        }
        annotate(set, kRevisionHistory, history);
      }
    }
    if (!exists) changed |= annotate_sizes(set);
    return changed;
  }
  bool annotate_sizes(Value& set) {
    bool changed = annotate(set, kDesired, std::to_string(replicas()));
    changed |= annotate(set, kMax, std::to_string(replicas() + max_surge()));
    return changed;
  }

  Status sync_current(bool create) {
    int64_t newest = 0;
    for (const Value& set : olds) newest = std::max(newest, annotated(set, kRevision, 0));
    std::string revision = std::to_string(newest + 1);
    if (!current) return create ? make_current(revision) : ok();

    bool changed = annotate_set(*current, revision, true);
    int64_t min_ready = number(deployment, "spec", "minReadySeconds");
    if (number(*current, "spec", "minReadySeconds") != min_ready) {
      put(ensure(*current, "spec"), "minReadySeconds", min_ready);
      changed = true;
    }
    if (changed) current = TRY(world.update("apps", "replicasets", *current));
    bool anew = annotate(deployment, kRevision, text(*current, "metadata", "annotations", kRevision));
    Value status = status_copy();
    if (has_deadline() && !find_condition(status, "Progressing")) {
      set_condition(status, "Progressing", "True", "FoundNewReplicaSet",
                    cat("Found new replica set \"", name_of(*current), "\""));
    }
    return write(std::move(status), anew);
  }

  Status make_current(const std::string& revision) {
    const Value* collisions = at(deployment, "status", "collisionCount");
    std::optional<int64_t> count;
    if (collisions) count = as_number(collisions, 0);
    Value tmpl = value::deep_copy(*at(deployment, "spec", "template"));
    std::string hash = template_hash(tmpl, count);
    put(ensure(tmpl, "metadata", "labels"), kHash, hash);
    Value set = empty_map();
    Value& meta = ensure(set, "metadata");
    put(meta, "name", cat(name_of(deployment).substr(0, 252 - hash.size()), "-", hash));
    put(meta, "namespace", namespace_of(deployment));
    put(meta, "labels", value::deep_copy(*at(tmpl, "metadata", "labels")));
    put(meta, "ownerReferences",
        Value::list_of({owner_reference(deployment, "apps/v1", "Deployment")}));
    Value& spec = ensure(set, "spec");
    Value selector = value::deep_copy(*at(deployment, "spec", "selector"));
    put(ensure(selector, "matchLabels"), kHash, hash);
    put(spec, "selector", std::move(selector));
    put(spec, "template", std::move(tmpl));
    if (int64_t n = number(deployment, "spec", "minReadySeconds")) put(spec, "minReadySeconds", n);
    int64_t size = new_size(0);
    put(spec, "replicas", size);
    annotate_set(set, revision, false);

    Result<Value> made = world.create("apps", "replicasets", std::move(set));
    Value status = status_copy();
    if (!made) {
      if (made.error().code() == Code::kAlreadyExists) {
        put(status, "collisionCount", count.value_or(0) + 1);
        TRY(write(std::move(status)));
        return made.error();
      }
      std::string message = cat("Failed to create new replica set \"", name_of(deployment), "-", hash,
                                "\": ", made.error().text());
      if (has_deadline()) {
        set_condition(status, "Progressing", "False", "ReplicaSetCreateError", message);
        TRY(write(std::move(status)));
      }
      event("Warning", "ReplicaSetCreateError", message);
      return made.error();
    }
    current = std::move(*made);
    if (size > 0) {
      event("Normal", "ScalingReplicaSet",
            cat("Scaled up replica set ", name_of(*current), " from 0 to ", size));
    }
    bool anew = annotate(deployment, kRevision, revision);
    if (has_deadline()) {
      set_condition(status, "Progressing", "True", "NewReplicaSetCreated",
                    cat("Created new replica set \"", name_of(*current), "\""));
    }
    return write(std::move(status), anew);
  }

  int64_t new_size(int64_t now) const {
    if (!rolling()) return replicas();
    const Value* limits = at(deployment, "spec", "strategy", "rollingUpdate");
    int64_t surge = limits ? int_or_percent(at(*limits, "maxSurge"), replicas(), true, 0) : 0;
    int64_t room = replicas() + surge - sum(size_of);
    if (room <= 0) return now;
    return now + std::min(room, replicas() - now);
  }

  Result<bool> scale_set(Value& set, int64_t size, bool force = false) {
    int64_t old = size_of(set);
    if (!force && old == size) return false;
    bool changed = annotate_sizes(set);
    if (old == size && !changed) return false;
    put(ensure(set, "spec"), "replicas", size);
    set = TRY(world.update("apps", "replicasets", set));
    if (old == size) return false;
    event("Normal", "ScalingReplicaSet", cat("Scaled ", old < size ? "up" : "down", " replica set ",
                                             name_of(set), " from ", old, " to ", size));
    return true;
  }

  // ---- a changed spec.replicas, in proportion over the active sets ----
  bool scaling() const {
    auto unlike = [&](const Value& set) {
      int64_t desired = annotated(set, kDesired, -1);
      return size_of(set) > 0 && desired >= 0 && desired != replicas();
    };
    return (current && unlike(*current)) || std::any_of(olds.begin(), olds.end(), unlike);
  }

  Status scale() {
    std::vector<Value*> active;
    if (current && size_of(*current) > 0) active.push_back(&*current);
    for (auto it = olds.rbegin(); it != olds.rend(); ++it) {
      if (size_of(*it) > 0) active.push_back(&*it);
    }
    if (active.size() <= 1) {
      Value* only = !active.empty() ? active[0] : current ? &*current : !olds.empty() ? &olds.back()
                                                                                      : nullptr;
      if (only) TRY(scale_set(*only, replicas()));
      return ok();
    }
    if (current && size_of(*current) == replicas() && annotated(*current, kDesired, -1) == replicas() &&
        available(*current) == replicas()) {
      for (Value& set : olds) TRY(scale_set(set, 0));
      return ok();
    }
    if (!rolling()) return ok();

    int64_t allowed = replicas() > 0 ? replicas() + max_surge() : 0;
    int64_t to_add = allowed - sum(size_of);
    bool newer_first = to_add > 0;
    std::stable_sort(active.begin(), active.end(), [&](const Value* a, const Value* b) {
      if (size_of(*a) != size_of(*b)) return size_of(*a) > size_of(*b);
      auto age = [](const Value* v) { return text(*v, "metadata", "creationTimestamp"); };
      return newer_first ? age(a) > age(b) : age(a) < age(b);
    });
    std::vector<int64_t> sizes;
    int64_t added = 0;
    for (Value* set : active) {
      int64_t share = to_add == 0 || to_add == added ? 0 : fraction(*set);
      if (to_add > 0) share = std::min(share, to_add - added);
      if (to_add < 0) share = std::max(share, to_add - added);
      sizes.push_back(size_of(*set) + share);
      added += share;
    }
    sizes[0] = std::max<int64_t>(sizes[0] + to_add - added, 0);
    for (size_t i = 0; i < active.size(); ++i) TRY(scale_set(*active[i], sizes[i], true));
    return ok();
  }
  int64_t fraction(const Value& set) const {
    if (replicas() == 0) return -size_of(set);
    int64_t before = annotated(set, kMax, 0);
    if (before == 0) before = number(deployment, "status", "replicas");
    if (before == 0) return 0;
    double size = static_cast<double>(size_of(set) * (replicas() + max_surge())) / static_cast<double>(before);
    return std::lround(size) - size_of(set);
  }

  // ---- rolling ----
  Result<bool> shrink_olds() {
    int64_t old_size = sum(size_of) - size_of(*current);
    if (old_size == 0) return false;
    int64_t min_available = replicas() - max_unavailable();
    int64_t not_yet = size_of(*current) - available(*current);
    int64_t spare = sum(size_of) - min_available - not_yet;
    if (spare <= 0) return false;
    bool any = false;
    int64_t cleaned = 0;
    for (Value& set : olds) {  // unhealthy ones first: they serve nobody
      if (cleaned >= spare) break;
      int64_t unhealthy = std::min(spare - cleaned, size_of(set) - available(set));
      if (size_of(set) == 0 || unhealthy <= 0) continue;
      any |= TRY(scale_set(set, size_of(set) - unhealthy));
      cleaned += unhealthy;
    }
    int64_t left = sum(available) - min_available;
    for (Value& set : olds) {
      if (left <= 0) break;
      int64_t n = std::min(size_of(set), left);
      if (n == 0) continue;
      any |= TRY(scale_set(set, size_of(set) - n));
      left -= n;
    }
    return any;
  }

  Status roll() {
    TRY(sync_current(true));
    int64_t wanted = size_of(*current) > replicas() ? replicas() : new_size(size_of(*current));
    if (!TRY(scale_set(*current, wanted)) && !TRY(shrink_olds())) TRY(clean_up_if_complete());
    return report(true);
  }

  Status recreate() {
    TRY(sync_current(false));
    bool shrunk = false;
    for (Value& set : olds) shrunk |= TRY(scale_set(set, 0));
    if (shrunk || old_pods_run()) return report(true);
    TRY(sync_current(true));
    TRY(scale_set(*current, replicas()));
    TRY(clean_up_if_complete());
    return report(true);
  }
  bool old_pods_run() {
    for (const Value& set : olds) {
      if (actual(set) > 0) return true;
    }
    for (const Value& pod : world.list("", "pods", namespace_of(deployment))) {
      if (pod_finished(pod)) continue;
      for (const Value& set : olds) {
        if (controlled_by(pod, set)) return true;
      }
    }
    return false;
  }

  // ---- the end of a sync ----
  bool complete(const Value& status) const {
    return number(status, "updatedReplicas") == replicas() && number(status, "replicas") == replicas() &&
           number(status, "availableReplicas") == replicas() &&
           number(status, "observedGeneration") >= number(deployment, "metadata", "generation");
  }
  Status clean_up_if_complete() { return complete(status_copy()) ? clean_up() : ok(); }
  Status clean_up() {
    int64_t limit = number_or(INT_MAX, deployment, "spec", "revisionHistoryLimit");
    std::vector<Value*> sets;
    for (Value& set : olds) {
      if (!being_deleted(set)) sets.push_back(&set);
    }
    std::stable_sort(sets.begin(), sets.end(), [](const Value* a, const Value* b) {
      return annotated(*a, kRevision, 0) < annotated(*b, kRevision, 0);
    });
    for (int64_t i = 0; i < static_cast<int64_t>(sets.size()) - limit; ++i) {
      const Value& set = *sets[static_cast<size_t>(i)];
      bool idle = actual(set) == 0 && size_of(set) == 0 &&
                  number(set, "metadata", "generation") <= number(set, "status", "observedGeneration");
      if (!idle) continue;
      Status removed = world.remove(key_of("apps", "replicasets", set));
      if (!removed && !is_gone(removed.error())) return removed;
    }
    return ok();
  }

  Status report(bool progress) {
    Value old = status_copy(), status = status_copy();
    set_count(status, "observedGeneration", number(deployment, "metadata", "generation"));
    set_count(status, "replicas", sum(actual));
    set_count(status, "updatedReplicas", current ? actual(*current) : 0);
    set_count(status, "readyReplicas", sum(ready));
    set_count(status, "availableReplicas", sum(available));
    set_count(status, "unavailableReplicas", std::max<int64_t>(sum(size_of) - sum(available), 0));
    put(status, "terminatingReplicas", sum(terminating));
    if (sum(available) >= replicas() - max_unavailable()) {
      set_condition(status, "Available", "True", "MinimumReplicasAvailable",
                    "Deployment has minimum availability.");
    } else {
      set_condition(status, "Available", "False", "MinimumReplicasUnavailable",
                    "Deployment does not have minimum availability.");
    }
    if (progress) report_progress(old, status);
    return write(std::move(status));
  }

  void report_progress(const Value& old, Value& status) {
    if (!has_deadline()) drop_condition(status, "Progressing");
    const Value* before = find_condition(old, "Progressing");
    std::string reason(before ? text(*before, "reason") : "");
    bool settled = number(status, "replicas") == number(status, "updatedReplicas") &&
                   reason == "NewReplicaSetAvailable";
    if (has_deadline() && !settled) {
      std::string who = current ? cat("ReplicaSet \"", name_of(*current), "\"")
                                : cat("Deployment \"", name_of(deployment), "\"");
      if (complete(status)) {
        set_condition(status, "Progressing", "True", "NewReplicaSetAvailable",
                      cat(who, " has successfully progressed."));
      } else if (progressed(old, status)) {
        set_condition(status, "Progressing", "True", "ReplicaSetUpdated", cat(who, " is progressing."),
                      true);
      } else if (timed_out(status)) {
        set_condition(status, "Progressing", "False", "ProgressDeadlineExceeded",
                      cat(who, " has timed out progressing."));
      }
    }
    const Value* failure = current ? find_condition(ensure(*current, "status"), "ReplicaFailure") : nullptr;
    for (Value& set : olds) {
      if (!failure) failure = find_condition(ensure(set, "status"), "ReplicaFailure");
    }
    if (!failure) {
      drop_condition(status, "ReplicaFailure");
    } else {
      set_condition(status, "ReplicaFailure", text(*failure, "status"), text(*failure, "reason"),
                    text(*failure, "message"));
    }
  }
  static bool progressed(const Value& old, const Value& status) {
    auto olds_of = [](const Value& s) { return number(s, "replicas") - number(s, "updatedReplicas"); };
    return number(status, "updatedReplicas") > number(old, "updatedReplicas") ||
           olds_of(status) < olds_of(old) ||
           number(status, "readyReplicas") > number(old, "readyReplicas") ||
           number(status, "availableReplicas") > number(old, "availableReplicas");
  }
  int64_t deadline(const Value& condition) const {
    return parse_time(text(condition, "lastUpdateTime")) +
           number(deployment, "spec", "progressDeadlineSeconds") * kSecond;
  }
  bool timed_out(const Value& status) {
    const Value* condition = find_condition(status, "Progressing");
    if (!condition || text(*condition, "reason") == "NewReplicaSetAvailable") return false;
    if (text(*condition, "reason") == "ProgressDeadlineExceeded") return true;
    return deadline(*condition) < world.now_ns();
  }
  // When the deadline should be looked at.
  Again next_check() {
    const Value* status = at(deployment, "status");
    if (!status || !has_deadline() || paused() || complete(*status)) return std::nullopt;
    const Value* condition = find_condition(*status, "Progressing");
    if (!condition || text(*condition, "reason") == "ProgressDeadlineExceeded" ||
        text(*condition, "reason") == "NewReplicaSetAvailable") {
      return std::nullopt;
    }
    return std::max<int64_t>(deadline(*condition) - world.now_ns(), 0) + kSecond;
  }
};

Result<Again> reconcile(World& world, const Key& key) {
  Result<Value> found = world.get(key);
  if (!found || !has(*found, "spec", "template") || !has(*found, "spec", "selector")) return Again();
  Rollout rollout{world, std::move(*found), {}, std::nullopt};
  for (Value& set : TRY(claim(world, "apps", "replicasets", rollout.deployment, "apps/v1", "Deployment"))) {
    if (!rollout.current && same_template(set, rollout.deployment)) {
      rollout.current = std::move(set);
    } else {
      rollout.olds.push_back(std::move(set));
    }
  }
  if (being_deleted(rollout.deployment)) {
    TRY(rollout.sync_current(false));
    TRY(rollout.report(false));
    return Again();
  }
  TRY(rollout.check_paused());
  if (rollout.paused() || rollout.scaling()) {
    TRY(rollout.sync_current(false));
    TRY(rollout.scale());
    if (rollout.paused()) TRY(rollout.clean_up());
    TRY(rollout.report(false));
  } else if (rollout.rolling()) {
    TRY(rollout.roll());
  } else {
    TRY(rollout.recreate());
  }
  return rollout.next_check();
}

std::vector<Key> self(World&, const Change& change) { return self_key(change); }
std::vector<Key> set_owner(World&, const Change& change) {
  return owner_keys(change, "Deployment", "apps", "deployments");
}
// Recreate waits for the last old pod to go.
std::vector<Key> gone_pod(World& world, const Change& change) {
  if (change.after) return {};
  const Value* set = controller_of(*change.before);
  if (!set || text(*set, "kind") != "ReplicaSet") return {};
  Result<Value> found = world.get({"apps", "replicasets", std::string(namespace_of(*change.before)),
                                   std::string(text(*set, "name"))});
  if (!found) return {};
  return owner_keys({"apps", "replicasets", nullptr, &*found}, "Deployment", "apps", "deployments");
}

}  // namespace

const Controller kDeployments{kName,
                              {{"apps", "deployments", self},
                               {"apps", "replicasets", set_owner},
                               {"", "pods", gone_pod}},
                              reconcile};

}  // namespace pintle::drydock
