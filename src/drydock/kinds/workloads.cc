// Deployment, ReplicaSet, StatefulSet, DaemonSet, ReplicationController, ControllerRevision.
#include <charconv>

#include "drydock/kinds/claims.h"
#include "drydock/kinds/families.h"
#include "drydock/kinds/pod_template.h"
#include "drydock/kinds/workload_rules.h"

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
    default_claim_spec(ensure(claim, "spec"));
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

std::vector<std::string_view> replica_fields() { return {"status.replicas"}; }

}  // namespace

void add_workload_kinds(std::vector<KindRules>& out) {
  out.push_back({.group = "apps", .kind = "Deployment", .defaults = deployment_defaults,
                 .create = drop_status, .update = keep_status, .validate = deployment_validate,
                 .validate_status = deployment_status_validate, .generation = true});
  out.push_back({.group = "apps", .kind = "ReplicaSet", .defaults = replica_set_defaults,
                 .create = with_replicas_status, .update = keep_status,
                 .validate = replica_set_validate, .validate_status = replica_set_status_validate,
                 .generation = true});
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
