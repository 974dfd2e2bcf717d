#include "toml/toml.h"

#include <gtest/gtest.h>

namespace pintle::toml {
namespace {

using value::Value;

std::optional<Value> dates(std::string_view text) {
  if (text.substr(0, 2) != "20") return std::nullopt;
  return value::str(text);
}
std::optional<std::string> no_objects(const Value&) { return std::nullopt; }

std::string around(std::string_view text) {
  auto v = read_map(text, dates);
  return v ? write(*v, no_objects).value() : v.error().text();
}

TEST(Toml, WritesWhatItReads) {
  const struct {
    std::string_view in, out;
  } cases[] = {
      {"", ""},
      {"b = 1\na = 1.5\n", "a = 1.5\nb = 1\n"},
      {"a.b.c = 1", "[a]\n  [a.b]\n    c = 1\n"},
      {"x = [1, \"y\", [true]]", "x = [1, \"y\", [true]]\n"},
      {"[t]\nx = 'raw\\n'\n", "[t]\n  x = \"raw\\\\n\"\n"},
      {"[[a]]\nx = 1\n[[a]]\nx = 2\n", "[[a]]\n  x = 1\n\n[[a]]\n  x = 2\n"},
      {"a = {x = 1, y = {z = []}}", "[a]\n  x = 1\n  [a.y]\n    z = []\n"},
      {"\"k e y\" = \"\\u00e9\\t\"", "\"k e y\" = \"\xc3\xa9\\t\"\n"},
      {"a = \"\"\"\nx\\\n   y\"\"\"", "a = \"xy\"\n"},
      {"a = 0xff\nb = 0o17\nc = 0b11\nd = 1_000\ne = 1e3\nf = -inf\n",
       "a = 255\nb = 15\nc = 3\nd = 1000\ne = 1000.0\nf = -inf\n"},
      {"a = [1, {b = 2}]", "a = [1, {b = 2}]\n"},
      {"d = 2020-01-02 03:04:05z", "d = \"2020-01-02T03:04:05Z\"\n"},
  };
  for (const auto& c : cases) EXPECT_EQ(around(c.in), c.out) << c.in;
}

TEST(Toml, ReportsErrorsInBurntSushisWords) {
  const struct {
    std::string_view text, error;
  } cases[] = {
      {"bad", "toml: line 1: unexpected EOF; expected key separator '='"},
      {"a = ", "toml: line 1 (last key \"a\"): unexpected EOF; expected value"},
      {"a = 1\na = 2", "toml: line 2 (last key \"a\"): Key 'a' has already been defined."},
      {"[a]\n[a]", "toml: line 2: Key 'a' has already been defined."},
      {"[t]\nx = False\n", "toml: line 2 (last key \"t.x\"): expected value but found \"False\" instead"},
      {"a = 1 2", "toml: line 1: expected a top-level item to end with a newline, comment, or EOF, "
                  "but got '2' instead"},
      {"a = \"x\ny\"", "toml: line 1 (last key \"a\"): strings cannot contain newlines"},
      {"a = 01", "toml: line 1 (last key \"a\"): Invalid integer \"01\": cannot have leading zeroes"},
      {"a = \"\\q\"", "toml: line 1 (last key \"a\"): invalid escape in string '\\q'"},
      {"a = 1_", "toml: line 1 (last key \"a\"): Invalid integer \"1_\": underscores must be "
                 "surrounded by digits"},
      {"a = 9223372036854775808", "toml: line 1 (last key \"a\"): 9223372036854775808 is out of "
                                  "range for int64"},
      {"a = 1979-13-01", "toml: line 1 (last key \"a\"): invalid datetime: \"1979-13-01\""},
      {"a = \x01", "toml: line 1 (last key \"a\"): TOML files cannot contain control characters: "
                   "'0x01'"},
  };
  for (const auto& c : cases) EXPECT_EQ(around(c.text), c.error) << c.text;
}

TEST(Toml, BoundsNesting) {
  EXPECT_NE(around("a = " + std::string(100000, '[')).find("exceeded max depth"), std::string::npos);
  std::string key = "a";
  for (int i = 0; i < 2000; ++i) key += ".a";
  EXPECT_NE(around(key + " = 1").find("exceeded max depth"), std::string::npos);
}

TEST(Toml, RefusesNilInLists) {
  EXPECT_EQ(write(Value::list_of({Value()}), no_objects).error().text(),
            "toml: cannot encode array with nil element");
  EXPECT_EQ(write(Value::list_of({Value::map(value::make_map())}), no_objects).error().text(),
            "toml: top-level values must be Go maps or structs");
}

}  // namespace
}  // namespace pintle::toml
