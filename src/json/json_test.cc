#include "json/json.h"

#include <gtest/gtest.h>

#include <limits>

namespace pintle::json {
namespace {

using value::Type;
using value::Value;

TEST(JsonRead, WritesBackWhatItReads) {
  const char* same[] = {
      "null", "true", "0", "-1", "1.5", "\"\"", "\"a\"", "[]", "{}", "[1,[2,{}],\"x\"]",
      "{\"a\":{\"b\":[null,false]},\"c\":1e+21}", "\"\\u003ca\\u003e\\u0026\"", "1e-7", "\"\\u2028\"",
      "\"\\n\\t\\b\\f\\r\\u0001\\\\\\\"\"", "\"h\xc3\xa9llo \xf0\x9f\x98\x80\"", "-0",
      "100000000000000000000", "0.000001", "1.7976931348623157e+308", "\"a string longer than inline\""};
  for (std::string_view text : same) {
    auto v = read(text);
    ASSERT_TRUE(v) << text << ": " << v.error().text();
    EXPECT_EQ(write(*v).value(), text);
  }
}

TEST(JsonRead, ReportsErrorsInGosWords) {
  const struct {
    std::string_view text, error;
  } cases[] = {
      {"", "unexpected end of JSON input"},
      {"  ", "unexpected end of JSON input"},
      {"{", "unexpected end of JSON input"},
      {"[1", "unexpected end of JSON input"},
      {"\"a", "unexpected end of JSON input"},
      {"tru", "invalid character ' ' in literal true (expecting 'e')"},
      {"-", "invalid character ' ' in numeric literal"},
      {"\"\\u00", "invalid character ' ' in \\u hexadecimal character escape"},
      {"x", "invalid character 'x' looking for beginning of value"},
      {"{a:1}", "invalid character 'a' looking for beginning of object key string"},
      {"{\"a\" 1}", "invalid character '1' after object key"},
      {"{\"a\":1 2}", "invalid character '2' after object key:value pair"},
      {"[1 2]", "invalid character '2' after array element"},
      {"[1,]", "invalid character ']' looking for beginning of value"},
      {"{\"a\":1,}", "invalid character '}' looking for beginning of object key string"},
      {"1 2", "invalid character '2' after top-level value"},
      {"01", "invalid character '1' after top-level value"},
      {"-x", "invalid character 'x' in numeric literal"},
      {"1.x", "invalid character 'x' after decimal point in numeric literal"},
      {"1ex", "invalid character 'x' in exponent of numeric literal"},
      {"nul1", "invalid character '1' in literal null (expecting 'l')"},
      {"\"\\x\"", "invalid character 'x' in string escape code"},
      {"\"\\u00g0\"", "invalid character 'g' in \\u hexadecimal character escape"},
      {"\"\n\"", "invalid character '\\n' in string literal"},
      {"'a'", "invalid character '\\'' looking for beginning of value"},
      {"\xef\xbb\xbf{}", "invalid character '\xc3\xaf' looking for beginning of value"},
      {"[1e999]", "json: cannot unmarshal number 1e999 into Go value of type float64"},
      {"[1e999", "unexpected end of JSON input"},
  };
  for (const auto& c : cases) {
    auto v = read(c.text);
    ASSERT_FALSE(v) << c.text;
    EXPECT_EQ(v.error().text(), c.error) << c.text;
  }
}

TEST(JsonRead, KeepsIntegersWhenAskedTo) {
  ReadOptions exact{Numbers::kExact};
  EXPECT_EQ(read("9007199254740993", exact)->as_int(), 9007199254740993);
  EXPECT_EQ(read("18446744073709551615", exact)->as_uint(), 18446744073709551615u);
  EXPECT_EQ(read("18446744073709551616", exact)->as_double(), 18446744073709551616.0);
  EXPECT_TRUE(read("1.0", exact)->is(Type::kFloat64));
  EXPECT_EQ(read("9007199254740993")->as_double(), 9007199254740992.0);
  EXPECT_EQ(read("[1.50]", {Numbers::kLiteral})->items()[0].as_string(), "1.50");
}

TEST(JsonRead, DecodesEscapesAndRepairsText) {
  EXPECT_EQ(read("\"\\ud83d\\ude00\"")->as_string(), "\xf0\x9f\x98\x80");
  EXPECT_EQ(read("\"\\ud83dx\"")->as_string(), "\xef\xbf\xbdx");
  EXPECT_EQ(read("\"\\ud83d\\u0041\"")->as_string(), "\xef\xbf\xbd" "A");
  EXPECT_EQ(read("\"a\xff\"")->as_string(), "a\xef\xbf\xbd");
  EXPECT_EQ(read("{\"a\":1,\"a\":2}")->get("a")->as_double(), 2);
}

TEST(JsonRead, TargetsKeepGosTypesAndPartialResults) {
  EXPECT_EQ(read_map("[1]").error().text(),
            "json: cannot unmarshal array into Go value of type map[string]interface {}");
  EXPECT_EQ(read_list("\"x\"").error().text(),
            "json: cannot unmarshal string into Go value of type []interface {}");
  EXPECT_EQ(read_map("null")->as_map(), nullptr);
  Value partial;
  EXPECT_FALSE(read_map("{\"a\":1e999,\"b\":2}", &partial));
  EXPECT_TRUE(partial.get("a")->is_nil());
  EXPECT_EQ(partial.get("b")->as_double(), 2);
}

TEST(JsonRead, PrefixStopsAfterOneValue) {
  size_t used = 0;
  EXPECT_EQ(read_prefix(" {\"a\":1},b=2", &used)->length(), 1u);
  EXPECT_EQ(used, 8u);
  EXPECT_EQ(read_prefix("12,x", &used)->as_double(), 12);
  EXPECT_EQ(used, 2u);
  EXPECT_EQ(read_prefix("[] \n1", &used)->length(), 0u);
  EXPECT_EQ(used, 2u);
  EXPECT_EQ(read_prefix(" ", &used).error().text(), "EOF");
  EXPECT_EQ(read_prefix("[1", &used).error().text(), "unexpected EOF");
}

TEST(JsonRead, BoundsNesting) {
  std::string fits(kMaxDepth, '[');
  fits.append(kMaxDepth, ']');
  EXPECT_TRUE(read(fits));
  std::string deep(kMaxDepth + 1, '[');
  EXPECT_EQ(read(deep).error().text(), "invalid character '[' exceeded max depth");
}

TEST(JsonWrite, IndentsAsMarshalIndent) {
  auto v = read("{\"a\":[1,{}],\"b\":[]}").value();
  EXPECT_EQ(write(v, {true, "  "}).value(),
            "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": []\n}");
  EXPECT_EQ(write(value::str("<&>"), {false, {}}).value(), "\"<&>\"");
}

TEST(JsonWrite, RefusesWhatJsonCannotSay) {
  EXPECT_EQ(write(Value::number(std::numeric_limits<double>::quiet_NaN())).error().text(),
            "json: unsupported value: NaN");
  EXPECT_EQ(write(Value::number(-std::numeric_limits<double>::infinity())).error().text(),
            "json: unsupported value: -Inf");
  auto m = value::make_map();
  m->set("self", Value::map(m));
  EXPECT_EQ(write(Value::map(m)).error().text(),
            "json: unsupported value: encountered a cycle via map[string]interface {}");
  m->clear();
}

TEST(JsonWrite, ShowsGoTypes) {
  EXPECT_EQ(write(Value::bytes(value::Str("hi!!"))).value(), "\"aGkhIQ==\"");
  EXPECT_EQ(write(Value::map(nullptr)).value(), "null");
  EXPECT_EQ(write(Value::list(nullptr)).value(), "null");
  EXPECT_EQ(write(Value::strings({"a", "b"})).value(), "[\"a\",\"b\"]");
  EXPECT_EQ(write(Value::integer(-5)).value(), "-5");
  EXPECT_EQ(write(value::str("\xff")).value(), "\"\\ufffd\"");
}

}  // namespace
}  // namespace pintle::json
