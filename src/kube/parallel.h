// Runs independent steps on a few threads. The steps must not share value trees.
#pragma once

#include <cstddef>
#include <functional>

namespace pintle::kube {

// step(0..n-1), each once, at most `width` at a time; returns when all are done.
void parallel(size_t n, size_t width, const std::function<void(size_t)>& step);

}  // namespace pintle::kube
