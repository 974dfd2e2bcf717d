#include "kube/status.h"

#include <gtest/gtest.h>

#include "json/json.h"

namespace pintle::kube {
namespace {

struct Case {
  const char* claim;
  const char* group;
  const char* object;
  State state;
  const char* message;
};

constexpr Case kCases[] = {
    {"leaving", "", R"({"kind":"Secret","metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"}})",
     State::kTerminating, "Resource scheduled for deletion"},
    {"generation_not_seen", "apps",
     R"({"kind":"Deployment","metadata":{"generation":2},"status":{"observedGeneration":1}})",
     State::kInProgress, "Deployment generation is 2, but latest observed generation is 1"},
    {"stalled", "x.io", R"({"kind":"X","status":{"conditions":[{"type":"Stalled","status":"True","message":"m"}]}})",
     State::kFailed, "m"},
    {"custom_without_status", "x.io", R"({"kind":"X"})", State::kCurrent, "Resource is current"},
    {"custom_not_ready", "x.io",
     R"({"kind":"X","status":{"conditions":[{"type":"Ready","status":"False","message":"soon"}]}})",
     State::kInProgress, "soon"},
    {"deadline", "apps",
     R"({"kind":"Deployment","status":{"conditions":[{"type":"Progressing","status":"False","reason":"ProgressDeadlineExceeded"}]}})",
     State::kFailed, "Progress deadline exceeded"},
    {"too_few_replicas", "apps", R"({"kind":"Deployment","spec":{"replicas":3},"status":{"replicas":1}})",
     State::kInProgress, "Replicas: 1/3"},
    {"claim_pending", "", R"({"kind":"PersistentVolumeClaim","status":{"phase":"Pending"}})",
     State::kInProgress, "PVC is not Bound. phase: Pending"},
    {"balancer_without_address", "", R"({"kind":"Service","spec":{"type":"LoadBalancer"}})",
     State::kInProgress, "ClusterIP not set. Service type: LoadBalancer"},
    {"crash_loop", "",
     R"({"kind":"Pod","status":{"phase":"Running","containerStatuses":[{"name":"c","state":{"waiting":{"reason":"CrashLoopBackOff"}}}]}})",
     State::kFailed, "Containers in CrashLoop state: c"},
    {"failed_pod_is_final", "", R"({"kind":"Pod","status":{"phase":"Failed"}})", State::kCurrent,
     "Pod has completed, but not successfully"},
    {"job_running_counts_as_ready", "batch",
     R"({"kind":"Job","status":{"startTime":"2026-01-01T00:00:00Z","active":1}})", State::kCurrent,
     "Job in progress. success:0, active: 1, failed: 0"},
    {"partition", "apps",
     R"({"kind":"StatefulSet","spec":{"replicas":3,"updateStrategy":{"rollingUpdate":{"partition":1}}},"status":{"replicas":3,"readyReplicas":3,"updatedReplicas":1}})",
     State::kInProgress, "updated: 1/2"},
    {"daemons_need_a_generation", "apps", R"({"kind":"DaemonSet"})", State::kInProgress,
     "DaemonSet metadata.generation not found"},
    {"definition_established", "apiextensions.k8s.io",
     R"({"kind":"CustomResourceDefinition","status":{"conditions":[{"type":"Established","status":"True"}]}})",
     State::kCurrent, "CRD is established"},
};

TEST(Status, follows_kstatus) {
  for (const Case& c : kCases) {
    const auto tree = json::read(c.object, {json::Numbers::kExact});
    ASSERT_TRUE(tree) << c.claim;
    const Progress p = object_status(*tree, c.group, 0);
    EXPECT_EQ(p.state, c.state) << c.claim;
    EXPECT_EQ(p.message, c.message) << c.claim;
  }
}

}  // namespace
}  // namespace pintle::kube
