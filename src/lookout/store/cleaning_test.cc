#include <algorithm>

#include "lookout/testing/store_fixture.h"

namespace pintle::lookout {
namespace {

using State = DeliveryState;
constexpr int64_t kDayMs = 86'400'000;

CleaningPolicy keep(const std::string& type, int64_t ms, int64_t rows = 0) {
  CleaningPolicy p;
  p.name = p.type = type;
  p.keep_ms = ms;
  p.keep_rows = rows;
  return p;
}

class CleaningTest : public StoreTest {
 protected:
  Cleaned clean(const std::vector<CleaningPolicy>& policies, int limit = 1000,
                const Archive& archive = {}) {
    auto done = store_->clean(policies, limit, archive);
    EXPECT_TRUE(done) << done.error().text();
    return done.value_or(Cleaned());
  }
  RowCounts clean_all(const std::vector<CleaningPolicy>& policies, const Archive& archive = {}) {
    RowCounts out;
    for (bool more = true; more;) {
      const Cleaned done = clean(policies, 1000, archive);
      out.add(done.rows);
      more = done.more;
    }
    return out;
  }
  std::vector<int64_t> left() {
    std::vector<int64_t> out;
    EventQuery query;
    query.limit = 1000;
    const auto events = store_->events(query);
    for (const StoredEvent& e : *events) out.push_back(e.sequence);
    return out;
  }
  std::vector<State> states() {
    std::vector<State> out;
    const auto deliveries = store_->deliveries({});
    for (const Delivery& d : *deliveries) out.push_back(d.state);
    return out;
  }
  int64_t tell_of(const std::string& kind, const std::string& reason, const std::string& space) {
    Batch b = batch();
    Event e = event_of("kubernetes.event", -1, "of" + std::to_string(++told_));
    e.subject.kind = kind;
    e.reason = reason;
    e.subject.name_space = space;
    b.events.push_back(e);
    return commit(b).sequences.at(0);
  }
};

INSTANTIATE_TEST_SUITE_P(Both, CleaningTest,
                         testing::Values(db::Dialect::kSqlite, db::Dialect::kPostgres),
                         dialect_name);

TEST_P(CleaningTest, PassesOverWhatWaitsOnceInARoundAndLeavesNothingWithoutItsEvent) {
  subscribe("all");
  for (int i = 0; i < 350; ++i) tell("r" + std::to_string(i));
  const auto claimed = claim(300);
  ASSERT_EQ(claimed.size(), 300u);
  for (size_t i = 100; i < 300; ++i) ASSERT_TRUE(finish(claimed[i], State::kSucceeded));
  pass(1000);
  const std::vector<CleaningPolicy> policies = {keep("release.deployed", 1), keep("dead", 1)};
  int64_t gone = 0;
  for (int i = 0; i < 4; ++i) gone += clean(policies, 90).rows.events;
  EXPECT_EQ(gone, 200);
  DeliveryQuery query;
  query.limit = 1000;
  const auto left = *store_->deliveries(query);
  EXPECT_EQ(left.size(), 150u) << "those that wait or are under way";
  for (const Delivery& d : left) EXPECT_TRUE(store_->event(d.event_sequence)) << d.id;
  ASSERT_TRUE(finish(claimed[0], State::kDead, 0, "gone"));
  pass(1000);
  EXPECT_EQ(clean_all(policies).events, 1) << "the next round begins anew";
}

TEST_P(CleaningTest, RestsWhileItPassesOverWhatMayNotGo) {
  subscribe("all");
  for (int i = 0; i < 100; ++i) tell("r" + std::to_string(i));
  pass(1000);
  const std::vector<CleaningPolicy> policies = {keep("release.deployed", 1)};
  int turns = 1;
  while (clean(policies, 10).more) ++turns;
  EXPECT_EQ(turns, 3) << "40 rows in each";
  EXPECT_EQ(left().size(), 100u);
}

TEST_P(CleaningTest, TakesOldFinishedEventsOfItsTypeInBatches) {
  subscribe("all");
  for (int i = 0; i < 5; ++i) tell("r" + std::to_string(i), "pod.failed");
  tell("x", "release.step");
  auto got = claim();
  ASSERT_EQ(got.size(), 6u);
  for (size_t i = 1; i < got.size(); ++i) ASSERT_TRUE(finish(got[i], State::kSucceeded));
  pass(1000);
  EXPECT_EQ(clean_all({keep("pod.*", 1000)}).events, 0);  // none is old enough
  EXPECT_EQ(clean_all({keep("image.*", 1)}).events, 0);
  const Cleaned some = clean({keep("pod.*", 1)}, 3);
  EXPECT_EQ(some.rows.events, 3);
  EXPECT_EQ(some.rows.deliveries, 3);
  EXPECT_EQ(some.rows.attempts, 3);
  EXPECT_TRUE(some.more);
  EXPECT_EQ(clean_all({keep("pod.failed", 1)}).events, 1);  // the first is not delivered yet
  EXPECT_EQ(left(), (std::vector<int64_t>{1, 6}));
  EXPECT_EQ(store_->deliveries({})->size(), 2u);
  EXPECT_TRUE(store_->attempts(got[1].delivery.id)->empty());
  EXPECT_EQ(clean_all({keep("*", 1)}).events, 1);
  ASSERT_TRUE(finish(got[0], State::kDead, 0, "x"));
  pass(1000);
  EXPECT_EQ(clean_all({keep("*", 1)}).events, 1);
  EXPECT_EQ(*store_->last_sequence(), 6);
  EXPECT_EQ(tell("y"), 7);  // numbers are never used again
}

TEST_P(CleaningTest, TheDefaultRuleLeavesAloneWhatHasAPolicyOfItsOwn) {
  tell("a", "release.deployed");
  tell("b", "pod.failed");
  tell("c", "pod.evicted");
  pass(10 * kDayMs);
  const std::vector<CleaningPolicy> policies = {keep("*", kDayMs), keep("release.*", 30 * kDayMs),
                                                keep("pod.failed", 20 * kDayMs)};
  EXPECT_EQ(clean_all(policies).events, 1);
  EXPECT_EQ(left(), (std::vector<int64_t>{1, 2}));
  pass(15 * kDayMs);
  EXPECT_EQ(clean_all(policies).events, 1);
  EXPECT_EQ(left(), (std::vector<int64_t>{1}));
}

TEST_P(CleaningTest, AnEventGoesByKindReasonAndNamespace) {
  tell_of("Pod", "Pulled", "shop");
  tell_of("Pod", "Failed", "shop");
  tell_of("Node", "Pulled", "");
  tell_of("Pod", "Pulled", "trial");
  pass(2 * kDayMs);
  CleaningPolicy noise = keep("kubernetes.event", kDayMs);
  noise.name = "noise";
  noise.kinds = {"Pod"};
  noise.reasons = {"Pulled", "Created"};
  CleaningPolicy trial = keep("kubernetes.event", 30 * kDayMs);
  trial.name = "trial";
  trial.kinds = {"Pod"};
  trial.reasons = {"Pulled"};
  trial.namespaces = {"trial"};
  const std::vector<CleaningPolicy> policies = {noise, keep("*", 9 * kDayMs), trial};
  EXPECT_EQ(store_->try_cleaning(policies, "noise", 100)->rows.events, 1);
  EXPECT_EQ(store_->try_cleaning(policies, "*", 100)->rows.events, 0);
  EXPECT_EQ(clean_all(policies).events, 1);
  EXPECT_EQ(left(), (std::vector<int64_t>{2, 3, 4}));
  pass(9 * kDayMs);
  EXPECT_EQ(clean_all(policies).events, 2);
  EXPECT_EQ(left(), (std::vector<int64_t>{4}));
}

TEST_P(CleaningTest, ACapKeepsTheNewestRowsOfItsPolicy) {
  for (int i = 0; i < 12; ++i) tell("r" + std::to_string(i), i % 2 ? "pod.failed" : "pod.evicted");
  for (int i = 0; i < 3; ++i) tell_of("Pod", "Pulled", "shop");
  CleaningPolicy noise = keep("kubernetes.event", 0, 2);
  noise.name = "noise";
  noise.reasons = {"Pulled"};
  const std::vector<CleaningPolicy> policies = {keep("pod.failed", 0, 4), keep("*", 0, 1), noise};
  EXPECT_EQ(store_->try_cleaning(policies, "pod.failed", 100)->rows.events, 2);
  EXPECT_EQ(clean_all(policies).events, 2 + 5 + 1);
  EXPECT_EQ(left(), (std::vector<int64_t>{6, 8, 10, 11, 12, 14, 15}));
  EXPECT_EQ(clean_all(policies).events, 0);
  tell("x", "pod.failed");
  EXPECT_EQ(clean_all(policies).events, 1);
  EXPECT_EQ(left(), (std::vector<int64_t>{8, 10, 11, 12, 14, 15, 16}));
}

TEST_P(CleaningTest, WhatWaitsStaysAndWhatIsGivenUpGoesByItsOwnPolicyOnly) {
  subscribe("all");
  for (int i = 0; i < 4; ++i) tell("r" + std::to_string(i));
  auto got = claim(3);
  ASSERT_EQ(got.size(), 3u);
  ASSERT_TRUE(finish(got[0], State::kSucceeded));
  ASSERT_TRUE(finish(got[1], State::kRetry, now() + 1000 * kDayMs));
  pass(10 * kDayMs);  // it took that long until the third died
  ASSERT_TRUE(claim(3).size() <= 3);
  auto again = *store_->deliveries({});
  const auto dying = std::find_if(again.begin(), again.end(),
                                  [](const Delivery& d) { return d.state == State::kLeased; });
  ASSERT_NE(dying, again.end());
  Attempt a;
  a.n = 1;
  ASSERT_TRUE(store_->finish(*dying, State::kDead, 0, "x", a));
  const std::vector<CleaningPolicy> policies = {keep("release.*", kDayMs), keep("dead", 5 * kDayMs),
                                                keep("delivery", 3 * kDayMs)};
  EXPECT_EQ(store_->try_cleaning(policies, "release.*", 100)->rows.events, 1);
  EXPECT_EQ(store_->try_cleaning(policies, "dead", 100)->rows.deliveries, 0);
  EXPECT_EQ(clean_all(policies).events, 1);
  EXPECT_EQ(states().size(), 3u) << "two that wait, and one given up";
  pass(6 * kDayMs);
  const Cleaned dry = *store_->try_cleaning(policies, "release.*", 100);
  EXPECT_EQ(dry.rows.events, 1);
  EXPECT_EQ(dry.rows.deliveries, 1) << "it goes with its event";
  const RowCounts gone = clean_all(policies);
  EXPECT_EQ(gone.events, 1);
  EXPECT_EQ(gone.deliveries, 1);
  EXPECT_EQ(states().size(), 2u);
  for (const State s : states()) EXPECT_TRUE(s == State::kRetry || s == State::kPending || s == State::kLeased);
}

TEST_P(CleaningTest, DeliveriesAttemptsAndGapsHaveTheirOwn) {
  subscribe("all");
  tell("a");
  tell("b");
  auto got = claim();
  ASSERT_TRUE(finish(got[0], State::kRetry, now()));
  auto second = claim(1);
  ASSERT_TRUE(finish(second[0], State::kSucceeded));
  Batch b = batch();
  b.gaps = {{"events", now() - 10, now(), "3", "x"}, {"events", now(), now() + 5 * kDayMs, "4", "x"}};
  commit(b);
  pass(2 * kDayMs);
  const std::vector<CleaningPolicy> policies = {keep("attempt", kDayMs), keep("gap", kDayMs),
                                                keep("delivery", 3 * kDayMs)};
  EXPECT_EQ(store_->try_cleaning(policies, "attempt", 100)->rows.attempts, 2);
  EXPECT_EQ(store_->try_cleaning(policies, "gap", 100)->rows.gaps, 1);
  RowCounts gone = clean_all(policies);
  EXPECT_EQ(gone.attempts, 2);
  EXPECT_EQ(gone.gaps, 1);
  EXPECT_EQ(gone.deliveries, 0);
  EXPECT_EQ(store_->gaps(0, 10)->size(), 1u);
  pass(2 * kDayMs);
  gone = clean_all(policies);
  EXPECT_EQ(gone.deliveries, 1) << "the other is leased";
  EXPECT_EQ(left().size(), 2u);
  EXPECT_EQ(clean_all({keep("gap", 0, 1)}).gaps, 0);
  EXPECT_EQ(clean_all({keep("*", kDayMs)}).events, 1);
}

TEST_P(CleaningTest, ADryRunCountsTheRowsThatGo) {
  subscribe("all");
  Batch b = batch();
  for (int i = 0; i < 5; ++i) b.observations.push_back(state_of("u", std::to_string(i), "pods"));
  b.gaps = {{"events", 1, now(), "3", "x"}};
  commit(b);
  tell("a");
  tell("b");
  for (const Claimed& c : claim()) ASSERT_TRUE(finish(c, State::kSucceeded));
  pass(kDayMs);
  const std::vector<CleaningPolicy> policies = {keep("*", 1000)};
  const auto dry = store_->try_cleaning(policies, "*", 100);
  ASSERT_TRUE(dry) << dry.error().text();
  EXPECT_EQ(dry->rows.observations, 4);
  EXPECT_EQ(dry->rows.gaps, 1);
  EXPECT_EQ(dry->rows.events, 2);
  EXPECT_EQ(dry->rows.deliveries, 2);
  EXPECT_EQ(dry->rows.attempts, 2);
  EXPECT_FALSE(dry->more);
  EXPECT_TRUE(store_->try_cleaning(policies, "*", 3)->more);
  EXPECT_EQ(store_->try_cleaning(policies, "*", 3)->rows.observations, 3);
  const RowCounts gone = clean_all(policies);
  EXPECT_EQ(gone.events, 2);
  EXPECT_EQ(gone.deliveries, 2);
  EXPECT_EQ(gone.attempts, 2);
  EXPECT_EQ(gone.observations, 4);
  EXPECT_EQ(gone.gaps, 1);
}

TEST_P(CleaningTest, WhatTheArchiveDoesNotTakeStays) {
  subscribe("all");
  for (int i = 0; i < 3; ++i) tell("r" + std::to_string(i));
  tell("x", "pod.failed");
  for (const Claimed& c : claim()) ASSERT_TRUE(finish(c, State::kSucceeded));
  pass(1000);
  std::vector<CleaningPolicy> policies = {keep("release.*", 1), keep("pod.*", 1)};
  policies[0].archive = true;
  const Cleaned failed =
      clean(policies, 1000, [](const GoingRows&) { return Error("the disk is full"); });
  EXPECT_EQ(failed.archive_error, "the disk is full");
  EXPECT_EQ(failed.rows.events, 1) << "what is not archived goes";
  EXPECT_EQ(left(), (std::vector<int64_t>{1, 2, 3}));
  std::vector<GoingRows> kept;
  std::vector<std::string> types;
  bool there = true;
  const Cleaned done = clean(policies, 1000, [&](const GoingRows& rows) {
    for (const StoredEvent& e : rows.events) there &= store_->event(e.sequence).has_value();
    kept.push_back(rows);
    types.push_back(rows.policy->type);
    return ok();
  });
  EXPECT_TRUE(there) << "archived before it goes";
  EXPECT_EQ(done.rows.events, 3);
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(types, std::vector<std::string>{"release.*"});
  EXPECT_EQ(kept[0].events.size(), 3u);
  EXPECT_EQ(kept[0].events[2].event.release, "r2");
  EXPECT_EQ(kept[0].deliveries.size(), 3u);
  EXPECT_EQ(kept[0].attempts.size(), 3u);
  EXPECT_TRUE(left().empty());
}

TEST_P(CleaningTest, OtherTablesAreArchivedToo) {
  subscribe("all");
  Batch b = batch();
  for (int i = 0; i < 3; ++i) b.observations.push_back(state_of("u", std::to_string(i), "pods"));
  b.gaps = {{"events", 1, now(), "3", "why"}};
  commit(b);
  tell("a");
  ASSERT_TRUE(finish(claim().at(0), State::kDead, 0, "x"));
  pass(1000);
  std::vector<CleaningPolicy> policies = {keep("dead", 1), keep("gap", 1), keep("observation", 1)};
  for (CleaningPolicy& p : policies) p.archive = true;
  GoingRows all;
  clean_all(policies, [&](const GoingRows& rows) {
    for (const auto& d : rows.deliveries) all.deliveries.push_back(d);
    for (const auto& a : rows.attempts) all.attempts.push_back(a);
    for (const auto& o : rows.observations) all.observations.push_back(o);
    for (const auto& g : rows.gaps) all.gaps.push_back(g);
    return ok();
  });
  ASSERT_EQ(all.deliveries.size(), 1u);
  EXPECT_EQ(all.deliveries[0].dead_reason, "x");
  EXPECT_EQ(all.attempts.size(), 1u);
  ASSERT_EQ(all.observations.size(), 2u);
  EXPECT_EQ(all.observations[1].second.version, "1");
  EXPECT_EQ(all.observations[1].first, "c1");
  ASSERT_EQ(all.gaps.size(), 1u);
  EXPECT_EQ(all.gaps[0].gap.cause, "why");
}

TEST_P(CleaningTest, WhatWasToldIsForgottenAfterAYearAlsoWhereRowsAreCapped) {
  CleaningPolicy cap = keep("observation", 0);
  cap.keep_rows = 10;
  tell("web");
  auto raw = std::move(*db::Session::open({url_}));
  const auto known = [&] { return *raw->number("select count(*) from told", 0); };
  pass(399 * 86'400'000LL);
  clean_all({cap});
  EXPECT_EQ(known(), 1);
  pass(2 * 86'400'000LL);
  clean_all({cap});
  EXPECT_EQ(known(), 0);
}

TEST_P(CleaningTest, KeepsTheNewestStateAndWhatWasTold) {
  Batch b = batch();
  b.observations = {state_of("u1", "1", "deployments.apps"), state_of("u1", "2", "deployments.apps"),
                    state_of("u2", "3", "deployments.apps")};
  b.events = {event_of("release.deployed", 1, "k1"), event_of("deployment.changed", 1)};
  commit(b);
  pass(1000);
  EXPECT_EQ(clean_all({keep("*", 1)}).sum(), 3);  // two events and the older state of u1
  EXPECT_EQ(clean_all({keep("*", 1)}).sum(), 0);
  b.observations.erase(b.observations.begin());
  b.events[0].observation = b.events[1].observation = 0;
  Committed again = commit(b);
  EXPECT_EQ(again.observations, 0u);
  EXPECT_EQ(again.sequences, (std::vector<int64_t>{0, 0}));
  Batch gone = batch();
  gone.observations = {state_of("u1", "4", "deployments.apps")};
  gone.observations[0].change = Change::kDeleted;
  commit(gone);
  EXPECT_EQ(clean_all({keep("observation", 1)}).observations, 2);
}

TEST_P(CleaningTest, PassesStatesThatStayAndDropsEventsNobodySawGo) {
  Batch b = batch();
  for (int i = 0; i < 1500; ++i) b.observations.push_back(state_of(std::to_string(i), "1", "pods"));
  for (int i = 0; i < 30; ++i) b.observations.push_back(state_of(std::to_string(i), "2", "events"));
  for (int i = 0; i < 30; ++i) b.observations.push_back(state_of(std::to_string(i), "3", "pods"));
  commit(b);
  pass(6 * kDayMs);
  const std::vector<CleaningPolicy> policies = {keep("observation", 1)};
  int64_t older = 0;  // the 30 that have a newer state
  for (bool more = true; more;) {
    const Cleaned done = clean(policies, 20);
    EXPECT_LE(done.rows.observations, 20);
    older += done.rows.observations;
    more = done.more;
  }
  EXPECT_EQ(older, 30);
  EXPECT_EQ(store_->counts("c1", "events")->size(), 30u);
  pass(2 * kDayMs);
  EXPECT_EQ(clean_all(policies).observations, 30);
  EXPECT_TRUE(store_->counts("c1", "events")->empty());
  EXPECT_EQ(store_->counts("c1", "pods")->size(), 1500u);
}

TEST_P(CleaningTest, WhatIsSentAgainKeepsItsEvent) {
  subscribe("all");
  tell("a");
  const Claimed c = claim().at(0);
  ASSERT_TRUE(finish(c, State::kSucceeded));
  pass(1000);
  std::vector<CleaningPolicy> policies = {keep("*", 1)};
  policies[0].archive = true;
  // Between what is found and what is removed.
  const Cleaned done = clean({policies[0], keep("delivery", kDayMs)}, 1000,
                             [&](const GoingRows& rows) -> Status {
                               return rows.table == "event" ? store_->resend(c.delivery.id) : ok();
                             });
  EXPECT_EQ(done.archive_error, "");
  EXPECT_EQ(done.rows.events, 0);
  EXPECT_EQ(left(), (std::vector<int64_t>{1}));
  EXPECT_EQ(claim().size(), 1u);
}

}  // namespace
}  // namespace pintle::lookout
