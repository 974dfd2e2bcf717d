#include "lookout/rules/rules.h"

#include <gtest/gtest.h>

#include <set>

#include "base/strings.h"
#include "json/json.h"
#include "lookout/config/rules_toml.h"

namespace pintle::lookout {
namespace {

KubeEvent event_of(std::string kind, std::string reason, std::string message,
                   std::string group = "") {
  KubeEvent e;
  e.uid = "event-uid";
  e.involved = {std::move(group), "v1", std::move(kind), "shop", "web", "subject-uid"};
  e.reason = std::move(reason);
  e.message = std::move(message);
  e.type = "Normal";
  return e;
}

Rules compiled(std::string_view toml) {
  auto rules = read_rules(toml, "t");
  EXPECT_TRUE(rules.has_value()) << rules.error().text();
  auto out = Rules::compile(*rules);
  EXPECT_TRUE(out.has_value()) << out.error().text();
  return std::move(*out);
}

TEST(DefaultRules, RecogniseWhatControllersSay) {
  const auto rules = Rules::compile(Rules::defaults());
  ASSERT_TRUE(rules.has_value()) << rules.error().text();
  struct Case {
    const char *kind, *group, *reason, *message, *type, *key;
  };
  const Case cases[] = {
      {"Rollout", "argoproj.io", "SetStepIndex", "Set Step Index to 3", "release.step",
       "c/subject-uid/7/step/3"},
      {"Rollout", "argoproj.io", "SetStepIndex",
       "(combined from similar events): Set Step Index to 12", "release.step",
       "c/subject-uid/7/step/12"},
      {"Rollout", "argoproj.io", "SettingStableRS", "Completed all steps", "release.deployed",
       "c/subject-uid/7/deployed"},
      {"Rollout", "argoproj.io", "SettingStableRS", "Setting stable to 6cf: by hand",
       "release.deployed", "c/subject-uid/7/deployed"},
      {"Rollout", "argoproj.io", "RolloutStepCompleted",
       "Rollout step 2/4 completed (setWeight: 5)", "release.step", "c/subject-uid/7/step/2"},
      {"Rollout", "argoproj.io", "RolloutCompleted", "Rollout completed update to revision 2",
       "release.deployed", "c/subject-uid/7/deployed"},
      {"Rollout", "argoproj.io", "RolloutPaused", "Rollout is paused (CanaryPauseStep)",
       "release.paused", "c/subject-uid/7/paused"},
      {"Rollout", "argoproj.io", "RolloutAborted", "Rollout aborted update to revision 2",
       "release.failed", "c/subject-uid/7/failed"},
      {"Rollout", "", "SetStepIndex", "Set Step Index to 3", nullptr, nullptr},
      {"Application", "argoproj.io", "ResourceUpdated",
       "Updated health status: Progressing -> Healthy", "release.deployed",
       "c/subject-uid/7/deployed"},
      {"Application", "argoproj.io", "ResourceUpdated",
       "Updated health status: Progressing -> Degraded", "release.degraded",
       "c/subject-uid/7/degraded"},
      {"Application", "argoproj.io", "ResourceUpdated", "Updated health status:  -> Degraded",
       "release.degraded", "c/subject-uid/7/degraded"},
      {"Application", "argoproj.io", "ResourceUpdated",
       "Updated health status: Suspended -> Progressing", "release.step", "c/subject-uid/7/step"},
      {"Application", "argoproj.io", "ResourceUpdated", "Updated sync status: Synced -> OutOfSync",
       nullptr, nullptr},
      {"Application", "argoproj.io", "OperationCompleted", "Sync operation to abc succeeded",
       "release.sync", "c/subject-uid/7/sync"},
      {"Pod", "", "Pulled", "Successfully pulled image \"nginx:1\" in 2s", "image.pulled",
       "c/event-uid/image.pulled"},
      {"Pod", "", "Pulled", "Container image \"nginx:1\" already present on machine",
       "image.pulled", "c/event-uid/image.pulled"},
      {"Pod", "", "Failed", "Failed to pull image \"x\": not found", "pod.image_failed",
       "c/subject-uid/image_failed"},
      {"Pod", "", "BackOff", "Back-off pulling image \"x\"", "pod.image_failed",
       "c/subject-uid/image_failed"},
      {"Pod", "", "BackOff", "Back-off restarting failed container", "pod.crash_loop",
       "c/subject-uid/crash_loop"},
      {"Pod", "", "FailedScheduling", "0/3 nodes are available", "pod.unschedulable",
       "c/subject-uid/unschedulable"},
      {"Job", "batch", "BackoffLimitExceeded", "Job has reached the limit", "job.failed",
       "c/subject-uid/failed"},
      {"Node", "", "NodeNotReady", "Node status is now: NodeNotReady", "node.not_ready",
       "c/event-uid/1/node.not_ready"},
      {"Service", "", "Pulled", "Successfully pulled image \"x\"", nullptr, nullptr},
  };
  for (const Case& c : cases) {
    const auto hit =
        rules->match(event_of(c.kind, c.reason, c.message, c.group), "c", "eu", {}, "7");
    if (c.type == nullptr) {
      EXPECT_EQ(hit.rule, nullptr) << c.message;
      continue;
    }
    ASSERT_NE(hit.rule, nullptr) << c.message;
    EXPECT_EQ(hit.rule->type, c.type) << c.message;
    EXPECT_EQ(hit.dedup_key, c.key) << c.message;
  }
}

// Events as clusters send them, a row for each of the default rules' subjects.
TEST(DefaultRules, RecogniseEventsAsTheyAreRecorded) {
  const auto rules = Rules::compile(Rules::defaults());
  ASSERT_TRUE(rules.has_value());
  struct Case {
    const char *api, *kind, *type, *component, *reason, *message, *told;
    Severity severity;
  };
  constexpr auto kInfo = Severity::kInfo, kWarning = Severity::kWarning, kError = Severity::kError;
  constexpr const char *kArgo = "argoproj.io/v1alpha1", *kRollouts = "rollouts-controller",
                       *kCd = "argocd-application-controller";
  const Case cases[] = {
      {kArgo, "Application", "Normal", kCd, "ResourceUpdated",
       "Updated health status: Progressing -> Healthy", "release.deployed", kInfo},
      {kArgo, "Application", "Normal", kCd, "ResourceUpdated", "Updated health status: Healthy -> Degraded",
       "release.degraded", kError},
      {kArgo, "Application", "Normal", kCd, "ResourceUpdated",
       "Updated health status: Suspended -> Progressing", "release.step", kInfo},
      {kArgo, "Application", "Normal", kCd, "OperationStarted", "admin initiated sync to HEAD (f00)",
       "release.sync_started", kInfo},
      {kArgo, "Application", "Normal", kCd, "OperationCompleted", "Sync operation to f00 succeeded",
       "release.sync", kInfo},
      {kArgo, "Application", "Warning", kCd, "OperationCompleted",
       "Sync operation to f00 failed: one or more objects failed to apply", "release.sync", kError},
      {kArgo, "Rollout", "Normal", kRollouts, "SetStepIndex", "Set Step Index to 1", "release.step", kInfo},
      {kArgo, "Rollout", "Normal", kRollouts, "SettingStableRS", "Completed all steps", "release.deployed",
       kInfo},
      {kArgo, "Rollout", "Normal", kRollouts, "RolloutStepCompleted",
       "Rollout step 1/6 completed (setWeight: 20)", "release.step", kInfo},
      {kArgo, "Rollout", "Normal", kRollouts, "RolloutCompleted",
       "Rollout completed update to revision 2 (6cf78c66c5): Completed all 6 canary steps",
       "release.deployed", kInfo},
      {kArgo, "Rollout", "Normal", kRollouts, "RolloutPaused", "Rollout is paused (CanaryPauseStep)",
       "release.paused", kInfo},
      {kArgo, "Rollout", "Normal", kRollouts, "RolloutResumed", "Rollout is resumed", "release.resumed", kInfo},
      {kArgo, "Rollout", "Warning", kRollouts, "RolloutAborted",
       "Rollout aborted update to revision 2: Metric \"success-rate\" assessed Failed", "release.failed",
       kError},
      {"v1", "Pod", "Normal", "kubelet", "Pulled",
       "Successfully pulled image \"nginx:1.27\" in 1.2s (1.2s including waiting)", "image.pulled", kInfo},
      {"v1", "Pod", "Normal", "kubelet", "Pulled",
       "Container image \"nginx:1.27\" already present on machine", "image.pulled", kInfo},
      {"v1", "Pod", "Warning", "kubelet", "Failed",
       "Failed to pull image \"nope:1\": rpc error: code = NotFound", "pod.image_failed", kError},
      {"v1", "Pod", "Warning", "kubelet", "Failed", "Error: ImagePullBackOff", "pod.image_failed", kError},
      {"v1", "Pod", "Normal", "kubelet", "BackOff", "Back-off pulling image \"nope:1\"", "pod.image_failed",
       kError},
      {"v1", "Pod", "Warning", "kubelet", "BackOff",
       "Back-off restarting failed container web in pod web-5d_shop(0a)", "pod.crash_loop", kError},
      {"v1", "Pod", "Warning", "kubelet", "Failed", "Error: failed to create containerd task", "pod.failed",
       kError},
      {"v1", "Pod", "Warning", "kubelet", "Unhealthy",
       "Readiness probe failed: HTTP probe failed with statuscode: 503", "pod.unhealthy", kWarning},
      {"v1", "Pod", "Warning", "default-scheduler", "FailedScheduling",
       "0/3 nodes are available: 3 Insufficient cpu.", "pod.unschedulable", kWarning},
      {"v1", "Pod", "Warning", "kubelet", "FailedMount",
       "MountVolume.SetUp failed for volume \"c\" : secret \"s\" not found", "pod.mount_failed", kWarning},
      {"v1", "Pod", "Warning", "attachdetach-controller", "FailedAttachVolume",
       "Multi-Attach error for volume \"pvc-1\"", "pod.mount_failed", kWarning},
      {"v1", "Pod", "Warning", "kubelet", "Evicted", "The node was low on resource: memory.", "pod.evicted",
       kWarning},
      {"batch/v1", "Job", "Normal", "job-controller", "Completed", "Job completed", "job.done", kInfo},
      {"batch/v1", "Job", "Warning", "job-controller", "BackoffLimitExceeded",
       "Job has reached the specified backoff limit", "job.failed", kError},
      {"batch/v1", "Job", "Warning", "job-controller", "DeadlineExceeded",
       "Job was active longer than specified deadline", "job.failed", kError},
      {"autoscaling/v2", "HorizontalPodAutoscaler", "Normal", "horizontal-pod-autoscaler",
       "SuccessfulRescale", "New size: 5; reason: cpu resource utilization above target", "scale", kInfo},
      {"v1", "Node", "Normal", "node-controller", "NodeNotReady", "Node n1 status is now: NodeNotReady",
       "node.not_ready", kError},
      {"v1", "Node", "Normal", "kubelet", "NodeReady", "Node n1 status is now: NodeReady", "node.ready", kInfo},
      {"v1", "Node", "Warning", "kubelet", "Rebooted", "Node n1 has been rebooted, boot id: 1b",
       "node.rebooted", kWarning},
      {"v1", "Pod", "Normal", "kubelet", "Started", "Started container web", nullptr, kInfo},
      {"apps/v1", "Deployment", "Normal", "deployment-controller", "ScalingReplicaSet",
       "Scaled up replica set web-5d to 1", nullptr, kInfo},
  };
  std::set<std::string> used;
  for (const Case& c : cases) {
    for (const char* prefix : {"", "(combined from similar events): "}) {
      const auto e = parse_kube_event(
          cat(R"({"apiVersion":"v1","kind":"Event","metadata":{"name":"x.17","namespace":"shop","uid":"e",)",
              R"("resourceVersion":"7","creationTimestamp":"2026-01-01T00:00:00Z"},"involvedObject":{)",
              R"("apiVersion":")", c.api, R"(","kind":")", c.kind,
              R"(","name":"x","namespace":"shop","uid":"u"},"reason":")", c.reason, R"(","message":)",
              json::quoted(cat(prefix, c.message)), R"(,"type":")", c.type, R"(","source":{"component":")",
              c.component, R"("},"firstTimestamp":"2026-01-01T00:00:00Z",)",
              R"("lastTimestamp":"2026-01-01T00:00:00Z","count":1,"eventTime":null})"));
      ASSERT_TRUE(e.has_value()) << e.error().text();
      const auto hit = rules->match(*e, "c", "eu", {}, "7");
      ASSERT_EQ(hit.rule != nullptr, c.told != nullptr) << c.reason << ": " << prefix << c.message;
      if (hit.rule == nullptr) continue;
      EXPECT_EQ(hit.rule->type, c.told) << c.message;
      EXPECT_EQ(hit.rule->severity, c.severity) << c.message;
      used.insert(hit.rule->name);
    }
  }
  for (const Rule& r : Rules::defaults()) EXPECT_TRUE(used.contains(r.name)) << r.name << " has no row";
}

TEST(Rules, WithoutAGenerationEveryStateOfTheEventIsItsOwn) {
  const auto rules = Rules::compile(Rules::defaults());
  const auto hit = rules->match(
      event_of("Rollout", "SetStepIndex", "Set Step Index to 3", "argoproj.io"), "c", "eu", {});
  ASSERT_NE(hit.rule, nullptr);
  EXPECT_EQ(hit.dedup_key, "");
  EXPECT_EQ(hit.detail, "3");
}

TEST(Rules, EveryConditionMustHold) {
  struct Case {
    const char* condition;
    bool want;
  };
  const Case cases[] = {
      {"", true},
      {"group = \"apps\"", false},
      {"version = \"v1\"", true},
      {"version = \"v2\"", false},
      {"version = \"*\"", true},
      {"kind = \"Pod\"", true},
      {"kind = \"*\"", true},
      {"kind = \"Node\"", false},
      {"reasons = [\"A\", \"Started\"]", true},
      {"reasons = [\"Start\"]", false},
      {"messages = [\"no\", \"container w\"]", true},
      {"messages = [\"container w\"]\nanchored = true", false},
      {"messages = [\".*container web\"]\nanchored = true", true},
      {"event_type = \"Warning\"", false},
      {"namespaces = [\"shop\"]", true},
      {"namespaces = [\"other\"]", false},
      {"components = [\"kubelet\"]", true},
      {"components = [\"scheduler\"]", false},
      {"regions = [\"eu\"]", true},
      {"regions = [\"us\"]", false},
      {"labels = {team = \"pay\"}", true},
      {"labels = {team = \"search\"}", false},
      {"min_count = 3", true},
      {"min_count = 4", false},
      {"off = true", false},
  };
  KubeEvent e = event_of("Pod", "Started", "Started container web");
  e.component = "kubelet";
  e.count = 3;
  for (const Case& c : cases) {
    const Rules rules =
        compiled(cat("[[rules]]\nname = \"r\"\ntype = \"x.y\"\n", c.condition, "\n"));
    EXPECT_EQ(rules.match(e, "c", "eu", {{"team", "pay"}}).rule != nullptr, c.want) << c.condition;
  }
}

TEST(Rules, TheFirstThatMatchesWins) {
  const Rules rules = compiled(
      "[[rules]]\nname = \"any\"\ntype = \"a\"\nmessages = [\"web\"]\n"
      "[[rules]]\nname = \"exact\"\ntype = \"b\"\nkind = \"Pod\"\nreasons = [\"Started\"]\n");
  EXPECT_EQ(rules.match(event_of("Pod", "Started", "web"), "c", "", {}).rule->type, "a");
  EXPECT_EQ(rules.match(event_of("Pod", "Started", "api"), "c", "", {}).rule->type, "b");
}

TEST(Rules, RefusesWhatIsWrongAndSaysWhere) {
  struct Case {
    const char *toml, *error;
  };
  const Case cases[] = {
      {"[[rules]]\nname = \"r\"\ntype = \"t\"\nmessages = [\"a(\"]\n",
       "t:4: rules[0].messages: \"a(\": missing ): a("},
      {"[[rules]]\nname = \"r\"\ntype = \"t\"\ndedup = \"{who}\"\n",
       "t:4: rules[0].dedup: unknown placeholder {who}"},
      {"[[rules]]\nname = \"r\"\ntype = \"t\"\ndedup = \"{uid\"\n",
       "t:4: rules[0].dedup: a \"{\" is not closed"},
      {"[[rules]]\nname = \"r\"\ntype = \"t\"\nmessages = [\"a\"]\ndedup = \"{match1}\"\n",
       "t:5: rules[0].dedup: {match1}: a pattern has no such group"},
      {"[[rules]]\nname = \"r\"\ntype = \"t\"\n[[rules]]\nname = \"r\"\ntype = \"t\"\n",
       "rule \"r\": name: there are two of this name"},
      {"[[rules]]\nname = \"r\"\n", "t:1: rules[0].type: it has none"},
      {"[[rules]]\nname = \"r\"\ntype = \"t\"\n\nreason = \"x\"\n",
       "t:5: rules[0].reason: unknown key"},
      {"[[rules]]\nname = 1\ntype = \"t\"\n", "t:2: rules[0].name: want a text"},
      {"[[rules]]\nname = \"a\"\ntype=\"t\"\n[[rules]]\nname = \"b\"\ntype = \"t\"\nseverity = \"bad\"\n",
       "t:7: rules[1].severity: want \"info\", \"warning\" or \"error\""},
      {"[[rule]]\nname = \"a\"\n", "t:1: rule: unknown key"},
      {"[[rules]\n", "t: toml: line 2"},
  };
  for (const Case& c : cases) {
    auto rules = read_rules(c.toml, "t");
    if (!rules) {
      EXPECT_TRUE(rules.error().text().starts_with(c.error)) << rules.error().text();
      continue;
    }
    const auto out = Rules::compile(*rules);
    ASSERT_FALSE(out.has_value()) << c.toml;
    EXPECT_EQ(out.error().text(), c.error);
  }
}

TEST(KubeEvent, ReadsBothForms) {
  const auto core = parse_kube_event(R"({"metadata":{"name":"web.1","namespace":"shop","uid":"u",
    "resourceVersion":"7","creationTimestamp":"2026-01-01T00:00:00Z"},
    "involvedObject":{"apiVersion":"apps/v1","kind":"Deployment","name":"web","namespace":"shop",
    "uid":"d","fieldPath":"spec.containers{web}"},"reason":"Scaled","message":"a","type":"Normal",
    "source":{"component":"deployment-controller","host":"n1"},"count":4,
    "lastTimestamp":"2026-01-01T00:00:09Z","eventTime":null})");
  ASSERT_TRUE(core.has_value()) << core.error().text();
  EXPECT_EQ(core->involved.group, "apps");
  EXPECT_EQ(core->involved.version, "v1");
  EXPECT_EQ(core->field_path, "spec.containers{web}");
  EXPECT_EQ(core->component, "deployment-controller");
  EXPECT_EQ(core->count, 4);
  EXPECT_EQ(core->time_ms(), 1767225609000);

  const auto newer = parse_kube_event(R"({"metadata":{"name":"web.1","uid":"u"},
    "regarding":{"apiVersion":"v1","kind":"Pod","name":"web"},"reason":"Pulled","note":"b",
    "reportingController":"kubelet","eventTime":"2026-01-01T00:00:01.5Z",
    "series":{"count":9,"lastObservedTime":"2026-01-01T00:00:20.25Z"}})");
  ASSERT_TRUE(newer.has_value()) << newer.error().text();
  EXPECT_EQ(newer->involved.kind, "Pod");
  EXPECT_EQ(newer->message, "b");
  EXPECT_EQ(newer->component, "kubelet");
  EXPECT_EQ(newer->count, 9);
  EXPECT_EQ(newer->time_ms(), 1767225620250);
}

TEST(KubeEvent, TakesTheFirstTimeThatIsGiven) {
  struct Case {
    const char* times;
    int64_t want;  // seconds after the creation; -1: none
  };
  const Case cases[] = {
      {R"("series":{"count":3,"lastObservedTime":"2026-01-01T00:00:40Z"},"lastTimestamp":null,)"
       R"("eventTime":"2026-01-01T00:00:10Z")", 40},
      {R"("series":{"count":3},"lastTimestamp":"2026-01-01T00:00:30Z","eventTime":null)", 30},
      {R"("lastTimestamp":null,"eventTime":"2026-01-01T00:00:10.000000Z")", 10},
      {R"("lastTimestamp":null,"firstTimestamp":null,"eventTime":null)", 0},
      {R"("lastTimestamp":"","eventTime":7)", 0},
  };
  for (const Case& c : cases) {
    const auto e = parse_kube_event(
        cat(R"({"metadata":{"name":"x","creationTimestamp":"2026-01-01T00:00:00Z"},)",
            R"("involvedObject":{"kind":"Pod","name":"a"},)", c.times, "}"));
    ASSERT_TRUE(e.has_value());
    EXPECT_EQ(e->time_ms(), 1767225600000 + c.want * 1000) << c.times;
  }
}

TEST(KubeEvent, CleansWhatIsHostile) {
  const auto e = parse_kube_event(cat(
      R"({"metadata":{"name":"x"},"involvedObject":{"kind":"Pod","name":"a\u0000b"},"count":-5,)",
      R"("message":"\u001b[31mred\u0007 <b>'; DROP TABLE\n)", "\xff", std::string(40 << 10, 'x'),
      R"(","eventTime":"9999-01-01T00:00:00Z","lastTimestamp":[1]})"));
  ASSERT_TRUE(e.has_value()) << e.error().text();
  EXPECT_EQ(e->involved.name, "ab");
  EXPECT_TRUE(e->message.starts_with("[31mred <b>'; DROP TABLE\n\xef\xbf\xbdxxx")) << e->message;
  EXPECT_LE(e->message.size(), 32u << 10);
  EXPECT_EQ(e->count, 1);
  EXPECT_EQ(e->time_ms(), 0);
}

TEST(KubeEvent, RefusesWhatIsNone) {
  for (const char* json : {"", "[]", "{", "{}", R"({"involvedObject":7})", "\xff"}) {
    EXPECT_FALSE(parse_kube_event(json).has_value()) << json;
  }
}

}  // namespace
}  // namespace pintle::lookout
