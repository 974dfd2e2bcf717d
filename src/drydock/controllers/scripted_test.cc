// What annotations, images and volumes make of pods, on a stepped clock.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "drydock/controllers/common.h"
#include "drydock/testing/fake_world.h"

namespace pintle::drydock {
namespace {

constexpr int64_t kMs = 1'000'000;

Value pod(FakeWorld& world, std::string_view notes, std::string_view image = "nginx:1",
          std::string_view restart = "Always", std::string_view more = "") {
  return world.add("", "pods", cat(R"({"metadata": {"name": "p", "annotations": )", notes,
      R"(}, "spec": {"restartPolicy": ")", restart, R"(", "terminationGracePeriodSeconds": 30, )", more,
      R"("containers": [{"name": "c", "image": ")", image, R"("}]}})"));
}
Value now_pod(FakeWorld& world) {
  Result<Value> found = world.get({"", "pods", "default", "p"});
  return found ? *found : Value();
}
std::string shown(FakeWorld& world) {
  Value p = now_pod(world);
  if (p.is_nil()) return "gone";
  auto statuses = items(p, "status", "containerStatuses");
  std::string_view why = statuses.empty() ? "" : text(statuses[0], "state", "waiting", "reason");
  return cat(text(p, "status", "phase"), pod_ready(p) ? " ready" : "", why.empty() ? "" : " ", why);
}

TEST(Scripted, StartsAfterTheServersDelayOrItsOwn) {
  struct Case {
    std::string_view notes;
    int64_t before_ms, after_ms;
  } cases[] = {{"{}", 290, 310},
               {R"({"drydock.pintle.dev/start-for": "5s"})", 4990, 5010},
               {R"({"drydock.pintle.dev/start-for": "1m"})", 59'990, 60'010},
               {R"({"drydock.pintle.dev/start-for": "soon"})", 290, 310}};
  for (const Case& c : cases) {
    FakeWorld world;
    pod(world, c.notes);
    world.run(c.before_ms * kMs);
    EXPECT_EQ(shown(world), "Pending ContainerCreating") << c.notes;
    world.run((c.after_ms - c.before_ms) * kMs);
    EXPECT_EQ(shown(world), "Running ready") << c.notes;
  }
}

TEST(Scripted, NeverReadyRunsAndIsNotReady) {
  FakeWorld world;
  pod(world, R"({"drydock.pintle.dev/fail": "NeverReady"})");
  world.run(3600 * kSecond);
  EXPECT_EQ(shown(world), "Running");
  Value p = now_pod(world);
  EXPECT_EQ(text(*find_condition(*at(p, "status"), "Ready"), "message"), "containers with unready status: [c]");
}

TEST(Scripted, ImagesThatCannotBePulled) {
  struct Case {
    std::string_view notes, image, says;
  } cases[] = {
      {"{}", "nginx:does-not-exist", "docker.io/library/nginx:does-not-exist: not found"},
      {"{}", "team/app:missing-2", "docker.io/team/app:missing-2: not found"},
      {"{}", "registry.invalid/app:1", "dial tcp: lookup registry.invalid: no such host"},
      {R"({"drydock.pintle.dev/fail": "ImagePull"})", "nginx:1", "docker.io/library/nginx:1: not found"},
  };
  for (const Case& c : cases) {
    FakeWorld world;
    pod(world, c.notes, c.image);
    world.run(2 * kSecond);
    EXPECT_EQ(shown(world), "Pending ErrImagePull") << c.image;
    EXPECT_TRUE(world.has_event("Failed", c.says)) << c.image;
    world.run(30 * kSecond);
    EXPECT_EQ(shown(world), "Pending ImagePullBackOff") << c.image;
    EXPECT_TRUE(world.has_event("BackOff", cat("Back-off pulling image \"", c.image, "\""))) << c.image;
  }
}

TEST(Scripted, EndsWithTheReasonAsked) {
  struct Case {
    std::string_view fail, restart, phase, reason;
    int64_t code;
  } cases[] = {{"Crash", "Never", "Failed", "Error", 1},
               {"OOM", "Never", "Failed", "OOMKilled", 137},
               {"ExitCode=7", "Never", "Failed", "Error", 7},
               {"ExitCode=0", "Never", "Succeeded", "Completed", 0},
               {"", "Never", "Succeeded", "Completed", 0},
               {"", "OnFailure", "Succeeded", "Completed", 0}};
  for (const Case& c : cases) {
    FakeWorld world;
    pod(world, cat(R"({"drydock.pintle.dev/fail": ")", c.fail, R"("})"), "nginx:1", c.restart);
    world.run(10 * kSecond);
    Value p = now_pod(world);
    EXPECT_EQ(text(p, "status", "phase"), c.phase) << c.fail;
    const Value& status = items(p, "status", "containerStatuses")[0];
    EXPECT_EQ(text(status, "state", "terminated", "reason"), c.reason) << c.fail;
    EXPECT_EQ(number(status, "state", "terminated", "exitCode"), c.code) << c.fail;
  }
}

TEST(Scripted, CrashesBackOffTwiceAsLongEachTimeUpToFiveMinutes) {
  for (auto [fail, reason, code] : {std::tuple{"Crash", "Error", 1}, std::tuple{"OOM", "OOMKilled", 137}}) {
    FakeWorld world;
    pod(world, cat(R"({"drydock.pintle.dev/fail": ")", fail, R"("})"));
    auto restarts = [&] { return number(items(now_pod(world), "status", "containerStatuses")[0], "restartCount"); };
    world.run(9 * kSecond);
    EXPECT_EQ(shown(world), "Running CrashLoopBackOff");
    EXPECT_EQ(restarts(), 0);
    const Value last = items(now_pod(world), "status", "containerStatuses")[0];
    EXPECT_EQ(text(last, "lastState", "terminated", "reason"), reason);
    EXPECT_EQ(number(last, "lastState", "terminated", "exitCode"), code);
    EXPECT_TRUE(world.has_event("BackOff", "Back-off restarting failed container c in pod p_default("));
    world.run(3 * kSecond);
    EXPECT_EQ(restarts(), 1);
    world.run(20 * kSecond);
    EXPECT_EQ(restarts(), 2);
    world.run(40 * kSecond);
    EXPECT_EQ(restarts(), 3);
    world.run(3600 * kSecond);
    EXPECT_NEAR(static_cast<double>(restarts()), 16, 2) << "every five minutes by then";
  }
}

TEST(Scripted, RunsForAndStopsFor) {
  FakeWorld world;
  pod(world, R"({"drydock.pintle.dev/run-for": "5s", "drydock.pintle.dev/stop-for": "3s"})", "nginx:1", "Never");
  world.run(5 * kSecond);
  EXPECT_EQ(shown(world), "Running ready");
  world.run(kSecond);
  EXPECT_EQ(shown(world), "Succeeded");

  FakeWorld other;
  pod(other, R"({"drydock.pintle.dev/stop-for": "3s"})");
  other.run(kSecond);
  ASSERT_TRUE(other.remove({"", "pods", "default", "p"}));
  other.run(2 * kSecond);
  EXPECT_EQ(shown(other), "Running ready");
  other.run(2 * kSecond);
  EXPECT_EQ(shown(other), "gone");
  EXPECT_TRUE(other.has_event("Killing", "Stopping container c"));
}

TEST(Scripted, WaitsForWhatItNames) {
  FakeWorld world;
  pod(world, "{}", "nginx:1", "Always", R"("volumes": [{"name": "v", "secret": {"secretName": "s"}}],)");
  world.run(10 * kSecond);
  EXPECT_EQ(shown(world), "Pending ContainerCreating");
  EXPECT_TRUE(world.has_event("FailedMount", "MountVolume.SetUp failed for volume \"v\" : secret \"s\" not found"));
  world.add("", "secrets", R"({"metadata": {"name": "s"}})");
  world.run(10 * kSecond);
  EXPECT_EQ(shown(world), "Running ready");
}

// ---- claims ----

std::string claim(std::string_view name, std::string_view storage_class, std::string_view size = "1Gi") {
  return cat(R"({"metadata": {"name": ")", name, R"(", "finalizers": ["kubernetes.io/pvc-protection"]},
      "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": ")", storage_class,
      R"(", "volumeMode": "Filesystem", "resources": {"requests": {"storage": ")", size, R"("}}},
      "status": {"phase": "Pending"}})");
}
std::string volume(std::string_view name, std::string_view size) {
  return cat(R"({"metadata": {"name": ")", name, R"("}, "spec": {"accessModes": ["ReadWriteOnce"],
      "storageClassName": "manual", "volumeMode": "Filesystem", "persistentVolumeReclaimPolicy": "Retain",
      "capacity": {"storage": ")", size, R"("}}, "status": {"phase": "Pending"}})");
}
Value get_claim(FakeWorld& world, std::string_view name) {
  return *world.get({"", "persistentvolumeclaims", "default", std::string(name)});
}

TEST(Claim, TakesTheSmallestVolumeThatFits) {
  FakeWorld world;
  for (auto [name, size] : {std::pair{"big", "5Gi"}, {"small", "500Mi"}, {"right", "2Gi"}}) {
    world.add("", "persistentvolumes", volume(name, size));
  }
  world.run();
  EXPECT_EQ(text(*world.get({"", "persistentvolumes", "", "big"}), "status", "phase"), "Available");
  world.add("", "persistentvolumeclaims", claim("c", "manual"));
  world.run();
  Value c = get_claim(world, "c");
  EXPECT_EQ(text(c, "spec", "volumeName"), "right");
  EXPECT_EQ(text(c, "status", "capacity", "storage"), "2Gi");
  ASSERT_TRUE(world.remove({"", "persistentvolumeclaims", "default", "c"}));
  world.run();
  EXPECT_EQ(text(*world.get({"", "persistentvolumes", "", "right"}), "status", "phase"), "Released");
}

TEST(Claim, WaitsAndSaysWhy) {
  FakeWorld world;
  world.add("", "persistentvolumeclaims", claim("none", ""));
  world.add("", "persistentvolumeclaims", claim("unknown", "nope"));
  pod(world, "{}", "nginx:1", "Always", R"("volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "unknown"}}],)");
  world.run();
  EXPECT_EQ(text(get_claim(world, "none"), "status", "phase"), "Pending");
  EXPECT_TRUE(world.has_event("FailedBinding", "no storage class is set"));
  EXPECT_TRUE(world.has_event("ProvisioningFailed", "storageclass.storage.k8s.io \"nope\" not found"));
  EXPECT_TRUE(world.has_event("FailedScheduling", "pod has unbound immediate PersistentVolumeClaims"));
  world.add("storage.k8s.io", "storageclasses",
            R"({"metadata": {"name": "nope"}, "provisioner": "x", "reclaimPolicy": "Delete"})");
  world.run(5 * kSecond);
  EXPECT_EQ(text(get_claim(world, "unknown"), "status", "phase"), "Bound");
  EXPECT_EQ(shown(world), "Running ready");
}

TEST(Claim, StaysWhileAPodUsesItAndTakesItsVolumeAlong) {
  FakeWorld world;
  world.add("storage.k8s.io", "storageclasses",
            R"({"metadata": {"name": "fast"}, "provisioner": "x", "reclaimPolicy": "Delete"})");
  world.add("", "persistentvolumeclaims", claim("c", "fast"));
  pod(world, "{}", "nginx:1", "Always", R"("volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}],)");
  world.run(5 * kSecond);
  ASSERT_EQ(world.list("", "persistentvolumes", "").size(), 1u);
  ASSERT_TRUE(world.remove({"", "persistentvolumeclaims", "default", "c"}));
  world.run(60 * kSecond);
  EXPECT_TRUE(being_deleted(get_claim(world, "c")));
  ASSERT_TRUE(world.remove({"", "pods", "default", "p"}));
  world.run(60 * kSecond);
  EXPECT_FALSE(world.get({"", "persistentvolumeclaims", "default", "c"}));
  EXPECT_TRUE(world.list("", "persistentvolumes", "").empty());
}

}  // namespace
}  // namespace pintle::drydock
