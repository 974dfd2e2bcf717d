// Finding random primes, by all who wait for them and a thread in the background. Inside this room
// only. Thread-safe.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

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
  using Lock = std::unique_lock<std::mutex>;

  bool step(Lock& lock);
  bool confirm_one(Lock& lock);
  bool open_one(Lock& lock);
  bool filter_some(Lock& lock);
  void run();
  void start_helper();

  const int bits_;
  const Engine engine_;
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t wanted_ = 0;
  std::vector<Words> found_;
  size_t opening_ = 0;  // windows in the making
  std::vector<std::shared_ptr<Window>> open_;
  std::vector<std::pair<std::shared_ptr<Window>, Words>> survivors_;
  bool helper_runs_ = false, stop_ = false;
  std::thread helper_;
};

}  // namespace pintle::crypt
