// Whole controllers on a fake world with a stepped clock: rollouts, failures, jobs, garbage.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "drydock/controllers/common.h"
#include "drydock/controllers/cron_schedule.h"
#include "drydock/testing/fake_world.h"

namespace pintle::drydock {
namespace {

std::string deployment(std::string_view image, int replicas, std::string_view more = "",
                       std::string_view notes = "{}") {
  return cat(R"({"metadata": {"name": "web"}, "spec": {"replicas": )", replicas,
             R"(, "revisionHistoryLimit": 10, "progressDeadlineSeconds": 600,)", more,
             R"("selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels":
             {"app": "web"}, "annotations": )", notes, R"(}, "spec": {"restartPolicy": "Always",
             "containers": [{"name": "c", "image": ")", image, R"("}]}}}})");
}
constexpr std::string_view kRolling =
    R"("strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}},)";

Value one(FakeWorld& world, std::string_view group, std::string_view plural, std::string_view name) {
  Result<Value> found = world.get({std::string(group), std::string(plural), "default", std::string(name)});
  EXPECT_TRUE(found) << plural << "/" << name;
  return found ? *found : Value();
}
std::string reason(const Value& object, std::string_view type) {
  const Value* status = at(object, "status");
  const Value* condition = status ? find_condition(*status, type) : nullptr;
  return condition ? cat(text(*condition, "status"), " ", text(*condition, "reason")) : "none";
}
size_t ready_pods(FakeWorld& world) {
  size_t n = 0;
  for (const Value& pod : world.list("", "pods", "default")) n += pod_ready(pod);
  return n;
}
void set_image(FakeWorld& world, std::string_view plural, std::string_view image) {
  Value object = one(world, "apps", plural, "web");
  for (Value& c : elements(object, "spec", "template", "spec", "containers")) put(c, "image", image);
  ASSERT_TRUE(world.update("apps", plural, object));
}

TEST(Deployment, BecomesAvailableAndThenRests) {
  FakeWorld world;
  world.add("apps", "deployments", deployment("nginx:1", 3, kRolling));
  world.run();
  Value web = one(world, "apps", "deployments", "web");
  EXPECT_EQ(number(web, "status", "availableReplicas"), 3);
  EXPECT_EQ(reason(web, "Available"), "True MinimumReplicasAvailable");
  EXPECT_EQ(reason(web, "Progressing"), "True NewReplicaSetAvailable");
  EXPECT_EQ(text(web, "metadata", "annotations", "deployment.kubernetes.io/revision"), "1");
  EXPECT_TRUE(world.has_event("Scheduled", "Successfully assigned default/web-"));
  EXPECT_TRUE(world.has_event("ScalingReplicaSet", " from 0 to 3"));
  size_t writes = world.writes;
  world.run(3600 * kSecond);
  EXPECT_EQ(world.writes, writes) << "idle writes";
}

TEST(Deployment, RollsWithinItsLimitsAndBack) {
  FakeWorld world;
  world.add("apps", "deployments", deployment("nginx:1", 4, kRolling));
  world.run();
  set_image(world, "deployments", "nginx:2");
  for (int i = 0; i < 100; ++i) {
    world.run(100'000'000);
    EXPECT_GE(ready_pods(world), 3u);
    EXPECT_LE(world.list("", "pods", "default").size(), 5u);
  }
  Value web = one(world, "apps", "deployments", "web");
  EXPECT_EQ(number(web, "status", "updatedReplicas"), 4);
  EXPECT_EQ(number(web, "status", "replicas"), 4);
  EXPECT_EQ(world.list("apps", "replicasets", "default").size(), 2u);
  set_image(world, "deployments", "nginx:1");
  world.run();
  EXPECT_EQ(world.list("apps", "replicasets", "default").size(), 2u);
  web = one(world, "apps", "deployments", "web");
  EXPECT_EQ(text(web, "metadata", "annotations", "deployment.kubernetes.io/revision"), "3");
}

TEST(Deployment, MissingImageExceedsTheDeadlineAndKeepsTheOldPods) {
  FakeWorld world;
  world.add("apps", "deployments", deployment("nginx:1", 2, kRolling));
  world.run();
  set_image(world, "deployments", "nginx:does-not-exist");
  world.run(700 * kSecond);
  Value web = one(world, "apps", "deployments", "web");
  EXPECT_EQ(reason(web, "Progressing"), "False ProgressDeadlineExceeded");
  EXPECT_EQ(ready_pods(world), 2u);
  EXPECT_TRUE(world.has_event("Failed", "Error: ErrImagePull"));
  EXPECT_TRUE(world.has_event("BackOff", "Back-off pulling image \"nginx:does-not-exist\""));
}

TEST(Deployment, RecreateWaitsForTheOldPods) {
  FakeWorld world;
  world.add("apps", "deployments", deployment("nginx:1", 2, R"("strategy": {"type": "Recreate"},)"));
  world.run();
  set_image(world, "deployments", "nginx:2");
  for (int i = 0; i < 50; ++i) {
    world.run(100'000'000);
    EXPECT_LE(world.list("", "pods", "default").size(), 2u);
  }
  EXPECT_EQ(ready_pods(world), 2u);
}

TEST(Deployment, PausesAndScales) {
  FakeWorld world;
  Value web = world.add("apps", "deployments", deployment("nginx:1", 1, kRolling));
  world.run();
  web = one(world, "apps", "deployments", "web");
  put(ensure(web, "spec"), "paused", true);
  put(ensure(web, "spec"), "replicas", 3);
  ASSERT_TRUE(world.update("apps", "deployments", web));
  world.run();
  web = one(world, "apps", "deployments", "web");
  EXPECT_EQ(reason(web, "Progressing"), "Unknown DeploymentPaused");
  EXPECT_EQ(number(web, "status", "availableReplicas"), 3);
}

TEST(Pod, CrashLoops) {
  FakeWorld world;
  world.add("", "pods", R"({"metadata": {"name": "p", "annotations": {"drydock.pintle.dev/fail": "Crash"}},
      "spec": {"restartPolicy": "Always", "containers": [{"name": "c", "image": "i"}]}})");
  world.run(5 * kSecond);
  Value pod = one(world, "", "pods", "p");
  const Value& c = items(pod, "status", "containerStatuses")[0];
  EXPECT_EQ(text(c, "state", "waiting", "reason"), "CrashLoopBackOff");
  world.run(10 * kSecond);
  pod = one(world, "", "pods", "p");
  EXPECT_EQ(number(items(pod, "status", "containerStatuses")[0], "restartCount"), 1);
}

TEST(Job, SucceedsAndItsPodsAreReleased) {
  FakeWorld world;
  world.add("batch", "jobs", R"({"metadata": {"name": "j"}, "spec": {"completions": 3, "parallelism": 2,
      "backoffLimit": 6, "selector": {"matchLabels": {"job-name": "j"}}, "template": {"metadata":
      {"labels": {"job-name": "j"}}, "spec": {"restartPolicy": "Never",
      "containers": [{"name": "c", "image": "i"}]}}}})");
  world.run();
  Value job = one(world, "batch", "jobs", "j");
  EXPECT_EQ(number(job, "status", "succeeded"), 3);
  EXPECT_EQ(reason(job, "SuccessCriteriaMet"), "True CompletionsReached");
  EXPECT_EQ(reason(job, "Complete"), "True CompletionsReached");
  for (const Value& pod : world.list("", "pods", "default")) {
    EXPECT_TRUE(items(pod, "metadata", "finalizers").empty());
  }
}

TEST(Job, FailsBeyondItsLimit) {
  FakeWorld world;
  world.add("batch", "jobs", R"({"metadata": {"name": "j"}, "spec": {"completions": 1, "parallelism": 1,
      "backoffLimit": 1, "selector": {"matchLabels": {"job-name": "j"}}, "template": {"metadata":
      {"labels": {"job-name": "j"}, "annotations": {"drydock.pintle.dev/fail": "ExitCode=3"}},
      "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}}})");
  world.run();
  Value job = one(world, "batch", "jobs", "j");
  EXPECT_EQ(number(job, "status", "failed"), 2);
  EXPECT_EQ(reason(job, "Failed"), "True BackoffLimitExceeded");
}

TEST(StatefulSet, RollsFromTheLastAndRespectsThePartition) {
  FakeWorld world;
  std::string json = replace_all(deployment("nginx:1", 3, R"("serviceName": "web", "volumeClaimTemplates":
      [{"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "fast"}}],
      "updateStrategy":
      {"type": "RollingUpdate", "rollingUpdate": {"partition": 1}},)"), "\n", " ");
  world.add("storage.k8s.io", "storageclasses",
            R"({"metadata": {"name": "fast"}, "provisioner": "x", "reclaimPolicy": "Delete"})");
  world.add("apps", "statefulsets", json);
  world.run();
  EXPECT_EQ(ready_pods(world), 3u);
  EXPECT_EQ(text(one(world, "", "persistentvolumeclaims", "data-web-2"), "status", "phase"), "Bound");
  set_image(world, "statefulsets", "nginx:2");
  world.run();
  auto image = [&](std::string_view name) {
    return std::string(text(items(one(world, "", "pods", name), "spec", "containers")[0], "image"));
  };
  EXPECT_EQ(image("web-0"), "nginx:1");
  EXPECT_EQ(image("web-1"), "nginx:2");
  EXPECT_EQ(image("web-2"), "nginx:2");
  Value set = one(world, "apps", "statefulsets", "web");
  EXPECT_NE(text(set, "status", "currentRevision"), text(set, "status", "updateRevision"));
}

TEST(DaemonSet, RunsAndRollsOnTheNode) {
  FakeWorld world;
  world.add("apps", "daemonsets", deployment("nginx:1", 1));
  world.run();
  EXPECT_EQ(number(one(world, "apps", "daemonsets", "web"), "status", "numberAvailable"), 1);
  set_image(world, "daemonsets", "nginx:2");
  world.run();
  EXPECT_EQ(number(one(world, "apps", "daemonsets", "web"), "status", "updatedNumberScheduled"), 1);
  EXPECT_EQ(number(one(world, "apps", "daemonsets", "web"), "status", "numberAvailable"), 1);
}

TEST(Garbage, GoesWithItsOwner) {
  for (std::string_view how : {"Background", "Foreground", "Orphan"}) {
    FakeWorld world;
    world.add("apps", "deployments", deployment("nginx:1", 2, kRolling));
    world.run();
    ASSERT_TRUE(world.remove({"apps", "deployments", "default", "web"}, how));
    world.run();
    EXPECT_FALSE(world.get({"apps", "deployments", "default", "web"})) << how;
    size_t left = how == "Orphan" ? 1 : 0;
    EXPECT_EQ(world.list("apps", "replicasets", "default").size(), left) << how;
    EXPECT_EQ(world.list("", "pods", "default").size(), 2 * left) << how;
  }
}

TEST(Namespace, IsFurnishedAndEmptied) {
  FakeWorld world;
  world.add("apps", "deployments", deployment("nginx:1", 2, kRolling));
  world.run();
  EXPECT_TRUE(world.get({"", "serviceaccounts", "default", "default"}));
  EXPECT_EQ(text(one(world, "", "configmaps", "kube-root-ca.crt"), "data", "ca.crt"), "CA\n");
  ASSERT_TRUE(world.remove({"", "namespaces", "", "default"}));
  world.run();
  EXPECT_FALSE(world.get({"", "namespaces", "", "default"}));
  EXPECT_TRUE(world.list("", "pods", "default").empty());
}

TEST(Service, FindsReadyPods) {
  FakeWorld world;
  world.add("", "services", R"({"metadata": {"name": "s"}, "spec": {"type": "LoadBalancer", "selector":
      {"app": "web"}, "ports": [{"port": 80, "targetPort": 8080, "protocol": "TCP"}]}})");
  world.add("apps", "deployments", deployment("nginx:1", 2, kRolling));
  world.run();
  std::vector<Value> slices = world.list("discovery.k8s.io", "endpointslices", "default");
  ASSERT_EQ(slices.size(), 1u);
  EXPECT_EQ(items(slices[0], "endpoints").size(), 2u);
  EXPECT_EQ(number(items(slices[0], "ports")[0], "port"), 8080);
  EXPECT_EQ(items(one(world, "", "endpoints", "s"), "subsets").size(), 1u);
  EXPECT_EQ(items(one(world, "", "services", "s"), "status", "loadBalancer", "ingress").size(), 1u);
}

TEST(Service, HasASliceForEachSetOfPorts) {
  FakeWorld world;
  world.add("", "services", R"({"metadata": {"name": "s"}, "spec": {"type": "ClusterIP", "selector":
      {"app": "web"}, "ports": [{"name": "http", "port": 80, "targetPort": "http", "protocol": "TCP"}]}})");
  world.run();
  ASSERT_EQ(world.list("discovery.k8s.io", "endpointslices", "default").size(), 1u) << "empty, but there";
  for (auto [name, port] : {std::pair{"old", 80}, {"new", 8080}}) {
    world.add("", "pods", cat(R"({"metadata": {"name": ")", name, R"(", "labels": {"app": "web"}}, "spec":
        {"restartPolicy": "Always", "containers": [{"name": "c", "image": "i", "ports": [{"name": "http",
        "containerPort": )", port, R"(}]}]}})"));
  }
  world.add("", "pods", R"({"metadata": {"name": "portless", "labels": {"app": "web"}}, "spec":
      {"restartPolicy": "Always", "containers": [{"name": "c", "image": "i"}]}})");
  world.run();
  std::vector<Value> slices = world.list("discovery.k8s.io", "endpointslices", "default");
  ASSERT_EQ(slices.size(), 3u);
  for (const Value& slice : slices) EXPECT_EQ(items(slice, "endpoints").size(), 1u);
  EXPECT_EQ(items(one(world, "", "endpoints", "s"), "subsets").size(), 2u);
  ASSERT_TRUE(world.remove({"", "pods", "default", "old"}));
  ASSERT_TRUE(world.remove({"", "pods", "default", "portless"}));
  world.run();
  EXPECT_EQ(world.list("discovery.k8s.io", "endpointslices", "default").size(), 1u);
}

TEST(Autoscaler, ScalesIntoItsLimits) {
  FakeWorld world;
  world.add("apps", "deployments", deployment("nginx:1", 1, kRolling));
  world.add("autoscaling", "horizontalpodautoscalers", R"({"metadata": {"name": "h"}, "spec": {"minReplicas": 3,
      "maxReplicas": 5, "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}}})");
  world.run();
  EXPECT_EQ(ready_pods(world), 3u);
  EXPECT_TRUE(world.has_event("SuccessfulRescale", "New size: 3; reason: Current number of replicas below Spec.MinReplicas"));
  Value web = one(world, "apps", "deployments", "web");
  put(ensure(web, "spec"), "replicas", 9);
  ASSERT_TRUE(world.update("apps", "deployments", web));
  world.run();
  EXPECT_EQ(ready_pods(world), 5u);
}

TEST(Budget, CountsThePodsThatTheControllerWants) {
  FakeWorld world;
  world.add("apps", "deployments", deployment("nginx:1", 4, kRolling));
  world.add("policy", "poddisruptionbudgets", R"({"metadata": {"name": "b"}, "spec": {"maxUnavailable": 1,
      "selector": {"matchLabels": {"app": "web"}}}})");
  for (int i = 0; i < 100; ++i) {
    world.run(100'000'000);
    int64_t wanted = number(one(world, "policy", "poddisruptionbudgets", "b"), "status", "desiredHealthy");
    EXPECT_TRUE(wanted == 0 || wanted == 3) << wanted;
    if (i == 50) set_image(world, "deployments", "nginx:2");
  }
  EXPECT_EQ(number(one(world, "policy", "poddisruptionbudgets", "b"), "status", "disruptionsAllowed"), 1);
}

TEST(ClusterRole, IsTheSumOfThoseItSelects) {
  FakeWorld world;
  auto role = [&](std::string_view name, std::string_view rest) {
    world.add("rbac.authorization.k8s.io", "clusterroles", cat(R"({"metadata": {"name": ")", name, R"(", )", rest));
  };
  role("sum", R"("labels": {"x": "y"}}, "aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"x": "y"}}]}})");
  role("b", R"("labels": {"x": "y"}}, "rules": [{"verbs": ["get"]}, {"verbs": ["list"]}]})");
  role("a", R"("labels": {"x": "y"}}, "rules": [{"verbs": ["list"]}]})");
  role("other", R"("labels": {}}, "rules": [{"verbs": ["delete"]}]})");
  world.run();
  Result<Value> sum = world.get({"rbac.authorization.k8s.io", "clusterroles", "", "sum"});
  ASSERT_TRUE(sum);
  ASSERT_EQ(items(*sum, "rules").size(), 2u);
  EXPECT_EQ(items(items(*sum, "rules")[0], "verbs")[0].as_string(), "list") << "a comes before b";
}

TEST(CronJob, StartsJobsOnTimeAndKeepsThree) {
  FakeWorld world;
  world.add("batch", "cronjobs", R"({"metadata": {"name": "c"}, "spec": {"schedule": "*/5 * * * *",
      "successfulJobsHistoryLimit": 3, "jobTemplate": {"spec": {"completions": 1, "parallelism": 1,
      "selector": {"matchLabels": {"x": "y"}}, "template": {"metadata": {"labels": {"x": "y"}},
      "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}}}}})");
  world.run(3600 * kSecond);
  EXPECT_EQ(world.list("batch", "jobs", "default").size(), 3u);
}

TEST(CronSchedule, NextTimes) {
  struct Case {
    std::string_view text, from, next;
  } cases[] = {
      {"*/15 * * * *", "2026-01-01T00:07:00Z", "2026-01-01T00:15:00Z"},
      {"0 9-17/4 * * mon", "2026-01-01T00:00:00Z", "2026-01-05T09:00:00Z"},
      {"30 4 1,15 * 5", "2026-01-02T05:00:00Z", "2026-01-09T04:30:00Z"},
      {"@daily", "2026-02-28T00:00:00Z", "2026-03-01T00:00:00Z"},
      {"0 0 29 feb *", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00Z"},
  };
  for (const Case& c : cases) {
    Result<CronSchedule> schedule = CronSchedule::parse(c.text);
    ASSERT_TRUE(schedule) << c.text;
    EXPECT_EQ(format_time(schedule->next(parse_time(c.from) / kSecond) * kSecond), c.next) << c.text;
  }
  for (std::string_view bad : {"", "* * * *", "60 * * * *", "*/0 * * * *", "5-1 * * * *", "a * * * *"}) {
    EXPECT_FALSE(CronSchedule::parse(bad)) << bad;
  }
}

}  // namespace
}  // namespace pintle::drydock
