#include "base/strings.h"

#include <gtest/gtest.h>

namespace pintle {
namespace {

TEST(Cat, JoinsTextCharactersAndIntegers) {
  std::string s = "name";
  EXPECT_EQ(cat("a ", s, ':', 3, ":", int64_t{-5}, std::string_view("x")), "a name:3:-5x");
  EXPECT_EQ(cat(UINT64_MAX), "18446744073709551615");
  EXPECT_EQ(cat(), "");
}

TEST(Split, KeepsEmptyParts) {
  EXPECT_EQ(split("a,,b,", ","), (std::vector<std::string_view>{"a", "", "b", ""}));
  EXPECT_EQ(split("", ","), std::vector<std::string_view>{""});
  EXPECT_EQ(split("a--b", "--"), (std::vector<std::string_view>{"a", "b"}));
}

TEST(Join, UndoesSplit) {
  auto parts = split("a,b,,c", ",");
  EXPECT_EQ(join(std::span<const std::string_view>(parts), ","), "a,b,,c");
  EXPECT_EQ(join(std::span<const std::string>(), ","), "");
}

TEST(ReplaceAll, DoesNotLookAtWhatItPutIn) {
  EXPECT_EQ(replace_all("aaa", "a", "aa"), "aaaaaa");
  EXPECT_EQ(replace_all("abc", "x", "y"), "abc");
  EXPECT_EQ(replace_all("aab", "ab", ""), "a");
}

TEST(Affixes, AreTakenOffOnce) {
  EXPECT_EQ(without_prefix("aab", "a"), "ab");
  EXPECT_EQ(without_suffix("abb", "b"), "ab");
  EXPECT_EQ(without_suffix("ab", "x"), "ab");
}

}  // namespace
}  // namespace pintle
