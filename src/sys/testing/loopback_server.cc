#include "sys/testing/loopback_server.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"

namespace pintle::sys {

LoopbackListener listen_on_loopback(int backlog) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK(::bind(fd, reinterpret_cast<sockaddr*>(&a), sizeof a) == 0);
  socklen_t size = sizeof a;
  CHECK(::getsockname(fd, reinterpret_cast<sockaddr*>(&a), &size) == 0);
  CHECK(::listen(fd, backlog) == 0);
  return {fd, ntohs(a.sin_port)};
}

LoopbackServer::LoopbackServer(Serve serve) : serve_(std::move(serve)), listener_(listen_on_loopback(64)) {
  thread_ = std::thread([this] { accept_all(); });
}

LoopbackServer::~LoopbackServer() {
  ::shutdown(listener_.fd, SHUT_RDWR);
  if (const int fd = open_; fd >= 0) ::shutdown(fd, SHUT_RDWR);
  thread_.join();
  ::close(listener_.fd);
  for (const int fd : held_) ::close(fd);
}

void LoopbackServer::accept_all() {
  for (int fd; (fd = ::accept4(listener_.fd, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
    ++connections_;
    open_ = fd;
    const After after = serve_(fd);
    open_ = -1;
    if (after == After::kHold) {
      held_.push_back(fd);
    } else {
      ::close(fd);
    }
  }
}

std::string read_head(int fd) {
  std::string text;
  char piece[4096];
  while (text.find("\r\n\r\n") == std::string::npos && !text.starts_with("\x16")) {
    const ssize_t n = ::recv(fd, piece, sizeof piece, 0);
    if (n <= 0) break;
    text.append(piece, static_cast<size_t>(n));
  }
  return text;
}

void send_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::send(fd, text.data(), text.size(), MSG_NOSIGNAL);
    if (n <= 0) return;
    text.remove_prefix(static_cast<size_t>(n));
  }
}

}  // namespace pintle::sys
