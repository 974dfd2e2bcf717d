// Work on a second processor, for what takes a millisecond and more: starting a thread costs some
// tens of microseconds. Thread-safe.
#pragma once

#include <cstddef>
#include <functional>
#include <thread>

namespace pintle::sys {

// A thread that does `work` on another processor than this one; not joinable where there is none to
// be had, and then nothing is done. The scheduler, left alone, may begin a thread on its parent's
// processor, and let them take turns for 4 to 12 ms before it looks again; it stays free to move it.
std::thread beside(std::function<void()> work);

// work(0) ... work(n - 1), each once, two at a time, begun in order; returns when all are done.
void together(size_t n, const std::function<void(size_t)>& work);

}  // namespace pintle::sys
