#include "regex/regex.h"

#include <gtest/gtest.h>

namespace pintle::regex {
namespace {

struct Row {
  const char* pattern;
  const char* error;  // "": Go compiles it
};

constexpr Row kRows[] = {
    {"a", ""},
    {"(?!a)", "error parsing regexp: invalid or unsupported Perl syntax: `(?!`"},
    {"[a", "error parsing regexp: missing closing ]: `[a`"},
    {"(a", "error parsing regexp: missing closing ): `(a`"},
    {"a)", "error parsing regexp: unexpected ): `a)`"},
    {"a**", "error parsing regexp: invalid nested repetition operator: `**`"},
    {"\\8", "error parsing regexp: invalid escape sequence: `\\8`"},
    {"x{1001}", "error parsing regexp: invalid repeat count: `{1001}`"},
    {"[z-a]", "error parsing regexp: invalid character class range: `z-a`"},
    {"(?P<1>a)", ""},
    {"\\", "error parsing regexp: trailing backslash at end of expression: ``"},
    {"*", "error parsing regexp: missing argument to repetition operator: `*`"},
    {"(?<n>a)", ""},
    {"\\C", "error parsing regexp: invalid escape sequence: `\\C`"},
    {"[[:foo:]]", "error parsing regexp: invalid character class range: `[:foo:]`"},
    {"\\pX", "error parsing regexp: invalid character class range: `\\pX`"},
    {"(?i", "error parsing regexp: invalid or unsupported Perl syntax: `(?i`"},
    {"\\p{Letter}", ""},
    {"(?<=a)b", "error parsing regexp: invalid named capture: `(?<=a)b`"},
    {"a{2}{3}", "error parsing regexp: invalid nested repetition operator: `{2}{3}`"},
    {"\\p{no_such}", "error parsing regexp: invalid character class range: `\\p{no_such}`"},
    {"a{999999999}", "error parsing regexp: invalid repeat count: `{999999999}`"},
    {"a\xff", "error parsing regexp: invalid UTF-8: `\xff`"},
    {"(?z)", "error parsing regexp: invalid or unsupported Perl syntax: `(?z`"},
};

TEST(Regex, RefusesWhatGoRefusesInItsWords) {
  for (const Row& row : kRows) {
    const auto regex = Regex::compile(row.pattern);
    EXPECT_EQ(regex ? "" : regex.error().text(), row.error) << row.pattern;
  }
}

bool matches(std::string_view pattern, std::string_view s) {
  const auto regex = Regex::compile(pattern);
  return regex && (*regex)->matches(s);
}

TEST(Regex, MatchesAsGoDoes) {
  EXPECT_TRUE(matches("b", "abc"));
  EXPECT_FALSE(matches("^b$", "abc"));
  EXPECT_FALSE(matches("a$", "a\n"));
  EXPECT_TRUE(matches("^(?<name>a)[(?<]$", "a<"));
  EXPECT_TRUE(matches("\\Q(?<\\E", "(?<"));
  EXPECT_TRUE(matches("^\\p{Lowercase_Letter}\\P{letter}$", "\u00e91"));
  EXPECT_TRUE(matches("^[[:alpha:](?<]+$", "a<("));
  EXPECT_TRUE(matches("^[]a]+$", "]a"));
  EXPECT_TRUE(matches("^\\p{old italic}[\\p{greek}]$", "\U00010300\u03b1"));
  EXPECT_TRUE(matches("^.$", "\xff"));  // an invalid byte is one U+FFFD
}

}  // namespace
}  // namespace pintle::regex
