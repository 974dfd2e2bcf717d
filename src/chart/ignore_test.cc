#include "chart/ignore.h"

#include <gtest/gtest.h>

namespace pintle::chart {
namespace {

TEST(Ignore, RulesMatchAsHelms) {
  struct Row {
    const char *rules, *path;
    bool directory, ignored;
  };
  const Row rows[] = {
      {"helm.txt", "helm.txt", false, true},
      {"helm.*", "rudder.txt", false, false},
      {"*.txt", "cargo/a.txt", false, true},
      {"cargo/*.txt", "cargo/a.txt", false, true},
      {"cargo/*.txt", "mast/a.txt", false, false},
      {"ru[c-e]?er.txt", "rudder.txt", false, true},
      {".*", ".", true, false},
      {".*", ".joonix", false, true},
      {"cargo/", "cargo", true, true},
      {"cargo/", "cargo", false, false},
      {"helm.txt/", "helm.txt", false, false},
      {"/a.txt", "a.txt", false, true},
      {"/a.txt", "cargo/a.txt", false, false},
      {"/cargo/a.txt", "cargo/a.txt", false, true},
      {"!helm.txt", "helm.txt", false, false},
      {"!helm.txt", "tiller.txt", false, true},
      {"!cargo/", "mast", false, true},
      {"# x\n\n  spaced  \n", "spaced", false, true},
      {"\xef\xbb\xbf"
       "bom",
       "bom", false, true},
      {"a\r\nb\r\n", "a", false, true},
      {"", "templates/.swp", false, true},
      {"", "templates/a.yaml", false, false},
      {"", "templates/sub/.swp", false, false},
  };
  for (const Row& row : rows) {
    const auto rules = IgnoreRules::parse(row.rules);
    ASSERT_TRUE(rules.has_value()) << row.rules;
    EXPECT_EQ(rules->ignores(row.path, row.directory), row.ignored) << row.rules << " " << row.path;
  }
}

TEST(Ignore, BadRulesAreErrors) {
  EXPECT_EQ(IgnoreRules::parse("a/**/b").error().text(),
            "double-star (**) syntax is not supported");
  EXPECT_EQ(IgnoreRules::parse("ok\n[z-").error().text(), "syntax error in pattern");
  EXPECT_EQ(IgnoreRules::parse(std::string(70000, 'x')).error().text(),
            "bufio.Scanner: token too long");
}

}  // namespace
}  // namespace pintle::chart
