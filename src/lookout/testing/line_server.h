// LineServer: a TCP server on a loopback port that answers lines by a script; for the protocols of
// lines (SMTP, NATS). One connection after another; never blocks a test for longer than it lives.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace pintle::lookout {

class LineServer {
 public:
  // What to send for a line (without its end); "" for nothing, kClose to close the connection.
  using Script = std::function<std::string(const std::string& line)>;
  static constexpr const char* kClose = "\x04";

  LineServer(std::string greeting, Script script);
  ~LineServer();
  int port() const { return port_; }
  std::vector<std::string> lines() const;
  bool heard(const std::string& start) const;  // a line that starts so

 private:
  void serve();
  void talk(int fd);

  const std::string greeting_;
  const Script script_;
  int listener_ = -1, port_ = 0;
  std::atomic<int> open_{-1};
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace pintle::lookout
