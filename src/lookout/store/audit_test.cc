// The audit of subscriptions and settings, and how long it is kept.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "lookout/testing/store_fixture.h"

namespace pintle::lookout {
namespace {

const Author kAnn = {"ann", "admin"};

class AuditTest : public StoreTest {
 protected:
  // "WHO VERB KIND NAME" of each, oldest first.
  std::vector<std::string> all(AuditQuery query = {}) {
    std::vector<std::string> out;
    const auto entries = store_->audit(query);
    EXPECT_TRUE(entries);
    for (const AuditEntry& e : *entries) {
      out.push_back(cat(e.by.name, " ", e.change.verb, " ", e.change.kind, " ", e.change.name));
    }
    return out;
  }
  AuditEntry last() {
    AuditQuery query;
    query.newest_first = true;
    query.limit = 1;
    return store_->audit(query)->at(0);
  }
};
INSTANTIATE_TEST_SUITE_P(Databases, AuditTest,
                         testing::Values(db::Dialect::kSqlite, db::Dialect::kPostgres), dialect_name);

using Entries = std::vector<std::string>;

TEST_P(AuditTest, EachChangeOfASubscriptionIsToldWithWhatItChanges) {
  Subscription s;
  s.name = "hook";
  s.sink_kind = "webhook";
  s.options = R"({"url":"https://h.test/token-one","headers":{"A":"header-one"}})";
  s.secret = "secret-one";
  s = *store_->add_subscription(s, kAnn);
  EXPECT_NE(last().change.fields.find(R"({"field":"options.url","after":"https://h.test/***"})"),
            std::string::npos)
      << last().change.fields;
  const struct {
    std::function<void(Subscription& s)> change;
    std::string fields;
  } cases[] = {
      {[](Subscription& x) { x.filter.types = {"release.*"}; },
       R"([{"field":"types","after":["release.*"]}])"},
      {[](Subscription& x) { x.secret = "secret-two"; },
       R"([{"field":"secret","before":"***","after":"***"}])"},
      {[](Subscription& x) { x.options = R"({"url":"https://h.test/token-two"})"; },
       R"([{"field":"options.headers","before":{"A":"***"}},)"
       R"({"field":"options.url","before":"https://h.test/***","after":"https://h.test/***"}])"},
      {[](Subscription& x) { x.manner.give_up_ms = 60'000; }, R"([{"field":"give_up","after":"1m"}])"},
  };
  for (const auto& c : cases) {
    c.change(s);
    pass(1000);
    ASSERT_TRUE(store_->update_subscription(s, kAnn));
    EXPECT_EQ(last().change.fields, c.fields);
    EXPECT_EQ(last().at_ms, now());
    EXPECT_EQ(last().by.role, "admin");
    s = store_->subscriptions()->at(0);
  }
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(store_->pause_subscription(s.id, true, "", kAnn));
    ASSERT_TRUE(store_->update_subscription(s, kAnn)) << "read before it was paused";
  }
  EXPECT_EQ(last().change.fields, R"([{"field":"paused","before":false,"after":true}])");
  EXPECT_EQ(last().by.role, "admin");
  EXPECT_EQ(all().size(), 6u) << "what changes nothing is no change";
  ASSERT_TRUE(store_->remove_subscription(s.id));
  EXPECT_EQ(all().back(), "lookout removed subscription hook") << "who says nothing else is lookout itself";
  const auto entries = store_->audit({});
  for (const AuditEntry& e : *entries) {
    for (const char* hidden : {"token-", "header-", "secret-"}) {
      EXPECT_EQ(e.change.fields.find(hidden), std::string::npos) << e.change.fields;
    }
  }
}

TEST_P(AuditTest, WhatIsRefusedLeavesNothing) {
  subscribe("a");
  Subscription same;
  same.name = "a";
  same.sink_kind = "webhook";
  EXPECT_FALSE(store_->add_subscription(same, kAnn));
  same.id = 99;
  EXPECT_EQ(store_->update_subscription(same, kAnn).error().code(), Code::kNotFound);
  EXPECT_EQ(store_->pause_subscription(99, true, "", kAnn).error().code(), Code::kNotFound);
  EXPECT_EQ(store_->remove_subscription(99, kAnn).error().code(), Code::kNotFound);
  EXPECT_EQ(store_->remove_setting("rule", "none", kAnn).error().code(), Code::kNotFound);
  EXPECT_EQ(all(), (Entries{"lookout added subscription a"}));
}

TEST_P(AuditTest, SettingsAreToldWithoutTheirSecrets) {
  ASSERT_TRUE(store_->put_setting({"region", "eu", R"({"name":"eu","enabled":true})", "kube-one"}, kAnn));
  ASSERT_TRUE(store_->put_setting({"region", "eu", R"({"name":"eu","enabled":false})", "kube-two"}, kAnn));
  EXPECT_EQ(last().change.fields,
            R"([{"field":"enabled","before":true,"after":false},)"
            R"({"field":"kubeconfig","before":"***","after":"***"}])");
  ASSERT_TRUE(store_->put_setting({"person", "ann", "{}", R"({"name":"ann","mail":"ann@x"})"}, kAnn));
  EXPECT_EQ(last().change.fields, R"([{"field":"mail","after":"***"},{"field":"name","after":"ann"}])");
  ASSERT_TRUE(store_->put_setting({"person", "ann", "{}", R"({"name":"ann","mail":"ann@x"})"}, kAnn));
  ASSERT_TRUE(store_->remove_setting("region", "eu", kAnn));
  EXPECT_EQ(all(), (Entries{"ann added region eu", "ann changed region eu", "ann added person ann",
                            "ann removed region eu"}));
  const std::string long_text(5000, 'x');
  ASSERT_TRUE(store_->put_setting({"rule", "r", cat("{\"messages\":[\"", long_text, "\"]}"), ""}, kAnn));
  EXPECT_LT(last().change.fields.size(), 2200u);
}

TEST_P(AuditTest, IsReadInPagesAndByWhatWasChanged) {
  for (const char* name : {"a", "b", "c"}) {
    ASSERT_TRUE(store_->put_setting({"rule", name, "{}", ""}, kAnn));
    pass(1000);
  }
  ASSERT_TRUE(store_->note_changes({"file", ""}, {{"region", "eu", "removed", "[]"}}));
  AuditQuery query;
  query.limit = 2;
  EXPECT_EQ(all(query), (Entries{"ann added rule a", "ann added rule b"}));
  query.after = store_->audit(query)->back().id;
  EXPECT_EQ(all(query), (Entries{"ann added rule c", "file removed region eu"}));
  query.newest_first = true;
  EXPECT_EQ(all(query), (Entries{"ann added rule a"}));
  AuditQuery of;
  of.kind = "rule";
  of.name = "b";
  EXPECT_EQ(all(of), (Entries{"ann added rule b"}));
  AuditQuery when;
  when.from_ms = kStartMs + 1000;
  when.to_ms = kStartMs + 3000;
  EXPECT_EQ(all(when), (Entries{"ann added rule b", "ann added rule c"}));
}

TEST_P(AuditTest, IsKeptForAYearOrAsAPolicySays) {
  const auto clean = [&](std::vector<CleaningPolicy> policies) {
    int64_t gone = 0;
    for (bool more = true; more;) {
      const auto done = store_->clean(policies, 100);
      EXPECT_TRUE(done);
      more = done && done->more;
      gone += done ? done->rows.audit : 0;
    }
    return gone;
  };
  constexpr int64_t kDayMs = 86'400'000;
  CleaningPolicy own;
  own.name = own.type = "audit";
  own.keep_ms = 10 * kDayMs;
  ASSERT_TRUE(store_->put_setting({"rule", "old", "{}", ""}, kAnn));
  pass(364 * kDayMs);
  EXPECT_EQ(clean({}), 0);
  pass(2 * kDayMs);
  ASSERT_TRUE(store_->put_setting({"rule", "new", "{}", ""}, kAnn));
  EXPECT_EQ(store_->try_cleaning({own}, "audit", 10)->rows.audit, 1);
  EXPECT_EQ(clean({}), 1);
  EXPECT_EQ(all(), (Entries{"ann added rule new"}));
  pass(11 * kDayMs);
  own.archive = true;
  GoingRows kept;
  EXPECT_EQ(store_->clean({own}, 100, [&](const GoingRows& rows) {
    kept = rows;
    return ok();
  })->rows.audit, 1);
  ASSERT_EQ(kept.audit.size(), 1u);
  EXPECT_EQ(kept.audit[0].change.name, "new");
}

}  // namespace
}  // namespace pintle::lookout
