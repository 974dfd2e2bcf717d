#include "sys/sync.h"

#include <fcntl.h>

#include "sys/descriptor.h"

namespace pintle::sys {

Status sync_path(const std::string& path) {
  const Fd fd(retry([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }));
  if (!fd.ok()) return path_error("open", path, errno);
  if (::fsync(fd.get()) < 0) return path_error("sync", path, errno);
  return ok();
}

}  // namespace pintle::sys
