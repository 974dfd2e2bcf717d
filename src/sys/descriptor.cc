#include "sys/descriptor.h"

#include <cstring>

#include "base/strings.h"

namespace pintle::sys {
namespace {

// Go's syscall.Errno texts are the C library's, in lower case.
std::string errno_text(int code) {
  const char* text = strerrordesc_np(code);
  std::string out = text ? text : "errno " + std::to_string(code);
  out[0] = static_cast<char>(tolower(out[0]));
  return out;
}

Code errno_code(int code) {
  switch (code) {
    case ENOENT:
      return Code::kNotFound;
    case EACCES:
    case EPERM:
      return Code::kPermissionDenied;
    case EEXIST:
    case ENOTEMPTY:
      return Code::kAlreadyExists;
    case EFBIG:
    case ENOSPC:
    case EDQUOT:
      return Code::kResourceExhausted;
    default:
      return Code::kUnknown;
  }
}

}  // namespace

Error errno_error(std::string activity, int code) {
  activity.append(": ").append(errno_text(code));
  return {errno_code(code), std::move(activity)};
}

Error path_error(std::string_view op, std::string_view path, int code) {
  return errno_error(cat(op, ' ', path), code);
}

int write_all(int fd, std::string_view data) {
  while (!data.empty()) {
    const ssize_t n = retry([&] { return ::write(fd, data.data(), data.size()); });
    if (n < 0) return errno;
    data.remove_prefix(static_cast<size_t>(n));
  }
  return 0;
}

}  // namespace pintle::sys
