// The terminal: is there one, how wide, and reading a secret without echo.
#pragma once

#include <string>

#include "base/result.h"

namespace pintle::sys {

bool is_terminal(int fd);
int terminal_width(int fd);  // columns; 80 when unknown
// One line without its end, echo off while it is typed. Error: Go's errno text when fd is no
// terminal ("inappropriate ioctl for device"), "EOF".
Result<std::string> read_secret(int fd);

}  // namespace pintle::sys
