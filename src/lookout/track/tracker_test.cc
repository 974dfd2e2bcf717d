#include "lookout/track/tracker.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/strings.h"
#include "crypt/crypt.h"
#include "sys/gzip.h"

namespace pintle::lookout {
namespace {

// What happened, as "type release revision"; steps with their number.
std::vector<std::string> told(const std::vector<Event>& events) {
  std::vector<std::string> out;
  for (const Event& e : events) {
    out.push_back(cat(e.type, ' ', e.release_namespace, '/', e.release,
                      e.revision != 0 ? cat(" v", e.revision) : ""));
  }
  return out;
}

std::string record(std::string_view name, int revision, std::string_view status,
                   std::string_view space = "shop", std::string_view uid = "") {
  const std::string id = uid.empty() ? cat(space, '-', name, '-', revision) : std::string(uid);
  return cat(R"({"kind":"Secret","metadata":{"name":"sh.helm.release.v1.)", name, ".v", revision,
             R"(","namespace":")", space, R"(","uid":")", id,
             R"(","creationTimestamp":"2026-01-01T00:00:00Z","labels":{"owner":"helm","name":")",
             name, R"(","status":")", status, R"(","version":")", revision,
             R"("}},"type":"helm.sh/release.v1"})");
}

struct Step {
  Change change;
  std::string json;
  std::vector<std::string> want;
};
constexpr auto kAdd = Change::kAdded, kMod = Change::kModified, kDel = Change::kDeleted;

void run(std::string_view resource, const std::vector<Step>& steps, const char* name) {
  Tracker tracker("c");
  for (const Step& s : steps) {
    const auto events = tracker.observe(resource, s.change, s.json, false, 1'000'000);
    ASSERT_TRUE(events.has_value()) << events.error().text();
    EXPECT_EQ(told(*events), s.want) << name << ": " << s.json;
  }
}

// One of a life of the release that began in this hour.
std::string of_life(int hour, int revision, std::string_view status) {
  std::string out = record("web", revision, status, "shop", cat("life-", hour, "-", revision));
  const std::string_view made = "2026-01-01T00:00:00Z";
  return out.replace(out.find(made), made.size(), cat("2026-01-01T", hour, ":00:0", revision, "Z"));
}

TEST(HelmReleases, AnEndSaysWhatCameOfItNotWhatTheLastRecordHoped) {
  for (const auto& [status, says] : {std::pair{"uninstalling", "Uninstallation complete"},
                                     {"deployed", "its records are gone"}}) {
    Tracker tracker("c");
    (void)tracker.observe("secrets", kAdd, record("web", 1, status), false, 1'000'000);
    const auto events = tracker.observe("secrets", kDel, record("web", 1, status), false, 1'000'000);
    ASSERT_TRUE(events && events->size() == 1);
    EXPECT_EQ(events->at(0).message, says);
  }
}

TEST(HelmReleases, OfAListEndBeforeTheNextLifeBegins) {
  // A list tells deletes first, and what was made anew as a delete and an add.
  const std::vector<Step> old = {{kAdd, of_life(10, 2, "superseded"), {"release.deployed shop/web v2"}},
                                 {kAdd, of_life(10, 3, "deployed"), {"release.deployed shop/web v3"}}};
  const Step first_gone = {kDel, of_life(10, 2, "superseded"), {}};
  const Step last_gone = {kDel, of_life(10, 3, "deployed"), {}};
  struct Case {
    const char* name;
    std::vector<Step> news;
    std::vector<std::string> at_the_end;
    int64_t newest;  // 0: none is left
  };
  for (const Case& c : {
           Case{"the next has fewer revisions",
                {last_gone,
                 first_gone,
                 {kAdd, of_life(11, 1, "superseded"), {"release.uninstalled shop/web v3", "release.deployed shop/web v1"}},
                 {kAdd, of_life(11, 2, "deployed"), {"release.deployed shop/web v2"}}},
                {},
                2},
           {"one",
            {first_gone,
             last_gone,
             {kAdd, of_life(11, 1, "deployed"), {"release.uninstalled shop/web v3", "release.deployed shop/web v1"}}},
            {},
            1},
           {"more, and its first are pruned",
            {first_gone,
             last_gone,
             {kAdd, of_life(11, 3, "superseded"), {"release.uninstalled shop/web v3", "release.deployed shop/web v3"}},
             {kAdd, of_life(11, 4, "deployed"), {"release.deployed shop/web v4"}}},
            {},
            4},
           {"its newest record was removed by hand, and the next took its number",
            {last_gone, {kAdd, of_life(11, 3, "deployed"), {"release.deployed shop/web v3"}}},
            {},
            3},
           {"an old record is pruned", {first_gone}, {}, 3},
           {"all that was known is pruned",
            {first_gone, last_gone, {kAdd, of_life(10, 4, "deployed"), {"release.deployed shop/web v4"}}},
            {},
            4},
           {"nothing follows", {last_gone, first_gone}, {"release.uninstalled shop/web v3"}, 0},
           {"nothing follows what was being uninstalled",
            {{kMod, of_life(10, 3, "uninstalling"), {}},
             {kDel, of_life(10, 3, "uninstalling"), {"release.uninstalled shop/web v3"}},
             first_gone},
            {},
            0},
       }) {
    Tracker tracker("c");
    std::vector<Step> steps = old;
    steps.insert(steps.end(), c.news.begin(), c.news.end());
    for (const Step& s : steps) {
      const auto events = tracker.observe("secrets", s.change, s.json, false, 1'000'000, s.change == kDel);
      ASSERT_TRUE(events.has_value()) << events.error().text();
      EXPECT_EQ(told(*events), s.want) << c.name << ": " << s.json;
    }
    EXPECT_TRUE(tracker.list_over("configmaps", 1'000'000).empty()) << c.name;
    EXPECT_EQ(told(tracker.list_over("secrets", 1'000'000)), c.at_the_end) << c.name;
    EXPECT_TRUE(tracker.list_over("secrets", 1'000'000).empty()) << c.name << ", again";
    const auto left = tracker.releases();
    ASSERT_EQ(left.size(), c.newest != 0) << c.name;
    if (left.empty()) continue;
    EXPECT_EQ(left[0].revision, c.newest) << c.name;
    EXPECT_EQ(left[0].state, "deployed") << c.name;
  }
}

TEST(HelmReleases, ComeInTheOrderOfTheirRevisions) {
  std::vector<std::string> names = {"a/sh.helm.release.v1.web.v1", "a/sh.helm.release.v1.web.v10",
                                    "a/sh.helm.release.v1.web.v2", "a/sh.helm.release.v1.web-v.v3",
                                    "a/sh.helm.release.v1.web.v99999999999999999999", "b/other", "b/web.v10",
                                    "b/web.v9"};
  std::sort(names.begin(), names.end(), comes_before);
  const auto at = [&](std::string_view name) { return std::find(names.begin(), names.end(), name) - names.begin(); };
  EXPECT_LT(at("a/sh.helm.release.v1.web.v1"), at("a/sh.helm.release.v1.web.v2"));
  EXPECT_LT(at("a/sh.helm.release.v1.web.v2"), at("a/sh.helm.release.v1.web.v10"));
  EXPECT_LT(at("b/web.v9"), at("b/web.v10"));
}

TEST(HelmReleases, TellWhatBecameOfThem) {
  run("secrets",
      {{kAdd, record("web", 1, "pending-install"), {"release.pending shop/web v1"}},
       {kMod, record("web", 1, "deployed"), {"release.deployed shop/web v1"}},
       {kMod, record("web", 1, "deployed"), {}},
       {kAdd, record("web", 2, "pending-upgrade"), {"release.pending shop/web v2"}},
       {kMod, record("web", 1, "superseded"), {}},
       {kMod, record("web", 2, "failed"), {"release.failed shop/web v2"}},
       {kAdd, record("web", 3, "pending-rollback"), {"release.pending shop/web v3"}},
       {kMod, record("web", 3, "deployed"), {"release.rolled_back shop/web v3"}},
       {kMod, record("web", 3, "uninstalling"), {}},
       {kDel, record("web", 1, "superseded"), {}},
       {kDel, record("web", 2, "failed"), {}},
       {kDel, record("web", 3, "uninstalling"), {"release.uninstalled shop/web v3"}}},
      "a life");
  run("secrets",
      {{kAdd, record("web", 1, "deployed"), {"release.deployed shop/web v1"}},
       {kAdd, record("web", 2, "deployed"), {"release.deployed shop/web v2"}},
       {kMod, record("web", 1, "superseded"), {}}},
      "a pending upgrade that was missed");
  run("secrets",
      {{kAdd, record("web", 1, "deployed"), {"release.deployed shop/web v1"}},
       {kAdd, record("web", 2, "superseded"), {"release.deployed shop/web v2"}},
       {kAdd, record("web", 3, "deployed"), {"release.deployed shop/web v3"}}},
      "a whole revision that was missed");
  run("secrets",
      {{kAdd, record("web", 1, "superseded"), {"release.deployed shop/web v1"}},
       {kAdd, record("web", 2, "deployed"), {"release.deployed shop/web v2"}},
       {kDel, record("web", 1, "superseded"), {}}},
      "pruning is silent");
  run("secrets",
      {{kAdd, record("web", 1, "deployed", "a"), {"release.deployed a/web v1"}},
       {kAdd, record("web", 1, "deployed", "b"), {"release.deployed b/web v1"}},
       {kDel, record("web", 1, "deployed", "a"), {"release.uninstalled a/web v1"}}},
      "one name in two namespaces");
  run("secrets",
      {{kAdd, record("web", 1, "deployed"), {"release.deployed shop/web v1"}},
       {kMod, record("web", 1, "uninstalled"), {"release.uninstalled shop/web v1"}},
       {kDel, record("web", 1, "uninstalled"), {}}},
      "kept history is told once");
  run("secrets",
      {{kAdd, record("web", 1, "deployed"), {"release.deployed shop/web v1"}},
       {kAdd, record("web", 2, "deployed"), {"release.deployed shop/web v2"}},
       {kDel, record("web", 2, "deployed"), {}},
       {kDel, record("web", 1, "superseded"), {"release.uninstalled shop/web v2"}}},
      "an uninstall learnt from a list, newest first");
  run("configmaps",
      {{kAdd,
        R"({"metadata":{"name":"old.v1","namespace":"kube-system","uid":"t1","labels":{
          "OWNER":"TILLER","NAME":"old","STATUS":"PENDING_INSTALL","VERSION":"1"}}})",
        {"release.pending kube-system/old v1"}},
       {kMod,
        R"({"metadata":{"name":"old.v1","namespace":"kube-system","uid":"t1","labels":{
          "OWNER":"TILLER","NAME":"old","STATUS":"DEPLOYED","VERSION":"1"}}})",
        {"release.deployed kube-system/old v1"}},
       {kMod,
        R"({"metadata":{"name":"old.v1","namespace":"kube-system","uid":"t1","labels":{
          "OWNER":"TILLER","NAME":"old","STATUS":"DELETED","VERSION":"1"}}})",
        {"release.uninstalled kube-system/old v1"}}},
      "Helm 2");
}

TEST(HelmReleases, OfConfigMapsAreTheSame) {
  const auto map = [](int revision, std::string_view status) {
    const std::string payload = crypt::base64_encode(sys::gzip(
        R"({"name":"web","info":{"description":"x"},"chart":{"metadata":{"name":"nginx","version":"1.2.3"}}})"));
    return cat(R"({"kind":"ConfigMap","metadata":{"name":"sh.helm.release.v1.web.v)", revision,
               R"(","namespace":"shop","uid":"m)", revision,
               R"(","labels":{"owner":"helm","name":"web","status":")", status, R"(","version":")", revision,
               R"("}},"data":{"release":")", payload, R"("}})");
  };
  run("configmaps",
      {{kAdd, map(1, "pending-install"), {"release.pending shop/web v1"}},
       {kMod, map(1, "deployed"), {"release.deployed shop/web v1"}},
       {kAdd, map(2, "pending-upgrade"), {"release.pending shop/web v2"}},
       {kMod, map(1, "superseded"), {}},
       {kMod, map(2, "failed"), {"release.failed shop/web v2"}},
       {kDel, map(1, "superseded"), {}},
       {kDel, map(2, "failed"), {"release.uninstalled shop/web v2"}}},
      "a life in ConfigMaps");
  Tracker tracker("c");
  const auto events = tracker.observe("configmaps", kAdd, map(1, "deployed"), false, 1);
  EXPECT_NE(events->at(0).data.find(R"("chart":"nginx","chart_version":"1.2.3")"), std::string::npos)
      << events->at(0).data;
  EXPECT_EQ(tracker.broken_payloads(), 0u);
}

TEST(HelmReleases, OfOneNameInTwoClustersAndNamespacesAreDifferent) {
  Tracker east("east"), west("west");
  std::vector<std::string> keys;
  for (Tracker* t : {&east, &west}) {
    for (const char* space : {"a", "b"}) {
      const auto events = t->observe("secrets", kAdd, record("web", 1, "deployed", space), false, 1);
      EXPECT_EQ(told(*events), std::vector<std::string>{cat("release.deployed ", space, "/web v1")});
      keys.push_back(events->at(0).dedup_key);
    }
    EXPECT_EQ(t->releases().size(), 2u);
  }
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(std::unique(keys.begin(), keys.end()), keys.end());
  const Subject pod{"", "v1", "Pod", "b", "p", "p"};
  ASSERT_TRUE(east.observe("pods", kAdd,
                           R"({"metadata":{"name":"p","namespace":"b","uid":"p","labels":{
                             "app.kubernetes.io/instance":"web"}}})",
                           false, 1));
  EXPECT_EQ(east.owner_of(pod).name_space, "b");
}

TEST(HelmReleases, KeysAreThoseOfTheRecordsLife) {
  Tracker a("c"), b("c");
  const auto one = a.observe("secrets", kAdd, record("web", 1, "deployed"), false, 5);
  const auto again = b.observe("secrets", kAdd, record("web", 1, "deployed"), true, 9);
  const auto anew =
      b.observe("secrets", kAdd, record("web", 1, "deployed", "shop", "other"), false, 9);
  ASSERT_TRUE(one && again && anew);
  EXPECT_EQ(one->at(0).dedup_key, "c/shop-web-1/deployed");
  EXPECT_EQ(again->at(0).dedup_key, one->at(0).dedup_key) << "told again after a restart";
  EXPECT_EQ(anew->at(0).dedup_key, "c/other/deployed") << "installed anew";
}

TEST(HelmReleases, WhatHangsIsStuckOnce) {
  Tracker tracker("c", {.stuck_ms = 600'000});
  const int64_t begun = 1767225600000;  // creationTimestamp
  ASSERT_TRUE(tracker.observe("secrets", kAdd, record("web", 1, "pending-install"), false, begun));
  EXPECT_EQ(tracker.next_tick_ms(), begun + 600'000);
  EXPECT_TRUE(tracker.tick(begun + 599'999).empty());
  const auto stuck = tracker.tick(begun + 600'000);
  ASSERT_EQ(told(stuck), std::vector<std::string>{"release.stuck shop/web v1"});
  EXPECT_EQ(stuck[0].severity, Severity::kError);
  EXPECT_EQ(stuck[0].message, "pending-install for 10 minutes");
  EXPECT_TRUE(tracker.tick(begun + 9'000'000).empty());
  EXPECT_EQ(tracker.releases().at(0).state, "stuck");
}

TEST(HelmReleases, TheFirstListTellsWhatHappenedSince) {
  const int64_t created = 1767225600000;
  for (const auto& [since, tells] : {std::pair{created - 1, true}, {created + 1, false}}) {
    Tracker tracker("c");
    tracker.set_baseline("secrets", since, false);
    const auto events = tracker.observe("secrets", kAdd, record("web", 1, "deployed"), true, 9);
    EXPECT_EQ(events->size(), tells ? 1u : 0u);
    EXPECT_EQ(tracker.releases().at(0).state, "deployed");
  }
}

std::string with_payload(std::string_view payload, bool gzipped) {
  const std::string packed = crypt::base64_encode(
      crypt::base64_encode(gzipped ? sys::gzip(payload) : std::string(payload)));
  std::string json = record("web", 1, "deployed");
  json.insert(json.size() - 1, cat(R"(,"data":{"release":")", packed, R"("})"));
  return json;
}

TEST(HelmReleases, ThePayloadSaysWhatWasReleased) {
  constexpr std::string_view kPayload =
      R"({"name":"web","info":{"description":"Rollback to 3","last_deployed":"2026-01-01T00:00:00Z"},
      "chart":{"metadata":{"name":"nginx","version":"1.2.3","appVersion":"9"}},"config":{"a":1},
      "manifest":"kind: Pod\n  - image: \"nginx:9\"\n  - image: nginx:9\n    image: busybox # x\n"})";
  for (const bool gzipped : {true, false}) {
    Tracker tracker("c");
    const auto events = tracker.observe("secrets", kAdd, with_payload(kPayload, gzipped), false, 1);
    ASSERT_TRUE(events.has_value());
    EXPECT_EQ(told(*events), std::vector<std::string>{"release.rolled_back shop/web v1"});
    const std::string& data = events->at(0).data;
    EXPECT_NE(data.find(R"("chart":"nginx","chart_version":"1.2.3","app_version":"9")"),
              std::string::npos)
        << data;
    EXPECT_NE(data.find(R"("images":["nginx:9",)"), std::string::npos) << data;
    EXPECT_EQ(tracker.broken_payloads(), 0u);
  }
}

TEST(HelmReleases, GarbageAndBombsAreCountedAndNotFatal) {
  const std::string bombs[] = {with_payload(std::string(32 << 20, ' '), true),
                               with_payload("\x1f\x8b\x08 garbage", false),
                               with_payload("[1,2", true), with_payload("{\"a\":", false)};
  for (const std::string& bomb : bombs) {
    Tracker tracker("c");
    const auto events = tracker.observe("secrets", kAdd, bomb, false, 1);
    ASSERT_TRUE(events.has_value());
    EXPECT_EQ(told(*events), std::vector<std::string>{"release.deployed shop/web v1"});
    EXPECT_EQ(tracker.broken_payloads(), 1u);
  }
}

std::string rollout(std::string_view hash, std::string_view stable, int step,
                    std::string_view phase, std::string_view more = "", int revision = 1) {
  return cat(R"({"apiVersion":"argoproj.io/v1alpha1","kind":"Rollout","metadata":{"name":"web",)",
             R"("namespace":"shop","uid":"r","resourceVersion":")", hash, step, phase,
             R"(","generation":1,"annotations":{"rollout.argoproj.io/revision":")", revision,
             R"("}},"status":{"currentPodHash":")", hash, R"(","stableRS":")", stable,
             R"(","currentStepIndex":)", step, R"(,"phase":")", phase, "\"", more, "}}");
}

TEST(Rollouts, TellTheirStepsByTheirStatus) {
  run("rollouts.argoproj.io",
      {{kAdd,
        rollout("a", "a", 0, "Healthy"),
        {"release.pending shop/web v1", "release.deployed shop/web v1"}},
       {kMod, rollout("a", "a", 0, "Healthy", "", 2), {}},
       {kMod, rollout("b", "a", 0, "Progressing", "", 2), {"release.pending shop/web v2"}},
       {kMod, rollout("b", "a", 1, "Progressing", "", 2), {"release.step shop/web v2"}},
       {kMod, rollout("b", "a", 1, "Paused", "", 2), {"release.paused shop/web v2"}},
       {kMod,
        rollout("b", "a", 2, "Progressing", "", 2),
        {"release.step shop/web v2", "release.resumed shop/web v2"}},
       {kMod,
        rollout("b", "a", 4, "Progressing", "", 2),
        {"release.step shop/web v2", "release.step shop/web v2"}},
       {kMod, rollout("b", "b", 4, "Healthy", "", 2), {"release.deployed shop/web v2"}},
       {kMod, rollout("b", "b", 4, "Healthy", "", 2), {}}},
      "an update");
  run("rollouts.argoproj.io",
      {{kAdd,
        rollout("a", "a", 0, "Healthy"),
        {"release.pending shop/web v1", "release.deployed shop/web v1"}},
       {kMod, rollout("b", "a", 0, "Progressing", "", 2), {"release.pending shop/web v2"}},
       {kMod,
        rollout("b", "a", 0, "Degraded", R"(,"abort":true)", 2),
        {"release.failed shop/web v2"}},
       {kMod,
        rollout("a", "a", 0, "Healthy", "", 3),
        {"release.pending shop/web v3", "release.rolled_back shop/web v3"}}},
      "an abort and the way back");
}

TEST(Rollouts, AnEventAndAStateOfOneStepHaveOneKey) {
  Tracker tracker("c");
  const Subject s{"argoproj.io", "v1alpha1", "Rollout", "shop", "web", "r"};
  ASSERT_TRUE(
      tracker.observe("rollouts.argoproj.io", kAdd, rollout("b", "a", 0, "Progressing"), false, 1));
  EXPECT_EQ(tracker.generation_of(s), "1");
  const auto hint = tracker.hint(s, "release.step", "1", "c/r/1/step/1", 5, false, 5);
  EXPECT_TRUE(hint.tell);
  const auto events =
      tracker.observe("rollouts.argoproj.io", kMod, rollout("b", "a", 1, "Progressing"), false, 6);
  EXPECT_EQ(events->at(0).dedup_key, hint.dedup_key);
}

std::string application(std::string_view health, std::string_view operation, std::string_view phase,
                        std::string_view at) {
  return cat(
      R"({"apiVersion":"argoproj.io/v1alpha1","kind":"Application","metadata":{"name":"web",)",
      R"("namespace":"argocd","uid":"a"},"spec":{"destination":{"namespace":"shop"}},)",
      R"("status":{"health":{"status":")", health, R"(","lastTransitionTime":")", at,
      R"("},"sync":{"status":"Synced","revision":"abc"},"operationState":{"startedAt":")",
      operation, R"(","phase":")", phase, R"("}}})");
}

TEST(Applications, TellTheirHealth) {
  const char *t1 = "2026-01-01T00:00:01Z", *t2 = "2026-01-01T00:00:02Z",
             *t3 = "2026-01-01T00:00:03Z", *t4 = "2026-01-01T00:00:04Z",
             *t5 = "2026-01-01T00:00:05Z", *t6 = "2026-01-01T00:00:06Z";
  run("applications.argoproj.io",
      {{kAdd, application("Progressing", t1, "Running", t1), {}},
       {kMod, application("Progressing", t1, "Succeeded", t1), {"release.sync shop/web"}},
       {kMod, application("Healthy", t1, "Succeeded", t2), {"release.deployed shop/web"}},
       {kMod, application("Degraded", t1, "Succeeded", t3), {"release.degraded shop/web"}},
       {kMod, application("Healthy", t1, "Succeeded", t4), {}},
       {kMod, application("Suspended", t1, "Succeeded", t5), {"release.paused shop/web"}},
       {kMod, application("Progressing", t1, "Succeeded", t6), {"release.step shop/web"}}},
      "health");
}

TEST(Applications, AnEventAndAStateAreTwinsWhicheverComesFirst) {
  const Subject s{"argoproj.io", "v1alpha1", "Application", "argocd", "web", "a"};
  for (const bool event_first : {true, false}) {
    Tracker tracker("c");
    ASSERT_TRUE(tracker.observe("applications.argoproj.io", kAdd,
                                application("Progressing", "x", "Running", "y"), false, 1));
    std::vector<std::string> keys;
    for (int turn = 0; turn < 2; ++turn) {
      if ((turn == 0) == event_first) {
        keys.push_back(tracker.hint(s, "release.deployed", "", "k", 100, false, 1000).dedup_key);
      } else {
        const auto events =
            tracker.observe("applications.argoproj.io", kMod,
                            application("Healthy", "x", "Running", "z"), false, 1000);
        keys.push_back(events->at(0).dedup_key);
      }
    }
    EXPECT_EQ(keys[0], keys[1]);
    EXPECT_NE(tracker.hint(s, "release.deployed", "", "k", 200, false, 2000).dedup_key, keys[0])
        << "the next repeat is a new one";
  }
}

std::string deployment(int generation, int updated, std::string_view condition,
                       std::string_view annotations, std::string_view labels = "") {
  return cat(R"({"metadata":{"name":"web","namespace":"shop","uid":"d","generation":)", generation,
             R"(,"annotations":{"deployment.kubernetes.io/revision":")", generation, "\"",
             annotations, R"(},"labels":{)", labels,
             R"(}},"spec":{"replicas":2},"status":{"observedGeneration":)", generation,
             R"(,"updatedReplicas":)", updated, R"(,"availableReplicas":)", updated,
             R"(,"conditions":[)", condition, "]}}");
}
constexpr std::string_view kLate =
    R"({"type":"Progressing","status":"False","reason":"ProgressDeadlineExceeded","message":"late"})";
constexpr std::string_view kHelm = R"(,"meta.helm.sh/release-name":"shopfront")";

TEST(Workloads, SettleOrFailOnceARound) {
  run("deployments.apps",
      {{kAdd, deployment(1, 0, "", ""), {}},
       {kMod, deployment(1, 2, "", ""), {"release.deployed shop/web v1"}},
       {kMod, deployment(1, 1, "", ""), {}},
       {kMod, deployment(1, 2, "", ""), {}},
       {kMod, deployment(2, 1, kLate, ""), {"release.failed shop/web v2"}}},
      "nobody's Deployment is its own release");
  run("deployments.apps",
      {{kAdd, deployment(1, 2, "", kHelm), {"workload.deployed shop/shopfront v1"}},
       {kMod, deployment(2, 0, kLate, kHelm), {"workload.failed shop/shopfront v2"}}},
      "a Helm release's");
}

TEST(Workloads, StatefulSetsAndDaemonSetsComeUpOnceARound) {
  const auto set = [](int generation, int updated, int ready, std::string_view image,
                      std::string_view more = "") {
    return cat(R"({"metadata":{"name":"db","namespace":"shop","uid":"s","generation":)", generation,
               R"(},"spec":{"replicas":3,"template":{"image":")", image,
               R"("}},"status":{"observedGeneration":)", generation, R"(,"updatedReplicas":)", updated,
               R"(,"readyReplicas":)", ready, R"(,"availableReplicas":)", ready, more, "}}");
  };
  run("statefulsets.apps",
      {{kAdd, set(1, 1, 0, "a"), {}},
       {kMod, set(1, 3, 2, "a"), {}},
       {kMod, set(1, 3, 3, "a"), {"release.deployed shop/db"}},
       {kMod, set(2, 3, 3, "a"), {}},
       {kMod, set(3, 0, 3, "b"), {}},
       {kMod, set(3, 2, 2, "b"), {}},
       {kMod, set(3, 3, 3, "b"), {"release.deployed shop/db"}}},
      "a StatefulSet, scaled in between");
  run("statefulsets.apps",
      {{kAdd,
        set(1, 0, 3, "a", R"(,"currentReplicas":3,"currentRevision":"db-1","updateRevision":"db-1")"),
        {"release.deployed shop/db"}}},
      "one that has never been updated");
  const auto daemons = [](int round, int updated, int available) {
    return cat(R"({"metadata":{"name":"agent","namespace":"shop","uid":"d","generation":)", round,
               R"(,"annotations":{"deprecated.daemonset.template.generation":")", round,
               R"("}},"status":{"observedGeneration":)", round,
               R"(,"desiredNumberScheduled":4,"updatedNumberScheduled":)", updated,
               R"(,"numberAvailable":)", available, "}}");
  };
  run("daemonsets.apps",
      {{kAdd, daemons(1, 4, 3), {}},
       {kMod, daemons(1, 4, 4), {"release.deployed shop/agent v1"}},
       {kMod, daemons(2, 2, 4), {}},
       {kMod, daemons(2, 4, 4), {"release.deployed shop/agent v2"}}},
      "a DaemonSet");
}

TEST(Workloads, SetsThatDoNotSettleDegradeTheirRelease) {
  for (const auto& [resource, status] :
       {std::pair{"statefulsets.apps", R"("updatedReplicas":3,"readyReplicas":2)"},
        {"daemonsets.apps", R"("desiredNumberScheduled":3,"updatedNumberScheduled":3,"numberAvailable":1)"}}) {
    Tracker tracker("c", {.settle_ms = 1000});
    ASSERT_TRUE(tracker.observe(
        resource, kAdd,
        cat(R"({"metadata":{"name":"db","namespace":"shop","uid":"s","annotations":{)",
            R"("meta.helm.sh/release-name":"front"}},"spec":{"replicas":3},"status":{)", status, "}}"),
        false, 1));
    ASSERT_TRUE(tracker.observe("secrets", kAdd, record("front", 1, "deployed"), false, 5));
    EXPECT_EQ(told(tracker.tick(1005)), std::vector<std::string>{"release.degraded shop/front v1"})
        << resource;
  }
}

TEST(Workloads, AFailingOneDegradesItsRelease) {
  Tracker tracker("c");
  ASSERT_TRUE(tracker.observe("secrets", kAdd, record("shopfront", 1, "deployed"), false, 1));
  const auto events =
      tracker.observe("deployments.apps", kAdd, deployment(1, 0, kLate, kHelm), false, 2);
  EXPECT_EQ(told(*events), (std::vector<std::string>{"workload.failed shop/shopfront v1",
                                                     "release.degraded shop/shopfront v1"}));
}

TEST(Workloads, AReleaseThatDoesNotSettleIsDegraded) {
  Tracker tracker("c", {.settle_ms = 1000});
  ASSERT_TRUE(tracker.observe("deployments.apps", kAdd, deployment(1, 0, "", kHelm), false, 1));
  ASSERT_TRUE(tracker.observe("secrets", kAdd, record("shopfront", 1, "deployed"), false, 5));
  EXPECT_TRUE(tracker.tick(1004).empty());
  EXPECT_EQ(told(tracker.tick(1005)),
            std::vector<std::string>{"release.degraded shop/shopfront v1"});
}

TEST(Owners, AreFoundUpTheChainAndRememberedWhenGone) {
  Tracker tracker("c");
  ASSERT_TRUE(tracker.observe("deployments.apps", kAdd, deployment(1, 0, "", kHelm), false, 1));
  ASSERT_TRUE(tracker.observe("pods", kAdd,
                              R"({"metadata":{"name":"web-5d-x","namespace":"shop","uid":"p",
      "labels":{"pod-template-hash":"5d"},"ownerReferences":[{"controller":true,
      "kind":"ReplicaSet","name":"web-5d","uid":"rs"}]}})",
                              false, 1));
  const Subject pod{"", "v1", "Pod", "shop", "web-5d-x", "p"};
  EXPECT_EQ(tracker.owner_of(pod).release, "shopfront");
  ASSERT_TRUE(tracker.observe(
      "pods", kDel, R"({"metadata":{"name":"web-5d-x","namespace":"shop","uid":"p"}})", false, 2));
  EXPECT_EQ(tracker.owner_of(pod).release, "shopfront") << "gone a moment ago";
  tracker.tick(3'700'000);
  EXPECT_EQ(tracker.owner_of(pod).release, "") << "gone for an hour";
}

TEST(Pods, TellDigestsAndEnds) {
  run("pods",
      {{kAdd,
        R"({"metadata":{"name":"p","namespace":"shop","uid":"p","labels":{
          "app.kubernetes.io/instance":"web"}},"status":{"containerStatuses":[{"name":"c",
          "image":"nginx:1","imageID":"docker-pullable://nginx@sha256:aa"}]}})",
        {"image.pulled shop/web"}},
       {kMod,
        R"({"metadata":{"name":"p","namespace":"shop","uid":"p","labels":{
          "app.kubernetes.io/instance":"web"}},"status":{"containerStatuses":[{"name":"c",
          "image":"nginx:1","imageID":"docker-pullable://nginx@sha256:aa","lastState":{"terminated":
          {"reason":"OOMKilled","finishedAt":"2026-01-01T00:00:00Z"}},
          "state":{"waiting":{"reason":"CrashLoopBackOff"}}}]}})",
        {"pod.oom_killed shop/web", "pod.crash_loop shop/web"}}},
      "a pod");
  run("jobs.batch",
      {{kAdd,
        R"({"metadata":{"name":"j","namespace":"shop","uid":"j"},"status":{"conditions":[
          {"type":"Complete","status":"True"}]}})",
        {"job.done /"}}},
      "a job");
}

TEST(Tracker, TakesWhateverAServerSends) {
  Tracker tracker("c");
  for (const char* resource : {"secrets", "configmaps", "pods", "deployments.apps", "jobs.batch",
                               "rollouts.argoproj.io", "applications.argoproj.io"}) {
    for (const char* json : {"", "[]", "{", "{}", R"({"metadata":7})",
                             R"({"metadata":{"name":"a.v99999999999999999999",
          "uid":"u","labels":[],"annotations":7,"managedFields":{},"ownerReferences":[7,{}]},
          "spec":[],"status":{"conditions":[7,{"type":7}],"containerStatuses":[7,[]],
          "currentStepIndex":1e300,"currentPodHash":"x","health":7}})"}) {
      (void)tracker.observe(resource, kAdd, json, false, 1);
    }
  }
  EXPECT_FALSE(tracker.observe("widgets", kAdd, "{}", false, 1).has_value());
}

}  // namespace
}  // namespace pintle::lookout
