#include "informer/work_queue.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

namespace pintle::informer {
namespace {

constexpr int64_t kLongestNapNs = kSecond;  // delays are looked at again after it

// A wait that grows with the failures of its key.
class PerKey final : public RateLimiter {
 public:
  explicit PerKey(std::function<int64_t(int failures)> wait_ns) : wait_ns_(std::move(wait_ns)) {}
  int64_t when_ns(const std::string& key) override {
    Lock held(mutex_);
    return wait_ns_(failures_[key]++);
  }
  void forget(const std::string& key) override {
    Lock held(mutex_);
    failures_.erase(key);
  }
  int requeues(const std::string& key) override {
    Lock held(mutex_);
    const auto it = failures_.find(key);
    return it == failures_.end() ? 0 : it->second;
  }

 private:
  const std::function<int64_t(int)> wait_ns_;
  Mutex mutex_;
  std::unordered_map<std::string, int> failures_ GUARDED_BY(mutex_);
};

// Tokens may be borrowed: the debt is the wait.
class Bucket final : public RateLimiter {
 public:
  Bucket(sys::Clock& clock, double rate, int burst)
      : clock_(clock), rate_(rate), burst_(burst), tokens_(burst), at_(clock.monotonic_ns()) {}
  int64_t when_ns(const std::string&) override {
    Lock held(mutex_);
    const int64_t now = clock_.monotonic_ns();
    const double second = static_cast<double>(kSecond);
    tokens_ = std::min(burst_, tokens_ + static_cast<double>(now - at_) / second * rate_);
    at_ = now;
    tokens_ -= 1;
    return tokens_ >= 0 ? 0 : static_cast<int64_t>(-tokens_ / rate_ * second);
  }
  void forget(const std::string&) override {}
  int requeues(const std::string&) override { return 0; }

 private:
  sys::Clock& clock_;
  const double rate_, burst_;
  Mutex mutex_;
  double tokens_ GUARDED_BY(mutex_);
  int64_t at_ GUARDED_BY(mutex_);
};

class Longest final : public RateLimiter {
 public:
  Longest(std::unique_ptr<RateLimiter> a, std::unique_ptr<RateLimiter> b)
      : a_(std::move(a)), b_(std::move(b)) {}
  int64_t when_ns(const std::string& key) override {
    const int64_t a = a_->when_ns(key);
    return std::max(a, b_->when_ns(key));
  }
  void forget(const std::string& key) override {
    a_->forget(key);
    b_->forget(key);
  }
  int requeues(const std::string& key) override {
    return std::max(a_->requeues(key), b_->requeues(key));
  }

 private:
  std::unique_ptr<RateLimiter> a_, b_;
};

}  // namespace

std::unique_ptr<RateLimiter> exponential_limiter(int64_t base_ns, int64_t cap_ns) {
  return std::make_unique<PerKey>([base_ns, cap_ns](int failures) {
    const double ns = static_cast<double>(base_ns) * std::pow(2.0, failures);
    return ns >= static_cast<double>(cap_ns) ? cap_ns : static_cast<int64_t>(ns);
  });
}
std::unique_ptr<RateLimiter> fast_slow_limiter(int64_t fast_ns, int64_t slow_ns, int tries) {
  return std::make_unique<PerKey>(
      [fast_ns, slow_ns, tries](int failures) { return failures < tries ? fast_ns : slow_ns; });
}
std::unique_ptr<RateLimiter> bucket_limiter(sys::Clock& clock, double per_second, int burst) {
  return std::make_unique<Bucket>(clock, per_second, burst);
}
std::unique_ptr<RateLimiter> longest_of(std::unique_ptr<RateLimiter> a,
                                        std::unique_ptr<RateLimiter> b) {
  return std::make_unique<Longest>(std::move(a), std::move(b));
}
std::unique_ptr<RateLimiter> default_limiter(sys::Clock& clock) {
  return longest_of(exponential_limiter(5 * kMs, 1000 * kSecond), bucket_limiter(clock, 10, 100));
}

WorkQueue::WorkQueue(sys::Clock& clock, std::unique_ptr<RateLimiter> limiter)
    : clock_(clock), limiter_(limiter ? std::move(limiter) : default_limiter(clock)) {}

void WorkQueue::add_locked(const std::string& key) {
  if (stop_ || !dirty_.emplace(key, clock_.monotonic_ns()).second) return;
  ++counters_.adds;
  if (working_.contains(key)) return;  // done() queues it
  queue_.push_back(key);
  changed_.notify_one();
}

void WorkQueue::add(const std::string& key) {
  Lock held(mutex_);
  add_locked(key);
}

void WorkQueue::add_after(const std::string& key, int64_t delay_ns) {
  Lock held(mutex_);
  if (stop_) return;
  ++counters_.retries;
  if (delay_ns <= 0) return add_locked(key);
  const int64_t due = clock_.monotonic_ns() + delay_ns;
  const auto [at, fresh] = delayed_at_.emplace(key, due);
  if (!fresh) {
    if (at->second <= due) return;
    auto [from, to] = delayed_.equal_range(at->second);
    for (; from != to; ++from) {
      if (from->second == key) {
        delayed_.erase(from);
        break;
      }
    }
    at->second = due;
  }
  delayed_.emplace(due, key);
  changed_.notify_one();  // it may be due before all others
}

void WorkQueue::add_rate_limited(const std::string& key) { add_after(key, limiter_->when_ns(key)); }

void WorkQueue::promote() {
  const int64_t now = clock_.monotonic_ns();
  while (!delayed_.empty() && delayed_.begin()->first <= now) {
    const std::string key = std::move(delayed_.begin()->second);
    delayed_.erase(delayed_.begin());
    delayed_at_.erase(key);
    add_locked(key);
  }
}

std::optional<std::string> WorkQueue::pop() {
  promote();
  if (queue_.empty()) return std::nullopt;
  std::string key = std::move(queue_.front());
  queue_.pop_front();
  const int64_t now = clock_.monotonic_ns();
  const auto since = dirty_.find(key);
  counters_.queue_ns += now - since->second;
  dirty_.erase(since);
  working_.emplace(key, now);
  return key;
}

std::optional<std::string> WorkQueue::try_get() {
  Lock held(mutex_);
  return pop();
}

std::optional<std::string> WorkQueue::get() {
  Lock held(mutex_);
  for (;;) {
    if (auto key = pop()) return key;
    if (stop_) return std::nullopt;
    if (delayed_.empty()) {
      changed_.wait(mutex_);
    } else {
      const int64_t ns = delayed_.begin()->first - clock_.monotonic_ns();
      changed_.wait_for(mutex_,
                        std::chrono::nanoseconds(std::clamp<int64_t>(ns, 0, kLongestNapNs)));
    }
  }
}

void WorkQueue::done(const std::string& key) {
  Lock held(mutex_);
  const auto at = working_.find(key);
  if (at == working_.end()) return;
  counters_.work_ns += clock_.monotonic_ns() - at->second;
  working_.erase(at);
  if (dirty_.contains(key)) queue_.push_back(key);
  changed_.notify_all();
}

void WorkQueue::shut_down() {
  Lock held(mutex_);
  stop_ = true;
  delayed_.clear();
  delayed_at_.clear();
  changed_.notify_all();
}

void WorkQueue::shut_down_with_drain() {
  shut_down();
  Lock held(mutex_);
  while (!queue_.empty() || !working_.empty()) changed_.wait(mutex_);
}

bool WorkQueue::shutting_down() {
  Lock held(mutex_);
  return stop_;
}

size_t WorkQueue::size() {
  Lock held(mutex_);
  return queue_.size();
}

WorkCounters WorkQueue::counters() {
  Lock held(mutex_);
  WorkCounters c = counters_;
  c.depth = queue_.size();
  c.delayed = delayed_.size();
  c.working = working_.size();
  const int64_t now = clock_.monotonic_ns();
  for (const auto& [key, since] : working_) {
    c.unfinished_ns += now - since;
    c.longest_running_ns = std::max(c.longest_running_ns, now - since);
  }
  return c;
}

}  // namespace pintle::informer
