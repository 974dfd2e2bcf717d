#include "render/glob.h"

#include <string>

#include <gtest/gtest.h>

namespace pintle::render {
namespace {

TEST(Glob, MatchesAsGobwas) {
  struct Row {
    const char* pattern;
    const char* name;
    bool want;
  } rows[] = {
      {"*", "a.txt", true},        {"*", "d/a.txt", false},     {"**", "d/a.txt", true},
      {"d/*", "d/a", true},        {"d/*", "d/e/a", false},     {"d/**.y", "d/e/a.y", true},
      {"?.y", "a.y", true},        {"?.y", "/.y", false},       {"[a-c]1", "b1", true},
      {"[!a-c]1", "b1", false},    {"[ab]", "b", true},         {"[!ab]", "c", true},
      {"{a,b*}.y", "bcd.y", true}, {"{a,{b,c}}", "c", true},    {"{a,b", "b", true},
      {"a}", "a}", true},          {"a,b", "a,b", true},        {"\\*", "*", true},
      {"", "", true},              {"", "a", false},            {"***", "a/b", true},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(std::string(row.pattern) + " ~ " + row.name);
    auto glob = Glob::compile(row.pattern);
    ASSERT_TRUE(glob);
    EXPECT_EQ(glob->match(row.name), row.want);
  }
}

TEST(Glob, RefusesBadRanges) {
  for (const char* bad : {"[", "[]", "[a", "[c-a]", "[a-", "[a-b", "[!]"}) {
    EXPECT_FALSE(Glob::compile(bad)) << bad;
  }
}

TEST(Glob, ManyStarsStayCheap) {
  std::string pattern, name(5000, 'a');
  for (int i = 0; i < 500; ++i) pattern += "*a";
  auto glob = Glob::compile(pattern + "b");
  ASSERT_TRUE(glob);
  EXPECT_FALSE(glob->match(name));
}

}  // namespace
}  // namespace pintle::render
