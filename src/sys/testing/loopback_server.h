// LoopbackServer: a TCP server on a free loopback port for tests of clients. One thread takes one
// connection after another and gives each to `serve`; nothing outlives the object.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace pintle::sys {

// A listening TCP socket on a free loopback port, for the caller to close.
struct LoopbackListener {
  int fd = -1, port = 0;
};
LoopbackListener listen_on_loopback(int backlog);

class LoopbackServer {
 public:
  enum class After : uint8_t { kClose, kHold };  // kHold: open until the server goes
  using Serve = std::function<After(int fd)>;

  explicit LoopbackServer(Serve serve);
  ~LoopbackServer();  // cuts the connection that is being served
  int port() const { return listener_.port; }
  int connections() const { return connections_; }

 private:
  void accept_all();

  const Serve serve_;
  const LoopbackListener listener_;
  std::atomic<int> connections_{0}, open_{-1};
  std::vector<int> held_;
  std::thread thread_;
};

// What comes until a blank line, a TLS handshake's first bytes, or the end.
std::string read_head(int fd);
void send_all(int fd, std::string_view text);  // as far as the peer takes it

}  // namespace pintle::sys
