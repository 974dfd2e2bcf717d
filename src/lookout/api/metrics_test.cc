#include "lookout/api/metrics.h"

#include <gtest/gtest.h>

#include "base/strings.h"
#include "lookout/region/share.h"
#include "lookout/testing/api_world.h"
#include "lookout/testing/prometheus.h"

namespace pintle::lookout {
namespace {

MetricsData some() {
  MetricsData d;
  RegionStatus a, b;
  a.config.name = "eu";
  a.state = "live";
  a.gaps = 2;
  a.watches.resize(2);
  a.watches[0].lists = 3;
  a.watches[1].lists = 1;
  a.watches[1].expired = 1;
  a.watches[0].skipped = 2;
  a.watches[1].skipped = 3;
  a.watches[0].list_ms = 1200;
  a.watches[1].list_ms = 50;
  a.watches[0].list_items = 40;
  a.watches[0].watches = 6;
  a.watches[1].watches = 1;
  a.watches[1].short_watches = 1;
  a.watches[0].watch_ms = 600'000;
  a.watches[0].watch_items = 9;
  a.watches[1].watch_items = 8;
  a.watches[1].queued = 12;
  a.leader = true;
  b.leader = false;
  b.config.name = "us\"\\\n1";
  d.regions = {a, b};
  for (int i = 0; i < 3; ++i) d.written.waited.add(4);
  d.written.waited.add(90'000'000);
  d.written.stored["eu"].add(70);
  d.written.stored[b.config.name].add(-5);
  d.written.errors[static_cast<size_t>(db::Trouble::kFull)] = 4;
  d.written.trouble_since_ms = 1'700'000'000'250;
  d.delivered.sinks["webhook"].attempts = {{"2xx", 5}, {"5xx", 1}};
  d.delivered.sinks["webhook"].dead = 1;
  d.delivered.sinks["file"].attempts = {{"ok", 2}};
  d.delivered.sinks["webhook"].first_attempt.add(1500);
  d.delivered.sinks["webhook"].delivered.add(2500);
  d.cleaned.rows.gaps = 7;
  d.outbox = OutboxDepths{{"webhook", {11, 2, 3, 4}}, {"file", {}}};
  return d;
}

TEST(Metrics, AreWhatPrometheusReads) {
  const std::pair<MetricsData, size_t> cases[] = {{some(), 150}, {MetricsData(), 40}};
  for (const auto& [d, least] : cases) {
    const Exposition read = ExpositionReader::read(metrics_text(d));
    EXPECT_EQ(read.error, "");
    EXPECT_GT(read.series.size(), least);
  }
}

TEST(Metrics, TheReaderIsStrict) {
  const std::string head = "# HELP a_total x\n# TYPE a_total counter\n";
  const std::string h = "# HELP h x\n# TYPE h histogram\n";
  for (const std::string& bad :
       {std::string("a 1\n"), head + "a_total 1", head + "a_total x\n", head + "b_total 1\n",
        head + "a_total 1\na_total 1\n", head + head + "a_total 1\n", head + "a_total{b=\"\\x\"} 1\n",
        head + "a_total{b=\"c} 1\n", head + "a_total{b=\"c\",b=\"d\"} 1\n", head + "a_total -1\n",
        h + "h_bucket{le=\"1\"} 1\nh_sum 1\nh_count 1\n",
        h + "h_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 1\nh_sum 1\nh_count 1\n",
        h + "h_bucket{le=\"+Inf\"} 1\nh_count 1\n"}) {
    EXPECT_NE(ExpositionReader::read(bad).error, "") << bad;
  }
  EXPECT_EQ(ExpositionReader::read(head + "a_total{b=\"c\\\"\\\\\\n\"} 1\n").error, "");
}

TEST(Metrics, SayWhatHappened) {
  const Exposition read = ExpositionReader::read(metrics_text(some()));
  const std::pair<std::string, double> want[] = {
      {"lookout_region_live{region=\"eu\"}", 1},
      {"lookout_region_live{region=\"us\\\"\\\\\\n1\"}", 0},
      {"lookout_region_gaps_total{region=\"eu\"}", 2},
      {"lookout_region_lists_total{region=\"eu\"}", 4},
      {"lookout_region_expired_total{region=\"eu\"}", 1},
      {"lookout_region_skipped_total{region=\"eu\"}", 5},
      {"lookout_region_list_seconds_total{region=\"eu\"}", 1.25},
      {"lookout_region_list_items_total{region=\"eu\"}", 40},
      {"lookout_region_watches_total{region=\"eu\"}", 7},
      {"lookout_region_short_watches_total{region=\"eu\"}", 1},
      {"lookout_region_watch_seconds_total{region=\"eu\"}", 600},
      {"lookout_region_watch_items_total{region=\"eu\"}", 17},
      {"lookout_region_queued{region=\"eu\"}", 12},
      {"leader_election_master_status{name=\"lookout-eu\"}", 1},
      {cat("leader_election_master_status{name=\"", lease_name("us\"\\\n1"), "\"}"), 0},
      {"lookout_commit_lag_seconds_bucket{le=\"0.005\"}", 3},
      {"lookout_commit_lag_seconds_bucket{le=\"86400\"}", 3},
      {"lookout_commit_lag_seconds_bucket{le=\"+Inf\"}", 4},
      {"lookout_commit_lag_seconds_sum", 90000.012},
      {"lookout_event_stored_seconds_bucket{region=\"eu\",le=\"0.05\"}", 0},
      {"lookout_event_stored_seconds_bucket{region=\"eu\",le=\"0.1\"}", 1},
      {"lookout_event_stored_seconds_sum{region=\"us\\\"\\\\\\n1\"}", 0},
      {"lookout_first_attempt_seconds_sum{sink=\"webhook\"}", 1.5},
      {"lookout_first_attempt_seconds_count{sink=\"file\"}", 0},
      {"lookout_delivered_seconds_count{sink=\"webhook\"}", 1},
      {"lookout_outbox_deliveries{sink=\"webhook\",state=\"pending\"}", 11},
      {"lookout_outbox_deliveries{sink=\"webhook\",state=\"leased\"}", 3},
      {"lookout_outbox_deliveries{sink=\"webhook\",state=\"dead\"}", 4},
      {"lookout_outbox_deliveries{sink=\"file\",state=\"dead\"}", 0},
      {"lookout_delivery_attempts_total{sink=\"webhook\",code=\"5xx\"}", 1},
      {"lookout_delivery_attempts_total{sink=\"file\",code=\"ok\"}", 2},
      {"lookout_dead_letters_total{sink=\"webhook\"}", 1},
      {"lookout_write_errors_total{class=\"full\"}", 4},
      {"lookout_write_errors_total{class=\"locked\"}", 0},
      {"lookout_write_trouble_since_seconds", 1700000000.25},
      {"lookout_cleaned_rows_total{table=\"gap\"}", 7},
  };
  for (const auto& [name, value] : want) EXPECT_DOUBLE_EQ(read.at(name), value) << name;
}

TEST(Metrics, TellTheOutboxAsItStands) {
  ApiWorld w;
  Subscription s;
  s.name = "all";
  s.sink_kind = "file";
  s = *w.store.add_subscription(s);
  const auto depth = [&](const std::string& sink, const std::string& state) {
    w.clock.step(int64_t{60'000'000'000});
    const Exposition read = ExpositionReader::read(w.ask("GET", "/metrics").text);
    EXPECT_EQ(read.error, "");
    return read.at("lookout_outbox_deliveries{sink=\"" + sink + "\",state=\"" + state + "\"}");
  };
  EXPECT_EQ(depth("file", "pending"), 0);
  for (int i = 0; i < 5; ++i) {
    Event e = event_of("release.deployed");
    e.release = "r" + std::to_string(i);
    w.store.add(e);
  }
  EXPECT_EQ(depth("file", "pending"), 5);
  EXPECT_EQ(depth("stdout", "pending"), 5) << "that of the file";
  const auto all = *w.store.claim("me", 1, 60'000'000, 10);
  std::vector<Claimed> claimed;
  for (const Claimed& c : all) {
    if (c.subscription.sink_kind == "file") claimed.push_back(c);
  }
  ASSERT_EQ(claimed.size(), 5u);
  EXPECT_EQ(depth("file", "leased"), 5);
  Attempt a;
  a.n = 1;
  ASSERT_TRUE(w.store.finish(claimed[0].delivery, DeliveryState::kDead, 0, "x", a));
  ASSERT_TRUE(w.store.finish(claimed[1].delivery, DeliveryState::kRetry, INT64_MAX / 2, "", a));
  ASSERT_TRUE(w.store.finish(claimed[2].delivery, DeliveryState::kSucceeded, 0, "", a));
  EXPECT_EQ(depth("file", "dead"), 1);
  EXPECT_EQ(depth("file", "retry"), 1);
  EXPECT_EQ(depth("file", "leased"), 2);
  EXPECT_EQ(depth("file", "pending"), 0);
  EXPECT_EQ(depth("stdout", "leased"), 5);
  ASSERT_TRUE(w.store.remove_subscription(s.id));
  EXPECT_EQ(depth("gone", "dead"), 1) << "its subscription is";
}

TEST(Metrics, CountingTheOutboxIsNoPartOfEveryScrape) {
  ApiWorld w;
  (void)w.ask("GET", "/metrics");
  const uint64_t before = w.store.statements();
  for (int i = 0; i < 5; ++i) (void)w.ask("GET", "/metrics");
  EXPECT_EQ(w.store.statements(), before);
}

TEST(Readiness, WantsTheDatabaseAndToKnowTheLeader) {
  ApiWorld w;
  auto got = w.ask("GET", "/readyz");
  EXPECT_EQ(got.status, 200);
  EXPECT_TRUE(flag_at(got.json, {"ready"}));
  EXPECT_EQ(text_at(got.json, {"leader"}), "known");

  w.store.away = true;
  got = w.ask("GET", "/readyz");
  EXPECT_EQ(got.status, 503);
  EXPECT_FALSE(flag_at(got.json, {"ready"}));
  EXPECT_NE(got.text.find("the database does not answer: the database is locked"),
            std::string::npos)
      << got.text;
  w.store.away = false;
  EXPECT_EQ(w.ask("GET", "/readyz").status, 200);

  w.leader_unknown = "who has region north is not known yet";
  got = w.ask("GET", "/readyz");
  EXPECT_EQ(got.status, 503);
  EXPECT_EQ(text_at(got.json, {"leader"}), "unknown");
  EXPECT_NE(got.text.find("who has region north"), std::string::npos) << got.text;
}

TEST(Readiness, IsNotARegionsAffairNorThatOfAFullDisk) {
  ApiWorld w;
  w.region_state = "unreachable";
  auto got = w.ask("GET", "/readyz");
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(number_at(got.json, {"regions"}), 1);
  EXPECT_EQ(number_at(got.json, {"regions_live"}), 0);
  w.written.trouble_since_ms = 1'700'000'000'000;
  w.written.last_error = "lookout.db: database or disk is full";
  got = w.ask("GET", "/readyz");
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(text_at(got.json, {"writing"}), "lookout.db: database or disk is full");
  EXPECT_EQ(number_at(got.json, {"trouble_since_ms"}), 1'700'000'000'000);
  const std::string page = w.ask("GET", "/").text;
  EXPECT_NE(page.find("Nothing is stored since 2023-11-14T22:13:20.000Z"), std::string::npos);
  EXPECT_NE(page.find("database or disk is full"), std::string::npos);
}

}  // namespace
}  // namespace pintle::lookout
