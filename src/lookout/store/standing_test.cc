// How a subscription fares, and pausing one whose every attempt has failed for long.
#include <gtest/gtest.h>

#include <thread>

#include "base/strings.h"
#include "lookout/testing/store_fixture.h"

namespace pintle::lookout {
namespace {

constexpr int64_t kMinuteMs = 60'000, kDayMs = 86'400'000;

class StandingTest : public StoreTest {
 protected:
  SubscriptionStatistics fares(int64_t id) {
    const auto out = store_->statistics(id);
    EXPECT_TRUE(out) << out.error().text();
    return out.value_or(SubscriptionStatistics());
  }
  Subscription impatient(const std::string& name, Filter filter = {}) {
    Subscription s = subscribe(name, std::move(filter));
    s.manner.disable_after_ms = 5 * kDayMs;
    EXPECT_TRUE(store_->update_subscription(s));
    return s;
  }
  // One event is told and fails, or succeeds.
  void attempt(DeliveryState end) {
    tell(cat("web-", told_));
    const auto claimed = claim();
    ASSERT_EQ(claimed.size(), 1u);
    ASSERT_TRUE(finish(claimed[0], end, 0, end == DeliveryState::kDead ? "given up" : ""));
  }
  Subscription now_of(int64_t id) {
    const auto all = store_->subscriptions();
    for (const Subscription& s : *all) {
      if (s.id == id) return s;
    }
    return {};
  }
  std::vector<std::string> disabled() {
    EventQuery query;
    query.type = "subscription.disabled";
    std::vector<std::string> out;
    const auto events = store_->events(query);
    for (const StoredEvent& e : *events) out.push_back(e.event.subject.name);
    return out;
  }
};
INSTANTIATE_TEST_SUITE_P(Databases, StandingTest,
                         testing::Values(db::Dialect::kSqlite, db::Dialect::kPostgres), dialect_name);

TEST_P(StandingTest, CountsWhatIsStoredAndKnowsWhenItFailedAndSucceeded) {
  const Subscription s = subscribe("a");
  SubscriptionStatistics seen = fares(s.id);
  EXPECT_EQ(seen.delivered + seen.waiting + seen.failed + seen.dead, 0);
  EXPECT_EQ(seen.last_success_ms + seen.last_failure_ms + seen.failing_since_ms, 0);
  for (int i = 0; i < 3; ++i) attempt(DeliveryState::kSucceeded);
  const int64_t success = now();
  pass(kMinuteMs);
  attempt(DeliveryState::kDead);
  const int64_t since = now();
  pass(kMinuteMs);
  tell("late");
  auto claimed = claim();
  ASSERT_EQ(claimed.size(), 1u);
  ASSERT_TRUE(finish(claimed[0], DeliveryState::kRetry, now() + kDayMs));
  tell("waits");
  seen = fares(s.id);
  EXPECT_EQ(seen.delivered, 3);
  EXPECT_EQ(seen.dead, 1);
  EXPECT_EQ(seen.failed, 1);
  EXPECT_EQ(seen.waiting, 1);
  EXPECT_EQ(seen.last_success_ms, success);
  EXPECT_EQ(seen.last_failure_ms, now());
  EXPECT_EQ(seen.failing_since_ms, since);
  EXPECT_EQ(seen.last_error, "500");
  claimed = claim();
  ASSERT_EQ(claimed.size(), 1u);
  ASSERT_TRUE(finish(claimed[0], DeliveryState::kSucceeded));
  seen = fares(s.id);
  EXPECT_EQ(seen.failing_since_ms, 0);
  EXPECT_EQ(seen.last_success_ms, now());
  EXPECT_EQ(fares(99).delivered, 0) << "another's are not counted";
  ASSERT_TRUE(store_->remove_subscription(s.id));
  EXPECT_EQ(fares(s.id).last_success_ms, 0);
}

TEST_P(StandingTest, SuccessesAreWrittenOnceAMinuteAndFailuresAtOnceWhenTheyBegin) {
  const Subscription s = subscribe("a");
  attempt(DeliveryState::kSucceeded);
  const int64_t first = now();
  pass(30'000);
  attempt(DeliveryState::kSucceeded);
  EXPECT_EQ(fares(s.id).last_success_ms, first);
  pass(30'000);
  attempt(DeliveryState::kSucceeded);
  EXPECT_EQ(fares(s.id).last_success_ms, first + kMinuteMs);
  pass(1'000);
  attempt(DeliveryState::kDead);
  EXPECT_EQ(fares(s.id).failing_since_ms, now());
  pass(1'000);
  attempt(DeliveryState::kSucceeded);
  EXPECT_EQ(fares(s.id).failing_since_ms, 0) << "and so when they end";
}

TEST_P(StandingTest, OneWhoseEveryAttemptHasFailedForLongIsPausedAndToldOnce) {
  Filter of;
  of.types = {"subscription.*"};
  const Subscription watcher = subscribe("watcher", of);
  Filter releases;
  releases.types = {"release.*"};
  const Subscription s = impatient("hook", releases);
  attempt(DeliveryState::kDead);
  const int64_t since = now();
  pass(5 * kDayMs - 1000);
  attempt(DeliveryState::kDead);
  EXPECT_FALSE(*store_->disable_failing(s.id)) << "a second too early";
  pass(1000);
  tell("kept");
  auto claimed = claim();
  ASSERT_EQ(claimed.size(), 1u);
  ASSERT_TRUE(finish(claimed[0], DeliveryState::kRetry, now()));
  EXPECT_TRUE(*store_->disable_failing(s.id));
  EXPECT_FALSE(*store_->disable_failing(s.id)) << "once";
  const Subscription paused = now_of(s.id);
  EXPECT_TRUE(paused.paused);
  EXPECT_TRUE(paused.paused_why.starts_with("every attempt has failed since 2023-")) << paused.paused_why;
  EXPECT_TRUE(paused.paused_why.ends_with(": 500")) << paused.paused_why;
  EXPECT_EQ(disabled(), std::vector<std::string>{"hook"});
  claimed = claim();
  ASSERT_EQ(claimed.size(), 1u) << "what waits for it is held";
  EXPECT_EQ(claimed[0].subscription.id, watcher.id);
  EXPECT_EQ(claimed[0].event.region, "lookout");
  EXPECT_NE(claimed[0].event.event.data.find(cat("\"failing_since_ms\":", since)), std::string::npos);
  AuditQuery newest;
  newest.newest_first = true;
  newest.limit = 1;
  const AuditEntry noted = store_->audit(newest)->at(0);
  EXPECT_EQ(noted.by.name, "lookout");
  EXPECT_NE(noted.change.fields.find(R"({"field":"paused","before":false,"after":true})"), std::string::npos);
  EXPECT_NE(noted.change.fields.find("paused_reason"), std::string::npos);

  // Resumed it goes on with what has waited, and has its whole time again.
  ASSERT_TRUE(store_->pause_subscription(s.id, false));
  EXPECT_EQ(now_of(s.id).paused_why, "");
  EXPECT_EQ(fares(s.id).failing_since_ms, 0);
  claimed = claim();
  ASSERT_EQ(claimed.size(), 1u);
  EXPECT_EQ(claimed[0].event.event.release, "kept");
  ASSERT_TRUE(finish(claimed[0], DeliveryState::kRetry, now() + 2 * kMinuteMs));
  EXPECT_FALSE(*store_->disable_failing(s.id));
  EXPECT_FALSE(now_of(s.id).paused);
}

TEST_P(StandingTest, WithoutTheSettingOrWithOneSuccessItGoesOn) {
  const Subscription patient = subscribe("patient");
  attempt(DeliveryState::kDead);
  pass(400 * kDayMs);
  attempt(DeliveryState::kDead);
  EXPECT_FALSE(*store_->disable_failing(patient.id));
  ASSERT_TRUE(store_->remove_subscription(patient.id));
  const Subscription s = impatient("s");
  attempt(DeliveryState::kDead);
  pass(4 * kDayMs);
  attempt(DeliveryState::kSucceeded);
  pass(2 * kDayMs);
  attempt(DeliveryState::kDead);
  EXPECT_FALSE(*store_->disable_failing(s.id));
  pass(6 * kDayMs);
  EXPECT_TRUE(disabled().empty());
  Subscription moved = now_of(s.id);
  moved.options = R"({"url":"https://elsewhere.example.com"})";
  ASSERT_TRUE(store_->update_subscription(moved));
  attempt(DeliveryState::kDead);
  EXPECT_FALSE(*store_->disable_failing(s.id)) << "another address has its own time";
}

TEST_P(StandingTest, SeveralLookoutsDoItOnce) {
  const Subscription s = impatient("hook");
  attempt(DeliveryState::kDead);
  pass(6 * kDayMs);
  attempt(DeliveryState::kDead);
  std::vector<std::unique_ptr<Store>> others;
  for (int i = 0; i < 4; ++i) others.push_back(open());
  std::atomic<int> did{0}, failed{0};
  std::vector<std::thread> threads;
  for (const auto& store : others) {
    threads.emplace_back([&, one = store.get()] {
      const auto done = one->disable_failing(s.id);
      did += done && *done;
      failed += !done;
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(did, 1);
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(disabled().size(), 1u);
}

}  // namespace
}  // namespace pintle::lookout
