// Engine: one thread that drives a curl multi handle; everything curl touches belongs to it. Other
// threads only put work into an inbox and wake it. Inside this room only; thread-safe.
//
// Sockets are watched by epoll and told to curl one by one (curl_multi_socket_action), and what is
// cancelled or resumed is told by name: a wake-up costs what has happened, not what is under way,
// so ten thousand quiet streams are free. Only requests with a Cancel are looked at again and again.
//
// Streams that are asked for at once do not begin at once: all their handshakes together would take
// longer than any server waits for one. A few dozen are unanswered at a time; servers that never
// answer slow the others' beginning down, but do not stop it.
//
// The pulse: an HTTP/2 connection with streams of which nothing was read for half a minute is sent a
// PING; one that stays silent for 15 s more is shut, which ends its streams with an error. libcurl
// does not tell of the answer: that something was read does.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "http/exchange.h"

namespace pintle::http {

class Engine {
 public:
  explicit Engine(size_t max_connections = 0) : max_connections_(max_connections) {}
  ~Engine();  // cancels what is under way
  // Opens the library and starts the thread, once. Error: the library cannot be opened.
  Status open();
  void add(std::shared_ptr<Exchange> x);  // after open
  void look_at(std::shared_ptr<Exchange> x);  // it was dropped or wants to go on
  // Cancels what is under way for a client, and waits until it is told; on this thread (called from
  // `done` or `data`) it is not told.
  void leave(const std::shared_ptr<const Options>& client);

 private:
  struct Orders;
  void wake();
  void loop();
  Orders take_orders();
  void follow(const Orders& orders);
  void begin(const std::shared_ptr<Exchange>& x);
  void begin_streams();
  void end(Exchange& x);  // takes it out of running_
  void call_off(const std::shared_ptr<Exchange>& x);
  void end_cancelled();
  void collect();         // what curl has finished
  bool find_sockets();
  void pulse();
  int64_t poll_ms() const;
  void watch(int socket, int what);
  static int on_socket(CURL*, curl_socket_t socket, int what, void* self, void*);
  static int on_timer(CURLM*, long ms, void* self);
  static int on_close_socket(void* self, curl_socket_t socket);

  const size_t max_connections_;
  // Set by open(), once, and then only read.
  const Curl* curl_ = nullptr;
  CURLM* multi_ = nullptr;
  int epoll_ = -1, bell_ = -1;
  std::thread thread_;
  std::atomic<bool> rung_{false};

  Mutex mutex_;
  Condition left_;
  std::deque<std::shared_ptr<Exchange>> inbox_ GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<Exchange>> marked_ GUARDED_BY(mutex_);
  std::vector<const Options*> leaving_ GUARDED_BY(mutex_);
  uint64_t leaves_asked_ GUARDED_BY(mutex_) = 0;
  uint64_t leaves_done_ GUARDED_BY(mutex_) = 0;
  bool stop_ GUARDED_BY(mutex_) = false;

  // The thread's.
  std::vector<std::shared_ptr<Exchange>> running_;  // each knows its place
  std::vector<Exchange*> cancellable_;
  std::deque<std::shared_ptr<Exchange>> queue_;  // streams that have not begun
  size_t unanswered_ = 0;                        // those that have, without an answer
  int64_t paced_ns_ = 0;  // when some were begun although many are unanswered
  int64_t timer_ns_ = -1;  // when curl wants to be called
  struct Peer {
    int64_t heard_ns = 0, asked_ns = 0;
    bool read = false;         // curl wants what comes
    bool multiplexed = false;  // known to be, and to have had streams
  };
  std::unordered_map<int, Peer> peers_;  // by socket
  int64_t pulse_ns_ = -1;                // when to look at them
};

}  // namespace pintle::http
