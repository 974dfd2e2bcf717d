#include "sys/create_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace pintle::sys {

Result<bool> create_file(const std::string& path, std::string_view data, uint32_t mode) {
  std::string beside = path + ".XXXXXX";
  const int fd = ::mkostemp(beside.data(), O_CLOEXEC);
  int failed = fd < 0 ? errno : 0;
  if (failed == 0 && ::fchmod(fd, mode) < 0) failed = errno;
  for (size_t done = 0; failed == 0 && done < data.size();) {
    const ssize_t n = ::write(fd, data.data() + done, data.size() - done);
    if (n < 0 && errno != EINTR) failed = errno;
    if (n > 0) done += static_cast<size_t>(n);
  }
  if (failed == 0 && ::fsync(fd) < 0) failed = errno;
  if (fd >= 0) ::close(fd);
  if (failed == 0 && ::link(beside.c_str(), path.c_str()) < 0) failed = errno;
  if (fd >= 0) ::unlink(beside.c_str());
  if (failed == 0) return true;
  if (failed == EEXIST) return false;
  return Error("open " + path + ": " + std::strerror(failed),
               failed == ENOENT ? Code::kNotFound : Code::kUnavailable);
}

}  // namespace pintle::sys
