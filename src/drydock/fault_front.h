// What stands before the REST front while the admin wants something to go wrong: asks Faults about
// every request, waits, refuses, cuts or falls silent. Without a fault it costs one atomic load.
// Requests that wait hold no I/O thread: one timer thread, started by the first latency, runs them.
#pragma once

#include <functional>
#include <map>
#include <thread>

#include "base/mutex.h"
#include "drydock/faults.h"
#include "drydock/rest.h"

namespace pintle::drydock {

class FaultFront {
 public:
  FaultFront(Faults& faults, Rest& rest) : x_faults(faults), x_rest(rest) {}
  ~FaultFront() { stop(); }
  void serve(const ExchangePtr& exchange);  // any thread
  void stop();                              // what still waits is cut

 private:
  void act(const ExchangePtr& exchange, const Action& action);
  void later(int64_t at_ns, std::function<void()> task, ExchangePtr exchange);
  void run();

  struct Waiting {
    std::function<void()> task;
    ExchangePtr exchange;
  };
  Faults& x_faults;
  Rest& x_rest;
  Mutex x_lock;
  Condition x_wake;
  std::multimap<int64_t, Waiting> x_waiting GUARDED_BY(x_lock);  // by monotonic ns
  std::thread x_thread;  // made with the lock held, until x_stop is set
  bool x_stop GUARDED_BY(x_lock) = false;
};

}  // namespace pintle::drydock
