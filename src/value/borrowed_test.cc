#include <gtest/gtest.h>

#include "value/value.h"

namespace pintle::value {
namespace {

TEST(BorrowedStr, PointsAtItsOwnersBytes) {
  const std::string owner = "more than fourteen bytes";
  Str s = Str::borrow(owner);
  EXPECT_EQ(s.view().data(), owner.data());
  EXPECT_EQ(s.size(), owner.size());
  Str copy = s;
  Str moved = std::move(s);
  EXPECT_EQ(copy, moved);
  EXPECT_TRUE(s.empty());
}

TEST(BorrowedStr, ShortOnesLiveInside) {
  const std::string owner = "short";
  EXPECT_NE(Str::borrow(owner).view().data(), owner.data());
  EXPECT_EQ(Str::borrow(owner).view(), "short");
  EXPECT_TRUE(Str::borrow("").empty());
}

TEST(BorrowedStr, LivesInValues) {
  const std::string owner = "more than fourteen bytes";
  Value v = Value::bytes(Str::borrow(owner));
  Value copy = v;
  EXPECT_EQ(copy.as_string().data(), owner.data());
  EXPECT_TRUE(deep_equal(v, Value::bytes(Str(owner))));
}

}  // namespace
}  // namespace pintle::value
