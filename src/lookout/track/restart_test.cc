// What is told, and told again, by one tracker after another, as a store takes it.
#include <gtest/gtest.h>

#include <set>

#include "base/strings.h"
#include "json/json.h"
#include "lookout/track/tracker.h"
#include "lookout/track/tracker_state.h"

namespace pintle::lookout {
namespace {

constexpr auto kAdd = Change::kAdded, kMod = Change::kModified, kDel = Change::kDeleted;
constexpr int64_t kNow = 1'800'000'000'000;  // 2027-01-15T08:00:00Z
constexpr int64_t kHour = 3'600'000;
using Told = std::vector<std::string>;

class RestartTest : public testing::Test {
 protected:
  // A process begins: the first that looks at the resource, or one that goes on from kNow - a minute.
  void start(std::string_view resource, bool first) {
    resource_ = resource;
    tracker_ = std::make_unique<Tracker>("c");
    tracker_->set_baseline(resource, first ? kNow - kHour : kNow - 60'000, first);
  }
  // What of it is stored.
  Told hear(Change change, const std::string& json, bool initial = false) {
    auto events = tracker_->observe(resource_, change, json, initial, kNow);
    EXPECT_TRUE(events.has_value());
    Told out;
    for (const Event& e : *events) {
      last_ = e;
      if (keys_.insert(e.dedup_key).second) out.push_back(e.type);
    }
    for (std::string& key : tracker_->take_told()) keys_.insert(std::move(key));
    return out;
  }
  Told listed(const std::string& json) { return hear(kAdd, json, true); }
  // An Event of the cluster, if it is stored.
  Told hint(const Subject& s, std::string_view type, std::string_view key, int64_t ms = kNow) {
    const auto h = tracker_->hint(s, type, "", key, ms, false, kNow);
    if (!h.tell || !keys_.insert(h.dedup_key).second) return {};
    return {h.type.empty() ? std::string(type) : h.type};
  }
  std::string resource_;
  std::unique_ptr<Tracker> tracker_;
  std::set<std::string> keys_;
  Event last_;
};

std::string at(int64_t ms) {  // of the day of kNow
  const int64_t s = (ms - kNow) / 1000 + 8 * 3600;
  const auto two = [](int64_t n) { return cat(n < 10 ? "0" : "", n); };
  return cat("2027-01-15T", two(s / 3600), ":", two(s / 60 % 60), ":", two(s % 60), "Z");
}

// ---- Applications

// As an Argo CD writes it that gives no time of its health; every write has another version and time.
struct App {
  std::string health = "Healthy", phase = "Succeeded", began = "1", sync = "Synced", at = "";
  std::string wanted = "abc", has = "abc", more = "";
};
int version = 0;
std::string application(const App& a) {
  const std::string ended = a.phase == "Running" ? "" : cat(R"(,"finishedAt":"2027-01-15T07:50:0)", a.began, R"(Z")");
  return cat(R"({"apiVersion":"argoproj.io/v1alpha1","kind":"Application","metadata":{"name":"web",)",
             R"("namespace":"argocd","uid":"a","resourceVersion":")", ++version,
             R"(","managedFields":[{"manager":"argocd-application-controller","operation":"Update","time":")",
             at(kNow), R"("}])", a.more, R"(},"spec":{"destination":{"namespace":"shop"}},"status":{"health":{"status":")",
             a.health, "\"", a.at.empty() ? "" : cat(R"(,"lastTransitionTime":")", a.at, "\""),
             R"(},"reconciledAt":")", at(kNow), R"(","sync":{"status":")", a.sync, R"(","revision":")", a.wanted,
             R"(","comparedTo":{"source":{"repoURL":"https://git.test/r"}}},"history":[{"id":0,"revision":"old"},)",
             R"({"id":1,"revision":")", a.has, R"(","source":{"repoURL":"https://git.test/r"}}],"resources":[)",
             R"({"kind":"Deployment","namespace":"shop","name":"web","status":")", a.sync, R"("}],)",
             R"("operationState":{"startedAt":"2027-01-15T07:50:0)", a.began, R"(Z","phase":")", a.phase, "\"", ended,
             "}}}");
}
constexpr const char* kApps = "applications.argoproj.io";
const Subject kApp{"argoproj.io", "v1alpha1", "Application", "argocd", "web", "a"};

TEST_F(RestartTest, AnApplicationWithoutTimesThatWasThereBeforeAnybodyLookedIsNoNews) {
  for (const char* health : {"Healthy", "Degraded", "Suspended"}) {
    keys_.clear();
    start(kApps, true);
    (void)listed(application({.health = health}));
    for (int n = 0; n < 3; ++n) {
      start(kApps, false);
      EXPECT_EQ(listed(application({.health = health})), Told{}) << health;
      EXPECT_EQ(hear(kMod, application({.health = health})), Told{}) << health;
    }
  }
}

TEST_F(RestartTest, AnApplicationWithoutTimesIsToldOnceOverRestarts) {
  start(kApps, true);
  (void)listed(application({}));
  (void)hear(kMod, application({.phase = "Running", .began = "2"}));
  (void)hear(kMod, application({.health = "Progressing", .began = "2"}));
  EXPECT_EQ(hear(kMod, application({.began = "2"})), Told{"release.deployed"});
  start(kApps, false);
  EXPECT_EQ(listed(application({.began = "2"})), Told{});
  EXPECT_EQ(hear(kMod, application({.health = "Degraded", .began = "2"})), Told{"release.degraded"});
  EXPECT_EQ(hear(kMod, application({.began = "2"})), Told{}) << "it has recovered";
  EXPECT_EQ(hear(kMod, application({.health = "Degraded", .began = "2"})), Told{"release.degraded"}) << "again";
  start(kApps, false);
  EXPECT_EQ(listed(application({.health = "Degraded", .began = "2"})), Told{});
  (void)hear(kMod, application({.began = "2"}));
  start(kApps, false);
  EXPECT_EQ(listed(application({.began = "2"})), Told{}) << "recovered, not deployed";
}

TEST_F(RestartTest, WhatBecameOfAnApplicationWithoutTimesMeanwhileIsNews) {
  for (const auto& [health, want] : {std::pair{"Healthy", "release.deployed"}, {"Degraded", "release.degraded"}}) {
    keys_.clear();
    start(kApps, true);
    (void)listed(application({}));
    (void)hear(kMod, application({.health = "Progressing", .began = "2"}));
    start(kApps, false);
    EXPECT_EQ(listed(application({.health = health, .began = "2"})), Told{want});
    start(kApps, false);
    EXPECT_EQ(listed(application({.health = health, .began = "2"})), Told{}) << "once";
  }
}

TEST_F(RestartTest, ASyncThatChangesNothingDeploysNothing) {
  start(kApps, true);
  (void)listed(application({}));
  EXPECT_EQ(hear(kMod, application({.phase = "Running", .began = "2"})), Told{});
  EXPECT_EQ(hear(kMod, application({.began = "2"})), Told{"release.sync"});
  start(kApps, false);
  EXPECT_EQ(listed(application({.began = "2"})), Told{});
  (void)hear(kMod, application({.phase = "Running", .began = "3"}));
  start(kApps, false);
  EXPECT_EQ(listed(application({.phase = "Running", .began = "3"})), Told{}) << "nobody knows yet";
}

TEST_F(RestartTest, AnApplicationWhoseEventCameFirstIsToldOnceOverRestarts) {
  for (const std::string& time : {std::string(), at(kNow)}) {
    keys_.clear();
    start(kApps, true);
    (void)listed(application({.health = "Progressing", .at = time}));
    EXPECT_EQ(hint(kApp, "release.deployed", "k"), Told{"release.deployed"});
    EXPECT_EQ(hear(kMod, application({.at = time})), Told{});
    start(kApps, false);
    EXPECT_EQ(listed(application({.at = time})), Told{}) << time;
  }
}

TEST_F(RestartTest, AnApplicationDriftsWhenWhatRunsChangesNotWhatIsWanted) {
  start(kApps, true);
  (void)listed(application({}));
  EXPECT_EQ(hear(kMod, application({.sync = "OutOfSync", .wanted = "new"})), Told{}) << "a commit";
  EXPECT_EQ(hear(kMod, application({.phase = "Running", .sync = "OutOfSync"})), Told{}) << "it is being synced";
  (void)hear(kMod, application({}));
  EXPECT_EQ(hear(kMod, application({.sync = "OutOfSync"})), Told{"release.drifted"});
  EXPECT_EQ(last_.message, "out of sync with the revision that was synced: Deployment shop/web");
  EXPECT_EQ(last_.release, "web");
  EXPECT_EQ(tracker_->releases().at(0).state, "drifted");
  EXPECT_EQ(hear(kMod, application({.sync = "OutOfSync"})), Told{});
  start(kApps, false);
  EXPECT_EQ(listed(application({.sync = "OutOfSync"})), Told{});
  EXPECT_EQ(hear(kMod, application({.began = "2"})), Told{"release.sync"});
  EXPECT_EQ(tracker_->releases().at(0).state, "Healthy");
  EXPECT_EQ(hear(kMod, application({.began = "2", .sync = "OutOfSync"})), Told{"release.drifted"}) << "anew";
}

TEST_F(RestartTest, AnApplicationThatIsDeletedIsUninstalled) {
  start(kApps, true);
  (void)listed(application({.more = R"(,"finalizers":["resources-finalizer.argocd.argoproj.io"])"}));
  const std::string gone = R"({"metadata":{"name":"web","namespace":"argocd","uid":"a"}})";
  EXPECT_EQ(hear(kDel, gone), Told{"release.uninstalled"});
  EXPECT_EQ(last_.release, "web");
  EXPECT_EQ(last_.release_namespace, "shop");
  EXPECT_EQ(last_.message, "the Application is gone, with what it deployed");
  EXPECT_EQ(hear(kDel, gone), Told{});
}

// ---- Rollouts

struct Roll {
  std::string hash = "a", stable = "a", phase = "Healthy";
  int round = 1, step = 0;
  std::string pauses = "", conditions = "", annotations = "", labels = "";
  int64_t written_ms = kNow;
};
std::string rollout(const Roll& r) {
  return cat(R"({"apiVersion":"argoproj.io/v1alpha1","kind":"Rollout","metadata":{"name":"web","namespace":"shop",)",
             R"("uid":"r","resourceVersion":")", ++version, R"(","generation":)", r.round,
             R"(,"managedFields":[{"manager":"kube-controller-manager","time":")", at(r.written_ms),
             R"("}],"labels":{)", r.labels, R"(},"annotations":{"rollout.argoproj.io/revision":")", r.round, "\"",
             r.annotations, R"(}},"status":{"currentPodHash":")", r.hash, R"(","stableRS":")", r.stable,
             R"(","currentStepIndex":)", r.step, R"(,"pauseConditions":[)", r.pauses, R"(],"conditions":[)",
             r.conditions, R"(],"phase":")", r.phase, "\"}}");
}
std::string pause_since(int64_t ms) { return cat(R"({"reason":"CanaryPauseStep","startTime":")", at(ms), "\"}"); }
constexpr const char* kRolls = "rollouts.argoproj.io";
const Subject kRoll{"argoproj.io", "v1alpha1", "Rollout", "shop", "web", "r"};

TEST_F(RestartTest, APauseIsToldOnceHoweverOftenTheRolloutIsWritten) {
  const Roll first = {.hash = "b", .phase = "Paused", .round = 2, .step = 1, .pauses = pause_since(kNow - 5000)};
  const Roll by_hand = {.hash = "b", .phase = "Paused", .round = 2, .step = 1,
                        .conditions = R"({"type":"Paused","status":"True","lastTransitionTime":"2027-01-15T07:59:00Z"})"};
  const Roll unknown = {.hash = "b", .phase = "Paused", .round = 2, .step = 1};
  for (const Roll& paused : {first, by_hand, unknown}) {
    for (const bool by_event : {false, true}) {
      keys_.clear();
      start(kRolls, true);
      (void)listed(rollout({}));
      (void)hear(kMod, rollout({.hash = "b", .phase = "Progressing", .round = 2, .step = 1}));
      if (by_event) EXPECT_EQ(hint(kRoll, "release.paused", "k"), Told{"release.paused"});
      EXPECT_EQ(hear(kMod, rollout(paused)), by_event ? Told{} : Told{"release.paused"});
      for (int n = 0; n < 2; ++n) {
        start(kRolls, false);
        EXPECT_EQ(listed(rollout(paused)), Told{}) << paused.pauses << paused.conditions;
        EXPECT_EQ(hear(kMod, rollout(paused)), Told{});
      }
      EXPECT_EQ(hear(kMod, rollout({.hash = "b", .phase = "Progressing", .round = 2, .step = 1})),
                Told{"release.resumed"});
      Roll again = paused;
      if (!again.pauses.empty()) again.pauses = pause_since(kNow);
      if (!again.conditions.empty()) again.conditions = replace_all(again.conditions, "07:59", "08:00");
      EXPECT_EQ(hear(kMod, rollout(again)), Told{"release.paused"}) << "another one";
    }
  }
}

TEST_F(RestartTest, OfAPauseForSeveralReasonsEitherMayEnd) {
  const std::string a = pause_since(kNow - 5000), b = pause_since(kNow - 1000);
  start(kRolls, true);
  (void)listed(rollout({}));
  EXPECT_EQ(hear(kMod, rollout({.hash = "b", .phase = "Paused", .round = 2, .pauses = a})),
            (Told{"release.pending", "release.paused"}));
  EXPECT_EQ(hear(kMod, rollout({.hash = "b", .phase = "Paused", .round = 2, .pauses = cat(a, ",", b)})), Told{});
  start(kRolls, false);
  EXPECT_EQ(listed(rollout({.hash = "b", .phase = "Paused", .round = 2, .pauses = b})), Told{});
}

TEST_F(RestartTest, ARolloutThatWasThereBeforeAnybodyLookedIsNoNewsWhoeverTouchesIt) {
  const std::string done =
      R"({"type":"Progressing","status":"True","reason":"NewReplicaSetAvailable","lastUpdateTime":"2027-01-15T05:00:00Z"})";
  start(kRolls, true);
  EXPECT_EQ(listed(rollout({.step = 3, .conditions = done})), Told{}) << "an autoscaler wrote to it just now";
  start(kRolls, false);
  EXPECT_EQ(listed(rollout({.step = 3, .conditions = done})), Told{});
}

TEST_F(RestartTest, AUndoneRolloutIsRolledBack) {
  start(kRolls, false);
  (void)hear(kAdd, rollout({}));
  (void)hear(kMod, rollout({.hash = "b", .phase = "Progressing", .round = 2}));
  EXPECT_EQ(hear(kMod, rollout({.hash = "b", .stable = "b", .round = 2})), Told{"release.deployed"});
  EXPECT_EQ(hear(kMod, rollout({.hash = "a", .stable = "b", .phase = "Progressing", .round = 3})),
            Told{"release.pending"});
  EXPECT_EQ(hint(kRoll, "release.deployed", "c/r/3/deployed"), Told{"release.rolled_back"}) << "its Event";
  EXPECT_EQ(hear(kMod, rollout({.hash = "a", .stable = "a", .round = 3})), Told{}) << "one of both";
  (void)hear(kMod, rollout({.hash = "c", .stable = "a", .phase = "Progressing", .round = 4}));
  EXPECT_EQ(hear(kMod, rollout({.hash = "a", .stable = "a", .round = 5})),
            (Told{"release.pending", "release.rolled_back"}))
      << "on its way";
}

TEST_F(RestartTest, ARolloutThatIsDeletedIsUninstalledIfItIsARelease) {
  const std::string gone = R"({"metadata":{"name":"web","namespace":"shop","uid":"r"}})";
  start(kRolls, false);
  (void)hear(kAdd, rollout({}));
  EXPECT_EQ(hear(kDel, gone), Told{"release.uninstalled"});
  EXPECT_EQ(last_.release, "web");
  EXPECT_EQ(last_.revision, 1);
  for (const Roll& part : {Roll{.annotations = R"(,"meta.helm.sh/release-name":"shop")"},
                           Roll{.annotations = R"(,"argocd.argoproj.io/tracking-id":"web:x")"},
                           Roll{.labels = R"("app.kubernetes.io/instance":"shop")"}}) {
    start(kRolls, false);
    (void)hear(kAdd, rollout(part));
    EXPECT_EQ(hear(kDel, gone), Told{}) << part.annotations << part.labels;
  }
}

TEST_F(RestartTest, AHelmReleasesRolloutIsNotToldAsItsOwnLater) {
  const std::string helm = R"(,"meta.helm.sh/release-name":"shop")";
  const auto record = [](std::string_view status) {
    return cat(R"({"kind":"Secret","metadata":{"name":"sh.helm.release.v1.shop.v1","namespace":"shop","uid":"s",)",
               R"("labels":{"owner":"helm","name":"shop","status":")", status, R"(","version":"1"}}})");
  };
  start(kRolls, false);
  ASSERT_TRUE(tracker_->observe("secrets", kAdd, record("pending-install"), false, kNow));
  EXPECT_EQ(hear(kAdd, rollout({.stable = "", .phase = "Progressing", .annotations = helm})), Told{});
  EXPECT_EQ(hear(kMod, rollout({.annotations = helm})), Told{}) << "Helm's word is under way";
  ASSERT_TRUE(tracker_->observe("secrets", kMod, record("deployed"), false, kNow));
  start(kRolls, false);
  ASSERT_TRUE(tracker_->observe("secrets", kAdd, record("deployed"), true, kNow));
  EXPECT_EQ(listed(rollout({.annotations = helm})), Told{}) << "an autoscaler wrote to it";
}

// ---- workloads

struct Set {
  std::string update = "db-1";
  int generation = 1, ready = 2;
  int64_t spec_ms = kNow - 5 * kHour;
  int observed = 0;
};
std::string stateful_set(const Set& s) {
  return cat(R"({"metadata":{"name":"db","namespace":"shop","uid":"s","generation":)", s.generation,
             R"(,"resourceVersion":")", ++version, R"(","managedFields":[{"manager":"kubectl","time":")", at(s.spec_ms),
             R"("},{"manager":"kube-controller-manager","subresource":"status","time":")", at(kNow),
             R"("}]},"spec":{"replicas":2,"template":{}},"status":{"observedGeneration":)",
             s.observed != 0 ? s.observed : s.generation, R"(,"updateRevision":")", s.update, R"(","currentRevision":")",
             s.update, R"(","updatedReplicas":2,"readyReplicas":)", s.ready, R"(,"availableReplicas":)", s.ready, "}}");
}
constexpr const char* kSets = "statefulsets.apps";

TEST_F(RestartTest, AStatefulSetsRoundThatEndedMeanwhileIsTold) {
  start(kSets, true);
  EXPECT_EQ(listed(stateful_set({})), Told{});
  start(kSets, false);
  EXPECT_EQ(listed(stateful_set({})), Told{}) << "one of its pods was made anew";
  start(kSets, false);
  EXPECT_EQ(listed(stateful_set({.update = "db-2", .generation = 2, .spec_ms = kNow})), Told{"release.deployed"});
  EXPECT_EQ(last_.revision, 0);
  start(kSets, false);
  EXPECT_EQ(listed(stateful_set({.update = "db-2", .generation = 3, .spec_ms = kNow})), Told{}) << "scaled";
}

TEST_F(RestartTest, AStatefulSetThatWasThereBeforeAnybodyLookedIsNoNewsWhenItsPodComesBack) {
  start(kSets, true);
  EXPECT_EQ(listed(stateful_set({.ready = 1})), Told{});
  EXPECT_EQ(hear(kMod, stateful_set({})), Told{});
  start(kSets, false);
  EXPECT_EQ(listed(stateful_set({.ready = 1})), Told{});
  EXPECT_EQ(hear(kMod, stateful_set({})), Told{});
  EXPECT_EQ(hear(kMod, stateful_set({.generation = 2, .spec_ms = kNow, .observed = 1})), Told{}) << "not looked at yet";
  EXPECT_EQ(hear(kMod, stateful_set({.update = "db-2", .generation = 2, .ready = 1, .spec_ms = kNow})), Told{});
  EXPECT_EQ(hear(kMod, stateful_set({.update = "db-2", .generation = 2, .spec_ms = kNow})), Told{"release.deployed"});
  EXPECT_EQ(hear(kMod, stateful_set({.update = "db-1", .generation = 3, .spec_ms = kNow})), Told{"release.deployed"})
      << "back, by the same template";
  start(kSets, false);
  EXPECT_EQ(listed(stateful_set({.update = "db-1", .generation = 3, .spec_ms = kNow})), Told{});
}

TEST_F(RestartTest, ADaemonSetOrDeploymentThatWasThereBeforeAnybodyLookedIsNoNews) {
  struct Case {
    const char *resource, *annotation, *status;
  };
  const Case cases[] = {
      {"daemonsets.apps", "deprecated.daemonset.template.generation",
       R"("desiredNumberScheduled":2,"updatedNumberScheduled":2,"numberAvailable":2)"},
      {"deployments.apps", "deployment.kubernetes.io/revision", R"("updatedReplicas":2,"availableReplicas":2)"},
  };
  for (const Case& c : cases) {
    const auto workload = [&](int round, int64_t spec_ms) {
      return cat(R"({"metadata":{"name":"w","namespace":"shop","uid":"w","annotations":{")", c.annotation, R"(":")",
                 round, R"("},"managedFields":[{"manager":"kubectl","time":")", at(spec_ms),
                 R"("},{"manager":"m","subresource":"status","time":")", at(kNow),
                 R"("}]},"spec":{"replicas":2},"status":{)", c.status, "}}");
    };
    start(c.resource, true);
    EXPECT_EQ(listed(workload(1, kNow - 5 * kHour)), Told{}) << c.resource;
    start(c.resource, false);
    EXPECT_EQ(listed(workload(1, kNow - 5 * kHour)), Told{}) << c.resource << ": a pod was made anew";
    start(c.resource, false);
    EXPECT_EQ(listed(workload(2, kNow)), Told{"release.deployed"}) << c.resource;
    keys_.clear();
    start(c.resource, true);
    EXPECT_EQ(listed(workload(1, kNow - 60'000)), Told{"release.deployed"}) << c.resource << ": within the hour";
  }
}

TEST_F(RestartTest, AContainerThatRunsOutOfMemoryAgainAndAgainIsToldEachTime) {
  const auto pod = [](std::string_view before, std::string_view now) {
    const auto killed = [](std::string_view when) {
      return cat(R"({"terminated":{"reason":"OOMKilled","finishedAt":")", when, "\"}}");
    };
    return cat(R"({"metadata":{"name":"p","namespace":"shop","uid":"p"},"status":{"containerStatuses":[{"name":"c",)",
               R"("lastState":)", before.empty() ? "{}" : killed(before), R"(,"state":)",
               now.empty() ? "{}" : killed(now), "}]}}");
  };
  start("pods", false);
  EXPECT_EQ(hear(kAdd, pod("", at(kNow))), Told{"pod.oom_killed"});
  EXPECT_EQ(hear(kMod, pod(at(kNow), "")), Told{}) << "the same";
  EXPECT_EQ(hear(kMod, pod(at(kNow), at(kNow + 1000))), Told{"pod.oom_killed"});
  EXPECT_EQ(hear(kMod, pod(at(kNow + 1000), at(kNow + 2000))), Told{"pod.oom_killed"});
  const auto again = tracker_->observe("pods", kMod, pod(at(kNow + 1000), at(kNow + 2000)), false, kNow);
  EXPECT_TRUE(again->empty());

  Tracker::State held;
  for (int n = 0; n < 100; ++n) {
    const auto object = json::read(pod("", at(kNow + n * 1000)));
    Seen seen;
    seen.subject.uid = "p";
    seen.object = &*object;
    held.see_pod(seen);
  }
  EXPECT_EQ(held.out.size(), 100u);
  EXPECT_EQ(held.pods["p"].told.size(), 1u) << "and no more is remembered";
}

}  // namespace
}  // namespace pintle::lookout
