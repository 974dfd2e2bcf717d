#include <gtest/gtest.h>

#include "funcs/testing/render_text.h"

namespace pintle::funcs {
namespace {

TEST(Regex, FindsAndSplits) {
  constexpr Row kRows[] = {
      {R"({{ regexMatch "^a.c$" "abc" }} {{ regexMatch "[" "abc" }} {{ regexFind "b+" "abbc" }})",
       "true false bb"},
      {R"({{ regexFindAll "a" "banana" -1 }} {{ regexFindAll "a" "banana" 2 }})", "[a a a] [a a]"},
      {R"({{ regexFindAll "x" "banana" -1 | toJson }} {{ regexFindAll "a" "a" 0 | toJson }})",
       "null null"},
      {R"({{ regexSplit "a" "banana" -1 | toJson }} {{ regexSplit "a" "banana" 2 | toJson }})",
       R"(["b","n","n",""] ["b","nana"])"},
      {R"({{ regexSplit "a" "" -1 | toJson }} {{ regexSplit "a" "b" 0 | toJson }})",
       R"([""] null)"},
      {R"({{ regexSplit "" "abc" -1 | toJson }})", R"(["a","b","c"])"},
      {"{{ regexFind `(?<y>\\d+)` `a12` }} {{ regexQuoteMeta `a.b*` }}", "12 a\\.b\\*"},
  };
  EXPECT_ROWS(kRows);
}

TEST(Regex, ReplacesByGosRules) {
  constexpr Row kRows[] = {
      {R"({{ regexReplaceAll "a(x*)b" "-ab-axxb-" "${1}W" }})", "-W-xxW-"},
      {R"({{ regexReplaceAll "a(x*)b" "-ab-axxb-" "$1W" }})", "---"},
      {"{{ regexReplaceAll `(?P<n>b)` `abc` `[$n$$]` }}", "a[b$]c"},
      {R"({{ regexReplaceAll "b" "abc" "$ ${ ${x $9" }})", "a$ ${ ${x c"},
      {R"({{ regexReplaceAllLiteral "b" "abc" "$0" }})", "a$0c"},
      {R"({{ regexReplaceAll "x*" "abc" "-" }} {{ regexReplaceAll "b*" "abbc" "-" }})",
       "-a-b-c- -a-c-"},
  };
  EXPECT_ROWS(kRows);
}

TEST(Regex, WordsErrorsAsGo) {
  constexpr struct {
    const char* pattern;  // as JSON text
    const char* error;
  } kBad[] = {
      {"[", "missing closing ]: `[`"},
      {"(a", "missing closing ): `(a`"},
      {"a)", "unexpected ): `a)`"},
      {"*a", "missing argument to repetition operator: `*`"},
      {"a**", "invalid nested repetition operator: `**`"},
      {"a{1001}", "invalid repeat count: `{1001}`"},
      {"a{9999999999}", "invalid repeat count: `{9999999999}`"},
      {"\\\\y", "invalid escape sequence: `\\y`"},
      {"\\\\C", "invalid escape sequence: `\\C`"},
      {"a\\\\", "trailing backslash at end of expression: ``"},
      {"(?=a)", "invalid or unsupported Perl syntax: `(?=`"},
      {"(?<=a)", "invalid named capture: `(?<=a)`"},
      {"(?<>a)", "invalid named capture: `(?<>`"},
      {"[b-a]", "invalid character class range: `b-a`"},
  };
  for (const auto& bad : kBad) {
    std::string data = std::string("{\"p\":\"") + bad.pattern + "\"}";
    EXPECT_EQ(render_text("{{ mustRegexFind .p `x` }}", data),
              std::string("error: error parsing regexp: ") + bad.error);
  }
  EXPECT_EQ(render_text("{{ regexFind `[` `x` }}"),
            "error: regexp: Compile(`[`): error parsing regexp: missing closing ]: `[`");
  EXPECT_EQ(render_text("{{ regexFind \"`[\" `x` }}"),
            "error: regexp: Compile(\"`[\"): error parsing regexp: missing closing ]: `[`");
}

TEST(Regex, TakesBadBytesForReplacementCharacters) {
  EXPECT_EQ(render_text(R"({{ regexReplaceAll "." "a\xff\xc3b" "-" }})"), "----");
  EXPECT_EQ(render_text(R"({{ regexFind `\x{fffd}+b` "a\xff\xc3b" | quote }})"), R"("\xff\xc3b")");
}

TEST(Regex, KeepsManyPatternsApart) {
  EXPECT_EQ(render_text("{{ range until 300 }}{{ if not (regexMatch (printf `^%d$` .) (toString "
                        ".)) }}x{{ end }}{{ end }}"),
            "");
}

TEST(Regex, LargeProgramsCompileOrFailInWords) {
  EXPECT_EQ(render_text(R"({{ regexMatch "^\\pL{300}$" (repeat 300 "a") }})"), "true");
  EXPECT_EQ(render_text(R"({{ regexFind "((a{100}){100}){100}" "b" }})"),
            "error: regexp: Compile(`((a{100}){100}){100}`): error parsing regexp: "
            "invalid repeat count: `{100}`");
}

}  // namespace
}  // namespace pintle::funcs
