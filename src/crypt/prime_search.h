// Finding random primes, by all who wait for them and a thread in the background. Inside this room
// only. Thread-safe.
#pragma once

#include <memory>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "crypt/primality.h"

namespace pintle::crypt {

class PrimeSearch {
 public:
  // Primes with the two top bits set, and p - 1 prime to 65537. bits: a multiple of 64.
  PrimeSearch(int bits, Engine engine) : bits_(bits), engine_(engine) {}
  ~PrimeSearch();

  // Lets a thread of its own find primes until so many wait to be taken; no waiting.
  void prepare(size_t count);
  // Two independent primes, found together with the thread.
  std::pair<Words, Words> take_pair();

 private:
  struct Window {
    Candidates candidates;
    bool has_survivor = false;  // to be confirmed, or under way
  };

  bool step() REQUIRES(mutex_);
  bool confirm_one() REQUIRES(mutex_);
  bool open_one() REQUIRES(mutex_);
  bool filter_some() REQUIRES(mutex_);
  void run();
  void start_helper() REQUIRES(mutex_);

  const int bits_;
  const Engine engine_;
  Mutex mutex_;
  Condition changed_;
  size_t wanted_ GUARDED_BY(mutex_) = 0;
  std::vector<Words> found_ GUARDED_BY(mutex_);
  size_t opening_ GUARDED_BY(mutex_) = 0;  // windows in the making
  std::vector<std::shared_ptr<Window>> open_ GUARDED_BY(mutex_);
  std::vector<std::pair<std::shared_ptr<Window>, Words>> survivors_ GUARDED_BY(mutex_);
  bool helper_runs_ GUARDED_BY(mutex_) = false;
  bool stop_ GUARDED_BY(mutex_) = false;
  std::thread helper_ GUARDED_BY(mutex_);
};

}  // namespace pintle::crypt
