#include "kube/status.h"

#include <climits>

#include "base/strings.h"
#include "kube/live.h"
#include "kube/time.h"

namespace pintle::kube {
namespace {

constexpr int64_t kScheduleWindow = 15'000'000'000;

Progress current(std::string message) { return {State::kCurrent, std::move(message)}; }
Progress waiting(std::string message) { return {State::kInProgress, std::move(message)}; }
Progress failed(std::string message) { return {State::kFailed, std::move(message)}; }

Progress service(const value::Value& o) {
  if (text(o, {"spec", "type"}, "ClusterIP") == "LoadBalancer" && text(o, {"spec", "clusterIP"}).empty()) {
    return waiting("ClusterIP not set. Service type: LoadBalancer");
  }
  return current("Service is ready");
}

Progress claim(const value::Value& o) {
  const std::string_view phase = text(o, {"status", "phase"}, "unknown");
  return phase == "Bound" ? current("PVC is Bound") : waiting(cat("PVC is not Bound. phase: ", phase));
}

Progress pod(const value::Value& o, int64_t now_ns) {
  const std::string_view phase = text(o, {"status", "phase"});
  if (phase == "Succeeded") return current("Pod has completed successfully");
  if (phase == "Failed") return current("Pod has completed, but not successfully");
  if (phase == "Running") {
    if (condition_is(o, "Ready", "True")) return current("Pod is Ready");
    std::string crashing;
    if (const value::Value* list = at(o, {"status", "containerStatuses"})) {
      for (const value::Value& c : list->items()) {
        if (text(c, {"state", "waiting", "reason"}) != "CrashLoopBackOff") continue;
        append(crashing, {crashing.empty() ? "" : ",", text(c, {"name"})});
      }
    }
    if (!crashing.empty()) return failed("Containers in CrashLoop state: " + crashing);
    return waiting("Pod is running but is not Ready");
  }
  if (phase == "Pending") {
    const value::Value* c = condition(o, "PodScheduled");
    if (c && text(*c, {"status"}) == "False" && text(*c, {"reason"}) == "Unschedulable") {
      const auto made = parse_time(text(o, {"metadata", "creationTimestamp"}));
      if (made && now_ns - *made < kScheduleWindow) return waiting("Pod has not been scheduled");
      return failed("Pod could not be scheduled");
    }
    return waiting("Pod is in the Pending phase");
  }
  if (phase.empty()) return waiting("Pod phase not available");
  return {State::kUnknown, ""};
}

Progress stateful_set(const value::Value& o) {
  if (text(o, {"spec", "updateStrategy", "type"}) == "OnDelete") {
    return current("StatefulSet is using the ondelete update strategy");
  }
  const int64_t want = number(o, {"spec", "replicas"}, 1);
  const int64_t ready = number(o, {"status", "readyReplicas"}, 0);
  const int64_t at_revision = number(o, {"status", "currentReplicas"}, 0);
  const int64_t updated = number(o, {"status", "updatedReplicas"}, 0);
  const int64_t have = number(o, {"status", "replicas"}, 0);
  const int64_t partition = number(o, {"spec", "updateStrategy", "rollingUpdate", "partition"}, -1);
  if (want > have) return waiting(cat("Replicas: ", have, "/", want));
  if (want > ready) return waiting(cat("Ready: ", ready, "/", want));
  if (have > want) return waiting(cat("Pending termination: ", have - want));
  if (partition != -1) {
    if (updated < want - partition) return waiting(cat("updated: ", updated, "/", want - partition));
    return current(cat("Partition rollout complete. updated: ", updated));
  }
  if (want > at_revision) return waiting(cat("current: ", at_revision, "/", want));
  if (text(o, {"status", "currentRevision"}) != text(o, {"status", "updateRevision"})) {
    return waiting("Waiting for updated revision to match current");
  }
  return current(cat("All replicas scheduled as expected. Replicas: ", have));
}

Progress deployment(const value::Value& o) {
  bool progressing = number(o, {"spec", "progressDeadlineSeconds"}, INT32_MAX) == INT32_MAX;
  if (const value::Value* c = condition(o, "Progressing")) {
    const std::string_view reason = text(*c, {"reason"});
    if (reason == "ProgressDeadlineExceeded") return failed("Progress deadline exceeded");
    if (text(*c, {"status"}) == "True" && reason == "NewReplicaSetAvailable") progressing = true;
  }
  const int64_t want = number(o, {"spec", "replicas"}, 1);
  const int64_t have = number(o, {"status", "replicas"}, 0);
  const int64_t updated = number(o, {"status", "updatedReplicas"}, 0);
  const int64_t ready = number(o, {"status", "readyReplicas"}, 0);
  const int64_t available = number(o, {"status", "availableReplicas"}, 0);
  if (want > have) return waiting(cat("Replicas: ", have, "/", want));
  if (want > updated) return waiting(cat("Updated: ", updated, "/", want));
  if (have > want) return waiting(cat("Pending termination: ", have - want));
  if (updated > available) return waiting(cat("Available: ", available, "/", updated));
  if (want > ready) return waiting(cat("Ready: ", ready, "/", want));
  if (!progressing) return waiting("ReplicaSet not Available");
  if (!condition_is(o, "Available", "True")) return waiting("Deployment not Available");
  return current(cat("Deployment is available. Replicas: ", have));
}

Progress replica_set(const value::Value& o) {
  if (condition_is(o, "ReplicaFailure", "True")) return waiting("Replica Failure condition. Check Pods");
  const int64_t want = number(o, {"spec", "replicas"}, 1);
  const int64_t have = number(o, {"status", "replicas"}, 0);
  const int64_t ready = number(o, {"status", "readyReplicas"}, 0);
  const int64_t available = number(o, {"status", "availableReplicas"}, 0);
  const int64_t labelled = number(o, {"status", "fullyLabeledReplicas"}, 0);
  if (want > labelled) return waiting(cat("Labelled: ", labelled, "/", want));
  if (want > available) return waiting(cat("Available: ", available, "/", want));
  if (want > ready) return waiting(cat("Ready: ", ready, "/", want));
  if (have > want) return waiting(cat("Pending termination: ", have - want));
  return current(cat("ReplicaSet is available. Replicas: ", have));
}

Progress daemon_set(const value::Value& o) {
  if (!at(o, {"metadata", "generation"})) return waiting("DaemonSet metadata.generation not found");
  if (!at(o, {"status", "observedGeneration"})) {
    return waiting("DaemonSet status.observedGeneration not found");
  }
  const int64_t want = number(o, {"status", "desiredNumberScheduled"}, -1);
  if (want == -1) return waiting("Missing .status.desiredNumberScheduled");
  struct Step {
    const char* word;
    const char* field;
  };
  static constexpr Step kSteps[] = {{"Current: ", "currentNumberScheduled"},
                                    {"Updated: ", "updatedNumberScheduled"},
                                    {"Available: ", "numberAvailable"},
                                    {"Ready: ", "numberReady"}};
  for (const Step& step : kSteps) {
    const int64_t have = number(o, {"status", step.field}, 0);
    if (want > have) return waiting(cat(step.word, have, "/", want));
  }
  return current(cat("All replicas scheduled as expected. Replicas: ", want));
}

Progress job(const value::Value& o) {
  const int64_t completions = number(o, {"spec", "completions"}, number(o, {"spec", "parallelism"}, 1));
  const int64_t succeeded = number(o, {"status", "succeeded"}, 0);
  const int64_t lost = number(o, {"status", "failed"}, 0);
  for (const value::Value& c : items(o, {"status", "conditions"})) {
    if (text(c, {"status"}) != "True") continue;
    if (text(c, {"type"}) == "Complete") {
      return current(cat("Job Completed. succeeded: ", succeeded, "/", completions));
    }
    if (text(c, {"type"}) == "Failed") return failed(cat("Job Failed. failed: ", lost, "/", completions));
  }
  if (text(o, {"status", "startTime"}).empty()) return waiting("Job not started");
  return current(cat("Job in progress. success:", succeeded, ", active: ",
                     number(o, {"status", "active"}, 0), ", failed: ", lost));
}

Progress definition(const value::Value& o) {
  for (const value::Value& c : items(o, {"status", "conditions"})) {
    const bool no = text(c, {"status"}) == "False";
    const std::string_view type = text(c, {"type"});
    if (type == "NamesAccepted" && no) return failed(std::string(text(c, {"message"})));
    if (type != "Established") continue;
    if (no && text(c, {"reason"}) != "Installing") return failed(std::string(text(c, {"message"})));
    if (text(c, {"status"}) == "True") return current("CRD is established");
  }
  return waiting("Install in progress");
}

Progress by_conditions(const value::Value& o) {
  const value::Value* ready = condition(o, "Ready");
  if (!ready) return current("Resource is current");
  const std::string_view status = text(*ready, {"status"});
  if (status == "True") return current("Resource is Ready");
  if (status == "False" || status == "Unknown") return waiting(std::string(text(*ready, {"message"})));
  return current("Resource is current");
}

}  // namespace

std::string_view state_name(State state) {
  static constexpr std::string_view kNames[] = {"Current",     "InProgress", "Failed",
                                                "Terminating", "NotFound",   "Unknown"};
  return kNames[static_cast<int>(state)];
}

Progress object_status(const value::Value& o, std::string_view group, int64_t now_ns) {
  const std::string_view kind = text(o, {"kind"});
  if (!text(o, {"metadata", "deletionTimestamp"}).empty()) {
    return {State::kTerminating, "Resource scheduled for deletion"};
  }
  if (at(o, {"metadata", "generation"}) && at(o, {"status", "observedGeneration"})) {
    const int64_t generation = number(o, {"metadata", "generation"}, 0);
    const int64_t seen = number(o, {"status", "observedGeneration"}, 0);
    if (generation != seen) {
      return waiting(cat(kind, " generation is ", generation,
                         ", but latest observed generation is ", seen));
    }
  }
  for (const value::Value& c : items(o, {"status", "conditions"})) {
    if (text(c, {"status"}) != "True") continue;
    if (text(c, {"type"}) == "Reconciling") return waiting(std::string(text(c, {"message"})));
    if (text(c, {"type"}) == "Stalled") return failed(std::string(text(c, {"message"})));
  }
  const bool apps = group == "apps" || group == "extensions";
  if (group.empty()) {
    if (kind == "Service") return service(o);
    if (kind == "Pod") return pod(o, now_ns);
    if (kind == "Secret" || kind == "ConfigMap") return current("Resource is always ready");
    if (kind == "PersistentVolumeClaim") return claim(o);
  }
  if (group == "apps" && kind == "StatefulSet") return stateful_set(o);
  if (apps && kind == "DaemonSet") return daemon_set(o);
  if (apps && kind == "Deployment") return deployment(o);
  if (apps && kind == "ReplicaSet") return replica_set(o);
  if (group == "policy" && kind == "PodDisruptionBudget") {
    return current("AllowedDisruptions has been computed.");
  }
  if (group == "batch" && kind == "CronJob") return current("Resource is always ready");
  if (group == "batch" && kind == "Job") return job(o);
  if (group == "apiextensions.k8s.io" && kind == "CustomResourceDefinition") return definition(o);
  return by_conditions(o);
}

Progress job_done(const value::Value& o) {
  const Progress p = job(o);
  const bool over = p.message.starts_with("Job Completed") || p.state == State::kFailed;
  return over ? p : waiting("Job in progress");
}

Progress legacy_job_done(const value::Value& o) {
  const value::Value* status = o.get("status");
  const value::Value* conditions = status ? status->get("conditions") : nullptr;
  if (!conditions) return waiting("Job in progress");
  for (const value::Value& c : conditions->items()) {
    if (text(c, {"status"}) != "True") continue;
    if (text(c, {"type"}) == "Complete") return current("Job is complete");
    if (text(c, {"type"}) == "Failed") {
      return failed(cat("job ", text(o, {"metadata", "name"}), " failed: ", text(c, {"reason"})));
    }
  }
  return waiting("Job in progress");
}

Progress pod_done(const value::Value& o) {
  const std::string_view phase = text(o, {"status", "phase"}), name = text(o, {"metadata", "name"});
  if (phase == "Succeeded") return current(cat("pod ", name, " succeeded"));
  if (phase == "Failed") return failed(cat("pod ", name, " failed"));
  return waiting("Pod in progress");
}

}  // namespace pintle::kube
