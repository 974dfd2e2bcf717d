#include <gtest/gtest.h>

#include "tmpl/testing/functions.h"
#include "tmpl/testing/run.h"

namespace pintle::tmpl {
namespace {

struct Case {
  const char* claim;
  const char* text;
  const char* want;  // behind "template: t:"
};

class ParseError : public testing::TestWithParam<Case> {};

TEST_P(ParseError, ReadsAsGos) {
  EXPECT_EQ(run(GetParam().text), std::string("ERR template: t:") + GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Parser, ParseError,
    testing::Values(
        Case{"unknown_function", "{{ nope }}", "1: function \"nope\" not defined"},
        Case{"unknown_variable", "\n{{ $x }}", "2: undefined variable \"$x\""},
        Case{"missing_value", "{{ if }}x{{ end }}", "1: missing value for if"},
        Case{"empty_action", "{{}}", "1: missing value for command"},
        Case{"missing_end", "{{ if 1 }}x\n", "2: unexpected EOF"},
        Case{"stray_end", "{{ end }}", "1: unexpected {{end}}"},
        Case{"stray_else", "{{ else }}", "1: unexpected {{else}}"},
        Case{"two_elses", "{{ if 1 }}{{ else }}{{ else }}{{ end }}",
             "1: expected end; found {{else}}"},
        Case{"else_if_in_range", "{{ range . }}{{ else if 1 }}{{ end }}",
             "1: unexpected <if> in input"},
        Case{"nested_define", "{{ if 1 }}{{ define \"x\" }}{{ end }}{{ end }}",
             "1: unexpected <define> in command"},
        Case{"defined_twice", "{{ define \"x\" }}a{{ end }}{{ define \"x\" }}b{{ end }}",
             "1: template: multiple definition of template \"x\""},
        Case{"define_needs_a_name", "{{ define x }}{{ end }}",
             "1: unexpected \"x\" in define clause"},
        Case{"template_needs_a_name", "{{ template .x }}",
             "1: unexpected \".x\" in template clause"},
        Case{"block_needs_a_pipeline", "{{ block \"x\" }}{{ end }}",
             "1: missing value for block clause"},
        Case{"break_outside_range", "{{ break }}", "1: {{break}} outside {{range}}"},
        Case{"break_in_a_block_inside_range",
             "{{ range . }}{{ block \"x\" . }}{{ break }}{{ end }}{{ end }}",
             "1: {{break}} outside {{range}}"},
        Case{"literal_stage", "{{ 1 | 2 }}", "1: non executable command in pipeline stage 2"},
        Case{"field_of_a_literal", "{{ 1 .a }}{{ \"x\".a }}",
             "1: unexpected . after term \"\\\"x\\\"\""},
        Case{"call_with_parens", "{{ upper(1) }}", "1: unexpected \"(\" in operand"},
        Case{"equals", "{{ $x = 1 = 2 }}", "1: unexpected \"=\" in operand"},
        Case{"too_many_declarations", "{{ $x, $y := 1 }}", "1: too many declarations in command"},
        Case{"three_range_variables", "{{ range $x, $y, $z := . }}{{ end }}",
             "1: too many declarations in range"},
        Case{"range_comma", "{{ range $x, 1 }}{{ end }}", "1: range can only initialize variables"},
        Case{"integer_overflow", "{{ 18446744073709551616 }}",
             "1: integer overflow: \"18446744073709551616\""},
        Case{"bad_octal", "{{ 08 }}", "1: integer overflow: \"08\""},
        Case{"long_char", "{{ 'ab' }}", "1: malformed character constant: 'ab'"},
        Case{"bad_escape", "{{ \"\\z\" }}", "1: invalid syntax"},
        Case{"errors_tell_where_the_action_began", "{{ if\n  .a-b }}",
             "2: bad character U+002D '-' in action started at t:1"},
        Case{"unclosed_action_says_action_once", "{{ 1\n", "2: unclosed action started at t:1"}),
    [](const auto& info) { return info.param.claim; });

TEST(Parser, DeepNestingEndsInAnError) {
  std::string parens = "{{" + std::string(20000, '(') + "1" + std::string(20000, ')') + "}}";
  EXPECT_NE(run(parens).find("max expression depth exceeded"), std::string::npos);
  std::string blocks;
  for (int i = 0; i < 200000; ++i) blocks += "{{if 1}}";
  EXPECT_NE(run(blocks).find("max expression depth exceeded"), std::string::npos);
}

TEST(Set, LaterDefinitionsWinButEmptyOnesNever) {
  Set set(testing_functions());
  ASSERT_TRUE(set.parse("a", "{{ define \"x\" }}1{{ end }}{{ define \"y\" }}1{{ end }}"));
  ASSERT_TRUE(set.parse("b", "{{ define \"x\" }}2{{ end }}{{ define \"y\" }} {{/* */}} {{ end }}"));
  ASSERT_TRUE(set.parse("m", "{{ template \"x\" }}{{ template \"y\" }}"));
  Vm vm(set, {});
  std::string out;
  ASSERT_TRUE(vm.execute("m", {}, out));
  EXPECT_EQ(out, "21");
  EXPECT_TRUE(set.defined("x"));
  EXPECT_FALSE(set.defined("z"));
}

TEST(Set, ATextThatFailsDefinesNothing) {
  Set set(testing_functions());
  auto status = set.parse("a", "{{ define \"x\" }}1{{ end }}\n{{ nope }}");
  ASSERT_FALSE(status);
  auto* where = status.error().find<Location>();
  ASSERT_NE(where, nullptr);
  EXPECT_EQ(where->stage, Location::Stage::kParse);
  EXPECT_EQ(where->line, 2);
  EXPECT_FALSE(set.defined("x"));
}

}  // namespace
}  // namespace pintle::tmpl
