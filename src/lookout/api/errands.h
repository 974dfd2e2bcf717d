// Errands: a few threads for what may wait: for the database, or for others. They start when there
// is work. Thread-safe.
#pragma once

#include <deque>
#include <functional>
#include <set>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "sys/clock.h"

namespace pintle::lookout {

class Errands {
 public:
  static constexpr size_t kThreads = 4;

  Errands(size_t most_waiting, sys::Clock& clock) : most_waiting_(most_waiting), clock_(clock) {}
  ~Errands();
  // False: too many wait already, or it is over.
  bool run(std::function<void()> errand);
  bool stopped() const;
  // For how long half of the threads have been held up; 0: they are not.
  int64_t held_up_ms() const;
  // Those that wait are dropped; returns when those that run, which ask stopped(), have ended.
  void stop();

 private:
  void work();

  const size_t most_waiting_;
  sys::Clock& clock_;
  mutable Mutex mutex_;
  Condition changed_;
  std::deque<std::function<void()>> waiting_ GUARDED_BY(mutex_);
  std::vector<std::thread> threads_ GUARDED_BY(mutex_);
  size_t idle_ GUARDED_BY(mutex_) = 0;
  std::multiset<int64_t> running_ GUARDED_BY(mutex_);  // since when (monotonic)
  bool stop_ GUARDED_BY(mutex_) = false;
};

}  // namespace pintle::lookout
