// Claims and holds of a whole subscription.
#include "lookout/testing/store_fixture.h"

namespace pintle::lookout {
namespace {

using TogetherTest = StoreTest;
using State = DeliveryState;
using Seqs = std::vector<int64_t>;

INSTANTIATE_TEST_SUITE_P(Both, TogetherTest,
                         testing::Values(db::Dialect::kSqlite, db::Dialect::kPostgres),
                         dialect_name);

Seqs sequences(const std::vector<Claimed>& claimed) {
  Seqs out;
  for (const Claimed& c : claimed) out.push_back(c.event.sequence);
  return out;
}

TEST_P(TogetherTest, MoreOfASubscriptionAreTakenWhateverTheirKeys) {
  Subscription s = subscribe("all");
  for (const char* release : {"a", "a", "b", "a", "b"}) tell(release);
  auto head = claim(1);
  ASSERT_EQ(sequences(head), Seqs{1});
  auto more = store_->claim_more("me", 1, 60'000, s.id, 3);
  ASSERT_TRUE(more) << more.error().text();
  EXPECT_EQ(sequences(*more), (Seqs{2, 3, 4}));
  EXPECT_EQ(more->at(0).subscription.secret, "whsec_hidden-all");
  EXPECT_TRUE(claim().empty());  // 5 stands behind 3
  ASSERT_TRUE(finish(head[0], State::kSucceeded));
  EXPECT_TRUE(claim().empty());  // 2 has become the head, and is out
  for (const Claimed& c : *more) ASSERT_TRUE(finish(c, State::kSucceeded));
  EXPECT_EQ(sequences(claim()), Seqs{5});
}

TEST_P(TogetherTest, NothingOvertakesWhatWaitsOrIsSomebodyElses) {
  Subscription s = subscribe("all");
  for (const char* release : {"a", "a", "b", "b", "c"}) tell(release);
  auto heads = claim(2, "other");
  ASSERT_EQ(sequences(heads), (Seqs{1, 3}));
  ASSERT_TRUE(store_->finish(heads[1].delivery, State::kRetry, now() + 5'000, "", {}));
  EXPECT_EQ(sequences(*store_->claim_more("me", 1, 60'000, s.id, 10)), Seqs{5});
  EXPECT_TRUE(store_->claim_more("me", 1, 60'000, s.id + 1, 10)->empty());
  pass(6'000);
  EXPECT_EQ(sequences(*store_->claim_more("me", 1, 60'000, s.id, 10)), (Seqs{3, 4}));
}

TEST_P(TogetherTest, WhatWasTakenTogetherComesAgainInOrderAfterItsLease) {
  Subscription s = subscribe("all");
  for (int i = 0; i < 3; ++i) tell("a");
  ASSERT_EQ(store_->claim_more("gone", 1, 60'000, s.id, 10)->size(), 3u);
  EXPECT_EQ(*store_->next_due_ms(), now() + 60'000);
  EXPECT_TRUE(claim().empty());
  pass(61'000);
  for (int64_t n = 1; n <= 3; ++n) {
    auto got = claim();
    ASSERT_EQ(sequences(got), Seqs{n});
    ASSERT_TRUE(finish(got[0], State::kSucceeded));
  }
}

TEST_P(TogetherTest, WhatIsHeldIsNotDueAndALeaseStays) {
  Subscription s = subscribe("held"), other = subscribe("other");
  for (const char* release : {"a", "b", "b"}) tell(release);
  auto got = claim(1);
  const int64_t out = got[0].subscription.id;
  ASSERT_TRUE(store_->hold(s.id, now() + 90'000));
  ASSERT_TRUE(store_->hold(s.id, now() + 30'000));  // never earlier
  for (const Claimed& c : claim()) EXPECT_EQ(c.subscription.id, other.id);
  pass(61'000);
  bool again = false;  // the lease that was out runs out in its time
  for (const Claimed& c : claim()) again |= c.delivery.id == got[0].delivery.id;
  EXPECT_TRUE(again) << out;
  pass(30'000);
  bool held = false;
  for (const Claimed& c : claim()) held |= c.subscription.id == s.id;
  EXPECT_TRUE(held);
}

constexpr int64_t kHour = 3'600'000;

TEST_P(TogetherTest, WhatIsTriedEarlyKeepsItsScheduleWhateverComesOfIt) {
  const Subscription s = subscribe("all");
  for (const char* release : {"a", "a", "b", "c", "d"}) tell(release);
  for (const Claimed& c : claim()) {
    if (c.event.event.release == "d") continue;
    ASSERT_TRUE(finish(c, State::kRetry, now() + kHour));
  }
  EXPECT_EQ(*store_->try_early(s.id + 1, 10), 0);
  EXPECT_EQ(*store_->try_early(s.id, 1), 1);
  EXPECT_EQ(claim().size(), 1u) << "another time the lease runs out";
  pass(60'000);
  EXPECT_EQ(*store_->try_early(0, 10), 2) << "what is leased is not tried";
  auto early = claim();
  std::erase_if(early, [](const Claimed& c) { return c.event.event.release == "d"; });
  ASSERT_EQ(early.size(), 3u);
  for (const Claimed& c : early) EXPECT_TRUE(c.early);
  ASSERT_TRUE(finish(early[0], State::kPending, now() + 500)) << "there was no room";
  ASSERT_TRUE(finish(early[1], State::kPending, early[1].delivery.due_ms)) << "it failed";
  ASSERT_TRUE(finish(early[2], State::kSucceeded));
  DeliveryQuery waiting;
  waiting.state = State::kRetry;
  const auto wait = *store_->deliveries(waiting);
  EXPECT_EQ(wait.size(), 2u);
  for (const Delivery& d : wait) EXPECT_EQ(d.due_ms, kStartMs + kHour);
  pass(500);
  const auto again = claim();
  EXPECT_EQ(std::count_if(again.begin(), again.end(), [](const Claimed& c) { return c.early; }), 1);
  for (const Claimed& c : again) {
    if (c.early) ASSERT_TRUE(finish(c, State::kPending, now() + 500));
  }
  ASSERT_TRUE(store_->hold(s.id, now() + 30'000));
  pass(30'000);
  for (const Claimed& c : claim()) EXPECT_FALSE(c.early) << "held, it waits as it did";
}

TEST_P(TogetherTest, WhatWaitsIsTriedWhenItGoesElsewhereOrOn) {
  Subscription s = subscribe("all");
  tell("a");
  ASSERT_TRUE(finish(claim().at(0), State::kRetry, now() + kHour));
  ASSERT_TRUE(store_->update_subscription(s));
  EXPECT_TRUE(claim().empty()) << "nothing has changed";
  s.options = R"({"url":"https://elsewhere.example"})";
  ASSERT_TRUE(store_->update_subscription(s));
  ASSERT_TRUE(finish(claim().at(0), State::kPending, now() + kHour));
  ASSERT_TRUE(store_->pause_subscription(s.id, true));
  ASSERT_TRUE(store_->update_subscription(s));
  EXPECT_TRUE(claim().empty()) << "it is paused";
  ASSERT_TRUE(store_->pause_subscription(s.id, false));
  EXPECT_EQ(claim().size(), 1u);
}

std::vector<int64_t> waits(const Manner& m) { return {m.digest_ms, 6'000, 40'000}; }

TEST_P(TogetherTest, WhatWaitsWhenTheClockGoesBackIsDueByItsScheduleFromThen) {
  subscribe("all");
  Subscription digest;
  digest.name = "digest";
  digest.sink_kind = "slack";
  digest.manner.digest_ms = 60'000;
  digest.filter.releases = {"together"};
  ASSERT_TRUE(store_->add_subscription(digest));
  tell("retried");
  auto first = claim(1);
  ASSERT_EQ(first.size(), 1u);
  tell("leased");
  auto leased = claim(1, "gone");
  ASSERT_EQ(leased.size(), 1u);
  tell("new"), tell("soon"), tell("together");
  auto soon = claim(2);
  ASSERT_EQ(soon.size(), 2u);
  ASSERT_TRUE(finish(first[0], State::kRetry, now() + 5'000));
  ASSERT_TRUE(finish(soon[0], State::kPending, now() + 10));
  ASSERT_TRUE(finish(soon[1], State::kRetry, now() - kHour + 1'000));  // less than its schedule says
  pass(-kHour);
  EXPECT_TRUE(claim().empty());
  ASSERT_TRUE(store_->shorten_waits(waits, 60'000));
  ASSERT_TRUE(store_->shorten_waits(waits, 60'000)) << "as another process does, too";
  EXPECT_EQ(*store_->next_due_ms(), now()) << "what had not been tried";
  EXPECT_EQ(claim().size(), 2u);  // "new" has a key of its own, and so has "together" in "all"
  pass(1'000);
  EXPECT_EQ(claim().size(), 1u);
  pass(4'900);
  EXPECT_TRUE(claim().empty());
  pass(100);
  EXPECT_EQ(sequences(claim()), Seqs{1});
  ASSERT_TRUE(finish(leased[0], State::kSucceeded)) << "its owner still has it";
  pass(54'000);
  EXPECT_FALSE(claim().empty()) << "the digest";
}

TEST_P(TogetherTest, TheLeaseOfADeadOwnerEndsInTimeWhenTheClockGoesBack) {
  subscribe("all");
  tell("a");
  ASSERT_EQ(claim(1, "gone").size(), 1u);
  pass(-kHour);
  ASSERT_TRUE(store_->shorten_waits(waits, 60'000));
  pass(59'999);
  EXPECT_TRUE(claim().empty());
  pass(1);
  EXPECT_EQ(claim().size(), 1u);
}

TEST_P(TogetherTest, WhatAPausedSubscriptionHoldsStaysHeldWhenTheClockGoesBack) {
  Subscription s = subscribe("all");
  tell("a");
  ASSERT_TRUE(store_->pause_subscription(s.id, true));
  EXPECT_TRUE(claim().empty());
  pass(-kHour);
  ASSERT_TRUE(store_->shorten_waits(waits, 60'000));
  EXPECT_EQ(*store_->next_due_ms(), 0);
  ASSERT_TRUE(store_->pause_subscription(s.id, false));
  EXPECT_EQ(claim().size(), 1u);
}

TEST_P(TogetherTest, AClaimIsOlderThanTheChangeThatCameAfterIt) {
  Subscription s = subscribe("all");
  tell("a"), tell("b");
  const auto before = claim(1);
  ASSERT_EQ(before.size(), 1u);
  EXPECT_EQ(before[0].version, store_->known_version());
  ASSERT_TRUE(store_->update_subscription(s));
  EXPECT_LT(before[0].version, store_->known_version());
  auto other = open();
  ASSERT_TRUE(other->update_subscription(s));
  const auto after = claim(1);
  ASSERT_EQ(after.size(), 1u);
  EXPECT_EQ(after[0].version, other->known_version());
  EXPECT_EQ(store_->known_version(), other->known_version()) << "another process's, by a claim";
  ASSERT_TRUE(other->remove_subscription(s.id));
  EXPECT_EQ(*store_->settings_version(), other->known_version());
  EXPECT_EQ(store_->known_version(), other->known_version());
}

}  // namespace
}  // namespace pintle::lookout
