// A Helm release with Rollouts: one outcome, whoever says what first.
#include <gtest/gtest.h>

#include <set>

#include "base/strings.h"
#include "crypt/crypt.h"
#include "lookout/track/tracker.h"

namespace pintle::lookout {
namespace {

constexpr auto kAdd = Change::kAdded, kMod = Change::kModified;
constexpr int64_t kNow = 1'800'000'000'000;

std::string record(int revision, std::string_view status, std::string_view manifest = "") {
  std::string data;
  if (!manifest.empty()) {
    const std::string payload = cat(R"({"name":"shop","chart":{"metadata":{"name":"c"}},"manifest":")",
                                    replace_all(manifest, "\n", "\\n"), "\"}");
    data = cat(R"(,"data":{"release":")", crypt::base64_encode(crypt::base64_encode(payload)), R"("})");
  }
  return cat(R"({"kind":"Secret","metadata":{"name":"sh.helm.release.v1.shop.v)", revision,
             R"(","namespace":"prod","uid":"s)", revision, R"(","labels":{"owner":"helm","name":"shop",)",
             R"("status":")", status, R"(","version":")", revision,
             R"(","modifiedAt":"1800000000"}},"type":"helm.sh/release.v1")", data, "}");
}

constexpr std::string_view kManifest =
    "---\n# Source: c/templates/r.yaml\napiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata:\n  "
    "name: web\n---\napiVersion: v1\nkind: ConfigMap\n";

std::string rollout(std::string_view hash, std::string_view stable, std::string_view phase, int round,
                    std::string_view name = "web", std::string_view more = "") {
  return cat(R"({"apiVersion":"argoproj.io/v1alpha1","kind":"Rollout","metadata":{"name":")", name,
             R"(","namespace":"prod","uid":"r-)", name, R"(","resourceVersion":")", hash, stable, phase,
             R"(","generation":)", round, R"(,"annotations":{"meta.helm.sh/release-name":"shop",)",
             R"("meta.helm.sh/release-namespace":"prod","rollout.argoproj.io/revision":")", round,
             R"("}},"status":{"observedGeneration":")", round, R"(","currentPodHash":")", hash,
             R"(","stableRS":")", stable, R"(","phase":")", phase, "\"", more, "}}");
}

class OutcomeTest : public testing::Test {
 protected:
  // "TYPE vREVISION" of what is told under keys that nothing was told under before.
  std::vector<std::string> take(const std::vector<Event>& events) {
    std::vector<std::string> out;
    for (const Event& e : events) {
      if (keys_.insert(e.dedup_key).second) out.push_back(cat(e.type, " v", e.revision));
    }
    return out;
  }
  std::vector<std::string> helm(Change c, const std::string& json, bool initial = false) {
    auto events = tracker_->observe("secrets", c, json, initial, now_);
    EXPECT_TRUE(events.has_value());
    return take(*events);
  }
  std::vector<std::string> argo(Change c, const std::string& json, bool initial = false) {
    auto events = tracker_->observe("rollouts.argoproj.io", c, json, initial, now_);
    EXPECT_TRUE(events.has_value());
    return take(*events);
  }
  std::vector<std::string> pass(int64_t ms) {
    now_ += ms;
    return take(tracker_->tick(now_));
  }
  // The first version, which is deployed.
  void first() {
    helm(kAdd, record(1, "pending-install", kManifest));
    argo(kAdd, rollout("a", "", "Progressing", 1));
    helm(kMod, record(1, "deployed", kManifest));
    EXPECT_EQ(argo(kMod, rollout("a", "a", "Healthy", 1)), Told{"release.deployed v1"});
  }
  using Told = std::vector<std::string>;
  int64_t now_ = kNow;
  std::unique_ptr<Tracker> tracker_ =
      std::make_unique<Tracker>("c", TrackerOptions{.stuck_ms = 600'000, .settle_ms = 60'000});
  std::set<std::string> keys_;
};

TEST_F(OutcomeTest, DeployedIsToldWhenItsRolloutsAre) {
  EXPECT_EQ(helm(kAdd, record(1, "pending-install", kManifest)), Told{"release.pending v1"});
  EXPECT_EQ(argo(kAdd, rollout("", "", "", 1)), Told{});
  EXPECT_EQ(helm(kMod, record(1, "deployed", kManifest)), Told{});
  EXPECT_EQ(tracker_->releases()[0].state, "pending");
  EXPECT_EQ(argo(kMod, rollout("a", "", "Progressing", 1)), Told{});
  EXPECT_EQ(pass(300'000), Told{}) << "whatever time it takes";
  EXPECT_EQ(argo(kMod, rollout("a", "a", "Healthy", 1)), Told{"release.deployed v1"});
  EXPECT_EQ(tracker_->releases()[0].state, "deployed");
  EXPECT_EQ(argo(kMod, rollout("a", "a", "Healthy", 1)), Told{});
  EXPECT_EQ(pass(300'000), Told{});
}

TEST_F(OutcomeTest, StepsAreToldOnTheWayWithHelmsRevision) {
  first();
  EXPECT_EQ(helm(kAdd, record(2, "pending-upgrade", kManifest)), Told{"release.pending v2"});
  EXPECT_EQ(argo(kMod, rollout("b", "a", "Progressing", 2)), Told{});
  EXPECT_EQ(helm(kMod, record(1, "superseded")), Told{});
  EXPECT_EQ(helm(kMod, record(2, "deployed", kManifest)), Told{});
  EXPECT_EQ(argo(kMod, rollout("b", "a", "Progressing", 2, "web", R"(,"currentStepIndex":1)")),
            Told{"release.step v2"});
  EXPECT_EQ(argo(kMod, rollout("b", "a", "Paused", 2, "web", R"(,"currentStepIndex":1)")),
            Told{"release.paused v2"});
  EXPECT_EQ(argo(kMod, rollout("b", "b", "Healthy", 2, "web", R"(,"currentStepIndex":1)")),
            (Told{"release.resumed v2", "release.deployed v2"}));
}

TEST_F(OutcomeTest, ARolloutThatIsHeardOfLateStillDecides) {
  first();
  helm(kAdd, record(2, "pending-upgrade", kManifest));
  EXPECT_EQ(helm(kMod, record(2, "deployed", kManifest)), Told{});
  EXPECT_EQ(pass(3'000), Told{}) << "it looks settled, for its change has not come yet";
  EXPECT_EQ(argo(kMod, rollout("b", "a", "Progressing", 2)), Told{});
  EXPECT_EQ(pass(60'000), Told{});
  EXPECT_EQ(argo(kMod, rollout("b", "b", "Healthy", 2)), Told{"release.deployed v2"});
}

TEST_F(OutcomeTest, AnUpgradeThatLeavesTheRolloutAloneIsToldSoon) {
  first();
  helm(kAdd, record(2, "pending-upgrade", kManifest));
  EXPECT_EQ(helm(kMod, record(2, "deployed", kManifest)), Told{});
  EXPECT_EQ(tracker_->next_tick_ms(), now_ + 5'000);
  EXPECT_EQ(pass(5'000), Told{"release.deployed v2"});
}

TEST_F(OutcomeTest, HelmThatWaitedItselfIsToldAtOnce) {
  first();
  helm(kAdd, record(2, "pending-upgrade", kManifest));
  EXPECT_EQ(argo(kMod, rollout("b", "a", "Progressing", 2)), Told{});
  EXPECT_EQ(argo(kMod, rollout("b", "b", "Healthy", 2)), Told{}) << "Helm has not said so yet";
  EXPECT_EQ(helm(kMod, record(2, "deployed", kManifest)), Told{"release.deployed v2"});
}

TEST_F(OutcomeTest, AnAbortIsAFailureOnceWhoeverSaysIt) {
  first();
  helm(kAdd, record(2, "pending-upgrade", kManifest));
  argo(kMod, rollout("b", "a", "Progressing", 2));
  helm(kMod, record(2, "deployed", kManifest));
  EXPECT_EQ(argo(kMod, rollout("b", "a", "Degraded", 2, "web", R"(,"abort":true)")),
            Told{"release.failed v2"});
  EXPECT_EQ(pass(60'000), Told{});
  EXPECT_EQ(argo(kMod, rollout("b", "a", "Progressing", 2)), Told{});
  EXPECT_EQ(argo(kMod, rollout("b", "b", "Healthy", 2)), Told{"release.deployed v2"}) << "tried again";

  helm(kAdd, record(3, "pending-upgrade", kManifest));
  argo(kMod, rollout("c", "b", "Progressing", 3));
  EXPECT_EQ(argo(kMod, rollout("c", "b", "Degraded", 3, "web", R"(,"abort":true)")),
            Told{"release.failed v3"});
  EXPECT_EQ(helm(kMod, record(3, "failed", kManifest)), Told{}) << "Helm waited, and says it too";
}

TEST_F(OutcomeTest, ItsEventIsAHintOnly) {
  first();
  helm(kAdd, record(2, "pending-upgrade", kManifest));
  argo(kMod, rollout("b", "a", "Progressing", 2));
  helm(kMod, record(2, "deployed", kManifest));
  const Subject s{"argoproj.io", "v1alpha1", "Rollout", "prod", "web", "r-web"};
  EXPECT_FALSE(tracker_->hint(s, "release.deployed", "", "c/r-web/2/deployed", now_, false, now_).tell);
  EXPECT_TRUE(tracker_->hint(s, "release.step", "1", "c/r-web/2/step/1", now_, false, now_).tell);
}

TEST_F(OutcomeTest, AllOfItsRolloutsCount) {
  const std::string two = cat(kManifest, kManifest);
  helm(kAdd, record(1, "pending-install", two));
  argo(kAdd, rollout("a", "", "Progressing", 1));
  EXPECT_EQ(helm(kMod, record(1, "deployed", two)), Told{});
  EXPECT_EQ(argo(kMod, rollout("a", "a", "Healthy", 1)), Told{}) << "the other was not seen yet";
  EXPECT_EQ(argo(kAdd, rollout("x", "", "Progressing", 1, "api")), Told{});
  EXPECT_EQ(argo(kMod, rollout("x", "x", "Healthy", 1, "api")), Told{"release.deployed v1"});
}

TEST_F(OutcomeTest, RolloutsThatNobodySeesAreNotWaitedForForEver) {
  helm(kAdd, record(1, "pending-install", kManifest));
  EXPECT_EQ(helm(kMod, record(1, "deployed", kManifest)), Told{});
  EXPECT_EQ(pass(59'000), Told{});
  EXPECT_EQ(pass(1'000), Told{"release.deployed v1"});
}

TEST_F(OutcomeTest, SomebodyElsesRoundIsTheRolloutsOwn) {
  first();
  EXPECT_EQ(argo(kMod, rollout("z", "a", "Progressing", 7)), Told{"release.pending v7"});
  EXPECT_EQ(argo(kMod, rollout("z", "z", "Healthy", 7)), Told{"release.deployed v7"});
}

TEST_F(OutcomeTest, AfterARestartWhatIsUnderWayIsStillWaitedFor) {
  for (const bool under_way : {true, false}) {
    tracker_ = std::make_unique<Tracker>("c", TrackerOptions{.stuck_ms = 600'000, .settle_ms = 60'000});
    tracker_->set_baseline("secrets", kNow + 1'000'000, false);
    tracker_->set_baseline("rollouts.argoproj.io", kNow + 1'000'000, false);
    EXPECT_EQ(helm(kAdd, record(2, "deployed", kManifest), true), Told{});
    const std::string managed = cat(R"("managedFields":[{"manager":"x","time":"2027-01-15T08:00:00Z"}],)");
    const auto old = [&](std::string json) {
      return replace_all(json, "\"resourceVersion\"", managed + "\"resourceVersion\"");
    };
    EXPECT_EQ(argo(kAdd, old(rollout("b", under_way ? "a" : "b", under_way ? "Progressing" : "Healthy", 2)),
                   true),
              Told{});
    EXPECT_EQ(pass(60'000), Told{});
    if (under_way) {
      EXPECT_EQ(argo(kMod, rollout("b", "b", "Healthy", 2)), Told{"release.deployed v2"});
    }
  }
}

// ---- stuck

TEST_F(OutcomeTest, ARolloutThatGetsNoFurtherIsStuckAndOneThatWaitsIsNot) {
  first();
  helm(kAdd, record(2, "pending-upgrade", kManifest));
  argo(kMod, rollout("b", "a", "Progressing", 2));
  helm(kMod, record(2, "deployed", kManifest));
  EXPECT_EQ(pass(599'000), Told{});
  argo(kMod, rollout("b", "a", "Progressing", 2, "web", R"(,"currentStepIndex":1)"));
  EXPECT_EQ(pass(599'000), Told{}) << "it got further";
  const auto stuck = tracker_->tick(now_ += 1'000);
  ASSERT_EQ(take(stuck), Told{"release.stuck v0"});
  EXPECT_EQ(stuck[0].release, "shop");
  EXPECT_EQ(stuck[0].message, "Progressing for 10 minutes");
  EXPECT_EQ(pass(9'000'000), Told{}) << "once";
  argo(kMod, rollout("b", "a", "Paused", 2, "web", R"(,"currentStepIndex":2)"));
  EXPECT_EQ(pass(9'000'000), Told{});
}

TEST(Stuck, ApplicationsAndWorkloadsAreToo) {
  struct Case {
    const char *resource, *json, *told, *done;
  };
  const Case cases[] = {
      {"applications.argoproj.io",
       R"({"metadata":{"name":"a","namespace":"argocd","uid":"a"},"status":{"health":{"status":"Progressing"}}})",
       "release.stuck a",
       R"({"metadata":{"name":"a","namespace":"argocd","uid":"a"},"status":{"health":{"status":"Healthy"}}})"},
      {"applications.argoproj.io",
       R"({"metadata":{"name":"a","namespace":"argocd","uid":"a"},"status":{"health":{"status":"Healthy"},
          "operationState":{"phase":"Running"}}})",
       "release.stuck a",
       R"({"metadata":{"name":"a","namespace":"argocd","uid":"a"},"status":{"health":{"status":"Healthy"},
          "operationState":{"phase":"Succeeded"}}})"},
      {"deployments.apps",
       R"({"metadata":{"name":"w","namespace":"shop","uid":"w","generation":1},"spec":{"replicas":2},
          "status":{"observedGeneration":1,"updatedReplicas":1}})",
       "release.stuck w",
       R"({"metadata":{"name":"w","namespace":"shop","uid":"w","generation":1},"spec":{"replicas":2},
          "status":{"observedGeneration":1,"updatedReplicas":2,"availableReplicas":2}})"},
      {"statefulsets.apps",
       R"({"metadata":{"name":"w","namespace":"shop","uid":"w","generation":1,"labels":{
          "app.kubernetes.io/managed-by":"Helm","app.kubernetes.io/instance":"r"}},"spec":{"replicas":2},
          "status":{"observedGeneration":1}})",
       "workload.stuck r",
       R"({"metadata":{"name":"w","namespace":"shop","uid":"w","generation":1},"spec":{"replicas":2},
          "status":{"observedGeneration":1,"updatedReplicas":2,"availableReplicas":2}})"},
  };
  for (const Case& c : cases) {
    for (const bool ends : {false, true}) {
      Tracker tracker("c", {.stuck_ms = 600'000});
      ASSERT_TRUE(tracker.observe(c.resource, kAdd, c.json, false, kNow));
      EXPECT_TRUE(tracker.tick(kNow + 599'999).empty()) << c.json;
      if (ends) ASSERT_TRUE(tracker.observe(c.resource, kMod, c.done, false, kNow + 599'999));
      const auto stuck = tracker.tick(kNow + 600'000);
      ASSERT_EQ(stuck.size(), ends ? 0u : 1u) << c.json;
      if (!ends) EXPECT_EQ(cat(stuck[0].type, ' ', stuck[0].release), c.told);
      EXPECT_TRUE(tracker.tick(kNow + 9'000'000).empty()) << c.json;
    }
  }
}

}  // namespace
}  // namespace pintle::lookout
