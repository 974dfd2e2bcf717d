#include <gtest/gtest.h>

#include "json/json.h"
#include "yaml/yaml.h"

namespace pintle::yaml {
namespace {

using value::Type;
using value::Value;

std::string as_json(std::string_view text) {
  auto j = to_json(text);
  return j ? *j : "error: " + j.error().text();
}

TEST(YamlRead, UnderstandsBlockAndFlowText) {
  const struct {
    std::string_view text, json;
  } cases[] = {
      {"", "null"},
      {"# only a comment\n", "null"},
      {"a: 1\nb:\n- x\n- w: 2\n  z: 3\nc: {d: [1, 2], e: }\n",
       R"({"a":1,"b":["x",{"w":2,"z":3}],"c":{"d":[1,2],"e":null}})"},
      {"a: b\n  c\n\n  d\n", R"({"a":"b c\nd"})"},
      {"a: |\n  x\n   y\n\nb: >-\n  p\n  q\n\n  r\n", R"({"a":"x\n y\n","b":"p q\nr"})"},
      {"a: |+\n  x\n\n", R"({"a":"x\n\n"})"},
      {"a: |2\n   x\n", R"({"a":" x\n"})"},
      {"a: 'it''s'\nb: \"\\x41\\u00e9\\n\\\n  z\"\n", "{\"a\":\"it's\",\"b\":\"A\xc3\xa9\\nz\"}"},
      {"? a\n: b\n? [c]\n", "error: yaml: invalid map key: []interface {}{\"c\"}"},
      {"- - 1\n  - 2\n-\n  - 3\n", "[[1,2],[3]]"},
      {"y: 1\n\"no\": 2\n3: 4\n1.5: 5\n", R"({"1.5":5,"3":4,"no":2,"true":1})"},
      {"[]: v\n", "[]"},
      {"a: 1\r\nb: 2\r\n", R"({"a":1,"b":2})"},
      {"\xef\xbb\xbf" "a: 1\n", R"({"a":1})"},
      {"a: 1\n---\nb: [\n", R"({"a":1})"},
      {"%YAML 1.1\n---\na: 1\n...\n", R"({"a":1})"},
      {"{a: b: c}", "error: yaml: did not find expected ',' or '}'"},
  };
  for (const auto& c : cases) EXPECT_EQ(as_json(c.text), c.json) << c.text;
}

TEST(YamlRead, ResolvesScalarsByYaml11) {
  const struct {
    std::string_view text, json;
  } cases[] = {
      {"017", "15"},           {"0o17", "15"},     {"0x1F", "31"},      {"0b11", "3"},
      {"1_000", "1000"},       {"08", "8"},        {"+1", "1"},         {"-0", "0"},
      {"1e3", "1000"},         {"1e400", "\"1e400\""}, {"yes", "true"}, {"Off", "false"},
      {"~", "null"},           {"Null", "null"},   {"nULL", "\"nULL\""}, {"2020-01-01", "\"2020-01-01\""},
      {"12:30", "\"12:30\""},  {"'1'", "\"1\""},   {"!!str 1", "\"1\""}, {"!!float 5", "5"},
      {"!foo 1", "\"1\""},     {"18446744073709551615", "18446744073709551615"},
      {".5", "0.5"},           {"!!binary aGk=", "\"hi\""},
      {"!!int 5.0", "error: yaml: cannot decode !!float `5.0` as a !!int"},
      {".inf", "error: json: unsupported value: +Inf"},
  };
  for (const auto& c : cases) EXPECT_EQ(as_json(c.text), c.json) << c.text;
}

TEST(YamlRead, KeysThatDifferInYamlOnlyLeaveTheLastOne) {
  const struct {
    std::string_view text, json;
  } cases[] = {
      {"1: a\n\"1\": b\n", R"("1":"b")"},           {"\"1\": b\n1: a\n", R"("1":"a")"},
      {"1.0: a\n1: b\n1: c\n", R"("1":"c")"},        {"true: a\nyes: b\n\"true\": c\n", R"("true":"c")"},
      {"444444.4044: 1\n444444.40: 2\n", R"("444444.4":2)"},
      {"!!binary /w==: 1\n!!binary /g==: 2\n", "\"\xef\xbf\xbd\":2"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(as_json(c.text), "{" + std::string(c.json) + "}") << c.text;
    // An anchor is left to the thorough reader.
    EXPECT_EQ(as_json(std::string(c.text) + "\"!\": &a 1\n"), "{\"!\":1," + std::string(c.json) + "}") << c.text;
  }
}

TEST(YamlRead, ExpandsAnchorsAndMerges) {
  EXPECT_EQ(as_json("a: &x {k: 1}\nb: *x\n"), R"({"a":{"k":1},"b":{"k":1}})");
  EXPECT_EQ(as_json("b: &b {x: 1, w: 1}\nc:\n  <<: *b\n  x: 2\n"),
            R"({"b":{"w":1,"x":1},"c":{"w":1,"x":2}})");
  EXPECT_EQ(as_json("b: &b {x: 1}\nc:\n  x: 2\n  <<: [*b, {x: 3, z: 4}]\n"),
            R"({"b":{"x":1},"c":{"x":1,"z":4}})");
  EXPECT_EQ(as_json("a: *x\n"), "error: yaml: unknown anchor 'x' referenced");
  EXPECT_EQ(as_json("a: &x [*x]\n"), "error: yaml: anchor 'x' value contains itself");
  EXPECT_EQ(as_json("<<: 1\n"),
            "error: yaml: map merge requires map or sequence of maps as the value");
  // Copies are apart: a template may change one of them.
  Value v = read("a: &x {k: 1}\nb: *x\n").value();
  v.get("b")->as_map()->set(value::Str("k"), Value::number(2));
  EXPECT_EQ(v.get("a")->get("k")->as_double(), 1);
}

TEST(YamlRead, ReportsErrorsAtGosLines) {
  const struct {
    std::string_view text, error;
  } cases[] = {
      {"a: b: c\n", "yaml: mapping values are not allowed in this context"},
      {"a: 1\nb: c: d\n", "yaml: line 2: mapping values are not allowed in this context"},
      {"a:\n\t- b\n", "yaml: line 2: found character that cannot start any token"},
      {"a: 1\n b: 2\n", "yaml: line 2: mapping values are not allowed in this context"},
      {"a: [1\nb: 2\n", "yaml: line 1: did not find expected ',' or ']'"},
      {"a: 1\nb\n", "yaml: line 3: could not find expected ':'"},
      {"a: \"x\n", "yaml: line 2: found unexpected end of stream"},
      {"a: @x\n", "yaml: found character that cannot start any token"},
      {"a: \x01\n", "yaml: control characters are not allowed"},
      {"a: \xff\n", "yaml: invalid leading UTF-8 octet"},
      {"a: \xc3", "yaml: incomplete UTF-8 octet sequence"},
      {"%YAML 1.2\n---\na: 1\n", "yaml: found incompatible YAML document"},
      {"? {a: 1}\n: 2\n", "yaml: invalid map key: map[interface {}]interface {}{\"a\":1}"},
      {"~: v\n",
       "unsupported map key of type: %!s(<nil>), key: <nil>, value: \"v\""},
  };
  for (const auto& c : cases) {
    auto v = read(c.text);
    ASSERT_FALSE(v) << c.text;
    EXPECT_EQ(v.error().text(), "error converting YAML to JSON: " + std::string(c.error)) << c.text;
  }
}

TEST(YamlRead, TargetsGiveEmptyContainersForNull) {
  EXPECT_EQ(read_map("").value().length(), 0u);
  EXPECT_NE(read_map("null").value().as_map(), nullptr);
  EXPECT_TRUE(read_list("# none\n").value().is_list());
  EXPECT_EQ(read_map("- a\n").error().text(),
            "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go "
            "value of type map[string]interface {}");
  EXPECT_TRUE(read_map("a: 5\n").value().get("a")->is(Type::kFloat64));
  EXPECT_TRUE(read_exact("a: 5\n").value().get("a")->is(Type::kInt64));
}

TEST(YamlRead, StrictRefusesDuplicates) {
  EXPECT_EQ(read_strict("a: 1\nb: 2\na: 3\n").error().text(),
            "error converting YAML to JSON: yaml: unmarshal errors:\n"
            "  line 3: key \"a\" already set in map");
  EXPECT_EQ(read_exact("a: 1\na: 3\n").value().get("a")->as_int(), 3);
}

TEST(YamlRead, FieldsAreTheChosenOnes) {
  static const Fields head = {"apiVersion", "kind", "metadata.name", "metadata.annotations"};
  auto keep = [](std::string_view text) { return json::write(read_fields(text, head).value()).value(); };
  EXPECT_EQ(keep("apiVersion: v1\nkind: A\nmetadata:\n  name: web\n  labels: {a: b}\n"
                 "  annotations:\n    x: [1, {w: 2}]\nspec:\n  a: {b: [c, {d: e}]}\n"),
            R"({"apiVersion":"v1","kind":"A","metadata":{"annotations":{"x":[1,{"w":2}]},"name":"web"}})");
  EXPECT_EQ(keep("KIND: 5\nmetadata: [a, {b: c}]\n"), R"({"KIND":5,"metadata":[]})");
  EXPECT_EQ(keep("metadata: text\nname: x\n"), R"({"metadata":"text"})");
  EXPECT_EQ(keep("- kind: A\n- b\n"), "[]");
  EXPECT_EQ(keep(""), "null");
  // What is not chosen must still be sound.
  EXPECT_EQ(read_fields("kind: A\nspec:\n  x: .inf\n", head).error().text(),
            "error converting YAML to JSON: json: unsupported value: +Inf");
  EXPECT_FALSE(read_fields("kind: A\nspec: {a: b\n", head));
  EXPECT_FALSE(read_fields("kind: A\nspec: {? [a]: b}\n", head));
}

TEST(YamlRead, StringFieldsTakeNumbersAsText) {
  EXPECT_EQ(string_field(Value::number(3.14159265358979)).as_string(), "3.1415927");
  EXPECT_EQ(string_field(Value::int64(5)).as_string(), "5");
  EXPECT_EQ(string_field(Value::boolean(true)).as_string(), "true");
  EXPECT_TRUE(string_field(Value()).is_nil());
}

TEST(YamlRead, BoundsDepthAndAliases) {
  std::string flow(20000, '[');
  EXPECT_EQ(read(flow).error().text(),
            "error converting YAML to JSON: yaml: exceeded max depth of 10000");
  std::string dashes;
  for (int i = 0; i < 10001; ++i) dashes += "- ";
  EXPECT_EQ(read(dashes + "a\n").error().text(),
            "error converting YAML to JSON: yaml: exceeded max depth of 10000");
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    std::string p = "*a" + std::to_string(i - 1), n = std::to_string(i);
    bomb += "a" + n + ": &a" + n + " [" + p;
    for (int k = 0; k < 9; ++k) bomb += ", " + p;
    bomb += "]\n";
  }
  EXPECT_EQ(read(bomb).error().text(),
            "error converting YAML to JSON: yaml: document contains excessive aliasing");
}

TEST(YamlRead, LastLineMayEndAtABlockBoundary) {
  for (size_t size : {512u, 4096u, 8192u}) {
    std::string text = "a: ";
    text.append(size - text.size(), 'x');
    EXPECT_EQ(read(text).value().get("a")->as_string().size(), size - 3);
    text.back() = '\n';
    EXPECT_EQ(read(text).value().get("a")->as_string().size(), size - 4);
  }
}

TEST(YamlRead, ReadsUtf16) {
  std::string le = "\xff\xfe";
  for (char c : std::string_view("a: b\n")) {
    le.push_back(c);
    le.push_back('\0');
  }
  EXPECT_EQ(as_json(le), R"({"a":"b"})");
}

}  // namespace
}  // namespace pintle::yaml
