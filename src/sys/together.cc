#include "sys/together.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <system_error>
#include <utility>

namespace pintle::sys {

std::thread beside(std::function<void()> work) {
  cpu_set_t ours;
  if (sched_getaffinity(0, sizeof ours, &ours) != 0 || CPU_COUNT(&ours) < 2) return {};
  std::thread thread;
  try {
    thread = std::thread(std::move(work));
  } catch (const std::system_error&) {  // no thread to be had
    return {};
  }
  cpu_set_t others = ours;
  CPU_CLR(static_cast<size_t>(std::max(sched_getcpu(), 0)), &others);
  // It leaves here by the first, unless it has left or ended already, and may go anywhere after.
  pthread_setaffinity_np(thread.native_handle(), sizeof others, &others);
  pthread_setaffinity_np(thread.native_handle(), sizeof ours, &ours);
  return thread;
}

void together(size_t n, const std::function<void(size_t)>& work) {
  std::atomic<size_t> next{0};
  const auto run = [&] {
    for (size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < n;) work(i);
  };
  std::thread other;
  if (n > 1) other = beside(run);
  run();
  if (other.joinable()) other.join();
}

}  // namespace pintle::sys
