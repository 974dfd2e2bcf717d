#include "base/path.h"

#include <gtest/gtest.h>

namespace pintle::path {
namespace {

TEST(Path, CleanResolvesDotsAndSlashes) {
  const std::pair<const char*, const char*> rows[] = {
      {"", "."},        {".", "."},      {"/", "/"},       {"a//b/", "a/b"},
      {"a/./b", "a/b"}, {"a/../b", "b"}, {"../a", "../a"}, {"a/../../b", "../b"},
      {"/../a", "/a"},  {"/a/..", "/"},  {"a/..", "."},    {"../../x/..", "../.."},
  };
  for (const auto& [in, want] : rows) EXPECT_EQ(clean(in), want) << in;
}

TEST(Path, PartsAreGos) {
  EXPECT_EQ(base("a/b/"), "b");
  EXPECT_EQ(base("//"), "/");
  EXPECT_EQ(base(""), ".");
  EXPECT_EQ(dir("a/b"), "a");
  EXPECT_EQ(dir("a"), ".");
  EXPECT_EQ(dir("/a"), "/");
  EXPECT_EQ(ext("a.b/c"), "");
  EXPECT_EQ(ext("a/c.tar.gz"), ".gz");
  EXPECT_EQ(ext(".helmignore"), ".helmignore");
  EXPECT_EQ(join({"", ""}), "");
  EXPECT_EQ(join({"a", "", "../b"}), "b");
  EXPECT_EQ(absolute("x/../y", "/w"), "/w/y");
  EXPECT_EQ(absolute("/x/", "/w"), "/x");
}

TEST(Path, MatchIsFilepathMatch) {
  struct Row {
    const char *pattern, *name;
    int want;  // 1 yes, 0 no, -1 bad pattern
  };
  const Row rows[] = {
      {"abc", "abc", 1},
      {"*", "abc", 1},
      {"*c", "abc", 1},
      {"a*", "ab/c", 0},
      {"a*/b", "abc/b", 1},
      {"a*/b", "a/c/b", 0},
      {"a*b*c*d*e*/f", "axbxcxdxe/f", 1},
      {"a*b?c*x", "abxbbxdbxebxczzx", 1},
      {"a*b?c*x", "abxbbxdbxebxczzy", 0},
      {"ab[c]", "abc", 1},
      {"ab[b-d]", "abc", 1},
      {"ab[e-g]", "abc", 0},
      {"ab[^c]", "abc", 0},
      {"ab[^e-g]", "abc", 1},
      {"a\\*b", "a*b", 1},
      {"a\\*b", "ab", 0},
      {"a?b", "a☺b", 1},
      {"a[^a]b", "a☺b", 1},
      {"a???b", "a☺b", 0},
      {"[a-ζ]*", "α", 1},
      {"*[a-ζ]", "A", 0},
      {"a?b", "a/b", 0},
      {"[\\]a]", "]", 1},
      {"[\\-x]", "-", 1},
      {"[x\\-]", "z", 0},
      {"[]a]", "]", -1},
      {"[-]", "-", -1},
      {"[x-]", "x", -1},
      {"\\", "a", -1},
      {"[a-b-c]", "a", -1},
      {"[", "a", -1},
      {"[^bc", "a", -1},
      {"a[", "a", -1},
      {"a[", "ab", -1},
      {"*x", "xxx", 1},
      {"", "", 1},
      {"", "a", 0},
      {"z*[", "abc", 0},
  };
  for (const Row& row : rows) {
    const auto got = match(row.pattern, row.name);
    EXPECT_EQ(got ? static_cast<int>(*got) : -1, row.want) << row.pattern << " on " << row.name;
  }
}

}  // namespace
}  // namespace pintle::path
