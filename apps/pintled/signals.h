// Signals as the servers take them: by waiting, never in a handler.
#pragma once

#include <signal.h>

#include <cstdint>
#include <functional>
#include <initializer_list>

namespace pintle::pintled {

// Before any thread starts: all inherit it, and only next_signal sees these. From then on writing to
// a peer that is gone is an error like any other.
sigset_t block_signals(std::initializer_list<int> which);
int next_signal(const sigset_t& blocked);  // blocks; 0: none can come
// For a stop: at another SIGINT or SIGTERM, or when it has not ended after `ms`, `last` is called and
// the process ends with code 1, whatever hangs.
void end_within(int64_t ms, std::function<void()> last);

}  // namespace pintle::pintled
