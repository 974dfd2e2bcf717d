#include "sys/sync.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace pintle::sys {

Status sync_path(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  int failed = fd < 0 ? errno : 0;
  if (failed == 0 && ::fsync(fd) < 0) failed = errno;
  if (fd >= 0) ::close(fd);
  if (failed == 0) return ok();
  return Error("sync " + path + ": " + std::strerror(failed),
               failed == ENOENT ? Code::kNotFound : Code::kUnavailable);
}

}  // namespace pintle::sys
