// Deployment, ReplicaSet, StatefulSet, DaemonSet, ReplicationController, ControllerRevision.
#include <charconv>

#include "drydock/kinds/families.h"
#include "drydock/kinds/pod_template.h"
#include "drydock/validation.h"

namespace pintle::drydock {
namespace {

void default_replicas(Value& spec) {
  if (!has(spec, "replicas")) put(spec, "replicas", 1);
}

void default_rolling(Value& strategy, std::string_view unavailable, std::string_view surge) {
  default_to(strategy, "type", "RollingUpdate");
  if (text(strategy, "type") != "RollingUpdate") return;
  Value& rolling = ensure(strategy, "rollingUpdate");
  auto fill = [&](std::string_view key, std::string_view wanted) {
    if (has(rolling, key)) return;
    if (wanted.ends_with('%')) put(rolling, key, wanted);
    else put(rolling, key, wanted == "1" ? 1 : 0);
  };
  fill("maxUnavailable", unavailable);
  fill("maxSurge", surge);
}

void deployment_defaults(Value& object) {
  Value& spec = ensure(object, "spec");
  default_replicas(spec);
  default_rolling(ensure(spec, "strategy"), "25%", "25%");
  if (!has(spec, "revisionHistoryLimit")) put(spec, "revisionHistoryLimit", 10);
  if (!has(spec, "progressDeadlineSeconds")) put(spec, "progressDeadlineSeconds", 600);
  default_pod_template(spec);
}

void replica_set_defaults(Value& object) {
  Value& spec = ensure(object, "spec");
  default_replicas(spec);
  default_pod_template(spec);
}

constexpr std::string_view kTemplates = "deprecated.daemonset.template.generation";

void daemon_set_defaults(Value& object) {
  // Every conversion of a DaemonSet writes it, so whoever creates one owns it.
  Value& notes = ensure(object, "metadata", "annotations");
  if (!has(notes, kTemplates)) put(notes, kTemplates, "0");
  Value& spec = ensure(object, "spec");
  default_rolling(ensure(spec, "updateStrategy"), "1", "0");
  if (!has(spec, "revisionHistoryLimit")) put(spec, "revisionHistoryLimit", 10);
  default_pod_template(spec);
}

void stateful_set_defaults(Value& object) {
  Value& spec = ensure(object, "spec");
  default_to(spec, "podManagementPolicy", "OrderedReady");
  Value& strategy = ensure(spec, "updateStrategy");
  if (unset(strategy, "type")) {
    put(strategy, "type", "RollingUpdate");
    ensure(strategy, "rollingUpdate");
  }
  // A type that the user names brings no rollingUpdate with it.
  if (Value* rolling = find(strategy, "rollingUpdate"); rolling && text(strategy, "type") == "RollingUpdate") {
    if (!has(*rolling, "partition")) put(*rolling, "partition", 0);
  }
  Value& retention = ensure(spec, "persistentVolumeClaimRetentionPolicy");
  default_to(retention, "whenDeleted", "Retain");
  default_to(retention, "whenScaled", "Retain");
  default_replicas(spec);
  if (!has(spec, "revisionHistoryLimit")) put(spec, "revisionHistoryLimit", 10);
  for (Value& claim : elements(spec, "volumeClaimTemplates")) {
    default_to(claim, "apiVersion", "v1");
    default_to(claim, "kind", "PersistentVolumeClaim");
    default_to(ensure(claim, "spec"), "volumeMode", "Filesystem");
    default_to(ensure(claim, "status"), "phase", "Pending");
  }
  default_pod_template(spec);
}

void replication_controller_defaults(Value& object) {
  Value& spec = ensure(object, "spec");
  default_replicas(spec);
  default_pod_template(spec);
  const Value* labels = at(spec, "template", "metadata", "labels");
  if (!labels) return;
  Value copy = value::deep_copy(*labels);
  if (entries(spec, "selector").empty()) put(spec, "selector", value::deep_copy(copy));
  Value& metadata = ensure(object, "metadata");
  if (entries(metadata, "labels").empty()) put(metadata, "labels", std::move(copy));
}

Status with_replicas_status(World&, Value& object) {
  Value status = empty_map();
  put(status, "replicas", 0);
  put(object, "status", std::move(status));
  return ok();
}

Status stateful_set_create(World&, Value& object) {
  Value status = empty_map();
  put(status, "replicas", 0);
  put(status, "availableReplicas", 0);
  put(object, "status", std::move(status));
  return ok();
}

Status daemon_set_create(World&, Value& object) {
  Value status = empty_map();
  put(ensure(object, "metadata", "annotations"), kTemplates, "1");
  for (std::string_view key :
       {"currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady"}) {
    put(status, key, 0);
  }
  put(object, "status", std::move(status));
  return ok();
}

// The strategy counts templates; the annotation is how apps/v1 shows it.
Status daemon_set_update(World& world, Value& object, const Value& old) {
  TRY(keep_status(world, object, old));
  int64_t count = 0;
  std::string_view t = text(old, "metadata", "annotations", kTemplates);
  std::from_chars(t.data(), t.data() + t.size(), count);
  if (!same(at(object, "spec", "template"), at(old, "spec", "template"))) ++count;
  put(ensure(object, "metadata", "annotations"), kTemplates, std::to_string(count));
  return ok();
}

// ---- validation ----

// The template as a StatefulSet's pods will have it: with a volume for each claim, and names of its own.
Value with_claims(const Value& pod_template, std::span<const Value> claims) {
  Value out = value::deep_copy(pod_template);
  Value& spec = ensure(out, "spec");
  drop(spec, "subdomain");
  drop(spec, "hostname");
  std::vector<Value> volumes;
  for (const Value& claim : claims) {
    Value volume = empty_map();
    put(volume, "name", name_of(claim));
    put(ensure(volume, "persistentVolumeClaim"), "claimName", name_of(claim));
    volumes.push_back(std::move(volume));
  }
  for (const Value& volume : items(spec, "volumes")) {
    bool claimed = std::any_of(claims.begin(), claims.end(),
                               [&](const Value& claim) { return name_of(claim) == text(volume, "name"); });
    if (!claimed) volumes.push_back(volume);
  }
  if (!volumes.empty()) put(spec, "volumes", Value::list_of(std::move(volumes)));
  return out;
}

void selector_and_template(const Value& object, std::string_view mismatch_path,
                           std::vector<Cause>& causes) {
  const Value& spec = pod_spec_of(object);
  const Value* selector = at(spec, "selector");
  bool empty = selector && (entries(*selector, "matchLabels").empty() &&
                             items(*selector, "matchExpressions").empty());
  if (!selector) {
    // A DaemonSet's selector may be missing: then it matches nothing.
    if (mismatch_path != "daemonset") required(causes, "spec.selector");
  } else {
    validate_label_selector(selector, "spec.selector", causes);
    if (empty) {
      invalid_value(causes, "spec.selector", *selector, "empty selector is invalid for " +
                        std::string(mismatch_path));
    }
  }
  const Value* pod = at(spec, "template");
  static thread_local const Value nothing = empty_map();
  const Value* labels = pod ? at(*pod, "metadata", "labels") : nullptr;
  if (!empty && !selector_matches(selector, labels)) {
    invalid_value(causes, "spec.template.metadata.labels", labels ? *labels : Value::nil(),
                  "`selector` does not match template `labels`");
  }
  auto claims = items(spec, "volumeClaimTemplates");
  validate_pod_template(claims.empty() ? (pod ? *pod : nothing) : with_claims(pod ? *pod : nothing, claims),
                        "spec.template", causes);
}

void restart_always(const Value& object, std::vector<Cause>& causes) {
  std::string_view policy = text(object, "spec", "template", "spec", "restartPolicy");
  if (policy != "Always" && !policy.empty()) {
    not_supported(causes, "spec.template.spec.restartPolicy", policy, {"Always"});
  }
}

void no_deadline(const Value& object, std::string_view kind, std::vector<Cause>& causes) {
  if (has(object, "spec", "template", "spec", "activeDeadlineSeconds")) {
    forbidden_field(causes, "spec.template.spec.activeDeadlineSeconds",
                    cat("activeDeadlineSeconds in ", kind, " is not Supported"));
  }
}

void same_selector(const Value& object, const Value* old, std::vector<Cause>& causes) {
  if (old) immutable(causes, "spec.selector", at(object, "spec", "selector"), at(*old, "spec", "selector"));
}

void validate_strategy(const Value& object, std::string_view key, std::string_view second,
                       std::vector<Cause>& causes) {
  const Value* strategy = at(object, "spec", key);
  if (!strategy) return;
  std::string path = cat("spec.", key);
  std::string_view type = text(*strategy, "type");
  if (type != "RollingUpdate" && type != second) {
    if (key == "strategy") {
      not_supported_text(causes, path, cat("{\"Type\":\"", type, "\",\"RollingUpdate\":null}"),
                         {"Recreate", "RollingUpdate"});
    } else if (second == "OnDelete" && text(object, "kind") == "DaemonSet") {
      not_supported(causes, path + ".type", type, {"OnDelete", "RollingUpdate"});
    } else {
      invalid_value(causes, path, *strategy, "must be 'RollingUpdate' or 'OnDelete'");
    }
  }
  if (type == "Recreate" && has(*strategy, "rollingUpdate")) {
    forbidden_field(causes, path + ".rollingUpdate",
                    "may not be specified when strategy `type` is 'Recreate'");
  }
  if (type == "RollingUpdate" && key == "strategy") {
    for (std::string_view k : {"maxUnavailable", "maxSurge"}) {
      validate_share(causes, child(path + ".rollingUpdate", k), at(*strategy, "rollingUpdate", k));
    }
    auto zero = [&](std::string_view k) {
      const Value* v = at(*strategy, "rollingUpdate", k);
      return v && ((v->is_int() && v->as_int() == 0) || (v->is_string() && v->as_string() == "0%"));
    };
    if (zero("maxUnavailable") && zero("maxSurge")) {
      invalid_value(causes, path + ".rollingUpdate.maxUnavailable",
                    *at(*strategy, "rollingUpdate", "maxUnavailable"),
                    "may not be 0 when `maxSurge` is 0");
    }
  }
}

void deployment_validate(const Value& object, const Value* old, std::vector<Cause>& causes) {
  const Value& spec = pod_spec_of(object);
  non_negative(spec, "replicas", "spec", causes);
  selector_and_template(object, "deployment", causes);
  restart_always(object, causes);
  no_deadline(object, "ReplicaSet", causes);
  validate_strategy(object, "strategy", "Recreate", causes);
  non_negative(spec, "minReadySeconds", "spec", causes);
  non_negative(spec, "revisionHistoryLimit", "spec", causes);
  non_negative(spec, "progressDeadlineSeconds", "spec", causes);
  if (const Value* deadline = at(spec, "progressDeadlineSeconds");
      deadline && as_number(deadline, 0) <= number(spec, "minReadySeconds")) {
    invalid_value(causes, "spec.progressDeadlineSeconds", *deadline,
                  "must be greater than minReadySeconds");
  }
  same_selector(object, old, causes);
}

void replica_set_validate(const Value& object, const Value* old, std::vector<Cause>& causes) {
  non_negative(pod_spec_of(object), "replicas", "spec", causes);
  non_negative(pod_spec_of(object), "minReadySeconds", "spec", causes);
  selector_and_template(object, "deployment", causes);
  restart_always(object, causes);
  no_deadline(object, "ReplicaSet", causes);
  same_selector(object, old, causes);
}

void daemon_set_validate(const Value& object, const Value* old, std::vector<Cause>& causes) {
  selector_and_template(object, "daemonset", causes);
  restart_always(object, causes);
  no_deadline(object, "DaemonSet", causes);
  validate_strategy(object, "updateStrategy", "OnDelete", causes);
  same_selector(object, old, causes);
}

void stateful_set_validate(const Value& object, const Value* old, std::vector<Cause>& causes) {
  std::string_view policy = text(object, "spec", "podManagementPolicy");
  if (policy != "OrderedReady" && policy != "Parallel") {
    invalid_value(causes, "spec.podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'");
  }
  non_negative(pod_spec_of(object), "replicas", "spec", causes);
  selector_and_template(object, "statefulset", causes);
  restart_always(object, causes);
  no_deadline(object, "StatefulSet", causes);
  if (!old) return;
  Value next = value::deep_copy(pod_spec_of(object)), before = value::deep_copy(pod_spec_of(*old));
  for (std::string_view key :
       {"replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit",
        "persistentVolumeClaimRetentionPolicy", "minReadySeconds"}) {
    drop(next, key);
    drop(before, key);
  }
  if (!same(next, before)) {
    forbidden_field(causes, "spec",
                    "updates to statefulset spec for fields other than 'replicas', 'ordinals', "
                    "'template', 'updateStrategy', 'revisionHistoryLimit', "
                    "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden");
  }
}

void controller_validate(const Value& object, const Value*, std::vector<Cause>& causes) {
  const Value& spec = pod_spec_of(object);
  non_negative(spec, "replicas", "spec", causes);
  if (entries(spec, "selector").empty()) required(causes, "spec.selector");
  const Value* pod = at(spec, "template");
  if (!pod) {
    required(causes, "spec.template");
    return;
  }
  const Value* labels = at(*pod, "metadata", "labels");
  for (const auto& e : entries(spec, "selector")) {
    const Value* v = labels ? labels->get(e.key) : nullptr;
    if (!v || !same(*v, e.value)) {
      invalid_value(causes, "spec.template.metadata.labels", labels ? *labels : Value::nil(),
                    "`selector` does not match template `labels`");
      break;
    }
  }
  validate_pod_template(*pod, "spec.template", causes);
  restart_always(object, causes);
}

std::vector<std::string_view> replica_fields() { return {"status.replicas"}; }

}  // namespace

void add_workload_kinds(std::vector<KindRules>& out) {
  out.push_back({.group = "apps", .kind = "Deployment", .defaults = deployment_defaults,
                 .create = drop_status, .update = keep_status, .validate = deployment_validate,
                 .generation = true});
  out.push_back({.group = "apps", .kind = "ReplicaSet", .defaults = replica_set_defaults,
                 .create = with_replicas_status, .update = keep_status,
                 .validate = replica_set_validate, .generation = true});
  out.push_back({.group = "apps", .kind = "StatefulSet", .defaults = stateful_set_defaults,
                 .create = stateful_set_create, .update = keep_status,
                 .validate = stateful_set_validate, .generation = true});
  out.push_back({.group = "apps", .kind = "DaemonSet", .defaults = daemon_set_defaults,
                 .create = daemon_set_create, .update = daemon_set_update, .validate = daemon_set_validate,
                 .generation = true});
  out.push_back({.group = "", .kind = "ReplicationController",
                 .defaults = replication_controller_defaults, .create = with_replicas_status,
                 .update = keep_status, .validate = controller_validate, .generation = true,
                 .selectable = replica_fields});
}

}  // namespace pintle::drydock
