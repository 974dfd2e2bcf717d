// SIGINT and SIGTERM as a flag and a file descriptor, for work that can be cancelled. Until
// watch_interrupts() is called the signals end the process as usual.
#pragma once

namespace pintle::sys {

void watch_interrupts();
bool interrupted();
// Becomes readable at the first interrupt; -1 before watch_interrupts().
int interrupt_fd();

}  // namespace pintle::sys
