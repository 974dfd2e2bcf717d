// The outbox: subscriptions, claims, leases and ends.
#include <fstream>
#include <set>
#include <thread>

#include "lookout/store/sql_store.h"
#include "lookout/testing/store_fixture.h"

namespace pintle::lookout {
namespace {

using OutboxTest = StoreTest;
using State = DeliveryState;

INSTANTIATE_TEST_SUITE_P(Both, OutboxTest,
                         testing::Values(db::Dialect::kSqlite, db::Dialect::kPostgres),
                         dialect_name);

std::vector<int64_t> sequences(const std::vector<Claimed>& claimed) {
  std::vector<int64_t> out;
  for (const Claimed& c : claimed) out.push_back(c.event.sequence);
  return out;
}
using Seqs = std::vector<int64_t>;

TEST_P(OutboxTest, AnEventIsDueToThoseWhoseFilterMatches) {
  Filter steps;
  steps.types = {"release.step"};
  Subscription all = subscribe("all"), some = subscribe("steps", steps);
  tell("web", "release.deployed");
  tell("web2", "release.step");
  std::set<std::pair<int64_t, int64_t>> due;
  for (const Claimed& c : claim()) due.emplace(c.event.sequence, c.subscription.id);
  EXPECT_EQ(due, (std::set<std::pair<int64_t, int64_t>>{{1, all.id}, {2, all.id}, {2, some.id}}));
}

TEST_P(OutboxTest, ChangedSubscriptionsHoldFromTheNextCommitAlsoThoseOfAnotherProcess) {
  auto other = open();
  tell("web");
  Subscription s;
  s.name = "late";
  s.sink_kind = "webhook";
  auto added = other->add_subscription(s);
  ASSERT_TRUE(added);
  tell("web");
  EXPECT_EQ(sequences(claim()), Seqs{2});
  added->enabled = false;
  ASSERT_TRUE(other->update_subscription(*added));
  tell("web2");
  EXPECT_TRUE(claim().empty());
  EXPECT_EQ(store_->deliveries({})->size(), 1u);
}

TEST_P(OutboxTest, SecretsGoInAndOnlyAClaimHasThem) {
  Subscription s = subscribe("a");
  EXPECT_EQ(s.secret, "");
  EXPECT_EQ(store_->subscriptions()->at(0).secret, "");
  tell("web");
  auto got = claim();
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].subscription.secret, "whsec_hidden-a");
  auto raw = std::move(*db::Session::open({url_}));
  std::string stored;
  ASSERT_TRUE(raw->query("select secret from subscription", "t",
                         [&](const db::Row& row) { stored = row.text(0); }));
  EXPECT_EQ(stored.find("hidden"), std::string::npos);
  EXPECT_GT(stored.size(), 30u);
  s.options = R"({"url":"https://elsewhere"})";  // no secret: kept
  ASSERT_TRUE(store_->update_subscription(s));
  s.secret = "new";
  ASSERT_TRUE(finish(got[0], State::kRetry, now()));
  EXPECT_EQ(claim()[0].subscription.secret, "whsec_hidden-a");
  ASSERT_TRUE(store_->update_subscription(s));
  pass(61'000);
  auto later = claim();
  EXPECT_EQ(later[0].subscription.secret, "new");
  EXPECT_EQ(later[0].subscription.options, s.options);
}

constexpr const char* kTokens =
    R"({"headers":{"Authorization":"Bearer tok-in-header"},"key":"tok-in-key","url":"https://a.example/tok-in-path?access_token=tok-in-query"})";

TEST_P(OutboxTest, OptionsAreStoredEncryptedAndReadMasked) {
  Subscription s;
  s.name = "robot";
  s.sink_kind = "webhook";
  s.options = kTokens;
  s.secret = "tok-in-secret";
  s.manner.whom = {"owners"};
  s.manner.retry_ms = {1000};
  Subscription kept = *store_->add_subscription(s);
  constexpr std::string_view kShown =
      R"({"headers":{"Authorization":"***"},"key":"***","url":"https://a.example/***"})";
  EXPECT_EQ(kept.options, kShown);
  EXPECT_EQ(store_->subscriptions()->at(0).options, kShown);
  EXPECT_EQ(store_->subscriptions()->at(0).manner, s.manner);
  kept.enabled = false;  // as it was read: its secrets are kept
  ASSERT_TRUE(store_->update_subscription(kept));
  kept.enabled = true;
  ASSERT_TRUE(store_->update_subscription(kept));
  EXPECT_EQ(store_->whole_subscription(kept.id)->options, kTokens);
  tell("web");
  const auto got = claim();
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].subscription.options, kTokens);
  EXPECT_EQ(got[0].subscription.secret, "tok-in-secret");
  auto raw = std::move(*db::Session::open({url_}));
  std::string stored;
  ASSERT_TRUE(raw->query("select name, sink_public, sealed_options, secret from subscription", "tttt",
                         [&](const db::Row& row) {
                           for (size_t i = 0; i < 4; ++i) stored += row.text(i) + "\n";
                         }));
  EXPECT_EQ(stored.find("tok-in"), std::string::npos) << stored;
}

TEST_P(OutboxTest, WhatAnEarlierVersionStoredInClearIsEncryptedAtTheNextStart) {
  Subscription s = subscribe("old");
  {
    auto raw = std::move(*db::Session::open({url_}));
    ASSERT_TRUE(raw->run("update subscription set sink_public = ?, sealed_options = ''", kTokens));
  }
  store_.reset();
  store_ = open();
  EXPECT_EQ(store_->whole_subscription(s.id)->options, kTokens);
  EXPECT_EQ(store_->subscriptions()->at(0).options.find("tok-in"), std::string::npos);
  store_.reset();
  if (folder_.empty()) return;
  for (const auto& file : std::filesystem::directory_iterator(folder_)) {
    std::ifstream in(file.path(), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), {});
    EXPECT_EQ(bytes.find("tok-in"), std::string::npos) << file.path();
  }
}

TEST_P(OutboxTest, OfEventsAlikeOnlyTheFirstIsTold) {
  Subscription s;
  s.name = "once";
  s.sink_kind = "webhook";
  s.manner.once_per = {"release"};
  const int64_t id = store_->add_subscription(s)->id;
  tell("web", "release.pending");
  tell("web", "release.deployed");
  tell("api", "release.deployed");
  DeliveryQuery query;
  query.subscription_id = id;
  EXPECT_EQ(store_->deliveries(query)->size(), 2u);
}

TEST_P(OutboxTest, WhatIsToldTogetherIsDueTogether) {
  Subscription s;
  s.name = "digest";
  s.sink_kind = "slack";
  s.manner.digest_ms = 60'000;
  ASSERT_TRUE(store_->add_subscription(s));
  tell("web");
  pass(1000);
  tell("api");
  EXPECT_TRUE(claim().empty());
  pass(60'000);
  EXPECT_EQ(claim().size(), 2u);
}

TEST_P(OutboxTest, WhatIsSevereDoesNotWaitBehindWhatIsQuiet) {
  Subscription s;
  s.name = "quiet";
  s.sink_kind = "webhook";
  s.manner.quiet = {.from_min = 0, .to_min = 1};
  ASSERT_TRUE(store_->add_subscription(s));
  Batch b = batch();
  Event calm = event_of("release.pending", -1, "calm"), bad = event_of("release.failed", -1, "bad");
  bad.severity = Severity::kError;
  b.events = {calm, bad};
  commit(b);
  EXPECT_EQ(claim().size(), 2u) << "each has a key of its own";
}

TEST_P(OutboxTest, AnAttemptKeepsHowItEndedAndByWhatTls) {
  subscribe("a");
  tell("web");
  const auto got = claim();
  ASSERT_EQ(got.size(), 1u);
  Attempt a;
  a.started_ms = now();
  a.told = "owners: ann <ann@example.com>";
  a.result = "ok";
  a.tls = "TLSv1.3 TLS_AES_128_GCM_SHA256";
  ASSERT_TRUE(store_->finish(got[0].delivery, State::kSucceeded, 0, "", a));
  const Attempt kept = store_->attempts(got[0].delivery.id)->at(0);
  EXPECT_EQ(kept.told, a.told);
  EXPECT_EQ(kept.result, a.result);
  EXPECT_EQ(kept.tls, a.tls);
}

TEST_P(OutboxTest, NamesAreUniqueAndWhatIsMissingIsSaid) {
  Subscription a = subscribe("a"), b = subscribe("b");
  EXPECT_EQ(store_->add_subscription(a).error().code(), Code::kAlreadyExists);
  b.name = "a";
  EXPECT_EQ(store_->update_subscription(b).error().code(), Code::kAlreadyExists);
  b.id = 99, b.name = "c";
  EXPECT_EQ(store_->update_subscription(b).error().code(), Code::kNotFound);
  EXPECT_EQ(store_->remove_subscription(99).error().code(), Code::kNotFound);
  b.order_by = "mood";
  EXPECT_EQ(store_->add_subscription(b).error().code(), Code::kInvalidArgument);
}

TEST_P(OutboxTest, OneDeliveryOfAKeyIsOutAtATimeInTheirOrder) {
  subscribe("all");
  tell("web"), tell("db"), tell("web"), tell("web");
  auto first = claim();
  EXPECT_EQ(sequences(first), (Seqs{1, 2}));
  EXPECT_TRUE(claim().empty());
  ASSERT_TRUE(finish(first[0], State::kSucceeded));
  auto next = claim();
  EXPECT_EQ(sequences(next), Seqs{3});
  ASSERT_TRUE(finish(next[0], State::kRetry, now() + 5000));
  EXPECT_TRUE(claim().empty());  // 4 waits behind 3
  pass(5000);
  next = claim();
  EXPECT_EQ(sequences(next), Seqs{3});
  EXPECT_EQ(next[0].delivery.attempts, 1);
  ASSERT_TRUE(finish(next[0], State::kDead, 0, "404"));
  EXPECT_EQ(sequences(claim()), Seqs{4});
  DeliveryQuery dead;
  dead.state = State::kDead;
  auto found = store_->deliveries(dead);
  ASSERT_EQ(found->size(), 1u);
  EXPECT_EQ(found->at(0).dead_reason, "404");
  EXPECT_EQ(found->at(0).attempts, 2);
}

TEST_P(OutboxTest, TheOrderKeyIsWhatTheSubscriptionSays) {
  struct Case {
    std::string order_by;
    size_t lanes;
  };
  for (const Case& c : {Case{"subscription", 1}, {"region", 1}, {"release", 2}, {"subject", 3}}) {
    Subscription s;
    s.name = s.order_by = c.order_by;
    s.sink_kind = "webhook";
    auto added = store_->add_subscription(s);
    ASSERT_TRUE(added);
    Batch b = batch();
    for (int i = 0; i < 3; ++i) {
      Event e = event_of("x", -1, c.order_by + std::to_string(i));
      e.release = i < 2 ? "web" : "db";
      e.subject.name = std::to_string(i);
      b.events.push_back(e);
    }
    commit(b);
    EXPECT_EQ(claim().size(), c.lanes) << c.order_by;
    ASSERT_TRUE(store_->remove_subscription(added->id));
  }
}

TEST_P(OutboxTest, AClaimTakesNoMoreThanItsLimitAndTheLongestDueFirst) {
  subscribe("all");
  for (int i = 0; i < 10; ++i) {
    tell("r" + std::to_string(i));
    pass(1);
  }
  EXPECT_EQ(sequences(claim(3)), (Seqs{1, 2, 3}));
  EXPECT_EQ(sequences(claim(3)), (Seqs{4, 5, 6}));
}

TEST_P(OutboxTest, AClaimLeavesOutTheSubscriptionsItIsTold) {
  std::vector<int64_t> ids;
  for (const char* name : {"a", "b", "c", "d"}) ids.push_back(subscribe(name).id);
  for (int i = 0; i < 3; ++i) tell("r" + std::to_string(i));
  const auto but = [&](std::vector<int64_t> some) {
    std::set<int64_t> whose;
    const auto claimed = store_->claim("me", 1, 60'000, 100, some);
    for (const Claimed& c : *claimed) {
      whose.insert(c.subscription.id);
      EXPECT_TRUE(finish(c, DeliveryState::kPending, c.delivery.due_ms));
    }
    return whose;
  };
  EXPECT_EQ(but({ids[0], ids[1], ids[2]}), (std::set<int64_t>{ids[3]}));
  EXPECT_EQ(but({ids[1]}), (std::set<int64_t>{ids[0], ids[2], ids[3]}));
  EXPECT_TRUE(but(ids).empty());
  EXPECT_EQ(but({}), (std::set<int64_t>(ids.begin(), ids.end())));
}

TEST_P(OutboxTest, AnExpiredLeaseComesAgainWithItsOutcomeUnknown) {
  subscribe("all");
  tell("web");
  auto lost = claim(10, "dead process");
  pass(59'000);
  EXPECT_TRUE(claim().empty());
  pass(1'000);
  auto got = claim(10, "me");
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].delivery.attempts, 1);
  EXPECT_EQ(finish(lost[0], State::kSucceeded).error().code(), Code::kFailedPrecondition);
  ASSERT_TRUE(finish(got[0], State::kSucceeded));
  auto tries = store_->attempts(got[0].delivery.id);
  ASSERT_EQ(tries->size(), 2u);
  EXPECT_NE(tries->at(0).error.find("outcome unknown"), std::string::npos);
  EXPECT_EQ(tries->at(0).result, "unknown");
  EXPECT_EQ(tries->at(1).status, 200);
  EXPECT_EQ(finish(got[0], State::kSucceeded).error().code(), Code::kFailedPrecondition);
}

TEST_P(OutboxTest, AnAttemptIsKeptWithACutAnswer) {
  subscribe("all");
  tell("web");
  auto got = claim();
  Attempt a;
  a.started_ms = 5;
  a.took_ms = 6;
  a.status = 500;
  a.error = "500 Internal Server Error";
  a.peer = "192.0.2.1";
  for (int i = 0; i < 3000; ++i) a.response_head += "\xe4\xb8\xad";
  ASSERT_TRUE(store_->finish(got[0].delivery, State::kRetry, now() + 1, "", a));
  auto tries = store_->attempts(got[0].delivery.id);
  ASSERT_EQ(tries->size(), 1u);
  EXPECT_EQ(tries->at(0).n, 1);
  EXPECT_EQ(tries->at(0).peer, "192.0.2.1");
  EXPECT_LE(tries->at(0).response_head.size(), 4096u);
  EXPECT_EQ(tries->at(0).response_head.size() % 3, 0u);
  EXPECT_EQ(store_->deliveries({})->at(0).first_attempt_ms, 5);
}

TEST_P(OutboxTest, WhatIsGivenBackUntriedIsNoAttempt) {
  subscribe("all");
  tell("web");
  auto got = claim();
  ASSERT_TRUE(finish(got[0], State::kPending, now() + 100));
  EXPECT_TRUE(claim().empty());
  EXPECT_EQ(*store_->next_due_ms(), now() + 100);
  pass(100);
  EXPECT_EQ(claim().at(0).delivery.attempts, 0);
  EXPECT_TRUE(store_->attempts(got[0].delivery.id)->empty());
}

TEST_P(OutboxTest, TheNextDueTimeIsKnown) {
  EXPECT_EQ(*store_->next_due_ms(), 0);
  subscribe("all");
  tell("web");
  EXPECT_EQ(*store_->next_due_ms(), kStartMs);
  auto got = claim();
  EXPECT_EQ(*store_->next_due_ms(), kStartMs + 60'000);  // the lease's end
  ASSERT_TRUE(finish(got[0], State::kRetry, kStartMs + 5000));
  EXPECT_EQ(*store_->next_due_ms(), kStartMs + 5000);
  pass(5000);
  ASSERT_TRUE(finish(claim()[0], State::kSucceeded));
  EXPECT_EQ(*store_->next_due_ms(), 0);
}

TEST_P(OutboxTest, ASubscriptionThatIsDisabledOrPausedHoldsWhatItHas) {
  Subscription s = subscribe("all");
  tell("web"), tell("web");
  for (const auto& [enabled, paused] : {std::pair{false, false}, {true, true}, {false, true}}) {
    s.enabled = enabled;
    ASSERT_TRUE(store_->pause_subscription(s.id, paused));
    ASSERT_TRUE(store_->update_subscription(s)) << "read before: it says nothing of the pause";
    EXPECT_EQ(store_->subscriptions()->at(0).paused, paused);
    EXPECT_TRUE(claim().empty());
    EXPECT_EQ(*store_->next_due_ms(), 0);
    tell("db");
  }
  s.enabled = true;
  ASSERT_TRUE(store_->update_subscription(s));
  EXPECT_TRUE(claim().empty()) << "it is paused still";
  ASSERT_TRUE(store_->pause_subscription(s.id, false));
  EXPECT_EQ(sequences(claim()), Seqs{1}) << "and what came meanwhile was not due to it";
}

TEST_P(OutboxTest, OneThatCannotBeReadIsPausedAndHoldsUpNoOther) {
  for (const char* damage : {"filter = '{\"types\":7}'", "filter = '{\"reason\":\"(\"}'", "manner = '['",
                             "secret = 'eA=='", "sealed_options = 'eA=='"}) {
    const Subscription bad = subscribe("bad"), good = subscribe("good");
    tell("web");
    auto raw = std::move(*db::Session::open({url_}));
    ASSERT_TRUE(raw->run(cat("update subscription set ", damage, " where id = ?"), bad.id));
    ASSERT_TRUE(raw->run("update ledger set subscriptions = subscriptions + 1"));
    tell("db");
    const auto got = claim();
    ASSERT_EQ(got.size(), 2u) << damage;
    for (const Claimed& c : got) {
      EXPECT_EQ(c.subscription.id, good.id) << damage;
      EXPECT_TRUE(finish(c, State::kSucceeded));
    }
    EXPECT_TRUE(claim().empty());
    const auto all = store_->subscriptions();
    ASSERT_TRUE(all) << all.error().text();
    EXPECT_TRUE(all->at(0).paused) << damage;
    EXPECT_TRUE(all->at(0).paused_why.starts_with("it cannot be read: ")) << all->at(0).paused_why;
    EXPECT_FALSE(all->at(1).paused);
    Subscription whole = bad;
    whole.secret = "whsec_new";
    whole.options = R"({"url":"https://example.com/new"})";
    ASSERT_TRUE(store_->update_subscription(whole)) << damage;
    ASSERT_TRUE(store_->pause_subscription(bad.id, false));
    EXPECT_EQ(sequences(claim()).size(), std::string_view(damage).starts_with("s") ? 2u : 1u) << damage;
    ASSERT_TRUE(store_->remove_subscription(bad.id));
    ASSERT_TRUE(store_->remove_subscription(good.id));
  }
}

TEST_P(OutboxTest, ADeliveryWithoutItsEventIsDead) {
  subscribe("all");
  const int64_t lost = tell("web");
  tell("web");
  auto raw = std::move(*db::Session::open({url_}));
  ASSERT_TRUE(raw->run("delete from event where seq = ?", lost));
  EXPECT_EQ(sequences(claim()), Seqs{lost + 1});
  DeliveryQuery dead;
  dead.state = State::kDead;
  const auto found = store_->deliveries(dead);
  ASSERT_EQ(found->size(), 1u);
  EXPECT_EQ(found->at(0).dead_reason, "its event is not in the database");
}

TEST_P(OutboxTest, ALaneWhoseHeadIsGoneHoldsNobodyUp) {
  subscribe("all");
  const int64_t lost = tell("web");
  tell("web"), tell("db");
  auto raw = std::move(*db::Session::open({url_}));
  ASSERT_TRUE(raw->run("delete from delivery where event_seq = ?", lost));
  EXPECT_EQ(sequences(claim()), (Seqs{lost + 1, lost + 2}));
}

TEST_P(OutboxTest, ARemovedSubscriptionCancelsWhatWaits) {
  Subscription s = subscribe("all");
  tell("web"), tell("web"), tell("db");
  auto out = claim();
  ASSERT_EQ(out.size(), 2u);
  ASSERT_TRUE(store_->remove_subscription(s.id));
  EXPECT_TRUE(store_->subscriptions()->empty());
  EXPECT_EQ(finish(out[0], State::kSucceeded).error().code(), Code::kFailedPrecondition);
  pass(100'000);
  EXPECT_TRUE(claim().empty());
  DeliveryQuery cancelled;
  cancelled.state = State::kCancelled;
  EXPECT_EQ(store_->deliveries(cancelled)->size(), 3u);
  EXPECT_EQ(store_->resend(out[0].delivery.id).error().code(), Code::kNotFound);
  EXPECT_NE(subscribe("next").id, s.id);
}

TEST_P(OutboxTest, AFinishedDeliveryIsSentAgainAsTheNextGeneration) {
  subscribe("all");
  tell("web");
  auto got = claim();
  EXPECT_EQ(store_->resend(got[0].delivery.id).error().code(), Code::kFailedPrecondition);
  ASSERT_TRUE(finish(got[0], State::kDead, 0, "404"));
  ASSERT_TRUE(store_->resend(got[0].delivery.id));
  auto again = claim();
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].event.sequence, 1);
  EXPECT_EQ(again[0].delivery.generation, 2);
  EXPECT_EQ(again[0].delivery.attempts, 0);
  EXPECT_EQ(store_->resend(99).error().code(), Code::kNotFound);
}

TEST_P(OutboxTest, SkippingTheHeadLetsItsKeyGoOn) {
  subscribe("all");
  tell("web"), tell("web"), tell("web");
  auto head = claim();
  ASSERT_TRUE(finish(head[0], State::kRetry, now() + 1'000'000));
  EXPECT_TRUE(claim().empty());
  ASSERT_TRUE(store_->skip(2));  // one in the middle
  ASSERT_TRUE(store_->skip(head[0].delivery.id));
  EXPECT_EQ(sequences(claim()), Seqs{3});
  EXPECT_EQ(store_->skip(head[0].delivery.id).error().code(), Code::kFailedPrecondition);
  EXPECT_EQ(store_->skip(99).error().code(), Code::kNotFound);
}

TEST_P(OutboxTest, DeliveriesAreListedBySubscriptionAndState) {
  Subscription a = subscribe("a"), b = subscribe("b");
  tell("web"), tell("db");
  auto got = claim();
  ASSERT_EQ(got.size(), 4u);
  ASSERT_TRUE(finish(got[0], State::kSucceeded));
  DeliveryQuery q;
  q.subscription_id = b.id;
  EXPECT_EQ(store_->deliveries(q)->size(), 2u);
  q.state = State::kLeased;
  q.subscription_id = a.id;
  EXPECT_EQ(store_->deliveries(q)->size(), 1u);
  q = {};
  q.after = 2;
  q.limit = 1;
  EXPECT_EQ(store_->deliveries(q)->at(0).id, 3);
}

TEST_P(OutboxTest, ALookAtThemEndsAfterAStretchAndGoesOnBehindIt) {
  const Subscription a = subscribe("a");
  subscribe("b");
  for (int i = 0; i < 20; ++i) tell("web"), pass(1000);
  const int64_t began = now() - 20'000;
  ASSERT_TRUE(store_->skip(37));
  struct Case {
    const char* name;
    DeliveryQuery query;
    std::vector<size_t> pages;  // what each look finds
  };
  DeliveryQuery rare, late, waiting, mine, all_of_one;
  all_of_one.subscription_id = a.id;
  rare.state = State::kCancelled;
  late.from_ms = began + 18'000;
  waiting.state = State::kPending;
  waiting.to_ms = began + 1'000;
  mine = rare;
  mine.subscription_id = store_->deliveries({})->at(36).subscription_id;
  for (Case c : {Case{"a rare state", rare, {0, 0, 0, 1}},
                 {"the last of them by time", late, {0, 0, 0, 4}},
                 {"the first that wait", waiting, {2, 0, 0, 0}},
                 {"of one subscription", mine, {0, 1}},
                 {"all of one", all_of_one, {20}},
                 {"all", {}, {40}}}) {
    for (const bool newest : {false, true}) {
      c.query.newest_first = newest;
      DeliveryQuery query = c.query;
      std::vector<size_t> pages;
      std::vector<int64_t> ids, want;
      for (bool more = true; more && pages.size() < 10;) {
        const auto page = store_->look(query, 10);
        ASSERT_TRUE(page) << page.error().text();
        pages.push_back(page->deliveries.size());
        for (const Delivery& d : page->deliveries) ids.push_back(d.id);
        query.after = page->looked;
        more = page->more;
      }
      const auto whole = store_->deliveries(c.query);
      for (const Delivery& d : *whole) want.push_back(d.id);
      EXPECT_EQ(ids, want) << c.name;
      if (newest) continue;
      while (pages.size() > c.pages.size() && pages.back() == 0) pages.pop_back();  // whether there were more
      EXPECT_EQ(pages, c.pages) << c.name;
    }
  }
}

TEST_P(OutboxTest, WhatWaitsOrIsGivenUpIsFoundByItsIndexHoweverMuchWasDelivered) {
  if (GetParam() != db::Dialect::kSqlite) GTEST_SKIP() << "PostgreSQL goes by its statistics";
  const auto session = db::Session::open({.url = url_});
  ASSERT_TRUE(session);
  for (const bool newest : {false, true}) {
    for (const int64_t subscription : {0, 1}) {
      for (const State state : {State::kPending, State::kLeased, State::kRetry, State::kDead}) {
        DeliveryQuery query;
        query.state = state;
        query.subscription_id = subscription;
        query.newest_first = newest;
        query.latest = newest;
        const Selection s = deliveries_selection(query, 0, GetParam());
        std::string plan;
        const Status done =
            (*session)->select("explain query plan " + s.sql, "nnnt", s.params,
                               [&](const db::Row& row) { plan += row.text(3) + "\n"; });
        ASSERT_TRUE(done) << done.error().text();
        const std::string index =
            state != State::kDead ? "SCAN d USING INDEX delivery_unfinished"
            : subscription == 0   ? "SEARCH d USING INDEX delivery_dead (id"
                                  : "SEARCH d USING INDEX delivery_subscription (subscription_id=? AND id";
        EXPECT_NE(plan.find(index), std::string::npos) << plan;
        EXPECT_EQ(plan.find("PRIMARY KEY"), std::string::npos) << plan;
      }
    }
  }
}

// Two processes take from one outbox while a third fills it: each is delivered once, in order.
TEST_P(OutboxTest, ManyDeliverersShareWithoutTakingTwice) {
  subscribe("all");
  auto second = open();
  constexpr int kEvents = 200, kReleases = 5;
  Mutex lock;
  std::map<std::string, std::vector<int64_t>> delivered;
  std::atomic<int> left = kEvents;
  auto deliver = [&](Store& store, const std::string& me) {
    for (int idle = 0; left > 0 && idle < 3000;) {
      auto got = store.claim(me, 1, 60'000, 3);
      if (!got || got->empty()) {
        ++idle;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        continue;
      }
      for (const Claimed& c : *got) {
        {
          Lock hold(lock);
          delivered[c.delivery.order_key].push_back(c.event.sequence);
        }
        Status done = store.finish(c.delivery, State::kSucceeded, 0, "", {});
        EXPECT_TRUE(done) << done.error().text();
        --left;
      }
    }
  };
  std::thread one(deliver, std::ref(*store_), "one"), two(deliver, std::ref(*second), "two");
  for (int i = 0; i < kEvents; ++i) tell("r" + std::to_string(i % kReleases));
  one.join();
  two.join();
  EXPECT_EQ(left, 0);
  EXPECT_EQ(delivered.size(), static_cast<size_t>(kReleases));
  for (const auto& [key, seqs] : delivered) {
    EXPECT_EQ(seqs.size(), static_cast<size_t>(kEvents / kReleases)) << key;
    EXPECT_TRUE(std::is_sorted(seqs.begin(), seqs.end())) << key;
  }
  EXPECT_EQ(*store_->next_due_ms(), 0);
}

}  // namespace
}  // namespace pintle::lookout
