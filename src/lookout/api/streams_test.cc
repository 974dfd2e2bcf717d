// Event streams: what comes when, where they go on, and what a reader that takes nothing costs.
#include "lookout/api/streams.h"

#include <gtest/gtest.h>

#include <charconv>
#include <chrono>
#include <thread>

#include "lookout/fields.h"
#include "lookout/testing/api_world.h"
#include "lookout/testing/store_fixture.h"
#include "sys/clock.h"

namespace pintle::lookout {
namespace {

template <typename F>
bool eventually(F f, int64_t within_ms = 10'000) {
  const int64_t end = sys::real_clock().monotonic_ns() + within_ms * 1'000'000;
  while (!f()) {
    if (sys::real_clock().monotonic_ns() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

// A reader of a stream that takes what it was sent when take() is called.
class Reader : public httpd::Exchange {
 public:
  const httpd::Request& request() const override { return request_; }
  void respond(httpd::Response) override {}
  void start(int, std::vector<httpd::Header>) override {}
  bool send(httpd::Frame frame) override {
    Lock held(mutex_);
    queued_ += frame->size();
    most_ = std::max(most_, queued_);
    for (size_t at = frame->find("id: "); at != frame->npos; at = frame->find("\nid: ", at + 1)) {
      const char* digits = frame->data() + at + ((*frame)[at] == '\n' ? 5 : 4);
      int64_t id = 0;
      std::from_chars(digits, frame->data() + frame->size(), id);
      ids_.push_back(id);
    }
    return true;
  }
  size_t queued_bytes() const override {
    Lock held(mutex_);
    return queued_;
  }
  void finish() override {}
  void abort() override {}
  void on_close(std::function<void()>) override {}

  void take() {
    Lock held(mutex_);
    queued_ = 0;
  }
  size_t most() const {
    Lock held(mutex_);
    return most_;
  }
  std::vector<int64_t> ids() const {
    Lock held(mutex_);
    return ids_;
  }

 private:
  const httpd::Request request_;
  mutable Mutex mutex_;
  size_t queued_ GUARDED_BY(mutex_) = 0, most_ GUARDED_BY(mutex_) = 0;
  std::vector<int64_t> ids_ GUARDED_BY(mutex_);
};

// Keeps from where it was looked at.
class LookedStore : public SqlStore {
 public:
  explicit LookedStore(sys::Clock& clock)
      : SqlStore({.url = "sqlite::memory:", .secret_key = std::string(32, 'k')}, clock) {
    EXPECT_TRUE(start());
  }
  Result<EventPage> look(const EventQuery& query, int rows) override {
    auto page = SqlStore::look(query, rows);
    Lock held(mutex_);
    if (page) looks_.emplace_back(query.after, page->looked);
    return page;
  }
  std::vector<std::pair<int64_t, int64_t>> looks() const {
    Lock held(mutex_);
    return looks_;
  }
  void add(int n, const std::string& type = "release.deployed", const std::string& message = "") {
    Batch b;
    b.region = "eu-1";
    b.cluster_uid = "c1";
    b.region_id = put_region({0, b.region, b.cluster_uid, ""})->id;
    for (int i = 0; i < n; ++i) {
      Event e = event_of(type, -1, cat(++added_));
      if (!message.empty()) e.message = message;
      b.events.push_back(std::move(e));
    }
    EXPECT_TRUE(commit(b));
  }

 private:
  mutable Mutex mutex_;
  std::vector<std::pair<int64_t, int64_t>> looks_ GUARDED_BY(mutex_);
  int added_ = 0;
};

struct StreamsTest : testing::Test {
  sys::FakeClock clock{kStartMs * 1'000'000};
  LookedStore store{clock};
  std::shared_ptr<Reader> reader = std::make_shared<Reader>();
};

TEST_F(StreamsTest, WhatAnotherProcessStoresComesWithinAboutASecond) {
  Streams streams(store, true);
  store.add(1);
  const uint64_t before = store.statements();
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  EXPECT_EQ(store.statements(), before) << "no stream is open";
  streams.add(reader, {});
  ASSERT_TRUE(eventually([&] { return reader->ids().size() == 1; }));
  store.add(1);  // and no committed()
  EXPECT_TRUE(eventually([&] { return reader->ids().size() == 2; }, 3000));
  const size_t looks = store.looks().size();
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  EXPECT_EQ(store.looks().size(), looks) << "there is nothing new";
}

TEST_F(StreamsTest, AStoreOfOneProcessIsNotAsked) {
  Streams streams(store, false);
  streams.add(reader, {});
  ASSERT_TRUE(eventually([&] { return !store.looks().empty(); }));
  const uint64_t before = store.statements();
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  EXPECT_EQ(store.statements(), before);
}

TEST_F(StreamsTest, NoRowIsLookedAtTwice) {
  Streams streams(store, false);
  EventQuery query;
  query.reason = "Never";
  streams.add(reader, query);
  int64_t last = 0;
  for (int i = 0; i < 5; ++i) {
    store.add(10);
    last += 10;
    streams.committed();
    ASSERT_TRUE(eventually([&] {
      const auto looks = store.looks();
      return !looks.empty() && looks.back().second == last;
    }));
  }
  int64_t at = 0;
  for (const auto& [from, to] : store.looks()) {
    EXPECT_EQ(from, at);
    at = to;
  }
  EXPECT_TRUE(reader->ids().empty());
}

TEST_F(StreamsTest, AReaderThatTakesNothingIsBoundedAndHoldsUpNobodyAndMissesNothing) {
  constexpr int kEvents = 4000;
  const std::string message(1000, 'x');
  for (int i = 0; i < kEvents / 1000; ++i) store.add(1000, "release.deployed", message);
  Streams streams(store, false);
  streams.add(reader, {});
  const auto other = std::make_shared<Reader>();
  streams.add(other, {});
  const auto all = [&](const Reader& r) { return r.ids().size() == static_cast<size_t>(kEvents); };
  EXPECT_TRUE(eventually([&] {
    other->take();
    return all(*other);
  }));
  EXPECT_FALSE(all(*reader));
  EXPECT_LT(reader->most(), Streams::kMostQueued + (1 << 19));
  EXPECT_TRUE(eventually([&] {
    reader->take();
    return all(*reader);
  }));
  const auto ids = reader->ids();
  for (size_t i = 0; i < ids.size(); ++i) ASSERT_EQ(ids[i], static_cast<int64_t>(i) + 1);
}

// The ids of the first `n` events of a stream; the status in front.
std::vector<int64_t> stream_of(ApiWorld& w, const std::string& query, const std::string& last_id, size_t n) {
  http::Request r;
  r.method = "GET";
  r.url = w.api->url() + "/events/stream" + query;
  if (!last_id.empty()) r.headers.emplace_back("Last-Event-ID", last_id);
  std::vector<int64_t> out;
  std::string text;
  const auto status = w.client->stream(
      r, [&](const http::Response& head) { return head.status == 200 && n > 0; },
      [&](std::string_view piece) {
        text += piece;
        out.clear();
        for (const std::string_view line : split(text, "\n")) {
          if (!line.starts_with("id: ")) continue;
          int64_t id = 0;
          std::from_chars(line.data() + 4, line.data() + line.size(), id);
          out.push_back(id);
        }
        return out.size() < n;
      });
  out.insert(out.begin(), status ? *status : 0);
  return out;
}

TEST(ApiStream, GoesOnWhereItIsAsked) {
  ApiWorld w;
  for (int i = 0; i < 5; ++i) w.store.add(event_of(i == 3 ? "release.failed" : "release.deployed"));
  using Ids = std::vector<int64_t>;
  EXPECT_EQ(stream_of(w, "", "2", 3), (Ids{200, 3, 4, 5}));
  EXPECT_EQ(stream_of(w, "?after=3", "", 2), (Ids{200, 4, 5}));
  EXPECT_EQ(stream_of(w, "?after=0", "4", 1), (Ids{200, 5})) << "the header is the newer one";
  EXPECT_EQ(stream_of(w, "?type=release.failed", "1", 1), (Ids{200, 4}));
}

TEST(ApiStream, WhereItCannotBeginIsNoBeginning) {
  ApiWorld w;
  w.store.add(event_of("release.deployed"));
  for (const char* bad : {"x", "1x", "-1", "99999999999999999999"}) {
    EXPECT_EQ(stream_of(w, "", bad, 0), (std::vector<int64_t>{400})) << bad;
  }
  w.store.away = true;
  EXPECT_EQ(stream_of(w, "", "", 0), (std::vector<int64_t>{503})) << "from now on, which is not known";
  EXPECT_EQ(stream_of(w, "?after=0", "", 1), (std::vector<int64_t>{200, 1}));
}

}  // namespace
}  // namespace pintle::lookout
