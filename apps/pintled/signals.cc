#include "signals.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <thread>
#include <utility>

#include "sys/clock.h"

namespace pintle::pintled {

sigset_t block_signals(std::initializer_list<int> which) {
  sigset_t out;
  sigemptyset(&out);
  for (const int s : which) sigaddset(&out, s);
  pthread_sigmask(SIG_BLOCK, &out, nullptr);
  signal(SIGPIPE, SIG_IGN);
  return out;
}

int next_signal(const sigset_t& blocked) {
  int out = 0;
  return sigwait(&blocked, &out) == 0 ? out : 0;
}

void end_within(int64_t ms, std::function<void()> last) {
  const int64_t until = sys::real_clock().monotonic_ns() + ms * 1'000'000;
  std::thread([until, last = std::move(last)] {
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    for (;;) {
      const int64_t left = std::max<int64_t>(until - sys::real_clock().monotonic_ns(), 0);
      const timespec wait{left / 1'000'000'000, left % 1'000'000'000};
      if (sigtimedwait(&ends, nullptr, &wait) >= 0 || errno != EINTR) break;
    }
    last();
    ::_exit(1);
  }).detach();
}

}  // namespace pintle::pintled
