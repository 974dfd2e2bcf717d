#include "tmpl/print.h"

#include <gtest/gtest.h>

namespace pintle::tmpl {
namespace {

using value::Type;
using value::Value;

Value text(std::string_view s) { return value::str(s); }
Value number(double d) { return Value::number(d); }
Value integer(int64_t i) { return Value::integer(i); }
Value list(std::vector<Value> items) { return Value::list_of(std::move(items)); }
Value map(std::string_view key, Value v) {
  auto m = value::make_map();
  m->set(key, std::move(v));
  return Value::map(m);
}

// A Go struct behind a pointer with a String method, as *semver.Version is.
struct Version : value::Object {
  std::string_view go_type() const override { return "*semver.Version"; }
  value::Kind kind() const override { return value::Kind::kPtr; }
  std::string_view kind_name() const override { return "ptr"; }
  void print(std::string& out, bool) const override { out += "1.2.0"; }
  std::vector<value::StructField> struct_fields() const override {
    return {{"major", Value::uint64(1)}, {"original", value::str("v1.2")}};
  }
};

struct Case {
  const char* claim;
  const char* format;
  std::vector<Value> args;
  const char* want;
};

class Sprintf : public testing::TestWithParam<Case> {};

TEST_P(Sprintf, PrintsAsGo) {
  const Case& c = GetParam();
  EXPECT_EQ(sprintf(c.format, c.args), c.want);
}

Value version() { return Value::object(Ref<value::Object>(new Version)); }

INSTANTIATE_TEST_SUITE_P(
    Verbs, Sprintf,
    testing::Values(
        Case{"plain_values",
             "%v %v %v %v",
             {integer(1), number(1.5), text("a"), Value::boolean(true)},
             "1 1.5 a true"},
        Case{"floats_turn_to_exponents_at_six_digits",
             "%v %v",
             {number(999999), number(1000000)},
             "999999 1e+06"},
        Case{"nil_is_named",
             "%v %s %d %T",
             {Value(), Value(), Value(), Value()},
             "<nil> %!s(<nil>) %!d(<nil>) <nil>"},
        Case{"a_wrong_verb_shows_type_and_value",
             "%d %s",
             {text("a"), integer(5)},
             "%!d(string=a) %!s(int=5)"},
        Case{"a_wrong_verb_keeps_the_width", "%5d", {text("a")}, "%!d(string=    a)"},
        Case{"missing_argument", "%d %d", {integer(1)}, "1 %!d(MISSING)"},
        Case{"extra_arguments",
             "%d",
             {integer(1), text("x"), Value()},
             "1%!(EXTRA string=x, <nil>)"},
        Case{"no_verb", "100%", {}, "100%!(NOVERB)"}, Case{"percent", "100%%", {}, "100%"},
        Case{"index", "%[2]s %[1]s", {text("a"), text("b")}, "b a"},
        Case{"bad_index", "%[3]d", {integer(1)}, "%!d(BADINDEX)"},
        Case{"star_width",
             "%*d|%-*d|",
             {integer(4), integer(7), integer(4), integer(7)},
             "   7|7   |"},
        Case{"bad_width", "%*d", {text("x"), integer(7)}, "%!(BADWIDTH)7"},
        Case{"bad_precision", "%.*f", {integer(-1), number(1)}, "%!(BADPREC)1.000000"},
        Case{"zero_padding_after_the_sign",
             "%05d %05.1f",
             {integer(-42), number(-1.25)},
             "-0042 -01.2"},
        Case{"minus_beats_zero", "%-05d|", {integer(42)}, "42   |"},
        Case{"width_counts_runes", "%5s|%-5s|", {text("é"), text("é")}, "    é|é    |"},
        Case{"precision_counts_runes", "%.1s", {text("éa")}, "é"},
        Case{"strings_pad_with_zeros_too", "%05s", {text("ab")}, "000ab"},
        Case{"bases",
             "%b %o %O %x %X %#x",
             {integer(5), integer(8), integer(8), integer(255), integer(255), integer(255)},
             "101 10 0o10 ff FF 0xff"},
        Case{"characters",
             "%c %q %U %#U",
             {integer(233), integer(39), integer(233), integer(233)},
             "é '\\'' U+00E9 U+00E9 'é'"},
        Case{"float_verbs",
             "%e %f %.2f %g %G",
             {number(1.5), number(1.5), number(1.5), number(1e21), number(1e21)},
             "1.500000e+00 1.500000 1.50 1e+21 1E+21"},
        Case{"sharp_keeps_the_point", "%#g %#v", {number(1), number(1)}, "1.00000 1"},
        Case{"plus_signs", "%+d %+v % d", {integer(1), integer(1), integer(1)}, "+1 1  1"},
        Case{"quoting",
             "%q %+q %#q",
             {text("é\n"), text("é"), text("a\"b")},
             "\"é\\n\" \"\\u00e9\" `a\"b`"},
        Case{"hex_of_strings",
             "%x % x %#x %# X",
             {text("hi"), text("hi"), text("hi"), text("hi")},
             "6869 68 69 0x6869 0X68 0X69"},
        Case{"lists",
             "%v %d %q",
             {list({integer(1), text("a")}), list({integer(1), text("a")}),
              list({text("a"), text("b")})},
             "[1 a] [1 %!d(string=a)] [\"a\" \"b\"]"},
        Case{"nil_elements_have_no_verb",
             "%d %v",
             {list({Value()}), map("a", Value())},
             "[<nil>] map[a:<nil>]"},
        Case{"maps_apply_the_verb_to_keys_too",
             "%d",
             {map("a", integer(1))},
             "map[%!d(string=a):1]"},
        Case{"go_syntax",
             "%#v %#v %#v",
             {list({integer(1), text("a"), Value()}), map("a", number(1)), text("x")},
             "[]interface {}{1, \"a\", interface {}(nil)} map[string]interface {}{\"a\":1} \"x\""},
        Case{"nil_containers_in_go_syntax",
             "%#v %v",
             {Value::map(nullptr), Value::map(nullptr)},
             "map[string]interface {}(nil) map[]"},
        Case{"bytes",
             "%v %s %x %#v",
             {Value::bytes("AB"), Value::bytes("AB"), Value::bytes("AB"), Value::bytes("AB")},
             "[65 66] AB 4142 []byte{0x41, 0x42}"},
        Case{"types",
             "%T %T %T",
             {Value::int64(1), Value::map(nullptr, Type::kValues), number(1)},
             "int64 common.Values float64"},
        Case{"stringers_print_themselves",
             "%v %s %q",
             {version(), version(), version()},
             "1.2.0 1.2.0 \"1.2.0\""},
        Case{"other_verbs_walk_the_struct", "%d", {version()}, "&{1 %!d(string=v1.2)}"},
        Case{"go_syntax_walks_the_struct",
             "%#v",
             {version()},
             "&semver.Version{major:0x1, original:\"v1.2\"}"},
        Case{"error_verb_is_refused", "%w", {integer(1)}, "%!w(int=1)"},
        Case{"unknown_verb", "%z", {integer(1)}, "%!z(int=1)"},
        Case{"verb_beyond_ascii", "%é", {integer(1)}, "%!é(int=1)"}),
    [](const auto& info) { return info.param.claim; });

TEST(Sprint, PutsSpacesOnlyBetweenOperandsThatAreNoStrings) {
  EXPECT_EQ(sprint(std::vector<Value>{integer(1), integer(2), text("a"), integer(3)}), "1 2a3");
  EXPECT_EQ(sprintln(std::vector<Value>{integer(1), text("a")}), "1 a\n");
  EXPECT_EQ(sprint(std::vector<Value>{Value()}), "<nil>");
}

TEST(PrintAction, NamesNoValue) {
  std::string out;
  print_action(out, Value::invalid());
  print_action(out, Value());
  EXPECT_EQ(out, "<no value><no value>");
}

TEST(Print, ValuesInsideThemselvesEnd) {
  auto m = value::make_map();
  m->set("m", Value::map(m));
  EXPECT_NE(sprintf("%v", std::vector<Value>{Value::map(m)}).find("..."), std::string::npos);
  m->clear();
}

TEST(Print, PaddingStopsGrowing) {
  std::vector<Value> items(100, integer(1));
  std::string out = sprintf("%1000000v", std::vector<Value>{Value::list_of(items)});
  EXPECT_LT(out.size(), size_t{70} << 20);
}

}  // namespace
}  // namespace pintle::tmpl
