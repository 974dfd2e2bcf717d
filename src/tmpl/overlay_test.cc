// include, tpl texts and the limits that end endless ones.
#include <gtest/gtest.h>

#include "tmpl/testing/functions.h"
#include "tmpl/testing/run.h"

namespace pintle::tmpl {
namespace {

using value::Value;

TEST(Include, GivesTheTextOfATemplate) {
  EXPECT_EQ(run("{{ define \"x\" }}a: {{ .s }}\nb: 1{{ end }}m:{{ include \"x\" . | nindent 2 }}",
                sample()),
            "m:\n  a: str\n  b: 1");
}

TEST(Include, NestsItsErrors) {
  Set set(testing_functions());
  ASSERT_TRUE(set.parse("h", "{{ define \"x\" }}\n {{ .s.y }}{{ end }}"));
  ASSERT_TRUE(set.parse("t", "{{ include \"x\" . }}"));
  Vm vm(set, {});
  std::string out;
  auto status = vm.execute("t", sample(), out);
  ASSERT_FALSE(status);
  const Error& e = status.error();
  EXPECT_EQ(
      e.text(),
      "template: t:1:3: executing \"t\" at <include \"x\" .>: error calling include: template: "
      "h:2:6: executing \"x\" at <.s.y>: can't evaluate field y in type interface {}");
  ASSERT_NE(e.cause(), nullptr);
  EXPECT_EQ(e.cause()->text().rfind("template: h:2:6:", 0), 0u);
  EXPECT_EQ(e.find<Location>()->name, "t");
  EXPECT_EQ(static_cast<const Location*>(e.cause()->detail())->line, 2);
}

TEST(Include, OfNothingNamesTheSet) {
  EXPECT_EQ(run("{{ include \"x\" . }}"),
            "ERR template: t:1:3: executing \"t\" at <include \"x\" .>: error calling include: "
            "template: no template \"x\" associated with template \"gotpl\"");
  EXPECT_EQ(run("{{ template \"x\" . }}"),
            "ERR template: t:1:12: executing \"t\" at <{{template \"x\" .}}>: template \"x\" not "
            "defined");
}

struct Case {
  const char* claim;
  const char* text;
  const char* want;
};

class Tpl : public testing::TestWithParam<Case> {};

// s: a chart template that calls "x", itself defined as "set".
TEST_P(Tpl, SeesWhatGosClonedSetSees) {
  std::string text = R"({{ define "x" }}set{{ end }}{{ define "s" }}<{{ template "x" }}>{{ end }})";
  EXPECT_EQ(run(text + GetParam().text, sample()), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Overlays, Tpl,
    testing::Values(
        Case{"plain_text", "{{ tpl \"a }} b\" . }}", "a }} b"},
        Case{"data", "{{ tpl \"{{ .s }}\" . }}", "str"},
        Case{"templates_of_the_set", "{{ tpl `{{ include \"s\" . }}` . }}", "<set>"},
        Case{"its_defines_shadow_the_sets",
             "{{ tpl `{{ define \"x\" }}own{{ end }}{{ template \"x\" }}` . }}", "own"},
        Case{"even_for_the_sets_own_templates",
             "{{ tpl `{{ define \"x\" }}own{{ end }}{{ include \"s\" . }}` . }}", "<own>"},
        Case{"and_are_gone_afterwards",
             "{{ $_ := tpl `{{ define \"x\" }}own{{ end }}` . }}{{ template \"s\" }}", "<set>"},
        Case{"empty_defines_shadow_nothing",
             "{{ tpl `{{ define \"x\" }} {{ end }}{{ template \"s\" }}` . }}", "<set>"},
        Case{
            "inner_texts_see_outer_defines",
            "{{ tpl `{{ define \"x\" }}own{{ end }}{{ tpl \"{{ include \\\"s\\\" . }}\" . }}` . }}",
            "<own>"},
        Case{"the_innermost_define_wins",
             "{{ tpl `{{ define \"x\" }}1{{ end }}{{ tpl \"{{ define \\\"x\\\" }}2{{ end }}{{ "
             "template \\\"s\\\" }}\" . }}{{ template \"s\" }}` . }}",
             "<2><1>"},
        Case{"errors_name_gotpl", "{{ tpl \"{{ .s.y }}\" . }}",
             "ERR template: t:1:76: executing \"t\" at <tpl \"{{ .s.y }}\" .>: error calling tpl: "
             "error during tpl function "
             "execution for \"{{ .s.y }}\": template: gotpl:1:5: executing \"gotpl\" at <.s.y>: "
             "can't evaluate field y in "
             "type interface {}"}),
    [](const auto& info) { return info.param.claim; });

TEST(RunText, TellsParseErrorsFromOthers) {
  Set set(testing_functions());
  Vm vm(set, {});
  std::string out;
  auto status = vm.run_text("{{ nope }}", {}, out);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().text(), "template: gotpl:1: function \"nope\" not defined");
  EXPECT_EQ(status.error().find<Location>()->stage, Location::Stage::kParse);
}

// ---- limits ----

bool reached_limit(std::string_view text, Options options = {}) {
  Set set(testing_functions());
  EXPECT_TRUE(set.parse("t", text));
  Vm vm(set, options);
  std::string out;
  auto status = vm.execute("t", sample(), out);
  if (status) return false;
  EXPECT_LT(status.error().text().size(), 1000u);
  return status.error().find<LimitReached>() != nullptr;
}

TEST(Limits, TemplatesNestAsDeepAsInGo) {
  EXPECT_EQ(run("{{ define \"x\" }}{{ template \"x\" . }}{{ end }}{{ template \"x\" . }}"),
            "ERR template: t:1:28: executing \"x\" at <{{template \"x\" .}}>: exceeded maximum "
            "template depth (100000)");
}

TEST(Limits, EndlessIncludesEndInOneLine) {
  EXPECT_TRUE(
      reached_limit("{{ define \"x\" }}{{ include \"x\" . }}{{ end }}{{ include \"x\" . }}"));
  EXPECT_TRUE(
      reached_limit("{{ define \"x\" }}{{ include \"y\" . }}{{ end }}"
                    "{{ define \"y\" }}{{ template \"x\" . }}{{ end }}{{ include \"x\" . }}"));
}

TEST(Limits, EndlessTextsEndInOneLine) {
  EXPECT_TRUE(reached_limit(
      "{{ define \"x\" }}{{ tpl `{{ include \"x\" . }}` . }}{{ end }}{{ include \"x\" . }}"));
  EXPECT_TRUE(reached_limit("{{ tpl `{{ include \"gotpl\" . }}` . }}"));
}

TEST(Limits, OutputIsBounded) {
  EXPECT_TRUE(reached_limit("{{ range 1000000 }}0123456789{{ end }}", {.max_output = 1 << 20}));
  EXPECT_TRUE(
      reached_limit("{{ define \"x\" }}{{ range 1000 }}0123456789{{ end }}{{ end }}"
                    "{{ range 1000000 }}{{ $_ := include \"x\" . }}{{ end }}",
                    {.max_output = 1 << 16}));
}

TEST(Limits, StepsAreBounded) {
  EXPECT_TRUE(reached_limit("{{ range 9000000000000000000 }}{{ end }}", {.max_steps = 1000}));
}

TEST(Limits, StepsAreOfAllExecutionsTogether) {
  Set set(testing_functions());
  ASSERT_TRUE(set.parse("t", "{{ range 600 }}{{ end }}"));
  Vm vm(set, {.max_steps = 1000});
  std::string out;
  EXPECT_TRUE(vm.execute("t", sample(), out));
  EXPECT_FALSE(vm.execute("t", sample(), out));
}

TEST(Limits, MemoryIsAskedFor) {
  constexpr const char* kLoop = "{{ range 1000000 }}{{ end }}";
  const auto much = []() -> size_t { return 1001; };
  EXPECT_TRUE(reached_limit(kLoop, {.memory = much, .max_memory = 1000}));
  EXPECT_FALSE(reached_limit(kLoop, {.memory = much, .max_memory = 1001}));
}

TEST(Limits, WhatIsBroughtInMovesTheLimitOfMemory) {
  static size_t held;
  held = 900;
  Set set(testing_functions());
  ASSERT_TRUE(set.parse("t", "{{ range 200000 }}{{ end }}"));
  Vm vm(set, {.memory = [] { return held; }, .max_memory = 1000});
  vm.bring_in([] { held = 5000; });
  std::string out;
  EXPECT_TRUE(vm.execute("t", sample(), out));
  held = 5101;
  EXPECT_FALSE(vm.execute("t", sample(), out));
}

TEST(Limits, LongErrorChainsKeepTheirTextAndEnds) {
  // 600 includes nested in each other, the innermost of which fails; each adds some 500 bytes.
  Set set(testing_functions());
  std::string name(200, 'x');
  std::string self = "{{ include \"" + name + "\" (slice . 1) }}";
  std::string text = "{{ define \"" + name + "\" }}{{ if . }}" + self +
                     "{{ else }}{{ fail \"deep\" }}{{ end }}{{ end }}" + self;
  ASSERT_TRUE(set.parse("t", text));
  Vm vm(set, {});
  std::string out;
  auto status = vm.execute("t", value::str(std::string(601, 'x')), out);
  ASSERT_FALSE(status);
  const Error* innermost = &status.error();
  size_t links = 0;
  while (innermost->cause() != nullptr) {
    innermost = innermost->cause();
    ++links;
  }
  EXPECT_EQ(innermost->text(), "deep");
  EXPECT_LT(links, 500u);
  EXPECT_GT(status.error().text().size(), 200000u);
  EXPECT_TRUE(status.error().text().ends_with("error calling fail: deep"));
}

TEST(Vm, GoesOnAfterAnError) {
  Set set(testing_functions());
  ASSERT_TRUE(set.parse(
      "bad", "{{ range .l }}{{ with . }}{{ $x := . }}{{ fail \"no\" }}{{ end }}{{ end }}"));
  ASSERT_TRUE(set.parse("good", "{{ range .l }}{{ . }}{{ end }}"));
  Vm vm(set, {});
  std::string out;
  EXPECT_FALSE(vm.execute("bad", sample(), out));
  out.clear();
  ASSERT_TRUE(vm.execute("good", sample(), out));
  EXPECT_EQ(out, "1two<no value>");
}

}  // namespace
}  // namespace pintle::tmpl
