#include "base/printable.h"

#include <gtest/gtest.h>

namespace pintle {
namespace {

TEST(Printable, ShowsControlCharacters) { EXPECT_EQ(printable("a\x1b[b\n"), "a\\x1b[b\n"); }

TEST(Shortened, CutsLongTextsBetweenRunes) {
  EXPECT_EQ(shortened("abc", 3), "abc");
  EXPECT_EQ(shortened("abcd", 3), "abc... (4 bytes)");
  EXPECT_EQ(shortened("ab\xC3\xA9", 3), "ab... (4 bytes)");
  EXPECT_EQ(shortened("\x80\x80", 1), "... (2 bytes)");
}

}  // namespace
}  // namespace pintle
