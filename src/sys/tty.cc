#include "sys/tty.h"

#include <termios.h>
#include <unistd.h>

namespace pintle::sys {

bool is_terminal(int fd) {
  termios t{};
  return ::tcgetattr(fd, &t) == 0;
}

Result<std::string> read_secret(int fd) {
  termios before{};
  if (::tcgetattr(fd, &before) < 0) return Error("inappropriate ioctl for device");
  termios quiet = before;
  quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
  quiet.c_lflag |= ICANON | ISIG;
  ::tcsetattr(fd, TCSANOW, &quiet);
  std::string line;
  char c = 0;
  ssize_t n = 0;
  while ((n = ::read(fd, &c, 1)) > 0 && c != '\n') line += c;
  ::tcsetattr(fd, TCSANOW, &before);
  if (n <= 0 && line.empty()) return Error("EOF");
  return line;
}

}  // namespace pintle::sys
