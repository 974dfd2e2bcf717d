// Engine: one thread that drives a curl multi handle; everything curl touches belongs to it. Other
// threads only put work into an inbox and wake it. Inside this room only; thread-safe.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "http/exchange.h"

namespace pintle::http {

class Engine {
 public:
  explicit Engine(size_t max_connections = 0) : max_connections_(max_connections) {}
  ~Engine();  // cancels what is under way
  // Opens the library and starts the thread, once. Error: the library cannot be opened.
  Status open();
  void add(std::shared_ptr<Exchange> x);  // after open
  void wake();
  // Cancels what is under way for a client, and waits until it is told. Not from `done` or `data`.
  void leave(const std::shared_ptr<const Options>& client);

 private:
  void loop();
  void begin(const std::shared_ptr<Exchange>& x);
  void end(size_t at);  // takes it out of running_
  void sweep(bool stop, const std::vector<const Options*>& leaving, bool& cancellable);
  bool collect();       // what curl has finished; false: nothing

  const size_t max_connections_;
  const Curl* curl_ = nullptr;
  CURLM* multi_ = nullptr;
  std::thread thread_;
  std::mutex mutex_;                             // guards what follows
  std::condition_variable left_;
  std::deque<std::shared_ptr<Exchange>> inbox_;
  std::vector<const Options*> leaving_;
  uint64_t rounds_ = 0;
  bool stop_ = false;
  std::vector<std::shared_ptr<Exchange>> running_;  // the thread's
};

}  // namespace pintle::http
