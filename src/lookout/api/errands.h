// Errands: a few threads for what takes long: sending a test, reading much. They start when there
// is work. Thread-safe.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace pintle::lookout {

class Errands {
 public:
  static constexpr size_t kThreads = 4, kMostWaiting = 64;

  ~Errands();
  // False: too many wait already, or it is over.
  bool run(std::function<void()> errand);
  bool stopped() const;
  // Those that wait are dropped; returns when those that run, which ask stopped(), have ended.
  void stop();

 private:
  void work();

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  std::vector<std::thread> threads_;
  size_t idle_ = 0;
  bool stop_ = false;
};

}  // namespace pintle::lookout
