#include "base/mutex.h"
#include "lookout/writer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <thread>

#include "base/strings.h"

namespace pintle::lookout {
namespace {

// Answers commits as it is told to, and keeps what was committed.
struct Scripted {
  Result<Committed> commit(const Batch& batch) {
    Lock held(mutex_);
    if (refuse) {
      if (auto error = refuse(batch)) return *error;
    }
    batches.push_back(batch);
    Committed out;
    out.observations = batch.observations.size();
    out.sequences.assign(batch.events.size(), 1);
    return out;
  }
  std::vector<Gap> gaps() {
    Lock held(mutex_);
    std::vector<Gap> out;
    for (const Batch& b : batches) out.insert(out.end(), b.gaps.begin(), b.gaps.end());
    return out;
  }
  std::vector<std::string> stored() {
    Lock held(mutex_);
    std::vector<std::string> out;
    for (const Batch& b : batches) {
      for (const Observation& o : b.observations) out.push_back(o.uid);
    }
    return out;
  }

  Mutex mutex_;
  std::function<std::optional<Error>(const Batch&)> refuse;
  std::vector<Batch> batches;
};

Batch batch_of(const std::string& uid, int64_t region = 1) {
  Batch b;
  b.region_id = region;
  Observation o;
  o.uid = uid;
  b.observations.push_back(o);
  Event e;
  e.type = "x";
  e.message = uid;
  e.observation = 0;
  b.events.push_back(e);
  return b;
}

bool soon(const std::function<bool()>& what) {
  for (int i = 0; i < 1000 && !what(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return what();
}

class WriterTest : public testing::Test {
 protected:
  Scripted store_;
  std::atomic<int> done_{0}, refused_{0};
  Writer writer_{[this](const Batch& b) { return store_.commit(b); },
                 sys::real_clock(),
                 {},
                 [this](const Batch&, const Committed&) { ++done_; },
                 [this](const Batch&) { ++refused_; }};
};

TEST_F(WriterTest, WhatWaitsIsOneTransactionInItsOrder) {
  for (int i = 0; i < 100; ++i) writer_.push(batch_of(cat(i)));
  writer_.start();
  ASSERT_TRUE(soon([&] { return done_ > 0; }));
  ASSERT_EQ(store_.batches.size(), 1u);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(store_.batches[0].observations[static_cast<size_t>(i)].uid, cat(i));
    EXPECT_EQ(store_.batches[0].events[static_cast<size_t>(i)].observation, i);
  }
  EXPECT_EQ(writer_.counters().events, 100u);
}

TEST_F(WriterTest, WhatCountsAsToldIsStoredWithTheRestOnce) {
  Batch told;
  told.region_id = 1;
  told.told = {"k"};
  writer_.push(told);
  writer_.push(batch_of("poison"));
  writer_.push(told);
  store_.refuse = [](const Batch& b) -> std::optional<Error> {
    if (b.observations.empty()) return std::nullopt;
    return Error("no", Code::kInvalidArgument);
  };
  writer_.start();
  ASSERT_TRUE(soon([&] { return done_ > 0; }));
  ASSERT_EQ(store_.batches.size(), 1u) << "though a piece of it cannot be stored";
  EXPECT_EQ(store_.batches[0].told, (std::vector<std::string>{"k", "k"}));
}

TEST_F(WriterTest, AnUnavailableDatabaseIsTriedAgainAndNothingIsLost) {
  int left = 2;
  store_.refuse = [&](const Batch&) -> std::optional<Error> {
    if (left-- > 0) return Error("locked", Code::kUnavailable);
    return std::nullopt;
  };
  writer_.push(batch_of("a"));
  writer_.start();
  ASSERT_TRUE(soon([&] { return writer_.counters().failures > 0; }));
  writer_.push(batch_of("b"));
  ASSERT_TRUE(soon([&] { return store_.stored().size() == 2; }));
  EXPECT_EQ(store_.stored(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(writer_.counters().failures, 2u);
  EXPECT_EQ(writer_.counters().dropped, 0u);
}

TEST_F(WriterTest, APieceThatCannotBeStoredHoldsUpNothing) {
  store_.refuse = [](const Batch& b) -> std::optional<Error> {
    for (const Observation& o : b.observations) {
      if (o.uid == "poison") return Error("no", Code::kInvalidArgument);
    }
    return std::nullopt;
  };
  for (const char* uid : {"a", "poison", "b"}) writer_.push(batch_of(uid));
  writer_.start();
  ASSERT_TRUE(soon([&] { return store_.stored().size() == 2; }));
  EXPECT_EQ(store_.stored(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(writer_.counters().dropped, 1u);
  ASSERT_TRUE(soon([&] { return store_.gaps().size() == 1; }));
  EXPECT_EQ(store_.gaps()[0].cause, "what was heard cannot be stored: no");
}

TEST_F(WriterTest, APieceIsTriedAgainWhenTheDatabaseIsAwayMeanwhile) {
  int times = 0;
  store_.refuse = [&](const Batch& b) -> std::optional<Error> {
    if (b.observations.size() > 1) return Error("no", Code::kInvalidArgument);
    for (const Observation& o : b.observations) {
      if (o.uid == "poison") return Error("no", Code::kInvalidArgument);
      if (o.uid == "b" && ++times <= 2) return Error("locked", Code::kUnavailable);
    }
    return std::nullopt;
  };
  for (const char* uid : {"a", "poison", "b", "c"}) writer_.push(batch_of(uid));
  writer_.start();
  ASSERT_TRUE(soon([&] { return store_.gaps().size() == 1; }));
  EXPECT_EQ(store_.stored(), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(writer_.counters().dropped, 1u);
  EXPECT_EQ(writer_.counters().failures, 2u);
}

TEST_F(WriterTest, PiecesAreLeftOutWhenANewerEpochHasTheirRegion) {
  store_.refuse = [&](const Batch& b) -> std::optional<Error> {
    if (b.region_id != 1) return std::nullopt;
    if (b.observations.size() > 1) return Error("no", Code::kInvalidArgument);
    return Error("newer", Code::kFailedPrecondition);
  };
  for (const char* uid : {"a", "b"}) writer_.push(batch_of(uid));
  writer_.push(batch_of("c", 2));
  writer_.start();
  ASSERT_TRUE(soon([&] { return store_.stored().size() == 1; }));
  EXPECT_EQ(store_.stored(), (std::vector<std::string>{"c"}));
  EXPECT_EQ(refused_, 1);
}

TEST_F(WriterTest, AFullQueueHoldsItsRegionUpAndSaysWhenItNoLongerDoes) {
  std::atomic<int> room{0};
  writer_.attach(1, [&] { ++room; });
  EXPECT_TRUE(writer_.has_room(1));
  Batch big = batch_of("big");
  big.events[0].message = std::string(Writer::kRoom, 'x');
  writer_.push(std::move(big));
  EXPECT_FALSE(writer_.has_room(1));
  EXPECT_TRUE(writer_.has_room(2)) << "another region is not held up";
  writer_.start();
  ASSERT_TRUE(soon([&] { return room == 1; }));
  EXPECT_TRUE(writer_.has_room(1));
  writer_.detach(1);
}

TEST_F(WriterTest, WhatANewerEpochHasRefusedIsLeftOutAndSaid) {
  store_.refuse = [](const Batch& b) {
    return b.epoch < 2 ? std::optional(Error("taken", Code::kFailedPrecondition)) : std::nullopt;
  };
  Batch old = batch_of("old");
  old.epoch = 1;
  writer_.start();
  writer_.push(old);
  ASSERT_TRUE(soon([&] { return refused_ == 1; }));
  EXPECT_EQ(writer_.counters().refused, 1u);
  Batch now = batch_of("new");
  now.epoch = 2;
  writer_.push(now);
  ASSERT_TRUE(soon([&] { return store_.stored() == std::vector<std::string>{"new"}; }));
}

TEST_F(WriterTest, WhatWaitsUnderAnOlderEpochIsNotMixedWithANewers) {
  Batch old = batch_of("old"), now = batch_of("new");
  old.epoch = 1;
  now.epoch = 2;
  writer_.push(old);
  writer_.push(now);
  writer_.start();
  ASSERT_TRUE(soon([&] { return !store_.stored().empty(); }));
  EXPECT_EQ(store_.stored(), std::vector<std::string>{"new"});
  EXPECT_EQ(writer_.counters().waiting_bytes, 0u);
}

TEST_F(WriterTest, StopStoresWhatWaits) {
  writer_.start();
  writer_.push(batch_of("last"));
  writer_.stop(1000);
  EXPECT_EQ(store_.stored(), std::vector<std::string>{"last"});
}

TEST_F(WriterTest, StopGivesUpOnADatabaseThatIsAway) {
  store_.refuse = [](const Batch&) { return std::optional(Error("gone", Code::kUnavailable)); };
  writer_.start();
  writer_.push(batch_of("never"));
  ASSERT_TRUE(soon([&] { return writer_.counters().failures > 0; }));
  writer_.stop(0);
  EXPECT_TRUE(store_.stored().empty());
}

}  // namespace
}  // namespace pintle::lookout
