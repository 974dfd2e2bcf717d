#include "sys/together.h"

#include <gtest/gtest.h>

#include <vector>

namespace pintle::sys {
namespace {

TEST(Together, EachPieceIsDoneOnce) {
  for (size_t n : {size_t{0}, size_t{1}, size_t{2}, size_t{1000}}) {
    std::vector<int> done(n);
    together(n, [&](size_t i) { ++done[i]; });
    EXPECT_EQ(done, std::vector<int>(n, 1));
  }
}

}  // namespace
}  // namespace pintle::sys
