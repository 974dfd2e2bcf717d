// File descriptors and what calls on them say: Go's texts for errno. Inside this room only.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>

#include "base/result.h"

namespace pintle::sys {

Error errno_error(std::string activity, int code);  // "getwd: permission denied"
// fs.PathError's text: "open a/b: no such file or directory".
Error path_error(std::string_view op, std::string_view path, int code);

class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) {}
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  bool ok() const { return fd_ >= 0; }

 private:
  int fd_;
};

template <typename Call>
auto retry(Call call) {
  decltype(call()) result;
  do {
    result = call();
  } while (result < 0 && errno == EINTR);
  return result;
}

// 0, or the errno that stopped it.
int write_all(int fd, std::string_view data);

}  // namespace pintle::sys
