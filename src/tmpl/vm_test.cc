#include <gtest/gtest.h>

#include "base/strings.h"
#include "tmpl/testing/functions.h"
#include "tmpl/testing/run.h"

namespace pintle::tmpl {
namespace {

using value::Value;

struct Case {
  const char* claim;
  const char* text;
  const char* want;
};

class Execute : public testing::TestWithParam<Case> {};

TEST_P(Execute, GivesWhatGoGives) { EXPECT_EQ(run(GetParam().text, sample()), GetParam().want); }

INSTANTIATE_TEST_SUITE_P(
    Values, Execute,
    testing::Values(
        Case{"missing_keys_have_no_value", "{{ .x }}|{{ .x.y }}", "<no value>|<no value>"},
        Case{"null_keys_have_no_value", "{{ .m.n }}", "<no value>"},
        Case{"fields_of_null_in_a_chain_fail", "{{ .m.n.y }}",
             "ERR template: t:1:5: executing \"t\" at <.m.n.y>: nil pointer evaluating interface "
             "{}.y"},
        Case{"parens_forget_the_interface", "{{ (.m.n).y }}", "<no value>"},
        Case{"fields_of_a_string", "{{ .s.y }}",
             "ERR template: t:1:5: executing \"t\" at <.s.y>: can't evaluate field y in type "
             "interface {}"},
        Case{"parens_show_the_concrete_type", "{{ (.s).y }}",
             "ERR template: t:1:4: executing \"t\" at <.s>: can't evaluate field y in type string"},
        Case{
            "elements_of_typed_lists_are_concrete", "{{ range .q }}{{ .y }}{{ end }}",
            "ERR template: t:1:17: executing \"t\" at <.y>: can't evaluate field y in type string"},
        Case{"elements_of_lists_are_interfaces", "{{ range $x := .l }}{{ $x.y }}{{ end }}",
             "ERR template: t:1:25: executing \"t\" at <$x.y>: can't evaluate field y in type "
             "interface {}"},
        Case{"literals",
             "{{ 1 }} {{ 1.0 }} {{ 1e3 }} {{ 'a' }} {{ 0x10 }} {{ 1+2i }} {{ true }} {{ `r` }}",
             "1 1 1000 97 16 (1+2i) true r"},
        Case{"nil_is_no_command", "{{ nil }}",
             "ERR template: t:1:3: executing \"t\" at <nil>: nil is not a command"},
        Case{"big_literals_overflow", "{{ 18446744073709551615 }}",
             "ERR template: t:1:3: executing \"t\" at <18446744073709551615>: 18446744073709551615 "
             "overflows int"}),
    [](const auto& info) { return info.param.claim; });

INSTANTIATE_TEST_SUITE_P(
    Control, Execute,
    testing::Values(
        Case{"else_if_chains", "{{ if .x }}1{{ else if .s }}2{{ else }}3{{ end }}", "2"},
        Case{"with_sets_dot", "{{ with .m }}{{ .k }}{{ else }}no{{ end }}{{ .s }}", "vstr"},
        Case{"else_with", "{{ with .x }}1{{ else with .s }}{{ . }}{{ end }}", "str"},
        Case{"range_over_a_list", "{{ range $i, $e := .l }}{{ $i }}={{ $e }};{{ end }}",
             "0=1;1=two;2=<no value>;"},
        Case{"range_over_a_map_is_sorted", "{{ range $k, $v := .m }}{{ $k }}={{ $v }};{{ end }}",
             "k=v;n=<no value>;"},
        Case{"range_over_an_int",
             "{{ range 3 }}{{ . }}{{ end }}{{ range $i := .i }}{{ $i }}{{ end }}", "0120123456"},
        Case{"range_int_takes_one_variable", "{{ range $i, $j := 3 }}{{ end }}",
             "ERR template: t:1:19: executing \"t\" at <3>: can't use 3 to iterate over more than "
             "one variable"},
        Case{"range_over_nothing", "{{ range .x }}a{{ else }}b{{ end }}", "b"},
        Case{"range_over_a_float", "{{ range .a }}{{ end }}",
             "ERR template: t:1:9: executing \"t\" at <.a>: range can't iterate over 1"},
        Case{"else_sees_the_ranged_value", "{{ range $x := .x }}{{ else }}{{ $x }}{{ end }}",
             "<no value>"},
        Case{"range_assigns_outer_variables", "{{ $x := 0 }}{{ range $x = .q }}{{ end }}{{ $x }}",
             "o"},
        Case{"break_and_continue",
             "{{ range $i, $e := .l }}{{ if eq $i 0 }}{{ continue }}{{ end }}{{ with $e }}{{ . "
             "}}{{ break }}{{ end }}{{ end }}{{ .s }}",
             "twostr"},
        Case{"range_sees_the_map_as_it_began",
             "{{ range $k, $v := .m }}{{ $_ := set $.m \"z\" 1 }}{{ $k }}{{ end }}{{ .m.z }}",
             "kn1"}),
    [](const auto& info) { return info.param.claim; });

INSTANTIATE_TEST_SUITE_P(
    Variables, Execute,
    testing::Values(Case{"inner_declarations_shadow",
                         "{{ $x := 1 }}{{ if true }}{{ $x := 2 }}{{ $x }}{{ end }}{{ $x }}", "21"},
                    Case{"assignments_reach_out",
                         "{{ $x := 1 }}{{ if true }}{{ $x = 2 }}{{ end }}{{ $x }}", "2"},
                    Case{"declarations_in_parens_stay", "{{ add 1 ($y := 5) }}{{ $y }}", "65"},
                    Case{"parens_around_a_declaration_print", "{{ ($x := 5) }}", "5"},
                    Case{"assigning_the_undeclared_fails_when_run", "{{ $x = 1 }}",
                         "ERR template: t:1:8: executing \"t\" at <1>: undefined variable: $x"},
                    Case{"then_declarations_are_not_in_else",
                         "{{ if false }}{{ $x := 1 }}{{ else }}{{ $x }}{{ end }}",
                         "ERR template: t:1:40: executing \"t\" at <$x>: undefined variable: $x"},
                    Case{"skipped_declarations_did_not_happen",
                         "{{ $x := 1 }}{{ $_ := or true ($x := 2) }}{{ $x }}{{ $_ = or false ($x "
                         ":= 3) }}{{ $x }}",
                         "13"},
                    Case{"skipped_and_unknown", "{{ $_ := or true ($x := 2) }}{{ $x }}",
                         "ERR template: t:1:32: executing \"t\" at <$x>: undefined variable: $x"},
                    Case{"dollar_is_the_data", "{{ with .m }}{{ $.s }}{{ end }}", "str"},
                    Case{"templates_start_with_dollar_alone",
                         "{{ define \"x\" }}{{ $ }}{{ . }}{{ end }}{{ template \"x\" .s }}",
                         "strstr"}),
    [](const auto& info) { return info.param.claim; });

INSTANTIATE_TEST_SUITE_P(
    Calls, Execute,
    testing::Values(
        Case{"the_piped_value_is_last", "{{ 1 | list 2 3 }}", "[2 3 1]"},
        Case{"and_or_return_operands",
             "{{ and 1 0 2 }}{{ or 0 .s 2 }}{{ 1 | and 2 }}{{ .x | or .s }}", "0str1str"},
        Case{"and_or_stop_early", "{{ or 1 (fail \"no\") }}{{ and 0 (fail \"no\") }}", "10"},
        Case{"too_few", "{{ upper }}",
             "ERR template: t:1:3: executing \"t\" at <upper>: wrong number of args for upper: "
             "want 1 got 0"},
        Case{"too_many", "{{ \"a\" | upper \"b\" }}",
             "ERR template: t:1:9: executing \"t\" at <upper>: wrong number of args for upper: "
             "want 1 got 2"},
        Case{"variadic_needs_its_fixed_ones", "{{ printf }}",
             "ERR template: t:1:3: executing \"t\" at <printf>: wrong number of args for printf: "
             "want at least 1 got 0"},
        Case{"wrong_literal", "{{ upper 5 }}",
             "ERR template: t:1:9: executing \"t\" at <5>: expected string; found 5"},
        Case{"float_literals_that_are_ints", "{{ need_int 3.0 }}", "3"},
        Case{"float_literals_that_are_not", "{{ need_int 1.5 }}",
             "ERR template: t:1:12: executing \"t\" at <1.5>: expected integer; found 1.5"},
        Case{"values_do_not_convert", "{{ need_int .a }}",
             "ERR template: t:1:12: executing \"t\" at <.a>: wrong type for value; expected int; "
             "got float64"},
        Case{"nil_field_to_a_string", "{{ upper .m.n }}",
             "ERR template: t:1:11: executing \"t\" at <.m.n>: wrong type for value; expected "
             "string; got interface {}"},
        Case{"piped_nothing_to_a_string", "{{ .x | upper }}",
             "ERR template: t:1:8: executing \"t\" at <upper>: invalid value; expected string"},
        Case{"literal_nil", "{{ upper nil }}",
             "ERR template: t:1:9: executing \"t\" at <nil>: cannot assign nil to string"},
        Case{"a_bad_argument_comes_first", "{{ set .s (fail \"no\") 1 }}",
             "ERR template: t:1:7: executing \"t\" at <.s>: wrong type for value; expected "
             "map[string]interface {}; got string"},
        Case{"errors_of_functions", "{{ fail \"no\" }}",
             "ERR template: t:1:3: executing \"t\" at <fail \"no\">: error calling fail: no"},
        Case{
            "the_node_behind_and_is_the_last_visited", "{{ (and 1 .s).x }}",
            "ERR template: t:1:10: executing \"t\" at <.s>: can't evaluate field x in type string"},
        Case{"the_node_where_or_stopped", "{{ (or 1 .s).x }}",
             "ERR template: t:1:7: executing \"t\" at <1>: can't evaluate field x in type int"},
        Case{"arguments_to_a_key", "{{ .m.k 1 }}",
             "ERR template: t:1:5: executing \"t\" at <.m.k>: k is not a method but has arguments"},
        Case{"arguments_to_a_variable", "{{ $ 1 }}",
             "ERR template: t:1:3: executing \"t\" at <$>: can't give argument to non-function $"},
        Case{"call_finds_no_functions", "{{ call .s 1 }}",
             "ERR template: t:1:3: executing \"t\" at <call .s 1>: error calling call: "
             "non-function .s of type string"}),
    [](const auto& info) { return info.param.claim; });

INSTANTIATE_TEST_SUITE_P(
    Builtins, Execute,
    testing::Values(
        Case{"eq_any", "{{ eq .s \"a\" \"str\" }}{{ eq 1 2 }}", "truefalse"},
        Case{"eq_does_not_mix_kinds", "{{ eq .a 1 }}",
             "ERR template: t:1:3: executing \"t\" at <eq .a 1>: error calling eq: incompatible "
             "types for comparison: float64 and int"},
        Case{"eq_nil", "{{ eq .x nil }}{{ eq .x 1 }}", "truefalse"},
        Case{"eq_lists", "{{ eq .l .l }}",
             "ERR template: t:1:3: executing \"t\" at <eq .l .l>: error calling eq: non-comparable "
             "type [%!s(float64=1) two <nil>]: []interface {}"},
        Case{"order", "{{ lt 1 2 }}{{ le 2 2 }}{{ gt \"b\" \"a\" }}{{ ge 1.5 2.5 }}{{ ne 1 2 }}",
             "truetruetruefalsetrue"},
        Case{"order_of_lists", "{{ lt .l 1 }}",
             "ERR template: t:1:3: executing \"t\" at <lt .l 1>: error calling lt: invalid type "
             "for comparison"},
        Case{"index", "{{ index .l 1 }}{{ index .m \"k\" }}{{ index .s 0 }}{{ index .m \"zz\" }}",
             "twov115<no value>"},
        Case{"index_out_of_range", "{{ index .l 3 }}",
             "ERR template: t:1:3: executing \"t\" at <index .l 3>: error calling index: reflect: "
             "slice index out of range"},
        Case{"index_beyond", "{{ index .l 4 }}",
             "ERR template: t:1:3: executing \"t\" at <index .l 4>: error calling index: index out "
             "of range: 4"},
        Case{"len", "{{ len .l }}{{ len .m }}{{ len .s }}", "323"},
        Case{"len_of_a_number", "{{ len 3 }}",
             "ERR template: t:1:3: executing \"t\" at <len 3>: error calling len: len of type int"},
        Case{"slice", "{{ slice .s 1 }}{{ slice .l 1 2 }}", "tr[two]"},
        Case{"escapes", "{{ html \"<a&'>\" }} {{ js \"it's\" }} {{ urlquery \"a b/c\" }}",
             "&lt;a&amp;&#39;&gt; it\\'s a+b%2Fc"},
        Case{"printing", "{{ print 1 2 \"a\" }}{{ println 1 }}{{ printf \"%03d\" 7 }}",
             "1 2a1\n007"}),
    [](const auto& info) { return info.param.claim; });

TEST(MissingKey, ZeroGivesTheElementTypesZero) {
  Options zero{.missing_key = MissingKey::kZero};
  EXPECT_EQ(run("{{ .x }}|{{ .x | list }}", sample(), zero), "<no value>|[<nil>]");
  EXPECT_EQ(
      run("{{ .x.y }}", sample(), zero),
      "ERR template: t:1:5: executing \"t\" at <.x.y>: nil pointer evaluating interface {}.y");
}

TEST(MissingKey, ErrorRefuses) {
  Options strict{.missing_key = MissingKey::kError};
  EXPECT_EQ(run("{{ .x }}", sample(), strict),
            "ERR template: t:1:3: executing \"t\" at <.x>: map has no entry for key \"x\"");
}

// A Go struct with a field, an unexported one, a method and one with an argument.
struct Thing : value::Object {
  std::string_view go_type() const override { return "*chart.Thing"; }
  value::Kind kind() const override { return value::Kind::kPtr; }
  std::string_view kind_name() const override { return "ptr"; }
  Value field(std::string_view n) const override {
    return n == "Name" ? value::str("thing") : Value::invalid();
  }
  bool has_unexported(std::string_view n) const override { return n == "secret"; }
  const value::FuncDef* method(std::string_view n) const override {
    static constexpr value::FuncDef kHas{
        "Has", "s", [](value::Call& c) { return c.give(Value::boolean(c[1].as_string() == "x")); }};
    static constexpr value::FuncDef kBad{"Bad", "",
                                         [](value::Call& c) { return c.fail("broken"); }};
    return n == "Has" ? &kHas : n == "Bad" ? &kBad : nullptr;
  }
  void print(std::string& out, bool pointer) const override { out += pointer ? "P" : "&{thing}"; }
};

class Objects : public testing::TestWithParam<Case> {};

TEST_P(Objects, AreLookedInto) {
  auto m = value::make_map();
  m->set("t", Value::object(Ref<value::Object>(new Thing)));
  EXPECT_EQ(run(GetParam().text, Value::map(m)), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Go, Objects,
    testing::Values(
        Case{"fields", "{{ .t.Name }}", "thing"},
        Case{"unknown_fields", "{{ .t.Nope }}",
             "ERR template: t:1:5: executing \"t\" at <.t.Nope>: can't evaluate field Nope in type "
             "interface {}"},
        Case{"unexported_fields", "{{ (.t).secret }}",
             "ERR template: t:1:4: executing \"t\" at <.t>: secret is an unexported field of "
             "struct type *chart.Thing"},
        Case{"methods_take_arguments",
             "{{ .t.Has \"x\" }}{{ \"y\" | .t.Has }}{{ $t := .t }}{{ $t.Has .t.Name }}",
             "truefalsefalse"},
        Case{"methods_check_counts", "{{ .t.Has }}",
             "ERR template: t:1:5: executing \"t\" at <.t.Has>: wrong number of args for Has: want "
             "1 got 0"},
        Case{"methods_check_literals", "{{ .t.Has 1 }}",
             "ERR template: t:1:10: executing \"t\" at <1>: expected string; found 1"},
        Case{"methods_fail", "{{ .t.Bad }}",
             "ERR template: t:1:5: executing \"t\" at <.t.Bad>: error calling Bad: broken"},
        Case{"fields_take_no_arguments", "{{ .t.Name 1 }}",
             "ERR template: t:1:5: executing \"t\" at <.t.Name>: Name has arguments but cannot be "
             "invoked as function"},
        Case{"methods_of_nothing_are_not_called", "{{ (.nope).Has (fail \"no\") }}", "<no value>"},
        Case{"actions_print_through_the_pointer", "{{ .t }} {{ print .t }}", "P &{thing}"}),
    [](const auto& info) { return info.param.claim; });

TEST(Methods, OfNamedMapsShadowKeys) {
  Set set(testing_functions());
  set.set_methods(value::Type::kValues, [](std::string_view name) -> const value::FuncDef* {
    static constexpr value::FuncDef kSize{
        "Size", "",
        [](value::Call& c) { return c.give(Value::integer(static_cast<int64_t>(c[0].length()))); }};
    return name == "Size" ? &kSize : nullptr;
  });
  ASSERT_TRUE(set.parse("t", "{{ .Size }}{{ .a }}"));
  Vm vm(set, {});
  std::string out;
  auto m = value::make_map();
  m->set("Size", value::str("key"));
  m->set("a", value::str("b"));
  ASSERT_TRUE(vm.execute("t", Value::map(m, value::Type::kValues), out));
  EXPECT_EQ(out, "2b");
}

TEST(EqualTexts, AreTemplatesOfTheirOwnNames) {
  constexpr std::string_view kText = "{{ define \"d\" }}{{ fail .s }}{{ end }}{{ template \"d\" . }}";
  for (bool once : {false, true}) {
    Set set(testing_functions());
    ASSERT_TRUE(set.parse("a", kText));
    ASSERT_TRUE(set.parse("b", kText));
    ASSERT_TRUE(set.parse("i", "{{ include \"b\" . }}"));
    Vm vm(set, {.once = once});
    std::string out;
    auto error = [&](std::string_view name) { return vm.execute(name, sample(), out).error().text(); };
    constexpr std::string_view kInLast =
        "template: b:1:19: executing \"d\" at <fail .s>: error calling fail: str";
    for (int round = 0; round < 2; ++round) {  // the define of b replaced a's
      EXPECT_EQ(error("a"), kInLast);
      EXPECT_EQ(error("b"), kInLast);
    }
    EXPECT_EQ(error("i"), cat("template: i:1:3: executing \"i\" at <include \"b\" .>: error calling "
                              "include: ", kInLast));
  }
}

TEST(EqualTexts, NameTheFileThatRan) {
  Set set(testing_functions());
  constexpr std::string_view kText = "x\n{{ fail \"no\" }}";
  ASSERT_TRUE(set.parse("a", kText));
  ASSERT_TRUE(set.parse("b", kText));
  Vm vm(set, {});
  for (std::string name : {"a", "b", "a"}) {
    std::string out;
    EXPECT_EQ(vm.execute(name, sample(), out).error().text(),
              cat("template: ", name, ":2:3: executing \"", name,
                  "\" at <fail \"no\">: error calling fail: no"));
    EXPECT_EQ(out, "x\n");
  }
}

TEST(EqualTexts, MayDefineOneOfTheirNames) {
  struct Row {
    std::string_view text, a, b;
  } rows[] = {
      {"{{ define \"a\" }}D{{ end }}", "D", ""},   // a's own text is nothing but the define
      {"{{ define \"b\" }}D{{ end }}", "", "D"},
      {"{{ define \"a\" }} {{ end }}T", "T", "T"},  // an empty define gives way
  };
  for (bool a_first : {true, false}) {
    for (const Row& row : rows) {
      Set set(testing_functions());
      ASSERT_TRUE(set.parse(a_first ? "a" : "b", row.text));
      ASSERT_TRUE(set.parse(a_first ? "b" : "a", row.text));
      Vm vm(set, {});
      std::string a, b;
      EXPECT_TRUE(vm.execute("a", sample(), a)) << row.text;
      EXPECT_TRUE(vm.execute("b", sample(), b)) << row.text;
      EXPECT_EQ(a, row.a) << row.text;
      EXPECT_EQ(b, row.b) << row.text;
    }
  }
}

TEST(EqualTexts, FailToParseUnderEachName) {
  Set set(testing_functions());
  for (std::string name : {"a", "b"}) {
    EXPECT_EQ(set.parse(name, std::string_view("{{ end }}")).error().text(),
              cat("template: ", name, ":1: unexpected {{end}}"));
  }
}

}  // namespace
}  // namespace pintle::tmpl
