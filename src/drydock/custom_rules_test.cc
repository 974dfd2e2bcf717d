#include "drydock/custom_rules.h"

#include <gtest/gtest.h>

#include "base/strings.h"
#include "drydock/custom_schema.h"
#include "json/json.h"

namespace pintle::drydock {
namespace {

using value::Value;
using Texts = std::vector<std::string>;

Value parse(std::string_view text) {
  auto read = json::read(text, {.numbers = json::Numbers::kExact});
  EXPECT_TRUE(read.has_value()) << text;
  return read ? *read : Value();
}

Texts said(const std::vector<Cause>& causes) {
  Texts out;
  for (const Cause& c : causes) out.push_back(cat(c.field, ": ", c.message));
  return out;
}

struct Verdict {
  Texts errors, warnings;
};
Verdict judge(std::string_view schema, std::string_view object, std::string_view old = "") {
  auto parsed = parse_schema(parse(schema));
  EXPECT_TRUE(parsed.has_value());
  auto rules = CustomRules::compile(**parsed);
  const Value now = parse(object), before = old.empty() ? Value() : parse(old);
  std::vector<Cause> causes;
  Verdict out;
  if (rules) rules->validate(now, old.empty() ? nullptr : &before, causes, &out.warnings);
  out.errors = said(causes);
  return out;
}
Texts definition(std::string_view schema) {
  std::vector<Cause> causes;
  check_rules(**parse_schema(parse(schema)), "schema", true, causes);
  return said(causes);
}

constexpr std::string_view kBounds = R"json({"type":"object","properties":{
  "min":{"type":"integer","x-kubernetes-validations":[{"rule":"self >= 0"},{"rule":"self >= oldSelf","message":"min may only grow"}]},
  "max":{"type":"integer"},
  "names":{"type":"array","items":{"type":"string","x-kubernetes-validations":[{"rule":"self != 'x'","reason":"FieldValueForbidden"}]}}},
  "x-kubernetes-validations":[{"rule":"self.min <= self.max","messageExpression":"'%d is above %d'.format([self.min, self.max])","fieldPath":".max"}]})json";

TEST(Rules, JudgeEveryValueTheyStandAt) {
  EXPECT_EQ(judge(kBounds, R"({"min":1,"max":2,"names":["a"]})").errors, Texts{});
  EXPECT_EQ(judge(kBounds, R"({"min":3,"max":2})").errors, (Texts{"max: Invalid value: 3 is above 2"}));
  EXPECT_EQ(judge(kBounds, R"({"min":-1,"max":2,"names":["a","x"]})").errors,
            (Texts{"min: Invalid value: -1: failed rule: self >= 0", "names[1]: Forbidden: failed rule: self != 'x'"}));
  EXPECT_EQ(judge(kBounds, R"({"max":2})").errors,
            (Texts{R"(<nil>: Invalid value: "object": no such key: min evaluating rule: self.min <= self.max)"}));
}

TEST(Rules, SeeTheOldValueOfAnUpdateOnly) {
  EXPECT_EQ(judge(kBounds, R"({"min":1,"max":2})", R"({"min":2,"max":2})").errors,
            (Texts{"min: Invalid value: 1: min may only grow"}));
  EXPECT_EQ(judge(kBounds, R"({"min":1,"max":2})", R"({"max":2})").errors, Texts{});
}

TEST(Rules, OnlyWarnOfWhatAnUpdateLeavesAlone) {
  Verdict v = judge(kBounds, R"({"min":-1,"max":2})", R"({"min":-1,"max":1})");
  EXPECT_EQ(v.errors, Texts{});
  EXPECT_EQ(v.warnings, (Texts{"min: Invalid value: -1: failed rule: self >= 0"}));
  v = judge(kBounds, R"({"min":1,"max":2,"names":["x","a"]})", R"({"min":1,"max":2,"names":["x"]})");
  EXPECT_EQ(v.errors, (Texts{"names[0]: Forbidden: failed rule: self != 'x'"}));
}

TEST(Rules, FindOldElementsByTheirKeys) {
  constexpr std::string_view kKeyed = R"({"type":"object","properties":{"l":{"type":"array","x-kubernetes-list-type":"map",
    "x-kubernetes-list-map-keys":["k"],"items":{"type":"object","properties":{"k":{"type":"string"},
    "v":{"type":"integer","x-kubernetes-validations":[{"rule":"self >= oldSelf","message":"v may only grow"}]}}}}}})";
  EXPECT_EQ(judge(kKeyed, R"({"l":[{"k":"b","v":1},{"k":"a","v":1},{"k":"c","v":0}]})", R"({"l":[{"k":"a","v":1},{"k":"b","v":2}]})").errors,
            (Texts{"l[0].v: Invalid value: 1: v may only grow"}));
}

TEST(Rules, StopWhenTheBudgetIsSpent) {
  constexpr std::string_view kSlow = R"json({"type":"object","properties":{"a":{"type":"integer","x-kubernetes-validations":[
    {"rule":"lists.range(1000).all(x, lists.range(1000).all(y, x + y >= self))"},{"rule":"self > 5"}]}}})json";
  const Texts errors = judge(kSlow, R"({"a":0})").errors;
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_TRUE(errors[0].starts_with(R"(a: Invalid value: "integer": 'operation cancelled: actual cost limit exceeded': no further)"));
}

TEST(Definition, IsRefusedWithTheRuleThatIsWrong) {
  struct Case {
    std::string_view rule, want;
  } cases[] = {
      {R"({"rule":"self.a == 1"})", ""},
      {R"({"rule":" "})", "schema.x-kubernetes-validations[0].rule: Required value: rule is not specified"},
      {R"({"rule":"true\n"})", ""},
      {R"({"rule":"true &&\ntrue"})",
       "schema.x-kubernetes-validations[0].message: Required value: message must be specified if rule contains line breaks"},
      {R"({"rule":"true","reason":"Odd"})",
       R"(schema.x-kubernetes-validations[0].reason: Unsupported value: "Odd": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired")"},
      {R"({"rule":"true","fieldPath":".b"})",
       R"(schema.x-kubernetes-validations[0].fieldPath: Invalid value: ".b": must be a valid path)"},
      {R"({"rule":"self.a"})",
       R"(schema.x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.a","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: cel expression must evaluate to a bool)"},
      {R"({"rule":"true","optionalOldSelf":true})",
       "schema.x-kubernetes-validations[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule"},
      {R"({"rule":"self.a == 'x'"})",
       R"(schema.x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.a == 'x'","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:8: found no matching overload for '_==_' applied to '(int, string)')"
       "\n | self.a == 'x'\n | .......^"},
  };
  for (const Case& c : cases) {
    const Texts want = c.want.empty() ? Texts{} : Texts{std::string(c.want)};
    EXPECT_EQ(definition(cat(R"({"type":"object","properties":{"a":{"type":"integer"}},"x-kubernetes-validations":[)", c.rule, "]}")), want);
  }
}

TEST(Definition, MayNotLookBackWhereOldElementsCannotBeTold) {
  EXPECT_EQ(definition(R"({"type":"object","properties":{"l":{"type":"array","items":{"type":"string",
    "x-kubernetes-validations":[{"rule":"self == oldSelf"}]}}}})"),
            (Texts{R"(schema.properties[l].items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within schema.properties[l])"}));
}

TEST(Field, PathsNameFieldsAndKeys) {
  auto schema = parse_schema(parse(R"({"type":"object","properties":{"a":{"type":"object","properties":{"b-c":{"type":"string"}}},
    "m":{"type":"object","additionalProperties":{"type":"string"}}}})"));
  struct Case {
    std::string_view path, want;
  } cases[] = {{".a", "a"}, {".a['b-c']", "a.b-c"}, {".m['k']", "m[k]"}, {".m.k", "m[k]"}, {".z", ""}, {"a", ""}, {".a[0]", ""}, {".a['b", ""}};
  for (const Case& c : cases) EXPECT_EQ(rule_field(c.path, **schema).value_or(""), c.want) << c.path;
}

}  // namespace
}  // namespace pintle::drydock
