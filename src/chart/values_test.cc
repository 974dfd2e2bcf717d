#include "chart/values.h"

#include <gtest/gtest.h>

#include "json/json.h"

namespace pintle::chart {
namespace {

using value::Value;

Value from_json(const char* text) { return *json::read(text); }
std::string to_json(const Value& v) { return *json::write(v); }

std::unique_ptr<Chart> chart_named(const std::string& name, const char* values) {
  auto c = std::make_unique<Chart>();
  c->metadata.name = name;
  c->metadata.version = "1.0.0";
  c->has_metadata = true;
  c->values = from_json(values);
  return c;
}

void depend(Chart& chart, Dependency d) {
  chart.metadata.has_dependencies = true;
  if (d.version.empty()) d.version = "1.x";
  chart.metadata.dependencies.push_back(std::move(d));
}

struct Row {
  const char* claim;
  const char* defaults;
  const char* given;
  const char* want;
};

TEST(CoalesceValues, PutsDefaultsUnderWhatIsGiven) {
  const Row rows[] = {
      {"what is given wins", R"({"a":1,"b":2})", R"({"a":3})", R"({"a":3,"b":2})"},
      {"tables merge", R"({"m":{"x":1,"y":2}})", R"({"m":{"x":3}})", R"({"m":{"x":3,"y":2}})"},
      {"lists are replaced", R"({"l":[1,2]})", R"({"l":[3]})", R"({"l":[3]})"},
      {"null removes a default", R"({"a":1,"m":{"x":1}})", R"({"a":null,"m":{"x":null}})",
       R"({"m":{}})"},
      {"null without a default stays", R"({"b":1})", R"({"a":null})", R"({"a":null,"b":1})"},
      {"null below, null in the defaults: it stays", R"({"m":{"x":null}})", R"({"m":{"x":null}})",
       R"({"m":{"x":null}})"},
      {"defaults of null vanish", R"({"a":null,"m":{"x":null,"y":1}})", "{}", R"({"m":{"y":1}})"},
      {"a scalar over a table stays", R"({"m":{"x":1}})", R"({"m":5})", R"({"m":5})"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.claim);
    auto c = chart_named("c", row.defaults);
    auto got = coalesce_values(*c, from_json(row.given));
    ASSERT_TRUE(got);
    EXPECT_EQ(to_json(*got), row.want);
    EXPECT_EQ(to_json(c->values), to_json(from_json(row.defaults)));
  }
}

TEST(CoalesceValues, Helm3KeepsDefaultsOfNull) {
  auto c = chart_named("c", R"({"a":null,"m":{"x":null}})");
  ValuesOptions options;
  options.helm3 = true;
  EXPECT_EQ(to_json(*coalesce_values(*c, from_json("{}"), options)),
            R"({"a":null,"m":{"x":null}})");
}

TEST(CoalesceValues, GlobalsGoDownAndTheParentsWin) {
  auto c = chart_named("c", R"({"global":{"a":1,"t":{"x":1}}})");
  c->add_dependency(chart_named("s", R"({"global":{"a":2,"b":3,"t":{"y":2}}})"));
  EXPECT_EQ(to_json(*coalesce_values(*c, from_json("{}"))),
            R"({"global":{"a":1,"t":{"x":1}},"s":{"global":{"a":1,"b":3,"t":{"x":1,"y":2}}}})");
}

TEST(CoalesceValues, TablesInsideGlobalTablesAreOneForParentAndChild) {
  auto c = chart_named("c", R"({"global":{"t":{"u":{"x":1}}}})");
  c->add_dependency(chart_named("s", R"({"global":{"t":{"u":{"y":2}}}})"));
  Value got = *coalesce_values(*c, from_json("{}"));
  EXPECT_EQ(to_json(*got.get("global")), R"({"t":{"u":{"x":1,"y":2}}})");
  Value parent = *got.get("global")->get("t")->get("u");
  Value child = *got.get("s")->get("global")->get("t")->get("u");
  EXPECT_TRUE(parent.identical(child));
}

TEST(CoalesceValues, TheResultSharesNoMapWithItsSources) {
  auto c = chart_named("c", R"({"m":{"x":{"y":1}},"l":[{"z":1}]})");
  Value given = from_json(R"({"g":{"h":{}}})");
  Value got = *coalesce_values(*c, given);
  got.get("m")->get("x")->as_map()->set("y", Value::integer(9));
  got.get("g")->get("h")->as_map()->set("i", Value::integer(9));
  got.get("l")->items()[0].as_map()->set("z", Value::integer(9));
  EXPECT_EQ(to_json(c->values), R"({"l":[{"z":1}],"m":{"x":{"y":1}}})");
  EXPECT_EQ(to_json(given), R"({"g":{"h":{}}})");
}

TEST(CoalesceValues, ASubchartNeedsATable) {
  auto c = chart_named("c", "{}");
  c->add_dependency(chart_named("s", "{}"));
  auto got = coalesce_values(*c, from_json(R"({"s":"x"})"));
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().text(), "type mismatch on s: %!t(string=x)");
}

TEST(CoalesceValues, WarnsInHelmsWords) {
  auto c = chart_named("c", R"({"m":{"n":{"x":1},"s":1}})");
  std::vector<std::string> lines;
  ValuesOptions options;
  options.log = [&](std::string_view level, std::string_view message, const LogAttrs&) {
    lines.push_back(std::string(level) + " " + std::string(message));
  };
  ASSERT_TRUE(coalesce_values(*c, from_json(R"({"m":{"n":5,"s":{}}})"), options));
  EXPECT_EQ(lines, (std::vector<std::string>{
                       "INFO warning: cannot overwrite table with non table for c.m.n (map[x:1])",
                       "INFO warning: destination for c.m.s is a table. Ignoring non-table value "
                       "(1)"}));
}

TEST(MergeMaps, TheSecondWinsAndNullsStay) {
  EXPECT_EQ(to_json(merge_maps(from_json(R"({"a":1,"m":{"x":1},"z":0})"),
                               from_json(R"({"a":null,"m":{"y":2},"b":3})"))),
            R"({"a":null,"b":3,"m":{"x":1,"y":2},"z":0})");
}

TEST(ProcessDependencies, ConditionsOverrideTags) {
  auto c = chart_named("c", R"({"tags":{"t":false},"on":{"enabled":true}})");
  for (const char* name : {"on", "off", "plain"}) c->add_dependency(chart_named(name, "{}"));
  Dependency on, off, plain;
  on.name = "on", on.condition = "on.enabled", on.tags = {"t"};
  off.name = "off", off.tags = {"t"};
  plain.name = "plain";
  depend(*c, on), depend(*c, off), depend(*c, plain);
  ASSERT_TRUE(process_dependencies(*c, from_json("{}")));
  ASSERT_EQ(c->dependencies.size(), 2u);
  EXPECT_EQ(c->dependencies[0]->name(), "on");
  EXPECT_EQ(c->dependencies[1]->name(), "plain");
  EXPECT_EQ(c->metadata.dependencies.size(), 2u);
}

TEST(ProcessDependencies, AnAliasIsAnInstanceOfItsOwn) {
  auto c = chart_named("c", "{}");
  c->add_dependency(chart_named("s", R"({"a":1})"));
  Dependency one, two;
  one.name = "s", one.alias = "one";
  two.name = "s", two.alias = "two";
  depend(*c, one), depend(*c, two);
  ASSERT_TRUE(process_dependencies(*c, from_json("{}")));
  Value got = *coalesce_values(*c, from_json(R"({"two":{"a":2}})"));
  EXPECT_EQ(to_json(got), R"({"one":{"a":1,"global":{}},"two":{"a":2,"global":{}}})");
  got.get("one")->as_map()->set("a", Value::integer(7));
  EXPECT_EQ(to_json(*got.get("two")), R"({"a":2,"global":{}})");
}

TEST(ProcessDependencies, ImportsValuesUnderTheParents) {
  auto c = chart_named("c", R"({"here":{"x":1}})");
  c->add_dependency(chart_named("s", R"({"exports":{"e":{"p":1}},"data":{"x":2,"y":3}})"));
  Dependency d;
  d.name = "s";
  d.import_values = {value::str("e"), from_json(R"({"child":"data","parent":"here"})")};
  depend(*c, d);
  ASSERT_TRUE(process_dependencies(*c, from_json("{}")));
  EXPECT_EQ(to_json(*c->values.get("here")), R"({"x":1,"y":3})");
  EXPECT_EQ(to_json(*c->values.get("p")), "1");
}

TEST(PathValue, NamesTheLastKey) {
  Value v = from_json(R"({"a":{"b":1}})");
  EXPECT_EQ(path_value(v, "a.b")->as_double(), 1);
  EXPECT_EQ(path_value(v, "a.c").error().text(), "\"c\" is not a value");
  EXPECT_EQ(path_value(v, "a").error().text(), "\"a\" is not a value");
  EXPECT_EQ(table(v, "a.b").error().text(), "\"b\" is not a table");
}

}  // namespace
}  // namespace pintle::chart
