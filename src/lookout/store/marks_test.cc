#include <gtest/gtest.h>

#include "lookout/testing/memory_store.h"

namespace pintle::lookout {
namespace {

class SteppedClock final : public sys::Clock {
 public:
  int64_t now_ns() override { return now_ms * 1'000'000; }
  int64_t monotonic_ns() override { return now_ns(); }
  int64_t now_ms = 1'700'000'000'000;
};

TEST(Marks, AnOlderEventDoesNotTakeBackWhatANewerOneMadeSo) {
  SteppedClock clock;
  MemoryStore store(clock);
  EXPECT_EQ(store.mark("a").error().code(), Code::kNotFound);
  ASSERT_TRUE(store.put_mark({"a", "first", 7}));
  ASSERT_TRUE(store.put_mark({"a", "older", 6}));
  EXPECT_EQ(store.mark("a")->value, "first");
  ASSERT_TRUE(store.put_mark({"a", "newer", 8}));
  ASSERT_TRUE(store.put_mark({"b", "another", 1}));
  EXPECT_EQ(store.mark("a")->value, "newer");
  EXPECT_EQ(store.mark("a")->sequence, 8);
  EXPECT_EQ(store.mark("b")->value, "another");
}

TEST(Marks, AreForgottenAfterThirtyDays) {
  SteppedClock clock;
  MemoryStore store(clock);
  ASSERT_TRUE(store.put_mark({"a", "x", 7}));
  clock.now_ms += int64_t{29} * 86'400'000;
  EXPECT_TRUE(store.mark("a"));
  clock.now_ms += int64_t{2} * 86'400'000;
  EXPECT_FALSE(store.mark("a"));
  ASSERT_TRUE(store.put_mark({"b", "y", 1}));  // takes the old ones away
  ASSERT_TRUE(store.put_mark({"a", "z", 2}));  // so that nothing is older than this
  EXPECT_EQ(store.mark("a")->value, "z");
}

}  // namespace
}  // namespace pintle::lookout
