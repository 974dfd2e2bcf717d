// What connections share: one Loop per thread, with its connections, and one Shared per server.
// Everything in a Loop belongs to its thread. Inside this room only.
#pragma once

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "httpd/httpd.h"

struct ssl_ctx_st;

namespace pintle::httpd {

class Connection;

inline constexpr int kTickMs = 100;  // timeouts are this coarse: one sweep, no timer per connection

struct Loop {
  boost::asio::io_context io{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{io.get_executor()};
  boost::asio::steady_timer timer{io};
  std::vector<std::shared_ptr<Connection>> connections;  // shared_ptr: its waits hold it too
  int64_t ticks = 1;

  // The tick from which `ms` have surely passed.
  int64_t after(int ms) const { return ticks + 1 + (ms + kTickMs - 1) / kTickMs; }
};

struct Shared {
  Options options;
  Handler handler;
  std::shared_ptr<ssl_ctx_st> tls;  // null: plain HTTP
  std::atomic<size_t> open = 0;     // connections
  std::atomic<bool> draining = false;
  Mutex lock;        // held when `open` falls, so that who waits for it misses nothing
  Condition closed;  // one less is open
};

}  // namespace pintle::httpd
