#include "sys/together.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <thread>
#include <vector>

namespace pintle::sys {
namespace {

TEST(Together, EachPieceIsDoneOnce) {
  for (size_t n : {size_t{0}, size_t{1}, size_t{2}, size_t{1000}}) {
    std::vector<int> done(n);
    together(n, [&](size_t i) { ++done[i]; });
    EXPECT_EQ(done, std::vector<int>(n, 1));
  }
}

TEST(Beside, DoesTheWorkAndMayGoWhereWeMay) {
  cpu_set_t ours;
  ASSERT_EQ(sched_getaffinity(0, sizeof ours, &ours), 0);
  if (CPU_COUNT(&ours) < 2) GTEST_SKIP() << "there is one processor";
  for (int i = 0; i < 200; ++i) {
    std::atomic<bool> go{false};
    cpu_set_t its;
    std::thread thread = beside([&] {
      while (!go) std::this_thread::yield();
      EXPECT_EQ(sched_getaffinity(0, sizeof its, &its), 0);
    });
    ASSERT_TRUE(thread.joinable());
    go = true;
    thread.join();
    EXPECT_TRUE(CPU_EQUAL(&its, &ours));
  }
}

TEST(Beside, DoesNothingWhereOneProcessorIsOurs) {
  std::thread([] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<size_t>(sched_getcpu()), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    bool done = false;
    EXPECT_FALSE(beside([&] { done = true; }).joinable());
    EXPECT_FALSE(done);
  }).join();
}

}  // namespace
}  // namespace pintle::sys
