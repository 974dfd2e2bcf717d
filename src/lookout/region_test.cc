#include "lookout/region.h"

#include "lookout/testing/region_world.h"

namespace pintle::lookout {
namespace {

using Told = std::vector<std::string>;

constexpr char kRefused[] =
    "Get \"https://scripted:6443\": dial tcp 127.0.0.1:6443: connect: connection refused";

TEST_F(RegionTest, IsLiveWhenAllIsListedAndTellsNobody) {
  begin();
  EXPECT_EQ(state(), "live");
  pass(120'000, 10'000);
  EXPECT_EQ(told("region."), Told{});
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
  EXPECT_EQ(std::count(requests.begin(), requests.end(), "watch /api/v1/events @"), 0) << "no list";
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
  EXPECT_EQ(std::count(requests.begin(), requests.end(), "watch /api/v1/events @"), 1) << "all is listed";
}

}  // namespace
}  // namespace pintle::lookout
