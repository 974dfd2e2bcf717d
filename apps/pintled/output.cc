#include "output.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>

#include "base/strings.h"

namespace pintle::pintled {
namespace {

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    text.remove_prefix(static_cast<size_t>(n));
  }
}

}  // namespace

void say(std::string_view text) { write_all(STDOUT_FILENO, text); }
void warn(std::string_view text) { write_all(STDERR_FILENO, text); }

int fail(int code, std::string_view text) {
  warn(cat("Error: ", text, "\n"));
  return code;
}

void keep_memory_close() {
  ::mallopt(M_ARENA_MAX, 2);
  ::mallopt(M_MMAP_THRESHOLD, 128 << 10);
  ::mallopt(M_TRIM_THRESHOLD, 256 << 10);
}

void raise_descriptor_limit() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace pintle::pintled
