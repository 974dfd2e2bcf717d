// Mutex, Lock and Condition: std::mutex, its guard and std::condition_variable, annotated for
// clang's thread-safety analysis, which libstdc++'s own are not. A member says what guards it, a
// function what it wants held, and every build refuses code that reads or writes without the lock.
// They cost what the std types cost.
//
//   Mutex mutex_;
//   Condition changed_;
//   std::deque<Task> tasks_ GUARDED_BY(mutex_);
//   Task pop() REQUIRES(mutex_);
//
//   Lock held(mutex_);
//   while (tasks_.empty()) changed_.wait(mutex_);
//   return pop();
//
// Limits of the analysis, which looks at one function at a time and goes by names:
// - A lambda is a function of its own. One that runs at once under its maker's lock says so,
//   `[&]() REQUIRES(mutex_) {...}`; conditions are waited for in loops, without lambdas.
// - A lock that was handed in cannot be let go through a Lock&. A function with REQUIRES(mutex_) may
//   call mutex_.unlock() and must mutex_.lock() again before it returns.
// - Constructors and destructors may touch their own members without the lock.
// - What a function does with a reference to a guarded member after the lock is gone is not seen.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>

#define GUARDED_BY(mutex) __attribute__((guarded_by(mutex)))
#define REQUIRES(...) __attribute__((requires_capability(__VA_ARGS__)))
#define EXCLUDES(...) __attribute__((locks_excluded(__VA_ARGS__)))
#define ACQUIRE(...) __attribute__((acquire_capability(__VA_ARGS__)))
#define ACQUIRE_SHARED(...) __attribute__((acquire_shared_capability(__VA_ARGS__)))
#define TRY_ACQUIRE(...) __attribute__((try_acquire_capability(__VA_ARGS__)))
#define RELEASE(...) __attribute__((release_capability(__VA_ARGS__)))
#define RELEASE_ANY(...) __attribute__((release_generic_capability(__VA_ARGS__)))
#define RETURN_CAPABILITY(mutex) __attribute__((lock_returned(mutex)))
#define CAPABILITY(what) __attribute__((capability(what)))
#define SCOPED_CAPABILITY __attribute__((scoped_lockable))
// Where the analysis cannot follow; each place says why.
#define NO_THREAD_SAFETY_ANALYSIS __attribute__((no_thread_safety_analysis))

namespace pintle {

class CAPABILITY("mutex") Mutex {
 public:
  void lock() ACQUIRE() { mutex_.lock(); }
  void unlock() RELEASE() { mutex_.unlock(); }
  bool try_lock() TRY_ACQUIRE(true) { return mutex_.try_lock(); }

 private:
  friend class Condition;
  std::mutex mutex_;
};

// Holds a mutex as long as it lives, but for what lies between unlock() and lock().
class SCOPED_CAPABILITY Lock {
 public:
  explicit Lock(Mutex& mutex) ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  // Of a mutex that is held: after try_lock().
  Lock(Mutex& mutex, std::adopt_lock_t) REQUIRES(mutex) : mutex_(mutex) {}
  ~Lock() RELEASE() {
    if (held_) mutex_.unlock();
  }
  Lock(const Lock&) = delete;
  void lock() ACQUIRE() {
    mutex_.lock();
    held_ = true;
  }
  void unlock() RELEASE() {
    held_ = false;
    mutex_.unlock();
  }

 private:
  Mutex& mutex_;
  bool held_ = true;
};

// When a wait is given up: so long from now.
class Deadline {
 public:
  explicit Deadline(std::chrono::nanoseconds from_now)
      : at_(std::chrono::steady_clock::now() + from_now) {}

 private:
  friend class Condition;
  std::chrono::steady_clock::time_point at_;
};

// Waits are woken without cause too: the caller looks again at what it waits for.
class Condition {
 public:
  void wait(Mutex& mutex) REQUIRES(mutex) {
    std::unique_lock held(mutex.mutex_, std::adopt_lock);
    condition_.wait(held);
    held.release();
  }
  // False when the time is over: `while (!done_ && changed_.wait_until(mutex_, until)) {}`.
  bool wait_until(Mutex& mutex, const Deadline& until) REQUIRES(mutex) {
    std::unique_lock held(mutex.mutex_, std::adopt_lock);
    const bool in_time = condition_.wait_until(held, until.at_) == std::cv_status::no_timeout;
    held.release();
    return in_time;
  }
  bool wait_for(Mutex& mutex, std::chrono::nanoseconds most) REQUIRES(mutex) {
    return wait_until(mutex, Deadline(most));
  }
  void notify_one() { condition_.notify_one(); }
  void notify_all() { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

// One writer or many readers.
class CAPABILITY("mutex") SharedMutex {
 public:
  void lock() ACQUIRE() { mutex_.lock(); }
  void unlock() RELEASE() { mutex_.unlock(); }
  void lock_shared() ACQUIRE_SHARED() { mutex_.lock_shared(); }
  void unlock_shared() RELEASE_ANY() { mutex_.unlock_shared(); }

 private:
  std::shared_mutex mutex_;
};

class SCOPED_CAPABILITY ReadLock {
 public:
  explicit ReadLock(SharedMutex& mutex) ACQUIRE_SHARED(mutex) : mutex_(mutex) {
    mutex_.lock_shared();
  }
  ~ReadLock() RELEASE_ANY() { mutex_.unlock_shared(); }
  ReadLock(const ReadLock&) = delete;

 private:
  SharedMutex& mutex_;
};

class SCOPED_CAPABILITY WriteLock {
 public:
  explicit WriteLock(SharedMutex& mutex) ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~WriteLock() RELEASE() { mutex_.unlock(); }
  WriteLock(const WriteLock&) = delete;

 private:
  SharedMutex& mutex_;
};

}  // namespace pintle
