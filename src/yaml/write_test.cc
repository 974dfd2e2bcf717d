#include <gtest/gtest.h>

#include <cmath>

#include "json/json.h"
#include "yaml/key_order.h"
#include "yaml/yaml.h"

namespace pintle::yaml {
namespace {

using value::Value;

std::string v2(std::string_view json_text) {
  auto t = write(json::read(json_text).value());
  return t ? *t : "error: " + t.error().text();
}
std::string v3(std::string_view json_text) {
  return write_v3(json::read(json_text).value()).value();
}

TEST(YamlWrite, LaysOutMapsAndLists) {
  EXPECT_EQ(v2(R"({"a":[1,{"b":2,"c":[]}],"d":{},"e":[[1,2],[3]]})"),
            "a:\n- 1\n- b: 2\n  c: []\nd: {}\ne:\n- - 1\n  - 2\n- - 3\n");
  EXPECT_EQ(v3(R"({"a":[1,{"b":2,"c":[]}],"d":{},"e":[[1,2],[3]]})"),
            "a:\n  - 1\n  - b: 2\n    c: []\nd: {}\ne:\n  - - 1\n    - 2\n  - - 3\n");
  EXPECT_EQ(v2("null"), "null\n");
  EXPECT_EQ(v2("[]"), "[]\n");
}

TEST(YamlWrite, QuotesWhatWouldReadBackDifferently) {
  const struct {
    std::string_view text, yaml;
  } cases[] = {
      {"plain text", "plain text"}, {"yes", "\"yes\""},   {"1", "\"1\""},      {"0x", "0x"},
      {"", "\"\""},                 {"a: b", "'a: b'"},   {"a:b", "a:b"},      {"- a", "'- a'"},
      {"-a", "-a"},                 {"#a", "'#a'"},       {"a #b", "'a #b'"},  {"{{x}}", "'{{x}}'"},
      {" a", "' a'"},               {"a\\tb", "\"a\\tb\""}, {"12:30", "\"12:30\""}, {"<<", "<<"},
      {"2020-01-01", "\"2020-01-01\""}, {"2020-13-01", "2020-13-01"}, {"---x", "'---x'"},
      {"it's", "it's"},             {"'q'", "'''q'''"},   {"~", "\"~\""},      {"*a", "'*a'"},
      {"\xf0\x9f\x98\x80", "\"\\U0001F600\""}, {"\xc3\xa9", "\xc3\xa9"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(v2("\"" + std::string(c.text) + "\""), std::string(c.yaml) + "\n") << c.text;
  }
}

TEST(YamlWrite, UsesLiteralBlocksForLines) {
  EXPECT_EQ(v2(R"({"a":"x\ny\n"})"), "a: |\n  x\n  y\n");
  EXPECT_EQ(v2(R"({"a":"x\n\n y"})"), "a: |-\n  x\n\n   y\n");
  EXPECT_EQ(v2(R"({"a":"x\n\n","b":1})"), "a: |+\n  x\n\nb: 1\n");
  EXPECT_EQ(v2(R"([" x\ny"])"), "- |2-\n   x\n  y\n");
  EXPECT_EQ(v2(R"({"a":"x \ny"})"), "a: \"x \\ny\"\n");
  EXPECT_EQ(v2(R"({"a\nb":1})"), "? |-\n  a\n  b\n: 1\n");
  EXPECT_EQ(v3(R"(["a\tb\nc"])"), "- |-\n  a\tb\n  c\n");
}

TEST(YamlWrite, FoldsAtEightyColumnsInV2Only) {
  std::string words;
  for (int i = 0; i < 20; ++i) words += "word" + std::to_string(i) + " ";
  words += "end";
  std::string json = "{\"k\":\"" + words + "\"}";
  EXPECT_EQ(v2(json),
            "k: word0 word1 word2 word3 word4 word5 word6 word7 word8 word9 word10 word11 word12\n"
            "  word13 word14 word15 word16 word17 word18 word19 end\n");
  EXPECT_EQ(v3(json), "k: " + words + "\n");
}

TEST(YamlWrite, NumbersPassThroughJson) {
  EXPECT_EQ(v2("[1000000,1.5,1e21,0.00001,-0.0,1234567.891]"),
            "- 1000000\n- 1.5\n- 1e+21\n- 1e-05\n- 0\n- 1.234567891e+06\n");
  EXPECT_EQ(v3("[1000000,-0.0]"), "- 1e+06\n- -0\n");
  EXPECT_EQ(write(Value::integer(7)).value(), "7\n");
  EXPECT_EQ(write(Value::number(std::nan(""))).error().text(),
            "error marshaling into JSON: json: unsupported value: NaN");
  EXPECT_EQ(write_v3(Value::number(INFINITY)).value(), ".inf\n");
}

TEST(YamlWrite, JsonDetourRefusesAndFolds) {
  EXPECT_EQ(v2("\"a\x7f\""), "error: yaml: control characters are not allowed");
  EXPECT_EQ(v2("\"a \xc2\x85 b\""), "a b\n");
  EXPECT_EQ(v2("{\"a\xc2\x85\":1}"), "error: yaml: line 1: did not find expected ',' or '}'");
  EXPECT_EQ(v2("{\"" + std::string(1100, 'k') + "\":1}"),
            "error: yaml: did not find expected ',' or '}'");
  EXPECT_EQ(v2("{\"" + std::string(200, 'k') + "\":1}"), "? " + std::string(200, 'k') + "\n: 1\n");
}

TEST(YamlWrite, EndsAtCyclesAndDepth) {
  auto m = value::make_map();
  m->set("self", Value::map(m));
  EXPECT_EQ(write(Value::map(m)).error().text(),
            "error marshaling into JSON: json: unsupported value: encountered a cycle via "
            "map[string]interface {}");
  m->clear();
}

TEST(KeyOrder, IsNatural) {
  EXPECT_TRUE(key_less("a2", "a10", false));
  EXPECT_TRUE(key_less("a-b", "ab", false));
  EXPECT_TRUE(key_less("B", "a", false));
  EXPECT_TRUE(key_less("a", "ab", false));
  EXPECT_TRUE(key_less("v10", "v1alpha1", false));
  EXPECT_TRUE(key_less("v1alpha1", "v2", true));
  EXPECT_TRUE(key_less("v1alpha1", "v10", true));
  EXPECT_EQ(v2(R"({"a10":1,"a2":2,"a1":3})"), "a1: 3\na2: 2\na10: 1\n");
}

}  // namespace
}  // namespace pintle::yaml
