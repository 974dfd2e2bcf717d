#include "sys/signals.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace pintle::sys {
namespace {

std::atomic<bool> g_interrupted{false};
int g_pipe[2] = {-1, -1};

void on_signal(int) {
  const int saved = errno;
  g_interrupted.store(true);
  [[maybe_unused]] const ssize_t n = ::write(g_pipe[1], "", 1);
  errno = saved;
}

}  // namespace

void watch_interrupts() {
  if (g_pipe[0] >= 0) return;
  if (::pipe2(g_pipe, O_CLOEXEC | O_NONBLOCK) < 0) return;
  struct sigaction action{};
  action.sa_handler = on_signal;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() { return g_interrupted.load(); }
int interrupt_fd() { return g_pipe[0]; }

}  // namespace pintle::sys
