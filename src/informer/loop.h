// Loop: one thread that runs tasks in the order they were posted, and timers. Everything that
// belongs to a loop runs on it alone and needs no lock. A loop that is not started is stepped by
// run_ready(): so tests with a clock of their own see every interleaving they write down.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "sys/clock.h"

namespace pintle::informer {

class Loop {
 public:
  using Task = std::function<void()>;
  using Timer = uint64_t;  // 0: none

  explicit Loop(sys::Clock& clock) : clock_(clock) {}
  ~Loop();  // stops
  Loop(const Loop&) = delete;

  void start();
  // Joins; what is posted and not begun is dropped, and so is what is posted later. Not from a
  // task.
  void stop();
  void post(Task task);                       // any thread
  Timer after(int64_t delay_ns, Task task);   // any thread
  void cancel(Timer timer);                   // on the loop: the task does not run afterwards
  // Runs the task on the loop and waits for it; at once when already there or when not started.
  void run(const Task& task);
  bool here() const;                          // on the loop's thread, or not started
  sys::Clock& clock() { return clock_; }

  // Without start(): what is posted and due now, until nothing is left. Returns how many ran.
  size_t run_ready();
  int64_t next_timer_ns();                    // when the next one is due (monotonic); -1: none

 private:
  bool step() REQUIRES(mutex_);  // lets go of it meanwhile
  void work();

  sys::Clock& clock_;
  mutable Mutex mutex_;
  Condition changed_;
  std::deque<Task> tasks_ GUARDED_BY(mutex_);
  std::multimap<int64_t, std::pair<Timer, Task>> timers_ GUARDED_BY(mutex_);
  std::unordered_map<Timer, int64_t> due_ GUARDED_BY(mutex_);
  Timer last_ GUARDED_BY(mutex_) = 0;
  bool stop_ GUARDED_BY(mutex_) = false;
  bool started_ GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace pintle::informer
