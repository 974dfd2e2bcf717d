#include "drydock/events.h"

#include <gtest/gtest.h>

#include "base/strings.h"

namespace pintle::drydock {
namespace {

constexpr int64_t kSeconds = 1'000'000'000;

TEST(EventMemory, TheSameWordsAreOneEvent) {
  EventMemory memory;
  EventMemory::Said first = memory.say("uid", "Normal", "Pulled", "kubelet", "Pulled it", 0);
  EXPECT_EQ(first.name, "");
  memory.named(first.key, "pod.1");
  EXPECT_EQ(memory.say("uid", "Normal", "Pulled", "kubelet", "Pulled it", 1).name, "pod.1");
  EXPECT_EQ(memory.say("other", "Normal", "Pulled", "kubelet", "Pulled it", 1).name, "");
  EXPECT_EQ(memory.say("uid", "Warning", "Pulled", "kubelet", "Pulled it", 1).name, "");
}

TEST(EventMemory, TheTenthMessageWithinTenMinutesStandsForAllThatFollow) {
  EventMemory memory;
  auto say = [&](int n, int64_t when) {
    return memory.say("uid", "Normal", "Scaled", "x", cat("to ", n), when * kSeconds).message;
  };
  for (int i = 1; i < 10; ++i) EXPECT_EQ(say(i, i), cat("to ", i));
  EXPECT_EQ(say(10, 10), "(combined from similar events): to 10");
  EXPECT_EQ(say(11, 11), "(combined from similar events): to 11");
  EXPECT_EQ(say(12, 1000), "to 12") << "ten minutes of silence later";
}

TEST(EventMemory, ForgetsTheOldestOnly) {
  Recent<int> recent(4);
  for (int i = 0; i < 100; ++i) {
    recent.put(std::to_string(i), i);
    ASSERT_TRUE(recent.find("0")) << i << ": what is asked for stays";
    ASSERT_LE(recent.size(), 8u);
  }
  EXPECT_TRUE(recent.find("99"));
  EXPECT_FALSE(recent.find("50"));
}

TEST(EventAges, GivesWhatIsDueInOrder) {
  EventAges ages;
  ages.written(10, "ns", "a", 1);
  ages.written(20, "ns", "b", 2);
  ages.written(15, "ns", "c", 3);  // a clock that went back
  EXPECT_FALSE(ages.take(10));
  auto due = ages.take(11);
  ASSERT_TRUE(due);
  EXPECT_EQ(due->name, "a");
  EXPECT_FALSE(ages.take(20));
  EXPECT_EQ(ages.take(21)->name, "b");
  EXPECT_EQ(ages.take(21)->version, 3u);
  EXPECT_FALSE(ages.take(1000));
}

}  // namespace
}  // namespace pintle::drydock
