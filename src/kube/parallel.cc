#include "kube/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace pintle::kube {

void parallel(size_t n, size_t width, const std::function<void(size_t)>& step) {
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i = next++; i < n; i = next++) step(i);
  };
  std::vector<std::thread> threads;
  for (size_t i = 1; i < std::min(n, width); ++i) threads.emplace_back(work);
  work();
  for (std::thread& t : threads) t.join();
}

}  // namespace pintle::kube
