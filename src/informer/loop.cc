#include "informer/loop.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/check.h"

namespace pintle::informer {

Loop::~Loop() { stop(); }

void Loop::start() {
  Lock held(mutex_);
  if (started_ || stop_) return;
  started_ = true;
  thread_ = std::thread([this] { work(); });
}

void Loop::stop() {
  std::deque<Task> dropped;
  std::multimap<int64_t, std::pair<Timer, Task>> timers;
  {
    Lock held(mutex_);
    CHECK(thread_.get_id() != std::this_thread::get_id());
    stop_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
  Lock held(mutex_);
  started_ = false;
  dropped.swap(tasks_);  // destroyed after the lock is gone: what they hold may post
  timers.swap(timers_);
  due_.clear();
}

void Loop::post(Task task) {
  Lock held(mutex_);
  if (stop_) return;
  tasks_.push_back(std::move(task));
  changed_.notify_all();
}

Loop::Timer Loop::after(int64_t delay_ns, Task task) {
  const int64_t due = clock_.monotonic_ns() + std::max<int64_t>(delay_ns, 0);
  Lock held(mutex_);
  if (stop_) return 0;
  const Timer timer = ++last_;
  timers_.emplace(due, std::make_pair(timer, std::move(task)));
  due_.emplace(timer, due);
  changed_.notify_all();
  return timer;
}

void Loop::cancel(Timer timer) {
  Lock held(mutex_);
  const auto at = due_.find(timer);
  if (at == due_.end()) return;
  auto [from, to] = timers_.equal_range(at->second);
  for (; from != to; ++from) {
    if (from->second.first == timer) {
      timers_.erase(from);
      break;
    }
  }
  due_.erase(at);
}

bool Loop::here() const {
  Lock held(mutex_);
  return !started_ || thread_.get_id() == std::this_thread::get_id();
}

void Loop::run(const Task& task) {
  if (here()) return task();
  struct Wait {
    Mutex mutex;
    Condition changed;
    bool over GUARDED_BY(mutex) = false;
  };
  // Shared: the loop may drop the task, and that ends the wait as well.
  auto wait = std::make_shared<Wait>();
  struct Tell {
    std::shared_ptr<Wait> wait;
    ~Tell() {
      Lock held(wait->mutex);
      wait->over = true;
      wait->changed.notify_all();
    }
  };
  auto tell = std::make_shared<Tell>();
  tell->wait = wait;
  post([&task, tell] { task(); });
  tell.reset();
  Lock held(wait->mutex);
  while (!wait->over) wait->changed.wait(wait->mutex);
}

// Runs one timer or task; false: none is due.
bool Loop::step() {
  Task task;
  if (!timers_.empty() && timers_.begin()->first <= clock_.monotonic_ns()) {
    const auto first = timers_.begin();
    task = std::move(first->second.second);
    due_.erase(first->second.first);
    timers_.erase(first);
  } else if (!tasks_.empty()) {
    task = std::move(tasks_.front());
    tasks_.pop_front();
  } else {
    return false;
  }
  mutex_.unlock();
  task();
  task = nullptr;
  mutex_.lock();
  return true;
}

void Loop::work() {
  Lock held(mutex_);
  while (!stop_) {
    if (step()) continue;
    if (stop_) return;
    if (timers_.empty()) {
      changed_.wait(mutex_);
    } else {
      const int64_t ns = timers_.begin()->first - clock_.monotonic_ns();
      changed_.wait_for(mutex_, std::chrono::nanoseconds(std::clamp<int64_t>(ns, 0, 1'000'000'000)));
    }
  }
}

size_t Loop::run_ready() {
  Lock held(mutex_);
  size_t ran = 0;
  while (!started_ && !stop_ && step()) ++ran;
  return ran;
}

int64_t Loop::next_timer_ns() {
  Lock held(mutex_);
  return timers_.empty() ? -1 : timers_.begin()->first;
}

}  // namespace pintle::informer
