#include "lookout/api/errands.h"

#include <iterator>

namespace pintle::lookout {

Errands::~Errands() { stop(); }

bool Errands::run(std::function<void()> errand) {
  Lock held(mutex_);
  if (stop_ || waiting_.size() >= most_waiting_) return false;
  waiting_.push_back(std::move(errand));
  if (idle_ < waiting_.size() && threads_.size() < kThreads) {
    threads_.emplace_back([this] { work(); });
  }
  changed_.notify_one();
  return true;
}

bool Errands::stopped() const {
  Lock held(mutex_);
  return stop_;
}

int64_t Errands::held_up_ms() const {
  Lock held(mutex_);
  if (running_.size() < kThreads / 2) return 0;
  return (clock_.monotonic_ns() - *std::next(running_.begin(), kThreads / 2 - 1)) / 1'000'000;
}

void Errands::stop() {
  std::deque<std::function<void()>> dropped;
  std::vector<std::thread> threads;
  {
    Lock held(mutex_);
    stop_ = true;
    dropped.swap(waiting_);
    threads.swap(threads_);
  }
  changed_.notify_all();
  for (std::thread& t : threads) t.join();
}

void Errands::work() {
  Lock held(mutex_);
  while (!stop_) {
    ++idle_;
    while (!stop_ && waiting_.empty()) changed_.wait(mutex_);
    --idle_;
    if (stop_) return;
    auto errand = std::move(waiting_.front());
    waiting_.pop_front();
    const auto begun = running_.insert(clock_.monotonic_ns());
    held.unlock();
    errand();
    errand = nullptr;
    held.lock();
    running_.erase(begun);
  }
}

}  // namespace pintle::lookout
