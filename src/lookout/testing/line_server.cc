#include "lookout/testing/line_server.h"

#include <sys/socket.h>

#include <algorithm>

namespace pintle::lookout {

LineServer::LineServer(std::string greeting, Script script)
    : greeting_(std::move(greeting)), script_(std::move(script)), server_([this](int fd) {
        talk(fd);
        return sys::LoopbackServer::After::kClose;
      }) {}

std::vector<std::string> LineServer::lines() const {
  Lock held(mutex_);
  return lines_;
}

bool LineServer::heard(const std::string& start) const {
  const auto all = lines();
  return std::any_of(all.begin(), all.end(),
                     [&](const std::string& l) { return l.starts_with(start); });
}

void LineServer::talk(int fd) {
  sys::send_all(fd, greeting_);
  std::string buffer;
  char piece[4096];
  for (ssize_t n; (n = ::recv(fd, piece, sizeof piece, 0)) > 0;) {
    buffer.append(piece, static_cast<size_t>(n));
    for (size_t end; (end = buffer.find("\r\n")) != buffer.npos; buffer.erase(0, end + 2)) {
      const std::string line = buffer.substr(0, end);
      {
        Lock held(mutex_);
        lines_.push_back(line);
      }
      const std::string reply = script_(line);
      if (reply == kClose) return;
      sys::send_all(fd, reply);
    }
  }
}

}  // namespace pintle::lookout
