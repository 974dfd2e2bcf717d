#include "base/mutex.h"

#include <latch>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace pintle {
namespace {

// Whether another thread would get it; takes it and gives it back.
bool free_for_others(Mutex& mutex) {
  bool free = false;
  std::thread([&] {
    if (!mutex.try_lock()) return;
    Lock held(mutex, std::adopt_lock);
    free = true;
  }).join();
  return free;
}

TEST(Mutex, one_thread_at_a_time_holds_it) {
  Mutex mutex;
  int sum = 0;  // not atomic: lost additions would show
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 20'000; ++n) {
        Lock held(mutex);
        ++sum;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(sum, 80'000);
}

TEST(Mutex, try_lock_takes_only_what_is_free) {
  Mutex mutex;
  EXPECT_TRUE(free_for_others(mutex));
  EXPECT_TRUE(free_for_others(mutex)) << "the adopted lock was not given back";
  Lock held(mutex);
  EXPECT_FALSE(free_for_others(mutex));
  held.unlock();
  EXPECT_TRUE(free_for_others(mutex));
  held.lock();
  EXPECT_FALSE(free_for_others(mutex));
}

TEST(Mutex, a_lock_that_was_let_go_is_not_given_back_again) {
  Mutex mutex;
  std::latch taken(1), looked(1);
  std::thread other;
  {
    Lock first(mutex);
    first.unlock();
    other = std::thread([&] {
      Lock second(mutex);
      taken.count_down();
      looked.wait();
    });
    taken.wait();
  }
  EXPECT_FALSE(free_for_others(mutex));
  looked.count_down();
  other.join();
}

TEST(Condition, a_wait_lets_go_and_holds_again_when_woken) {
  Mutex mutex;
  Condition changed;
  int turn = 0;
  std::thread other([&] {
    Lock held(mutex);
    while (turn != 1) changed.wait(mutex);
    turn = 2;
    changed.notify_all();
  });
  {
    Lock held(mutex);
    turn = 1;
    changed.notify_all();
    while (turn != 2) changed.wait(mutex);
    EXPECT_EQ(turn, 2);
  }
  other.join();
}

TEST(Condition, a_wait_until_a_deadline_ends_and_still_holds) {
  Mutex mutex;
  Condition changed;
  Lock held(mutex);
  const Deadline until(std::chrono::milliseconds(2));
  while (changed.wait_until(mutex, until)) {
  }
  EXPECT_FALSE(changed.wait_until(mutex, until)) << "a deadline that is over stays so";
  EXPECT_FALSE(free_for_others(mutex));
}

TEST(SharedMutex, readers_share_and_a_writer_is_alone) {
  SharedMutex mutex;
  int written = 0;
  const auto wait_for_reader = [&] {  // hangs if readers keep each other out
    std::thread([&] { ReadLock held(mutex); }).join();
  };
  {
    ReadLock held(mutex);
    wait_for_reader();
  }
  std::vector<std::thread> writers;
  for (int i = 0; i < 2; ++i) {
    writers.emplace_back([&] {
      for (int n = 0; n < 10'000; ++n) {
        WriteLock held(mutex);
        ++written;
      }
    });
  }
  for (std::thread& t : writers) t.join();
  ReadLock held(mutex);
  EXPECT_EQ(written, 20'000);
}

}  // namespace
}  // namespace pintle
