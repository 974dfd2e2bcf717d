// together: independent pieces of work on this thread and, where there is a second processor, another.
// Starting the other costs some tens of microseconds: for work of a millisecond and more.
#pragma once

#include <cstddef>
#include <functional>

namespace pintle::sys {

// work(0) ... work(n - 1), each once, two at a time, begun in order; returns when all are done.
void together(size_t n, const std::function<void(size_t)>& work);

}  // namespace pintle::sys
