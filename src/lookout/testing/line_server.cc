#include "lookout/testing/line_server.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

#include "base/check.h"

namespace pintle::lookout {

LineServer::LineServer(std::string greeting, Script script)
    : greeting_(std::move(greeting)), script_(std::move(script)) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK(::bind(listener_, reinterpret_cast<sockaddr*>(&a), sizeof a) == 0);
  socklen_t size = sizeof a;
  ::getsockname(listener_, reinterpret_cast<sockaddr*>(&a), &size);
  port_ = ntohs(a.sin_port);
  ::listen(listener_, 16);
  thread_ = std::thread([this] { serve(); });
}

LineServer::~LineServer() {
  ::shutdown(listener_, SHUT_RDWR);
  if (const int fd = open_; fd >= 0) ::shutdown(fd, SHUT_RDWR);
  thread_.join();
  ::close(listener_);
}

std::vector<std::string> LineServer::lines() const {
  std::lock_guard held(mutex_);
  return lines_;
}

bool LineServer::heard(const std::string& start) const {
  const auto all = lines();
  return std::any_of(all.begin(), all.end(),
                     [&](const std::string& l) { return l.starts_with(start); });
}

void LineServer::serve() {
  for (int fd; (fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
    open_ = fd;
    talk(fd);
    open_ = -1;
    ::close(fd);
  }
}

void LineServer::talk(int fd) {
  const auto say = [&](const std::string& text) {
    (void)!::send(fd, text.data(), text.size(), MSG_NOSIGNAL);
  };
  say(greeting_);
  std::string buffer;
  char piece[4096];
  for (ssize_t n; (n = ::recv(fd, piece, sizeof piece, 0)) > 0;) {
    buffer.append(piece, static_cast<size_t>(n));
    for (size_t end; (end = buffer.find("\r\n")) != buffer.npos; buffer.erase(0, end + 2)) {
      const std::string line = buffer.substr(0, end);
      {
        std::lock_guard held(mutex_);
        lines_.push_back(line);
      }
      const std::string reply = script_(line);
      if (reply == kClose) return;
      say(reply);
    }
  }
}

}  // namespace pintle::lookout
