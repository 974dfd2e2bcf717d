#include "lookout/region/region.h"

#include "lookout/sinks/body.h"
#include "lookout/testing/region_world.h"

namespace pintle::lookout {
namespace {

TEST_F(RegionTest, SaysWhatItsListsAndWatchesHad) {
  cluster_.put("/api/v1/events", {"shop", "e1", "e1", "\"involvedObject\":{\"kind\":\"Pod\",\"name\":\"a\"},\"reason\":\"R\""});
  begin();
  pass(2'000);
  cluster_.put("/api/v1/events", {"shop", "e2", "e2", "\"involvedObject\":{\"kind\":\"Pod\",\"name\":\"a\"},\"reason\":\"R\""});
  pass(60'000, 10'000);
  cluster_.cut();
  settle();
  const auto all = region_->status().watches;
  const auto events = std::find_if(all.begin(), all.end(), [](const WatchStatus& w) { return w.resource == "events"; });
  ASSERT_NE(events, all.end());
  EXPECT_EQ(events->lists, 1u);
  EXPECT_EQ(events->list_items, 1u);
  EXPECT_EQ(events->watch_items, 2u) << "that of the streaming list too";
  EXPECT_EQ(events->watches, 3u) << "the streaming list, the watch, and the next one";
  EXPECT_EQ(events->short_watches, 0u);
  EXPECT_GE(events->watch_ms, 60'000);
  EXPECT_EQ(events->queued, 0u);
}

using Told = std::vector<std::string>;

constexpr char kRefused[] =
    "Get \"https://scripted:6443\": dial tcp 127.0.0.1:6443: connect: connection refused";

TEST_F(RegionTest, IsLiveWhenAllIsListedAndTellsNobody) {
  begin();
  EXPECT_EQ(state(), "live");
  pass(120'000, 10'000);
  EXPECT_EQ(told("region."), Told{});
}

TEST_F(RegionTest, OnItsWayItWarnsOfNothing) {
  Told said;
  log_ = Log([&](std::string_view level, std::string_view text, const LogAttrs&) {
    if (text.starts_with("region is")) said.push_back(cat(level, ' ', text));
  });
  config_.enabled = false;
  begin();
  config_.enabled = true;
  begin();
  pass(2'000);
  region_.reset();
  EXPECT_EQ(said, (Told{"INFO region is disabled", "INFO region is syncing", "INFO region is live"}));
}

TEST_F(RegionTest, WatchesOnlyOnceItIsLive) {
  begin();
  cluster_.put("/api/v1/pods", {"shop", "web-1", "p1", "\"status\":{\"phase\":\"Running\"}"});
  settle();
  (void)asked();
  for (int i = 0; i < 10; ++i) {
    pass(30'000, 10'000);
    cluster_.bookmark();
  }
  EXPECT_EQ(asked(), Told{}) << "in five minutes";
  EXPECT_EQ(state(), "live");
}

// ---- health

TEST_F(RegionTest, AProxyThatBreaksWatchesIsToldAndAskedSlowly) {
  begin();
  cluster_.break_watches = "Get \"https://scripted:6443\": EOF";
  cluster_.cut();
  pass(120'000);
  EXPECT_EQ(state(), "unreachable") << "though lists are served";
  EXPECT_TRUE(region_->status().error.ends_with("EOF")) << region_->status().error;
  EXPECT_EQ(told("region."), Told{"region.unhealthy unreachable"});
  (void)asked();
  pass(300'000);
  EXPECT_LE(asked().size(), region_->status().watches.size() * 2 * 11) << "two requests of a kind in 30 s";
  EXPECT_EQ(told("region."), Told{"region.unhealthy unreachable"});
  cluster_.break_watches.clear();
  pass(60'000);
  EXPECT_EQ(state(), "live");
  EXPECT_EQ(told("region."), (Told{"region.unhealthy unreachable", "region.healthy live"}));
}

TEST_F(RegionTest, CountsWhatCameAndCouldNotBeHeard) {
  begin();
  cluster_.put("/api/v1/pods", {"shop", "", "nameless", ""});
  settle();
  for (const WatchStatus& w : region_->status().watches) {
    EXPECT_EQ(w.skipped, w.resource == "pods" ? 1u : 0u) << w.resource;
  }
}

TEST_F(RegionTest, UnreachableFromTheStartIsToldOnceAndSoIsItsRecovery) {
  cluster_.server = kRefused;
  begin();
  EXPECT_EQ(state(), "unreachable");
  pass(59'000);
  EXPECT_EQ(told("region."), Told{});
  pass(300'000, 5'000);
  EXPECT_EQ(told("region."), Told{"region.unhealthy unreachable"});
  const auto e = events_of("region.unhealthy");
  EXPECT_EQ(e->at(0).region, "eu-1");
  EXPECT_NE(e->at(0).event.message.find("connection refused"), std::string::npos);
  EXPECT_NE(e->at(0).event.data.find("\"state\":\"unreachable\""), std::string::npos);
  cluster_.server.clear();
  pass(2'000);
  EXPECT_EQ(state(), "live");
  pass(300'000, 5'000);
  EXPECT_EQ(told("region."), (Told{"region.unhealthy unreachable", "region.healthy live"}));
}

TEST_F(RegionTest, AnEpisodeGoesOnOverRestarts) {
  cluster_.server = kRefused;
  begin();
  pass(70'000, 5'000);
  begin();
  pass(70'000, 5'000);
  EXPECT_EQ(told("region."), Told{"region.unhealthy unreachable"});
  cluster_.server.clear();
  begin();
  pass(20'000, 5'000);
  EXPECT_EQ(told("region."), (Told{"region.unhealthy unreachable", "region.healthy live"}));
  cluster_.server = kRefused;
  cluster_.cut();
  pass(200'000, 5'000);
  EXPECT_EQ(told("region.").size(), 3u) << "the next episode";
}

TEST_F(RegionTest, RefusedCredentialsAreNoUnreachableCluster) {
  struct Case {
    int code;
    const char* state;
  };
  for (const Case& c : {Case{401, "auth failed"}, {403, "denied"}}) {
    config_.name = cat("of-", c.code);
    cluster_.refuse = {{"", c.code}};
    begin();
    EXPECT_EQ(state(), c.state) << "at the start";
    pass(70'000, 5'000);
    EXPECT_EQ(told("region.").back(), cat("region.unhealthy ", c.state));
    cluster_.refuse.clear();
    pass(20'000, 5'000);
    EXPECT_EQ(state(), "live");
    EXPECT_EQ(told("region.").back(), "region.healthy live");
  }
}

TEST_F(RegionTest, OtherCredentialsAreSeenInWhicheverFileTheyAre) {
  config_.kubeconfig_text.clear();
  config_.kubeconfig = "/k/config";
  const auto write = [&](const char* file, std::string_view text) {
    ASSERT_TRUE(disk_.write_file(cat("/k/", file), text, 0600));
  };
  ASSERT_TRUE(disk_.make_dirs("/k"));
  write("config",
        "current-context: a\ncontexts: [{name: a, context: {cluster: c, user: u}}]\n"
        "clusters: [{name: c, cluster: {server: \"https://scripted:6443\", certificate-authority: ca.crt}}]\n"
        "users: [{name: u, user: {client-certificate: u.crt, client-key: u.key, tokenFile: token}}]\n");
  for (const char* file : {"ca.crt", "u.crt", "u.key", "token"}) write(file, "one");
  begin();
  std::string last = region_->credentials();
  EXPECT_EQ(region_->credentials(), last);
  write("token", "two");
  EXPECT_EQ(region_->credentials(), last) << "a connection reads it again by itself";
  for (const char* file : {"ca.crt", "u.crt", "u.key"}) {
    write(file, "two");
    EXPECT_NE(region_->credentials(), last) << file;
    last = region_->credentials();
  }
  write("config", "kind: Config");
  EXPECT_NE(region_->credentials(), last);
}

TEST_F(RegionTest, CredentialsThatAreRevokedLaterAreTold) {
  begin();
  cluster_.refuse = {{"", 401}};
  cluster_.cut_with(401);
  settle();
  EXPECT_EQ(state(), "auth failed");
  pass(70'000, 5'000);
  EXPECT_EQ(told("region."), Told{"region.unhealthy auth failed"});
  EXPECT_EQ(region_->status().error, "refused with 401");
  cluster_.refuse.clear();
  pass(70'000, 5'000);
  cluster_.bookmark();
  settle();
  EXPECT_EQ(state(), "live");
  pass(10'000, 5'000);
  EXPECT_EQ(told("region."), (Told{"region.unhealthy auth failed", "region.healthy live"}));
}

TEST_F(RegionTest, WhereAllIsRefusedItIsDeniedAndUnhealthy) {
  for (const char* path :
       {"/api/v1/secrets", "/api/v1/configmaps", "/api/v1/pods", "/api/v1/events",
        "/apis/apps/v1/deployments", "/apis/apps/v1/statefulsets", "/apis/apps/v1/daemonsets",
        "/apis/batch/v1/jobs", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        "/apis/argoproj.io/v1alpha1/rollouts", "/apis/argoproj.io/v1alpha1/applications"}) {
    cluster_.refuse[path] = 403;
  }
  begin();
  EXPECT_EQ(state(), "denied");
  pass(80'000, 5'000);
  EXPECT_EQ(told("region."), Told{"region.unhealthy denied"});
}

TEST_F(RegionTest, WhereSomeIsRefusedItIsPartialAndWell) {
  cluster_.refuse = {{"/apis/batch/v1/jobs", 403}};
  begin();
  EXPECT_EQ(state(), "partial");
  EXPECT_EQ(region_->status().error, "refused with 403");
  pass(120'000, 5'000);
  EXPECT_EQ(told("region."), Told{});
  for (const WatchStatus& w : region_->status().watches) {
    EXPECT_EQ(w.state, w.resource == "jobs.batch" ? "denied" : "live") << w.resource;
  }
}

TEST_F(RegionTest, WithoutTheRightToSeeDefinitionsArgosKindsMayBeMissing) {
  cluster_.refuse = {{"/apis/apiextensions.k8s.io/v1/customresourcedefinitions", 403},
                     {"/apis/argoproj.io/v1alpha1/rollouts", 403},
                     {"/apis/argoproj.io/v1alpha1/applications", 403}};
  begin();
  pass(10'000);
  EXPECT_EQ(state(), "live");
}

TEST_F(RegionTest, AServerThatFallsSilentIsStaleAndTold) {
  begin();
  cluster_.bookmark();
  settle();
  cluster_.server = "Get \"https://scripted:6443\": http2: client connection lost";
  pass(400'000, 5'000);
  EXPECT_EQ(state(), "stale");
  EXPECT_EQ(told("region."), Told{"region.unhealthy stale"});
}

// ---- coming, going, going on

TEST_F(RegionTest, DisabledItIsNotWatchedAndGoesOnFromItsCheckpoint) {
  begin();
  cluster_.put("/api/v1/events", {"shop", "e1", "e1", "\"involvedObject\":{\"kind\":\"Pod\",\"name\":\"a\"},\"reason\":\"R\""});
  settle();
  cluster_.bookmark();
  pass(11'000);
  cluster_.bookmark();
  settle();
  const auto before = store_.checkpoints(store_.regions()->back().id);
  config_.enabled = false;
  begin();
  (void)asked();
  pass(120'000, 10'000);
  EXPECT_EQ(state(), "disabled");
  EXPECT_EQ(asked(), Told{});
  EXPECT_EQ(told("region."), Told{}) << "nothing is wrong";
  EXPECT_EQ(store_.checkpoints(store_.regions()->back().id)->size(), before->size());
  cluster_.put("/api/v1/events", {"shop", "e2", "e2", "\"involvedObject\":{\"kind\":\"Pod\",\"name\":\"a\"},\"reason\":\"R\""});
  config_.enabled = true;
  begin();
  const Told requests = asked();
  EXPECT_EQ(std::count_if(requests.begin(), requests.end(),
                          [](const std::string& r) {
                            return r.starts_with("watch /api/v1/events @") && r != "watch /api/v1/events @";
                          }),
            1) << "from a version on";
  EXPECT_EQ(events_of("kubernetes.event")->size(), 2u);
  EXPECT_EQ(gaps().size(), 0u);
}

TEST_F(RegionTest, AgainItIsNotLiveBeforeItKnowsThatTheServerIsTheSame) {
  begin();
  cluster_.bookmark();
  pass(11'000);
  cluster_.bookmark();
  settle();
  cluster_.hold_lists = true;
  begin();
  EXPECT_EQ(state(), "syncing") << "the cluster may have been restored meanwhile";
  cluster_.hold_lists = false;
  settle();
  EXPECT_EQ(state(), "live");
}

TEST_F(RegionTest, WhenTheStoreFailsMidwayNothingIsWatchedTwice) {
  config_.namespaces = {"shop", "web"};
  for (const int left : {3, 18, 19}) {  // there are 18 beside Events
    store_.versions_left = left;
    begin();
    EXPECT_NE(state(), "live") << left;
    store_.versions_left = 1000;
    pass(2'000);
    EXPECT_EQ(state(), "live") << left;
    std::set<std::string> watched;
    for (const WatchStatus& w : region_->status().watches) {
      EXPECT_TRUE(watched.insert(w.resource).second) << w.resource;
    }
    EXPECT_TRUE(watched.contains("events@shop") && watched.contains("events@web")) << left;
  }
}

TEST_F(RegionTest, UnderAnotherNameTheSameClusterGoesOn) {
  cluster_.put("/api/v1/events", {"shop", "e1", "e1", "\"involvedObject\":{\"kind\":\"Pod\",\"name\":\"a\"},\"reason\":\"R\""});
  begin();
  cluster_.bookmark();
  pass(11'000);
  cluster_.bookmark();
  settle();
  region_.reset();
  ASSERT_TRUE(store_.remove_region("eu-1"));
  cluster_.put("/api/v1/events", {"shop", "e2", "e2", "\"involvedObject\":{\"kind\":\"Pod\",\"name\":\"a\"},\"reason\":\"R\""});
  config_.name = "frankfurt";
  (void)asked();
  begin();
  EXPECT_EQ(state(), "live");
  const Told requests = asked();
  EXPECT_EQ(std::count(requests.begin(), requests.end(), "stream /api/v1/events @"), 0) << "no list";
  EXPECT_EQ(gaps().size(), 0u);
  const auto raw = events_of("kubernetes.event");
  ASSERT_EQ(raw->size(), 2u) << "nothing twice";
  EXPECT_EQ(raw->at(1).region, "frankfurt");
}

TEST_F(RegionTest, AnotherClusterUnderTheNameBeginsAnew) {
  begin();
  cluster_.bookmark();
  pass(11'000);
  cluster_.bookmark();
  settle();
  cluster_.uid = "rebuilt";
  (void)asked();
  begin();
  const Told requests = asked();
  EXPECT_EQ(std::count(requests.begin(), requests.end(), "stream /api/v1/events @"), 1) << "all is listed";
}

TEST_F(RegionTest, WhatHappenedMeanwhileIsToldWhateverTheClustersClock) {
  for (const int64_t skew_s : {-600, 0, 600}) {
    config_.name = cat("skewed", skew_s);
    cluster_.uid = config_.name;
    begin();
    cluster_.bookmark();
    pass(11'000);
    cluster_.bookmark();
    settle();
    region_.reset();
    const int64_t at = clock_.now_ns() / 1'000'000'000 + skew_s;
    const std::string name = cat("sh.helm.release.v1.web", skew_s + 600, ".v1");
    cluster_.put("/api/v1/secrets",
                 {"shop", name, name, "\"type\":\"helm.sh/release.v1\"",
                  cat("\"owner\":\"helm\",\"name\":\"web", skew_s + 600, "\",\"status\":\"deployed\",",
                      "\"version\":\"1\",\"modifiedAt\":\"", at, "\"")});
    clock_.step(30'000'000'000);
    begin();
    EXPECT_EQ(told("release.deployed").size(), static_cast<size_t>(skew_s / 600 + 2)) << skew_s;
    cluster_.remove("/api/v1/secrets", "shop/" + name);
    settle();
    ASSERT_TRUE(store_.remove_region(config_.name));
  }
}

TEST_F(RegionTest, WhatAListTellsOfAReleaseIsInTheOrderOfItsRevisions) {
  begin();
  cluster_.bookmark();
  settle();
  region_.reset();
  clock_.step(30'000'000'000);
  const int64_t at = clock_.now_ns() / 1'000'000'000;
  for (const int revision : {1, 2, 9, 10, 11}) {
    const std::string name = cat("sh.helm.release.v1.web.v", revision);
    cluster_.put("/api/v1/secrets",
                 {"shop", name, name, "\"type\":\"helm.sh/release.v1\"",
                  cat("\"owner\":\"helm\",\"name\":\"web\",\"status\":\"", revision == 11 ? "deployed" : "failed",
                      "\",\"version\":\"", revision, "\",\"modifiedAt\":\"", at, "\"")});
  }
  begin();
  std::vector<int64_t> revisions;
  EventQuery query;
  query.release = "web";
  query.newest_first = false;
  for (const StoredEvent& e : store_.events(query).value_or(std::vector<StoredEvent>())) {
    revisions.push_back(e.event.revision);
  }
  EXPECT_EQ(revisions, (std::vector<int64_t>{1, 2, 9, 10, 11}));
}

TEST_F(RegionTest, AWorkloadThatWasThereBeforeIsNoNewsWhenItsPodComesBack) {
  const auto put = [&](int ready) {
    cluster_.put("/apis/apps/v1/statefulsets",
                 {"shop", "db", "db",
                  cat("\"spec\":{\"replicas\":2},\"status\":{\"observedGeneration\":1,\"updateRevision\":\"db-1\",",
                      "\"updatedReplicas\":2,\"readyReplicas\":", ready, "}"),
                  "",
                  "\"generation\":1,\"managedFields\":[{\"manager\":\"kubectl\",\"time\":\"2001-01-01T00:00:00Z\"}]"});
  };
  put(1);
  begin();
  put(2);
  settle();
  EXPECT_EQ(told("release.deployed"), Told{});
}

TEST_F(RegionTest, EventsAreTakenInTheServersOrderWhateverTheirTimes) {
  begin();
  const auto put = [&](const char* name, const char* times) {
    cluster_.put("/api/v1/events",
                 {"shop", name, name,
                  cat("\"involvedObject\":{\"kind\":\"Pod\",\"name\":\"", name,
                      "\"},\"reason\":\"R\",", times)});
  };
  put("a", "\"lastTimestamp\":null,\"eventTime\":\"2023-11-14T22:23:20Z\"");  // ten minutes ahead
  put("b", "\"lastTimestamp\":\"2023-11-14T22:03:20Z\"");                      // ten behind
  put("c", "\"lastTimestamp\":null,\"series\":{\"count\":4,\"lastObservedTime\":\"2023-11-14T22:13:20Z\"}");
  put("d", "\"lastTimestamp\":null,\"eventTime\":null");
  settle();
  const auto raw = events_of("kubernetes.event");
  ASSERT_EQ(raw->size(), 4u);
  const int64_t want[] = {kStartMs + 600'000, kStartMs - 600'000, kStartMs, kStartMs};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(raw->at(i).event.subject.name, std::string(1, static_cast<char>('a' + i)));
    EXPECT_EQ(raw->at(i).event.time_ms, want[i]) << i;
  }
}

// ---- kinds that come and go

constexpr char kDefined[] = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

std::string versions(std::initializer_list<const char*> served) {
  std::string out;
  for (const char* v : served) {
    append(out, {out.empty() ? "" : ",", "{\"name\":\"", v, "\",\"served\":true}"});
  }
  return cat("\"spec\":{\"versions\":[", out, ",{\"name\":\"v9\",\"served\":false}]}");
}

TEST_F(RegionTest, ADefinitionThatComesChangesAndGoesIsFollowed) {
  begin();
  cluster_.put(kDefined, {"", "rollouts.argoproj.io", "d", versions({"v1alpha1"})});
  pass(2'000);
  EXPECT_TRUE(cluster_.watched("/apis/argoproj.io/v1alpha1/rollouts"));
  EXPECT_EQ(state(), "live");
  cluster_.put(kDefined, {"", "rollouts.argoproj.io", "d", versions({"v1alpha1", "v1beta1", "v1"})});
  pass(2'000);
  EXPECT_FALSE(cluster_.watched("/apis/argoproj.io/v1alpha1/rollouts"));
  EXPECT_TRUE(cluster_.watched("/apis/argoproj.io/v1/rollouts"));
  EXPECT_EQ(state(), "live");
  cluster_.refuse = {{"/apis/argoproj.io/v1/rollouts", 404}};
  cluster_.remove(kDefined, "/rollouts.argoproj.io");
  pass(2'000);
  (void)asked();
  pass(300'000, 5'000);
  cluster_.bookmark();
  for (const std::string& request : asked()) EXPECT_EQ(request.find("rollouts"), std::string::npos) << request;
  for (const WatchStatus& w : region_->status().watches) EXPECT_NE(w.resource, "rollouts.argoproj.io");
  EXPECT_EQ(told("region."), Told{});
}

// ---- memory

TEST_F(RegionTest, AboveItsMemoryItGivesUpPodsAndSaysSo) {
  for (int i = 0; i < 1500; ++i) {
    const std::string name = cat("web-", i);
    cluster_.put("/api/v1/pods", {"shop", name, name, "\"status\":{}"});
  }
  begin();
  const size_t held = region_->status().held_bytes;
  EXPECT_GT(held, 1u << 20);
  EXPECT_TRUE(cluster_.watched("/api/v1/pods"));
  EXPECT_EQ(state(), "live") << "without a limit";
  config_.memory_mb = 1;
  begin();
  pass(2'000);
  EXPECT_EQ(state(), "memory");
  EXPECT_EQ(region_->status().error, "it may hold 1 MiB: pods not watched");
  EXPECT_LT(region_->status().held_bytes, held / 2);
  EXPECT_FALSE(cluster_.watched("/api/v1/pods"));
  EXPECT_TRUE(cluster_.watched("/apis/batch/v1/jobs"));
  cluster_.put("/api/v1/secrets",
               {"shop", "sh.helm.release.v1.web.v1", "s", "\"type\":\"helm.sh/release.v1\"",
                "\"owner\":\"helm\",\"name\":\"web\",\"status\":\"failed\",\"version\":\"1\""});
  pass(70'000, 5'000);
  EXPECT_EQ(told(), (Told{"release.failed failed", "region.unhealthy memory"})) << "releases go on";
}

class MemoryTest : public RegionTest {
 protected:
  MemoryTest() {
    config_.memory_mb = 1;
    log_ = [this](std::string_view, std::string_view message, const LogAttrs&) { said_.emplace_back(message); };
  }
  // A pod whose container ran out of memory that long before now.
  void put_pod(int i, int64_t ago_s = -1) {
    const std::string name = cat("web-", i);
    const std::string died = ago_s < 0 ? "" : cat(
        R"("containerStatuses":[{"name":"c","lastState":{"terminated":{"reason":"OOMKilled","finishedAt":")",
        time_text(clock_.now_ns() / 1'000'000 - ago_s * 1000), "\"}}}]");
    cluster_.put("/api/v1/pods", {"shop", name, name, cat("\"status\":{", died, "}")});
  }
  void remove_pods(int from, int to) {
    for (int i = from; i < to; ++i) cluster_.remove("/api/v1/pods", cat("shop/web-", i));
  }
  // How often pods were asked for.
  int lists() {
    const Told requests = asked();
    return static_cast<int>(std::count_if(requests.begin(), requests.end(), [](const std::string& r) {
      return r.find("/api/v1/pods") != std::string::npos && !r.starts_with("watch");
    }));
  }
  int said(std::string_view message) {
    return static_cast<int>(std::count(said_.begin(), said_.end(), message));
  }
  // The states of that time, in their order.
  Told minutes(int n, int step = 1) {
    Told out;
    for (int i = 0; i < n; i += step) {
      for (int minute = 0; minute < step; ++minute) {
        clock_.step(60'000'000'000);
        cluster_.bookmark();
        factory_.run_ready();
      }
      settle();
      if (out.empty() || out.back() != state()) out.push_back(state());
    }
    return out;
  }

  Told said_;
};

TEST_F(MemoryTest, WhatWasGivenUpComesBackOnceItFits) {
  for (int i = 0; i < 1500; ++i) put_pod(i, i == 7 ? 60 : -1);
  begin();
  pass(2'000);
  ASSERT_EQ(state(), "memory");
  EXPECT_EQ(told("pod."), (Told{"pod.oom_killed OOMKilled"}));
  (void)asked();
  put_pod(8, 0);  // it is heard of when it is looked at again
  remove_pods(100, 1500);
  EXPECT_EQ(minutes(9), Told{"memory"});
  EXPECT_EQ(lists(), 0) << "not before its time";
  EXPECT_EQ(minutes(2), (Told{"memory", "live"})) << "it is listed, and fits";
  EXPECT_TRUE(cluster_.watched("/api/v1/pods"));
  EXPECT_EQ(told("pod."), (Told{"pod.oom_killed OOMKilled", "pod.oom_killed OOMKilled"}));
  EXPECT_EQ(told("region."), (Told{"region.unhealthy memory", "region.healthy live"}));
  EXPECT_EQ(said("a kind is watched again"), 1);
  EXPECT_EQ(gaps().size(), 0u);
  // Soon over it again: it waits for twice as long.
  for (int i = 100; i < 1500; ++i) put_pod(i);
  settle();
  EXPECT_EQ(minutes(1), Told{"memory"});
  (void)asked();
  remove_pods(100, 1500);
  EXPECT_EQ(minutes(18), Told{"memory"});
  EXPECT_EQ(lists(), 0);
  EXPECT_EQ(minutes(3), (Told{"memory", "live"}));
  // After a long time it is as the first time.
  (void)minutes(25);
  for (int i = 100; i < 1500; ++i) put_pod(i);
  settle();
  EXPECT_EQ(minutes(1), Told{"memory"});
  remove_pods(100, 1500);
  EXPECT_EQ(minutes(11), (Told{"memory", "live"}));
  EXPECT_EQ(told("pod.").size(), 2u) << "nothing twice";
}

TEST_F(MemoryTest, WhatDoesNotFitIsTriedRarelyAndWithoutAWord) {
  for (int i = 0; i < 1500; ++i) put_pod(i, i == 7 ? 60 : -1);
  begin();
  pass(2'000);
  ASSERT_EQ(state(), "memory");
  const size_t lines = said_.size();
  (void)asked();
  EXPECT_EQ(minutes(24 * 60, 10), Told{"memory"});
  EXPECT_EQ(lists(), 8) << "after 10, 20, 40 ... 320 minutes, and then 6 hours each";
  EXPECT_EQ(said("a region holds more than it may: a kind is no longer watched"), 9);
  EXPECT_EQ(said_.size() - lines, 8u) << said_.back();
  EXPECT_EQ(told("region."), (Told{"region.unhealthy memory"}));
  EXPECT_EQ(told("pod.").size(), 1u);
  EXPECT_EQ(gaps().size(), 0u);
}

TEST_F(MemoryTest, WhatCannotBeTriedWhileTheStoreIsAwayIsTriedLater) {
  for (int i = 0; i < 1500; ++i) put_pod(i);
  begin();
  pass(2'000);
  ASSERT_EQ(state(), "memory");
  remove_pods(100, 1500);
  store_.versions_left = 0;
  EXPECT_EQ(minutes(15), Told{"memory"});
  EXPECT_FALSE(cluster_.watched("/api/v1/pods"));
  store_.versions_left = 1000;
  EXPECT_EQ(minutes(3), (Told{"memory", "live"}));
  EXPECT_TRUE(cluster_.watched("/api/v1/pods"));
}

TEST_F(MemoryTest, NothingIsTriedWhileTheRestLeavesNoRoom) {
  for (int i = 0; i < 1500; ++i) put_pod(i);
  begin();
  pass(2'000);
  ASSERT_EQ(state(), "memory");
  remove_pods(0, 1500);
  for (int i = 0; i < 1000; ++i) {  // these cannot be given up
    cluster_.put("/apis/apps/v1/deployments", {"shop", cat("d-", i), cat("d-", i), "\"status\":{}"});
  }
  settle();
  const size_t held = region_->status().held_bytes;
  ASSERT_GT(held, (1u << 20) * 75 / 100);
  ASSERT_LT(held, 1u << 20);
  (void)asked();
  EXPECT_EQ(minutes(30), Told{"memory"});
  EXPECT_EQ(lists(), 0);
  for (int i = 0; i < 500; ++i) cluster_.remove("/apis/apps/v1/deployments", cat("shop/d-", i));
  EXPECT_EQ(minutes(2), (Told{"memory", "live"}));
}

// ---- who is heard first

TEST_F(RegionTest, PodsWaitForTheRecordsAndOwnersTheyBelongTo) {
  const std::string running = "\"status\":{\"containerStatuses\":[{\"name\":\"c\",\"image\":\"web:1\","
                              "\"imageID\":\"web@sha256:1\"}]}";
  cluster_.put("/api/v1/secrets", {"shop", "sh.helm.release.v1.web.v7", "s7", "\"data\":{\"release\":\"\"}",
                                   "\"owner\":\"helm\",\"name\":\"web\",\"status\":\"deployed\",\"version\":\"7\""});
  cluster_.put("/apis/apps/v1/deployments",
               {"shop", "web", "d", "\"spec\":{}", "\"app.kubernetes.io/instance\":\"web\""});
  begin();
  cluster_.bookmark();
  settle();
  // A pod that is made while it is away, and found before its release and its owner are.
  region_->stop();
  cluster_.put("/api/v1/pods", {"shop", "web-5f-1", "p1", running, "\"pod-template-hash\":\"5f\"",
                                "\"ownerReferences\":[{\"kind\":\"ReplicaSet\",\"name\":\"web-5f\",\"uid\":\"r\",\"controller\":true}]"});
  for (const char* path : {"/api/v1/secrets", "/apis/apps/v1/deployments"}) {
    SCOPED_TRACE(path);
    cluster_.refuse = {{path, 503}};
    begin();
    pass(2'000);
    EXPECT_EQ(events_of("image.pulled")->size(), 0u);
    EXPECT_NE(state(), "live");
  }
  cluster_.refuse.clear();
  pass(10'000);
  EXPECT_EQ(state(), "live");
  const auto pulled = events_of("image.pulled");
  ASSERT_EQ(pulled->size(), 1u);
  EXPECT_EQ(pulled->at(0).event.release, "web");
  EXPECT_EQ(pulled->at(0).event.revision, 7);
}

TEST_F(RegionTest, AListThatDoesNotComeHoldsUpTheOthersForASpanOnly) {
  cluster_.put("/api/v1/pods", {"shop", "web-1", "p1", "\"status\":{\"reason\":\"Evicted\"}"});
  cluster_.refuse = {{"/api/v1/secrets", 503}};
  begin();
  pass(14'000);
  EXPECT_EQ(region_->status().heard, 0u);
  pass(3'000);
  EXPECT_EQ(region_->status().heard, 1u);
  EXPECT_EQ(state(), "unreachable");
}

// ---- warnings of pods

TEST_F(RegionTest, WarningsOfAReleasesPodsAreOneEventAlsoOverARestart) {
  const auto warn = [&](int i) {
    const std::string pod = cat("web-", i), name = cat("e", i);
    cluster_.put("/api/v1/events",
                 {"shop", name, name,
                  cat("\"involvedObject\":{\"kind\":\"Pod\",\"namespace\":\"shop\",\"name\":\"", pod,
                      "\",\"uid\":\"", pod, "\"},\"reason\":\"BackOff\",\"type\":\"Warning\",",
                      "\"message\":\"Back-off restarting failed container\"")});
  };
  for (int i = 0; i < 30; ++i) {
    const std::string pod = cat("web-", i);
    cluster_.put("/api/v1/pods", {"shop", pod, pod, "", "\"app.kubernetes.io/instance\":\"web\""});
  }
  begin();
  cluster_.bookmark();
  pass(11'000);
  for (int i = 0; i < 20; ++i) warn(i);
  settle();
  EXPECT_EQ(told(), Told{}) << "it waits for others";
  // As after a kill: what waited in memory is not stored any more, and is heard again.
  ASSERT_TRUE(store_.take_region(store_.regions()->back().id, "another", 0));
  begin();
  for (int i = 20; i < 30; ++i) warn(i);
  pass(12'000);
  const auto events = events_of("pod.crash_loop");
  ASSERT_EQ(events->size(), 1u);
  EXPECT_EQ(events->at(0).event.message, "30 pods: Back-off restarting failed container");
  EXPECT_EQ(events->at(0).event.release, "web");
  EXPECT_EQ(events_of("kubernetes.event")->size(), 30u) << "each as it is, once";
  for (int i = 0; i < 30; ++i) warn(i);
  pass(30'000);
  EXPECT_EQ(events_of("pod.crash_loop")->size(), 1u) << "the same pods say nothing new";
}

TEST_F(RegionTest, WhatWaitsForOthersIsToldWhenItStops) {
  cluster_.put("/api/v1/pods", {"shop", "web-1", "p1", "\"status\":{\"reason\":\"Evicted\"}",
                                "\"app.kubernetes.io/instance\":\"web\""});
  begin();
  cluster_.put("/api/v1/events",
               {"shop", "e", "e",
                "\"involvedObject\":{\"kind\":\"Pod\",\"namespace\":\"shop\",\"name\":\"web-1\",\"uid\":"
                "\"p1\"},\"reason\":\"FailedMount\",\"type\":\"Warning\",\"message\":\"x\""});
  settle();
  EXPECT_EQ(events_of("pod.mount_failed")->size(), 0u);
  region_->stop();
  flush();
  EXPECT_EQ(events_of("pod.mount_failed")->size(), 1u);
}

// ---- gaps

TEST_F(RegionTest, EventsThatMayHaveRunOutUnseenAreAGapThoughTheListBringsNothingNewer) {
  config_.event_ttl_ms = 5'000;
  begin();
  cluster_.bookmark();
  settle();
  pass(3'000);
  cluster_.cut_with(410);
  pass(3'000);
  EXPECT_EQ(gaps().size(), 0u) << "it was away for less than Events are kept";
  cluster_.bookmark();
  settle();
  pass(8'000);
  cluster_.cut_with(410);
  pass(5'000);
  ASSERT_EQ(gaps().size(), 1u);
  EXPECT_EQ(gaps()[0].gap.resource, "events");
  EXPECT_NE(gaps()[0].gap.cause.find("run out"), std::string::npos) << gaps()[0].gap.cause;
  EXPECT_GE(gaps()[0].gap.to_ms - gaps()[0].gap.from_ms, 8'000);
  pass(5'000);
  EXPECT_EQ(gaps().size(), 1u) << "once";
}

// What is stored of the list may be gone when it is made again.
TEST_F(RegionTest, AGapWhoseListIsNotOverIsToldOnceAfterARestart) {
  const std::string event = "\"involvedObject\":{\"kind\":\"Pod\",\"name\":\"web-1\"},\"reason\":\"Tested\"";
  cluster_.put("/api/v1/events", {"shop", "before", "e1", event});
  begin();
  const auto version = cat(cluster_.version);
  cluster_.endless = "/api/v1/events";
  cluster_.cut_with(410);
  cluster_.put("/api/v1/events", {"shop", "while", "e2", event});
  pass(3'000);
  ASSERT_EQ(events_of("kubernetes.event")->size(), 2u) << "the list brings it";
  EXPECT_EQ(gaps().size(), 0u) << "the list is not over";
  begin();
  pass(3'000);
  EXPECT_EQ(gaps().size(), 0u);
  cluster_.remove("/api/v1/events", "shop/while");
  cluster_.endless.clear();
  begin();
  ASSERT_EQ(gaps().size(), 1u);
  EXPECT_EQ(gaps()[0].gap.from_version, version);
  EXPECT_EQ(gaps()[0].gap.to_ms, clock_.now_ns() / 1'000'000) << "until it is heard again";
  EXPECT_NE(gaps()[0].gap.cause.find("compacted"), std::string::npos) << gaps()[0].gap.cause;
  begin();
  EXPECT_EQ(gaps().size(), 1u) << "it goes on from where it was";
}

}  // namespace
}  // namespace pintle::lookout
