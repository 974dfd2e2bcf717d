#include "lookout/store.h"

#include <thread>

#include "lookout/store/text.h"
#include "lookout/testing/store_fixture.h"

namespace pintle::lookout {
namespace {

INSTANTIATE_TEST_SUITE_P(Both, StoreTest,
                         testing::Values(db::Dialect::kSqlite, db::Dialect::kPostgres),
                         dialect_name);

TEST_P(StoreTest, AStateIsStoredOnceAndBringsItsEventsOnce) {
  Batch b = batch();
  b.observations = {state_of("u1", "5"), state_of("u1", "5"), state_of("u1", "6")};
  b.events = {event_of("kubernetes.event", 0), event_of("kubernetes.event", 1),
              event_of("kubernetes.event", 2)};
  Committed first = commit(b);
  EXPECT_EQ(first.observations, 2u);
  EXPECT_EQ(first.sequences, (std::vector<int64_t>{1, 0, 2}));
  Committed again = commit(b);
  EXPECT_EQ(again.observations, 0u);
  EXPECT_EQ(again.sequences, (std::vector<int64_t>{0, 0, 0}));
  b.cluster_uid = "c2";  // a rebuilt cluster: other states
  EXPECT_EQ(commit(b).observations, 2u);
}

TEST_P(StoreTest, AVersionThatWasGivenAgainIsAnotherStateByItsDigest) {
  Batch b = batch();
  b.observations = {state_of("u1", "5"), state_of("u1", "6")};
  b.observations[0].digest = "aaaaaaaaaaaaaaaaaaaa";
  b.observations[1].digest = "bbbbbbbbbbbbbbbbbbbb";
  EXPECT_EQ(commit(b).observations, 2u);
  Batch after = batch();  // the server was restored to version 5
  after.observations = {b.observations[0], b.observations[1], b.observations[1]};
  for (Observation& o : after.observations) o.reused = true;
  after.observations[2].digest = "cccccccccccccccccccc";
  after.events = {event_of("kubernetes.event", 0), event_of("kubernetes.event", 1),
                  event_of("kubernetes.event", 2)};
  const Committed committed = commit(after);
  EXPECT_EQ(committed.observations, 1u);
  EXPECT_EQ(committed.sequences, (std::vector<int64_t>{0, 0, 1}));
  EXPECT_EQ(commit(after).observations, 0u) << "doing it again is harmless";
}

TEST_P(StoreTest, AnEventWithAKeyIsStoredOnceWhicheverSourceTellsFirst) {
  Batch b = batch();
  b.observations = {state_of("u1", "5")};
  b.events = {event_of("release.deployed", 0, "k1"), event_of("release.deployed", -1, "k1")};
  EXPECT_EQ(commit(b).sequences, (std::vector<int64_t>{1, 0}));
  Batch late = batch();
  late.observations = {state_of("u2", "1")};
  late.events = {event_of("release.deployed", 0, "k1"), event_of("release.step", 0, "k2")};
  EXPECT_EQ(commit(late).sequences, (std::vector<int64_t>{0, 2}));
  Batch known = batch();  // a known state may still bring an event with a new key
  known.observations = {state_of("u2", "1")};
  known.events = {event_of("release.paused", 0, "k3")};
  EXPECT_EQ(commit(known).sequences, (std::vector<int64_t>{3}));
}

TEST_P(StoreTest, WhatCountsAsToldIsNotToldLater) {
  Batch b = batch();
  b.events = {event_of("release.deployed", -1, "told here")};
  b.told = {"told here", "old", "old"};
  EXPECT_EQ(commit(b).sequences, (std::vector<int64_t>{1}));
  EXPECT_EQ(commit(b).sequences, (std::vector<int64_t>{0})) << "doing it again is harmless";
  Batch later = batch();
  later.events = {event_of("release.deployed", -1, "old"), event_of("release.deployed", -1, "new")};
  EXPECT_EQ(commit(later).sequences, (std::vector<int64_t>{0, 2}));
}

TEST_P(StoreTest, DoingACommitAgainIsHarmless) {
  subscribe("all");
  Batch b = batch();
  b.observations = {state_of("u1", "5")};
  b.events = {event_of("kubernetes.event", 0), event_of("release.deployed", 0, "k"),
              event_of("region.unhealthy")};
  b.checkpoints = {{"events", "10", 1, "watching"}};
  b.gaps = {{"events", 1, 2, "3", "history was compacted"}};
  EXPECT_EQ(commit(b).deliveries, 3u);
  Committed again = commit(b);
  EXPECT_EQ(again.deliveries, 0u);
  EXPECT_EQ(again.sequences, (std::vector<int64_t>{0, 0, 0}));
  EXPECT_EQ(store_->gaps(0, 10)->size(), 1u);
  EXPECT_EQ(store_->events({})->size(), 3u);
  EXPECT_EQ(store_->deliveries({})->size(), 3u);
}

TEST_P(StoreTest, ACommitIsAllOrNothing) {
  Batch b = batch();
  b.observations = {state_of("u1", "5")};
  b.events = {event_of("kubernetes.event", 0), event_of("kubernetes.event", 7)};
  b.checkpoints = {{"events", "10", 1, "watching"}};
  auto done = store_->commit(b);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code(), Code::kInvalidArgument);
  EXPECT_TRUE(store_->checkpoints(region_.id)->empty());
  b.events.pop_back();
  EXPECT_EQ(commit(b).sequences, (std::vector<int64_t>{1}));  // no number was lost
}

TEST_P(StoreTest, EventsComeBackAsTheyWent) {
  Batch b = batch();
  Event e = event_of("release.step", -1, "key");
  e.severity = Severity::kError;
  e.revision = 7;
  e.labels = {{"a", "\"x\""}, {"b", ""}};
  b.events.push_back(e);
  commit(b);
  auto got = store_->event(1);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->region, "north");
  EXPECT_EQ(got->cluster_uid, "c1");
  EXPECT_EQ(got->stored_ms, kStartMs);
  EXPECT_EQ(got->event.type, e.type);
  EXPECT_EQ(got->event.severity, e.severity);
  EXPECT_EQ(got->event.subject.uid, "pod-1");
  EXPECT_EQ(got->event.release, "web");
  EXPECT_EQ(got->event.revision, 7);
  EXPECT_EQ(got->event.message, e.message);
  EXPECT_EQ(got->event.time_ms, e.time_ms);
  EXPECT_EQ(got->event.labels, e.labels);
  EXPECT_EQ(got->event.data, e.data);
  EXPECT_EQ(got->event.dedup_key, "key");
  EXPECT_EQ(store_->event(2).error().code(), Code::kNotFound);
}

TEST_P(StoreTest, EventsAreFoundByEachFilterAndInPages) {
  for (int i = 0; i < 20; ++i) tell(i % 2 == 0 ? "web" : "db", i < 10 ? "release.step" : "pod.failed");
  EXPECT_EQ(*store_->last_sequence(), 20);
  auto count = [&](auto change) {
    EventQuery q;
    change(q);
    auto got = store_->events(q);
    EXPECT_TRUE(got) << got.error().text();
    return got->size();
  };
  EXPECT_EQ(count([](EventQuery&) {}), 20u);
  EXPECT_EQ(count([](EventQuery& q) { q.type = "pod.failed"; }), 10u);
  EXPECT_EQ(count([](EventQuery& q) { q.release = "db"; }), 10u);
  EXPECT_EQ(count([](EventQuery& q) { q.release = "db", q.type = "pod.failed"; }), 5u);
  EXPECT_EQ(count([](EventQuery& q) { q.name = "web-1", q.kind = "Pod", q.region = "north",
                                      q.name_space = "prod", q.reason = "Started"; }), 20u);
  EXPECT_EQ(count([](EventQuery& q) { q.region = "south"; }), 0u);
  EXPECT_EQ(count([](EventQuery& q) { q.from_ms = kStartMs - 5, q.to_ms = kStartMs; }), 20u);
  EXPECT_EQ(count([](EventQuery& q) { q.from_ms = kStartMs; }), 0u);
  EventQuery page;
  page.after = 5;
  page.limit = 3;
  auto up = store_->events(page);
  EXPECT_EQ(up->front().sequence, 6);
  EXPECT_EQ(up->size(), 3u);
  page.newest_first = true;
  EXPECT_EQ(store_->events(page)->front().sequence, 4);
  page.after = 0;
  EXPECT_EQ(store_->events(page)->front().sequence, 20);
}

TEST_P(StoreTest, AStretchSaysWhatItHasLookedAt) {
  for (int i = 1; i <= 10; ++i) tell(i == 7 ? "rare" : "web", i % 5 == 0 ? "scale" : "release.deployed");
  Batch b = batch();
  Event e = event_of("release.deployed", -1, "odd");
  e.reason = "Odd";
  b.events = {e};
  commit(b);  // 11
  const auto look = [&](EventQuery q, int rows) {
    const auto page = store_->look(q, rows);
    EXPECT_TRUE(page) << page.error().text();
    std::string out;
    for (const StoredEvent& found : page->events) out += std::to_string(found.sequence) + " ";
    return out + "to " + std::to_string(page->looked) + (page->more ? " more" : "");
  };
  EventQuery q;
  q.reason = "Odd";
  EXPECT_EQ(look(q, 4), "to 4 more");
  q.after = 4;
  EXPECT_EQ(look(q, 4), "to 8 more");
  q.after = 8;
  EXPECT_EQ(look(q, 4), "11 to 11");
  q.after = 11;
  EXPECT_EQ(look(q, 4), "to 11");
  q.after = 20;
  EXPECT_EQ(look(q, 4), "to 20") << "never back";
  q.after = 0;
  q.type = "scale";  // 5 and 10: rows of that type are counted
  EXPECT_EQ(look(q, 1), "to 5 more");
  EXPECT_EQ(look(q, 3), "to 11");
  q.newest_first = true;
  EXPECT_EQ(look(q, 1), "to 10 more");
  q.after = 10;
  EXPECT_EQ(look(q, 2), "to 0");
  q = {};
  q.release = "rare";
  EXPECT_EQ(look(q, 1), "7 to 11") << "an index finds it";
  q = {};
  q.limit = 3;
  EXPECT_EQ(look(q, 1), "1 2 3 to 3 more");
  q.after = 9;
  EXPECT_EQ(look(q, 1), "10 11 to 11");
  q.region = "north";
  q.after = 0;
  EXPECT_EQ(look(q, 5), "1 2 3 to 3 more") << "the limit ends it first";
}

TEST_P(StoreTest, ACheckpointMovesWithTheEventsItCovers) {
  Batch b = batch();
  b.checkpoints = {{"events", "10", 1, "watching"}, {"pods", "3", 2, "denied"}};
  commit(b);
  b.checkpoints = {{"events", "12", 5, "watching"}};
  commit(b);
  auto got = store_->checkpoints(region_.id);
  ASSERT_EQ(got->size(), 2u);
  EXPECT_EQ((*got)[0].version, "12");
  EXPECT_EQ((*got)[0].observed_ms, 5);
  EXPECT_EQ((*got)[1].state, "denied");
}

TEST_P(StoreTest, CountsAreThoseOfTheNewestStateOfWhatExists) {
  Batch b = batch();
  b.observations = {state_of("u1", "5"), state_of("u2", "6"), state_of("u3", "7", "pods")};
  b.observations[0].count = 3;
  commit(b);
  b.observations = {state_of("u1", "8"), state_of("u2", "9")};
  b.observations[0].count = 4;
  b.observations[1].change = Change::kDeleted;
  commit(b);
  using Counts = std::vector<std::pair<std::string, int64_t>>;
  EXPECT_EQ(*store_->counts("c1", "events"), (Counts{{"u1", 4}}));
  EXPECT_EQ(*store_->counts("c1", "pods"), (Counts{{"u3", 1}}));
  EXPECT_EQ(*store_->counts("c2", "events"), Counts());
}

TEST_P(StoreTest, TheNewestVersionIsTheLargestNumber) {
  EXPECT_EQ(*store_->newest_version("c1", "secrets"), "");
  Batch b = batch();
  b.observations = {state_of("u1", "10", "secrets"), state_of("u2", "9", "secrets"),
                    state_of("u3", "99")};
  commit(b);
  EXPECT_EQ(*store_->newest_version("c1", "secrets"), "10");
  EXPECT_EQ(*store_->newest_version("c2", "secrets"), "");
}

TEST_P(StoreTest, AnOlderEpochIsRefused) {
  ASSERT_TRUE(store_->take_region(region_.id, "me", 5));
  Batch b = batch();
  b.epoch = 4;
  EXPECT_EQ(store_->commit(b).error().code(), Code::kFailedPrecondition);
  b.epoch = 5;
  EXPECT_TRUE(store_->commit(b));
  EXPECT_EQ(store_->take_region(region_.id, "me", 4).error().code(), Code::kFailedPrecondition);
  EXPECT_EQ(*store_->take_region(region_.id, "me", 5), 5) << "its own again";
  EXPECT_EQ(store_->take_region(region_.id, "other", 5).error().code(), Code::kFailedPrecondition)
      << "an epoch has one owner";
  EXPECT_EQ(*store_->take_region(region_.id, "other", 6), 6);
  EXPECT_EQ(store_->commit(b).error().code(), Code::kFailedPrecondition);
  EXPECT_EQ(*store_->take_region(region_.id, "third", 0), 7) << "the next";
  EXPECT_EQ(store_->regions()->at(0).owner, "third");
  EXPECT_EQ(store_->take_region(99, "me", 6).error().code(), Code::kNotFound);
  b.region_id = 99;
  EXPECT_EQ(store_->commit(b).error().code(), Code::kNotFound);
}

TEST_P(StoreTest, ProcessesThatShareTheDatabaseAreCounted) {
  if (GetParam() == db::Dialect::kSqlite) {
    EXPECT_EQ(*store_->meet("a", 60'000), 1);
    EXPECT_EQ(*store_->meet("b", 60'000), 1) << "a file is one process's";
    return;
  }
  EXPECT_EQ(*store_->meet("a", 60'000), 1);
  EXPECT_EQ(*store_->meet("b", 60'000), 2);
  EXPECT_EQ(*store_->meet("a", 60'000), 2);
  ASSERT_TRUE(store_->leave("b"));
  EXPECT_EQ(*store_->meet("a", 60'000), 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(*store_->meet("c", 5), 1) << "who was heard of too long ago is not there";
}

TEST_P(StoreTest, ARegionKeepsItsCheckpointsUnlessItsClusterWasRebuilt) {
  Batch b = batch();
  b.checkpoints = {{"events", "10", 1, "watching"}};
  commit(b);
  ASSERT_TRUE(store_->remove_region("north"));
  EXPECT_EQ(store_->remove_region("north").error().code(), Code::kNotFound);
  EXPECT_TRUE(store_->regions()->empty());
  Region r;
  r.name = "north";
  auto back = store_->put_region(r);  // its cluster not reached yet
  EXPECT_EQ(back->id, region_.id);
  EXPECT_EQ(back->cluster_uid, "c1");
  EXPECT_EQ(store_->checkpoints(region_.id)->size(), 1u);
  r.cluster_uid = "c2";
  EXPECT_EQ(store_->put_region(r)->id, region_.id);
  EXPECT_TRUE(store_->checkpoints(region_.id)->empty());
  EXPECT_EQ(store_->regions()->at(0).cluster_uid, "c2");
}

TEST_P(StoreTest, WhatIsStoredIsThereAfterARestart) {
  Batch b = batch();
  b.observations = {state_of("u1", "5")};
  b.events = {event_of("kubernetes.event", 0)};
  commit(b);
  store_.reset();
  store_ = open();
  EXPECT_EQ(*store_->last_sequence(), 1);
  EXPECT_EQ(commit(b).sequences, (std::vector<int64_t>{0}));
}

TEST_P(StoreTest, AnotherSecretKeyIsRefusedAtOpen) {
  store_.reset();
  auto other = Store::open({url_, std::string(32, 'x'), 1}, clock_);
  EXPECT_EQ(other.error().code(), Code::kInvalidArgument) << other.error().text();
  auto short_key = Store::open({url_, "short", 1}, clock_);
  EXPECT_EQ(short_key.error().code(), Code::kInvalidArgument);
}

TEST_P(StoreTest, ARelistOfKnownStatesWritesNoRow) {
  Batch b = batch();
  for (int i = 0; i < 300; ++i) {
    b.observations.push_back(state_of("u" + std::to_string(i), "1"));
    b.events.push_back(event_of("kubernetes.event", i));
  }
  commit(b);
  Committed again = commit(b);
  EXPECT_EQ(again.observations, 0u);
  EXPECT_EQ(*store_->last_sequence(), 300);
}

TEST_P(StoreTest, NothingIsAskedOfTheDatabaseWhenNobodyAsks) {
  subscribe("a");
  uint64_t before = store_->statements();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(store_->statements(), before);
}

TEST_P(StoreTest, HugeTextsAndKeysAreStored) {
  Batch b = batch();
  std::string huge(200'000, 'x');
  b.observations = {state_of(huge, huge)};
  b.events = {event_of("kubernetes.event", 0), event_of("release.step", 0, huge)};
  for (Event& e : b.events) e.message = huge, e.data = "{\"x\":\"" + huge + "\"}";
  subscribe("all");
  EXPECT_EQ(commit(b).sequences, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(commit(b).sequences, (std::vector<int64_t>{0, 0}));
  EXPECT_EQ(store_->event(2)->event.message.size(), huge.size());
}

// Two processes write one database while a third reads on: it misses nothing.
TEST_P(StoreTest, AReaderNeverSeesASmallerNumberLater) {
  auto second = open(), reader = open();
  auto write = [&](Store& store, const std::string& name) {
    Region r;
    r.name = name;
    r.cluster_uid = name;
    auto put = store.put_region(r);
    ASSERT_TRUE(put);
    for (int i = 0; i < 60; ++i) {
      Batch b;
      b.region_id = put->id;
      b.region = b.cluster_uid = name;
      for (int k = 0; k < 1 + i % 7; ++k) {
        b.events.push_back(event_of("x", -1, name + std::to_string(i) + "." + std::to_string(k)));
      }
      auto done = store.commit(b);
      ASSERT_TRUE(done) << done.error().text();
    }
  };
  std::thread one(write, std::ref(*store_), "a"), two(write, std::ref(*second), "b");
  int64_t seen = 0;
  std::vector<int64_t> read;
  auto follow = [&] {
    EventQuery q;
    q.after = seen;
    q.limit = 1000;
    auto got = reader->events(q);
    ASSERT_TRUE(got);
    for (const StoredEvent& e : *got) {
      read.push_back(e.sequence);
      seen = e.sequence;
    }
  };
  for (int i = 0; i < 200; ++i) follow();
  one.join();
  two.join();
  follow();
  EventQuery all;
  all.limit = 1000;
  auto truth = reader->events(all);
  ASSERT_EQ(read.size(), truth->size());
  ASSERT_EQ(read.size(), 2u * 234u);
  for (size_t i = 0; i < read.size(); ++i) {
    ASSERT_EQ(read[i], (*truth)[i].sequence);
    ASSERT_EQ(read[i], static_cast<int64_t>(i + 1));  // and no holes
  }
}

TEST_P(StoreTest, ALostConnectionIsMadeAnew) {
  if (GetParam() == db::Dialect::kSqlite) GTEST_SKIP() << "SQLite has no connection to lose";
  subscribe("all");
  Batch b = batch();
  b.observations = {state_of("u1", "5")};
  b.events = {event_of("kubernetes.event", 0)};
  db::PostgresServer::shared()->cut_connections();
  EXPECT_EQ(commit(b).deliveries, 1u);
  EXPECT_EQ(claim().size(), 1u);
  EXPECT_EQ(store_->events({})->size(), 1u);
  EXPECT_EQ(commit(b).deliveries, 0u);
}

TEST(StoreOpen, InMemoryWorksAndBadPlacesAreErrors) {
  sys::FakeClock clock(kStartMs * 1'000'000);
  auto store = Store::open({"sqlite::memory:", std::string(32, 'k'), 2}, clock);
  ASSERT_TRUE(store) << store.error().text();
  EXPECT_EQ(*(*store)->last_sequence(), 0);
  auto bad = Store::open({"sqlite:/no/such/folder/x.db", std::string(32, 'k'), 2}, clock);
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().text().find("/no/such/folder/x.db"), std::string::npos);
}

TEST(StoreText, FiltersComeBackAsTheyWent) {
  Filter f;
  f.types = {"release.*", "pod.failed"};
  f.regions = {"north"};
  f.environments = {"prod"};
  f.namespaces = {"a"};
  f.kinds = {"Pod"};
  f.reasons = {"Started"};
  f.releases = {"web"};
  f.min_severity = Severity::kWarning;
  f.labels = {{"team", "\"x\""}};
  f.reason_patterns = {"^St"};
  f.scopes = {"north/a", "/"};
  f.selector = "team in (a,b)";
  auto back = read_filter(filter_json(f));
  ASSERT_TRUE(back);
  EXPECT_EQ(filter_json(*back), filter_json(f));
  EXPECT_EQ(back->types, f.types);
  EXPECT_EQ(back->labels, f.labels);
  EXPECT_EQ(filter_json({}), "{}");
  for (const char* bad : {"", "[]", "null", R"({"type":[]})", R"({"types":"x"})",
                          R"({"types":[1]})", R"({"min_severity":"bad"})", R"({"labels":[]})",
                          R"({"labels":{"a":1}})"}) {
    EXPECT_FALSE(read_filter(bad)) << bad;
  }
}

}  // namespace
}  // namespace pintle::lookout
