#include "signals.h"

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

}  // namespace pintle::pintled
