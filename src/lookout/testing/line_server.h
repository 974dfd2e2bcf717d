// LineServer: a TCP server on a loopback port that answers lines by a script; for the protocols of
// lines (SMTP, NATS). One connection after another; never blocks a test for longer than it lives.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "sys/testing/loopback_server.h"

namespace pintle::lookout {

class LineServer {
 public:
  // What to send for a line (without its end); "" for nothing, kClose to close the connection.
  using Script = std::function<std::string(const std::string& line)>;
  static constexpr const char* kClose = "\x04";

  LineServer(std::string greeting, Script script);
  int port() const { return server_.port(); }
  std::vector<std::string> lines() const;
  bool heard(const std::string& start) const;  // a line that starts so

 private:
  void talk(int fd);

  const std::string greeting_;
  const Script script_;
  mutable Mutex mutex_;
  std::vector<std::string> lines_ GUARDED_BY(mutex_);
  sys::LoopbackServer server_;  // last: it calls what stands above
};

}  // namespace pintle::lookout
