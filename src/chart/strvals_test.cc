#include "chart/strvals.h"

#include <gtest/gtest.h>

#include "json/json.h"

namespace pintle::chart::strvals {
namespace {

using value::Value;

std::string json_of(const Ref<value::Map>& m) { return *json::write(Value::map(m)); }

struct Row {
  const char* claim;
  const char* line;
  const char* want;   // JSON of the map, or nullptr
  const char* error;  // or nullptr
};

TEST(Set, ReadsPairs) {
  const Row rows[] = {
      {"a pair", "a=1", R"({"a":1})", nullptr},
      {"names nest", "a.b=x", R"({"a":{"b":"x"}})", nullptr},
      {"an index fills with null", "a[2]=x", R"({"a":[null,null,"x"]})", nullptr},
      {"lists", "a={1,x,null}", R"({"a":[1,"x",null]})", nullptr},
      {"a backslash takes the next literally", "a\\.b=c\\,d", R"({"a.b":"c,d"})", nullptr},
      {"leading zeros stay text", "a=007", R"({"a":"007"})", nullptr},
      {"words fold by case, also the long s", "a=TRUE,b=fal\u017Fe", R"({"a":true,"b":false})",
       nullptr},
      {"an empty value is the empty string", "a=", R"({"a":""})", nullptr},
      {"the line may end inside an index", "a[", "{}", nullptr},
      {"no value", "a", nullptr, "key \"a\" has no value"},
      {"a list must end", "a={x", nullptr, "list must terminate with '}'"},
      {"negative index", "a[-1]=x", nullptr, "negative -1 index not allowed"},
      {"large index", "a[65537]=x", nullptr,
       "index of 65537 is greater than maximum supported index of 65536"},
      {"text after an index", "a[0]b'=x", nullptr,
       "unexpected data at end of array index: ['b' '\\'']"},
      {"a scalar is no map", "a=x,a.b=y", nullptr,
       "unable to parse key: interface conversion: interface {} is string, not "
       "map[string]interface {}"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.claim);
    auto dest = value::make_map();
    auto status = parse_into(row.line, *dest);
    if (row.error != nullptr) {
      ASSERT_FALSE(status);
      EXPECT_EQ(status.error().text(), row.error);
    } else {
      ASSERT_TRUE(status) << status.error().text();
      EXPECT_EQ(json_of(dest), row.want);
    }
  }
}

TEST(Set, IntegersAreInt64) {
  auto dest = value::make_map();
  ASSERT_TRUE(parse_into("a=5", *dest));
  EXPECT_TRUE(dest->find("a")->is(value::Type::kInt64));
}

TEST(Set, ACutIndexIsAnErrorInHelm3) {
  auto dest = value::make_map();
  auto status = parse_into("a[", *dest, true);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().text(), "error parsing index: EOF");
}

TEST(Set, NestedIndexesAreBounded) {
  std::string line = "a";
  for (int i = 0; i < 100000; ++i) line += "[0]";
  auto dest = value::make_map();
  EXPECT_FALSE(parse_into(line + "=x", *dest));
}

TEST(Set, ListsThatOthersHoldAreCopied) {
  auto dest = value::make_map();
  ASSERT_TRUE(parse_into("a={1,2}", *dest));
  Value before = *dest->find("a");
  ASSERT_TRUE(parse_into("a[0]=9", *dest));
  EXPECT_EQ(*json::write(before), "[1,2]");
  EXPECT_EQ(json_of(dest), R"({"a":[9,2]})");
}

TEST(SetString, NothingIsTyped) {
  auto dest = value::make_map();
  ASSERT_TRUE(parse_into_string("a=1,b=true", *dest));
  EXPECT_EQ(json_of(dest), R"({"a":"1","b":"true"})");
}

TEST(SetLiteral, TheRestIsTheValue) {
  auto dest = value::make_map();
  ASSERT_TRUE(parse_literal_into("a.b=x,\\y={1}", *dest));
  EXPECT_EQ(json_of(dest), R"({"a":{"b":"x,\\y={1}"}})");
}

TEST(SetJson, ValuesAreJson) {
  auto dest = value::make_map();
  ASSERT_TRUE(parse_json_into(R"(a={"x":[1]} , b=,c="y")", *dest));
  EXPECT_EQ(json_of(dest), R"({" b":null,"a":{"x":[1]},"c":"y"})");
}

TEST(SetFile, AnUnreadFileLeavesNull) {
  auto dest = value::make_map();
  auto read = [](std::string_view) -> Result<std::string> { return Error("open f: no"); };
  auto status = parse_file_into("a=f", *dest, read);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().text(), "open f: no");
  EXPECT_EQ(json_of(dest), R"({"a":null})");
}

}  // namespace
}  // namespace pintle::chart::strvals
