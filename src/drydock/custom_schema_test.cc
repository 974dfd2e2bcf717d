#include "drydock/custom_schema.h"

#include <gtest/gtest.h>

#include "json/json.h"

namespace pintle::drydock {
namespace {

using value::Value;

Value parse(std::string_view text) {
  auto read = json::read(text, {.numbers = json::Numbers::kExact});
  EXPECT_TRUE(read.has_value()) << text;
  return read ? *read : Value();
}
std::string write(const Value& v) { return *json::write(v, {.escape_html = false}); }

Value definition(std::string_view spec_schema) {
  return parse(R"({"metadata":{"name":"boats.sea.example.com"},"status":{"storedVersions":["v1"]},"spec":{"group":"sea.example.com",
    "scope":"Namespaced","names":{"plural":"boats","singular":"boat","kind":"Boat","listKind":"BoatList"},
    "versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},
    "additionalPrinterColumns":[{"name":"Mast","type":"integer","jsonPath":".spec.masts"}],
    "schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":)" +
               std::string(spec_schema) + "}}}}]}}");
}
struct Made {
  CustomDefinition definition;
  const CustomSchema* schema;
};
Made made(std::string_view spec_schema) {
  auto out = parse_definition(definition(spec_schema));
  EXPECT_TRUE(out.has_value());
  const CustomSchema* schema = out->versions[0].schema.get();
  return {std::move(*out), schema};
}
std::vector<std::string> errors(std::string_view schema, std::string_view spec) {
  Made m = made(schema);
  std::vector<Cause> causes;
  Value object = parse(R"({"apiVersion":"sea.example.com/v1","kind":"Boat","metadata":{"name":"b"},"spec":)" +
                       std::string(spec) + "}");
  validate_custom(object, m.schema, causes);
  std::vector<std::string> out;
  for (const Cause& c : causes) out.push_back(c.field + ": " + c.message);
  return out;
}
using Texts = std::vector<std::string>;

TEST(Validate, SaysWhatKubernetesSays) {
  struct Case {
    std::string_view schema, spec;
    Texts want;
  } cases[] = {
      {R"({"type":"object","properties":{"n":{"type":"integer"}}})", R"({"n":"x"})",
       {R"(spec.n: Invalid value: "string": spec.n in body must be of type integer: "string")"}},
      {R"({"type":"object","required":["n"]})", "{}", {"spec.n: Required value"}},
      {R"({"type":"object","properties":{"n":{"type":"integer","maximum":10}}})", R"({"n":11})",
       {"spec.n: Invalid value: 11: spec.n in body should be less than or equal to 10"}},
      {R"({"type":"object","properties":{"c":{"type":"string","enum":["a","b"]}}})", R"({"c":"z"})",
       {R"(spec.c: Unsupported value: "z": supported values: "a", "b")"}},
      {R"({"type":"object","properties":{"c":{"type":"string","pattern":"^a+$"}}})", R"({"c":"z"})",
       {R"(spec.c: Invalid value: "z": spec.c in body should match '^a+$')"}},
      {R"({"type":"object","properties":{"c":{"type":"string","minLength":3}}})", R"({"c":"z"})",
       {R"(spec.c: Invalid value: "z": spec.c in body should be at least 3 chars long)"}},
      {R"({"type":"object","properties":{"l":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"}}})",
       R"({"l":["a","b","a"]})", {R"(spec.l[2]: Duplicate value: "a")"}},
      {R"({"type":"object","properties":{"p":{"x-kubernetes-int-or-string":true}}})", R"({"p":"80"})", {}},
      {R"({"type":"object","properties":{"m":{"type":"object","additionalProperties":{"type":"boolean"}}}})",
       R"({"m":{"k":1}})",
       {R"(spec.m.k: Invalid value: "integer": spec.m.k in body must be of type boolean: "integer")"}},
      {R"({"type":"object","properties":{"e":{"type":"string","format":"ipv4"}}})", R"({"e":"x"})",
       {R"(spec.e: Invalid value: "x": spec.e in body must be of type ipv4: "x")"}},
  };
  for (const Case& c : cases) EXPECT_EQ(errors(c.schema, c.spec), c.want) << c.schema;
}

TEST(Prune, RemovesAndNamesUnknownFields) {
  Made m = made(R"({"type":"object","properties":{"a":{"type":"integer"},"free":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}})");
  Value object = parse(R"({"apiVersion":"v","kind":"k","metadata":{"x":1},"spec":{"a":1,"b":2,"free":{"z":1}},"top":1})");
  std::vector<std::string> unknown;
  prune(object, m.schema, unknown);
  EXPECT_EQ(unknown, (Texts{"spec.b", "top"}));
  EXPECT_EQ(write(*object.get("spec")), R"({"a":1,"free":{"z":1}})");
}

TEST(Defaults, FillWhatIsAbsentOrMayNotBeNull) {
  Made m = made(R"({"type":"object","default":{},"properties":{"a":{"type":"integer","default":3},"b":{"type":"string"}}})");
  Value object = parse(R"({"spec":{"a":null,"b":null}})");
  fill_defaults(object, m.schema);
  EXPECT_EQ(write(object), R"({"spec":{"a":3}})");
  Value empty = parse("{}");
  fill_defaults(empty, m.schema);
  EXPECT_EQ(write(empty), R"({"spec":{"a":3}})");
}

TEST(Definition, IsCheckedAndDescribed) {
  std::vector<Cause> causes;
  Value crd = definition(R"({"type":"object"})");
  validate_definition(crd, nullptr, causes);
  EXPECT_TRUE(causes.empty()) << causes[0].field << causes[0].message;
  crd.as_map()->find("metadata")->as_map()->set("name", value::str("x"));
  validate_definition(crd, nullptr, causes);
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(causes[0].message, R"(Invalid value: "x": must be spec.names.plural+"."+spec.group)");
  Value status = definition_status(crd, "2026-01-01T00:00:00Z");
  EXPECT_EQ(write(*status.get("storedVersions")), R"(["v1"])");
  EXPECT_EQ(status.get("conditions")->length(), 2u);
}

TEST(Cell, FollowsItsPath) {
  Made m = made(R"({"type":"object"})");
  Value object = parse(R"({"spec":{"masts":3,"l":[{"type":"Ready","status":"True"}]}})");
  EXPECT_EQ(write(custom_cell(object, m.definition.versions[0].columns[0])), "3");
  EXPECT_EQ(at_path(object, R"(.spec.l[?(@.type=="Ready")].status)")->as_string(), "True");
  EXPECT_EQ(at_path(object, ".spec.none"), nullptr);
  EXPECT_EQ(at_path(object, ".spec.l["), nullptr);
}

}  // namespace
}  // namespace pintle::drydock
