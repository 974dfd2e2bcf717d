#include "sys/create_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "sys/descriptor.h"

namespace pintle::sys {

Result<bool> create_file(const std::string& path, std::string_view data, uint32_t mode) {
  std::string beside = path + ".XXXXXX";
  const Fd fd(::mkostemp(beside.data(), O_CLOEXEC));
  if (!fd.ok()) return path_error("open", path, errno);
  int failed = ::fchmod(fd.get(), mode) < 0 ? errno : write_all(fd.get(), data);
  if (!failed && ::fsync(fd.get()) < 0) failed = errno;
  if (!failed && ::link(beside.c_str(), path.c_str()) < 0) failed = errno;
  ::unlink(beside.c_str());
  if (failed == EEXIST) return false;
  if (failed) return path_error("write", path, failed);
  return true;
}

}  // namespace pintle::sys
