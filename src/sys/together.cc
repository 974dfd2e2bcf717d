#include "sys/together.h"

#include <atomic>
#include <system_error>
#include <thread>

namespace pintle::sys {

void together(size_t n, const std::function<void(size_t)>& work) {
  std::atomic<size_t> next{0};
  const auto run = [&] {
    for (size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < n;) work(i);
  };
  std::thread other;
  if (n > 1 && std::thread::hardware_concurrency() > 1) {
    try {
      other = std::thread(run);
    } catch (const std::system_error&) {  // no thread to be had: this one does it all
    }
  }
  run();
  if (other.joinable()) other.join();
}

}  // namespace pintle::sys
