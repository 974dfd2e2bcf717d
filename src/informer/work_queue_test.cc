#include "informer/work_queue.h"

#include <gtest/gtest.h>

#include <thread>

#include "sys/testing/fake_clock.h"

namespace pintle::informer {
namespace {

TEST(WorkQueue, HandsOutAWaitingKeyOnce) {
  sys::FakeClock clock;
  WorkQueue q(clock);
  q.add("a");
  q.add("b");
  q.add("a");
  EXPECT_EQ(q.size(), 2u);
  EXPECT_EQ(q.try_get(), "a");
  EXPECT_EQ(q.try_get(), "b");
  EXPECT_EQ(q.try_get(), std::nullopt);
}

TEST(WorkQueue, QueuesAKeyUnderWorkAgainOnceItIsDone) {
  sys::FakeClock clock;
  WorkQueue q(clock);
  q.add("a");
  EXPECT_EQ(q.try_get(), "a");
  q.add("a");
  q.add("a");
  EXPECT_EQ(q.try_get(), std::nullopt) << "never twice at a time";
  q.done("a");
  EXPECT_EQ(q.try_get(), "a");
  q.done("a");
  EXPECT_EQ(q.try_get(), std::nullopt);
  q.done("never heard of");
}

TEST(WorkQueue, DelaysAndKeepsTheEarlierOfTwo) {
  sys::FakeClock clock;
  WorkQueue q(clock);
  q.add_after("a", 10 * kSecond);
  q.add_after("a", 5 * kSecond);
  q.add_after("a", 20 * kSecond);
  q.add_after("now", 0);
  EXPECT_EQ(q.try_get(), "now");
  clock.step(5 * kSecond - 1);
  EXPECT_EQ(q.try_get(), std::nullopt);
  clock.step(1);
  EXPECT_EQ(q.try_get(), "a");
  q.done("a");
  clock.step(60 * kSecond);
  EXPECT_EQ(q.try_get(), std::nullopt) << "once for all three";
}

TEST(WorkQueue, LimitsAKeyByItsFailuresAndAllByABucket) {
  sys::FakeClock clock;
  const auto item = exponential_limiter(5 * kMs, 1000 * kSecond);
  EXPECT_EQ(item->when_ns("a"), 5 * kMs);
  EXPECT_EQ(item->when_ns("a"), 10 * kMs);
  EXPECT_EQ(item->when_ns("b"), 5 * kMs);
  EXPECT_EQ(item->requeues("a"), 2);
  for (int i = 0; i < 2000; ++i) item->when_ns("a");
  EXPECT_EQ(item->when_ns("a"), 1000 * kSecond);
  item->forget("a");
  EXPECT_EQ(item->when_ns("a"), 5 * kMs);

  const auto bucket = bucket_limiter(clock, 10, 100);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(bucket->when_ns("x"), 0);
  EXPECT_EQ(bucket->when_ns("x"), kSecond / 10);
  EXPECT_EQ(bucket->when_ns("y"), kSecond / 5);
  clock.step(kSecond);
  EXPECT_EQ(bucket->when_ns("z"), 0);

  const auto fast = fast_slow_limiter(5 * kMs, 10 * kSecond, 3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(fast->when_ns("a"), 5 * kMs);
  EXPECT_EQ(fast->when_ns("a"), 10 * kSecond);

  const auto both = default_limiter(clock);
  EXPECT_EQ(both->when_ns("a"), 5 * kMs) << "the longer of both";
}

TEST(WorkQueue, AddsRateLimitedKeysLater) {
  sys::FakeClock clock;
  WorkQueue q(clock);
  q.add_rate_limited("a");
  EXPECT_EQ(q.try_get(), std::nullopt);
  EXPECT_EQ(q.requeues("a"), 1);
  clock.step(5 * kMs);
  EXPECT_EQ(q.try_get(), "a");
  q.forget("a");
  EXPECT_EQ(q.requeues("a"), 0);
}

TEST(WorkQueue, DrainsAfterShutDownAndTakesNothingMore) {
  sys::FakeClock clock;
  WorkQueue q(clock);
  q.add("a");
  q.add_after("later", kSecond);
  q.shut_down();
  q.add("b");
  EXPECT_TRUE(q.shutting_down());
  EXPECT_EQ(q.get(), "a");
  EXPECT_EQ(q.get(), std::nullopt);
}

TEST(WorkQueue, WaitsForWorkAndForTheDrain) {
  WorkQueue q(sys::real_clock());
  std::vector<std::string> done;
  std::thread worker([&] {
    while (auto key = q.get()) {
      done.push_back(*key);
      q.done(*key);
    }
  });
  q.add_after("b", 20 * kMs);
  q.add("a");
  while (q.counters().work_ns == 0 || q.counters().delayed > 0 || q.size() > 0)
    std::this_thread::yield();
  q.add("c");
  q.shut_down_with_drain();
  EXPECT_EQ(q.counters().working, 0u);
  worker.join();
  EXPECT_EQ(done, (std::vector<std::string>{"a", "b", "c"}));
}

TEST(WorkQueue, CountsWhatItDoes) {
  sys::FakeClock clock;
  WorkQueue q(clock);
  q.add("a");
  clock.step(3);
  q.try_get();
  clock.step(4);
  WorkCounters c = q.counters();
  EXPECT_EQ(c.adds, 1u);
  EXPECT_EQ(c.queue_ns, 3);
  EXPECT_EQ(c.unfinished_ns, 4);
  EXPECT_EQ(c.longest_running_ns, 4);
  q.done("a");
  EXPECT_EQ(q.counters().work_ns, 4);
}

}  // namespace
}  // namespace pintle::informer
