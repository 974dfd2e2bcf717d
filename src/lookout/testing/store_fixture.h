// Tests of the store: every claim on SQLite, and on a real PostgreSQL where one is installed.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "db/db.h"
#include "db/testing/postgres.h"
#include "lookout/store.h"
#include "sys/testing/fake_clock.h"

namespace pintle::lookout {

inline constexpr int64_t kStartMs = 1'700'000'000'000;

inline Observation state_of(const std::string& uid, const std::string& version,
                            const std::string& resource = "events") {
  Observation o;
  o.resource = resource;
  o.uid = uid;
  o.version = version;
  o.subject = {"", "v1", "Pod", "prod", "web-" + uid, "pod-" + uid};
  o.digest = std::string(64, 'd');
  o.received_ms = kStartMs;
  return o;
}

inline Event event_of(const std::string& type, int observation = -1,
                      const std::string& dedup_key = "") {
  Event e;
  e.type = type;
  e.subject = {"", "v1", "Pod", "prod", "web-1", "pod-1"};
  e.release = "web";
  e.release_namespace = "prod";
  e.reason = "Started";
  e.message = "it's \xe4\xb8\xad\xe6\x96\x87; drop table event; --";
  e.time_ms = kStartMs - 5;
  e.labels = {{"team", "a"}};
  e.data = R"({"chart":"web-1.0.0"})";
  e.observation = observation;
  e.dedup_key = dedup_key;
  return e;
}

class StoreTest : public testing::TestWithParam<db::Dialect> {
 protected:
  void SetUp() override {
    if (GetParam() == db::Dialect::kPostgres) {
      if (db::PostgresServer::shared() == nullptr) GTEST_SKIP() << db::PostgresServer::why();
      url_ = db::PostgresServer::shared()->database();
    } else {
      folder_ = testing::TempDir() + "store_test-" + std::to_string(getpid());
      std::filesystem::remove_all(folder_);
      std::filesystem::create_directory(folder_);
      url_ = "sqlite:" + folder_ + "/lookout.db";
    }
    store_ = open();
    ASSERT_NE(store_, nullptr);
    Region region;
    region.name = "north";
    region.cluster_uid = "c1";
    region.environment = "prod";
    auto put = store_->put_region(region);
    ASSERT_TRUE(put) << put.error().text();
    region_ = *put;
  }
  void TearDown() override {
    store_.reset();
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  std::unique_ptr<Store> open() {
    auto store = Store::open({url_, std::string(32, 'k'), 1}, clock_);
    EXPECT_TRUE(store) << store.error().text();
    return store ? std::move(*store) : nullptr;
  }
  Batch batch() const {
    Batch b;
    b.region_id = region_.id;
    b.region = "north";
    b.cluster_uid = "c1";
    return b;
  }
  Committed commit(const Batch& b) {
    auto done = store_->commit(b);
    EXPECT_TRUE(done) << done.error().text();
    return done.value_or(Committed());
  }
  // One event of its own for a release, stored.
  int64_t tell(const std::string& release, const std::string& type = "release.deployed") {
    Batch b = batch();
    Event e = event_of(type, -1, type + std::to_string(++told_));
    e.release = release;
    b.events.push_back(e);
    return commit(b).sequences.at(0);
  }
  Subscription subscribe(const std::string& name, Filter filter = {}) {
    Subscription s;
    s.name = name;
    s.filter = std::move(filter);
    s.sink_kind = "webhook";
    s.options = R"({"url":"https://example.com"})";
    s.secret = "whsec_hidden-" + name;
    auto added = store_->add_subscription(s);
    EXPECT_TRUE(added) << added.error().text();
    return added.value_or(s);
  }
  std::vector<Claimed> claim(int limit = 100, const std::string& owner = "me", int64_t epoch = 1) {
    auto got = store_->claim(owner, epoch, 60'000, limit);
    EXPECT_TRUE(got) << got.error().text();
    return got.value_or(std::vector<Claimed>());
  }
  Status finish(const Claimed& c, DeliveryState state, int64_t due_ms = 0,
                const std::string& dead = "") {
    Attempt a;
    a.started_ms = now();
    a.took_ms = 12;
    a.status = state == DeliveryState::kSucceeded ? 200 : 500;
    a.error = state == DeliveryState::kSucceeded ? "" : "500";
    return store_->finish(c.delivery, state, due_ms, dead, a);
  }
  int64_t now() { return clock_.now_ns() / 1'000'000; }
  void pass(int64_t ms) { clock_.step(ms * 1'000'000); }

  sys::FakeClock clock_{kStartMs * 1'000'000};
  std::string url_, folder_;
  std::unique_ptr<Store> store_;
  Region region_;
  int told_ = 0;
};

inline std::string dialect_name(const testing::TestParamInfo<db::Dialect>& info) {
  return info.param == db::Dialect::kSqlite ? "Sqlite" : "Postgres";
}

}  // namespace pintle::lookout
