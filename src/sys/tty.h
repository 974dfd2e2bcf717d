// The terminal: is there one, and reading a secret without echo.
#pragma once

#include <string>

#include "base/result.h"

namespace pintle::sys {

bool is_terminal(int fd);
// One line without its end, echo off while it is typed. Error: Go's errno text when fd is no
// terminal ("inappropriate ioctl for device"), "EOF".
Result<std::string> read_secret(int fd);

}  // namespace pintle::sys
