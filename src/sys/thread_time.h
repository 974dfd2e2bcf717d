// What work costs, whatever else the machine does.
#pragma once

#include <cstdint>

namespace pintle::sys {

// Processor time this thread has taken, in nanoseconds. Waiting, and what others run, is not in it.
int64_t thread_time_ns();

}  // namespace pintle::sys
