#include "schema/schema.h"

#include <gtest/gtest.h>

#include <map>

#include "json/json.h"

namespace pintle::schema {
namespace {

// Expectations are what the library prints (jsonschema 6.0.3), read off its Go package.
struct Row {
  const char* claim;
  const char* schema;
  const char* values;
  const char* error;
};

// The documents schemas may refer to.
Result<std::string> load(const std::string& url) {
  static const std::map<std::string, std::string> documents = {
      {"file:///other.json", R"({"definitions":{"a":{"type":"string"}}})"},
      {"file:///broken.json", R"({"type":)"},
      {"http://e.x/meta", R"({"$schema":"https://json-schema.org/draft/2020-12/schema",
      "$id":"http://e.x/meta")"
       R"(,"$vocabulary":{"https://json-schema.org/draft/2020-12/vocab/core":true)"
       R"(,"https://json-schema.org/draft/2020-12/vocab/applicator":true}})"},
      {"http://e.x/odd", R"({"$schema":"https://json-schema.org/draft/2020-12/schema")"
       R"(,"$vocabulary":{"http://e.x/v":true}})"},
  };
  auto it = documents.find(url);
  if (it == documents.end()) return Error("not here");
  return it->second;
}

std::string error_of(std::string_view schema, std::string_view values) {
  auto v = json::read(values);
  if (!v) return "values: " + v.error().text();
  auto verdict = validate(*v, schema, load);
  return verdict ? "" : verdict.error().text();
}

class Validate : public testing::TestWithParam<Row> {};

TEST_P(Validate, SaysWhatTheLibrarySays) {
  EXPECT_EQ(error_of(GetParam().schema, GetParam().values), GetParam().error);
}

std::string claim(const testing::TestParamInfo<Row>& info) { return info.param.claim; }

// clang-format off
const Row kKeywords[] = {
    {"TypeNamesAllChoices", R"({"type":["string","integer"]})",
     R"(1.5)",
     "- at '': got number, want integer or string\n"},
    {"IntegerTakesWholeFloats", R"({"type":"integer"})",
     R"(1.0)",
     ""},
    {"NumbersInEnglish", R"({"maximum":1000})",
     R"(1234567)",
     "- at '': maximum: got 1.234567×10⁰⁶, want 1,000\n"},
    {"SmallNumbersInEnglish", R"({"minimum":1})",
     R"(0.00001)",
     "- at '': minimum: got 1×10⁻⁰⁵, want 1\n"},
    {"GroupedNumbers", R"({"exclusiveMaximum":12345.5})",
     R"(99999.25)",
     "- at '': exclusiveMaximum: got 99,999.25, want 12,345.5\n"},
    {"MultipleOfIsExact", R"({"multipleOf":0.01})",
     R"(4.35)",
     ""},
    {"MultipleOfFails", R"({"multipleOf":0.3})",
     R"(1)",
     "- at '': multipleOf: got 1, want 0.3\n"},
    {"EnumShowsNumbersAsWritten", R"({"enum":[1.0,1e3,"it's",null,true]})",
     R"(2)",
     "- at '': value must be one of 1.0, 1e3, 'it\\'s', <nil>, true\n"},
    {"EnumOfOne", R"({"enum":["a"]})",
     R"("b")",
     "- at '': value must be 'a'\n"},
    {"EnumWithObjects", R"({"enum":[{"a":1}]})",
     R"(2)",
     "- at '': 'enum' failed\n"},
    {"ConstOfAnObject", R"({"const":{"a":[1]}})",
     R"({"a":[2]})",
     "- at '': 'const' failed\n"},
    {"ConstNull", R"({"const":null})",
     R"(1)",
     "- at '': value must be <nil>\n"},
    {"ConstIgnoresNumberSpelling", R"({"const":1.0})",
     R"(1)",
     ""},
    {"RequiredOne", R"({"required":["a"]})",
     R"({})",
     "- at '': missing property 'a'\n"},
    {"RequiredMany", R"({"required":["b","a"]})",
     R"({})",
     "- at '': missing properties 'b', 'a'\n"},
    {"AdditionalPropertiesSorted", R"({"properties":{"a":{}},"additionalProperties":false})",
     R"({"z":1,"b":2,"a":3})",
     "- at '': additional properties 'b', 'z' not allowed\n"},
    {"PatternProperties", R"({"patternProperties":{"^x-":{"type":"string"}}})",
     R"({"x-a":1,"y":2})",
     "- at '/x-a': got number, want string\n"},
    {"PropertiesSorted", R"({"properties":{"b":{"type":"string"},"a":{"type":"string"}}})",
     R"({"a":1,"b":2})",
     "- at '/a': got number, want string\n"
     "- at '/b': got number, want string\n"},
    {"PropertyCounts", R"({"minProperties":2,"maxProperties":0})",
     R"({"a":1})",
     "- at '': minProperties: got 1, want 2\n"
     "- at '': maxProperties: got 1, want 0\n"},
    {"PropertyNames", R"({"properties":{"o":{"propertyNames":{"maxLength":2}}}})",
     R"({"o":{"abc":1}})",
     "- at '/o': invalid propertyName 'abc'\n"
     "  - at '': maxLength: got 3, want 2\n"},
    {"DependentRequired", R"({"dependentRequired":{"a":["b","c"]}})",
     R"({"a":1})",
     "- at '': properties 'b', 'c' required, if 'a' exists\n"},
    {"DependentSchemas", R"({"dependentSchemas":{"a":{"required":["b"]}}})",
     R"({"a":1})",
     "- at '': missing property 'b'\n"},
    {"Dependencies", R"({"dependencies":{"a":["b"],"c":{"minProperties":3}}})",
     R"({"a":1,"c":2})",
     "- at '': properties 'b' required, if 'a' exists\n"
     "- at '': minProperties: got 2, want 3\n"},
    {"ItemCounts", R"({"minItems":3,"maxItems":1})",
     R"([1,2])",
     "- at '': minItems: got 2, want 3\n"
     "- at '': maxItems: got 2, want 1\n"},
    {"UniqueItems", R"({"uniqueItems":true})",
     R"([1,[2],1.0])",
     "- at '': items at 0 and 2 are equal\n"},
    {"UniqueItemsOfManyNamesTheFirstPair", R"({"uniqueItems":true})",
     R"([0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,7,8])",
     "- at '': items at 7 and 22 are equal\n"},
    {"ItemsAfterPrefix", R"({"prefixItems":[{}],"items":{"type":"string"}})",
     R"([1,"a",3])",
     "- at '/2': got number, want string\n"},
    {"AdditionalItemsInDraft7", R"({"$schema":"http://json-schema.org/draft-07/schema#",
      "items":[{}],"additionalItems":false})",
     R"([1,2,3])",
     "- at '': last 2 additionalItem(s) not allowed\n"},
    {"Contains", R"({"contains":{"type":"string"}})",
     R"([1])",
     "- at '': no items match contains schema\n"
     "  - at '/0': got number, want string\n"},
    {"MinContains", R"({"contains":{"type":"string"},"minContains":2})",
     R"(["a",1,"b"])",
     ""},
    {"MinContainsFails", R"({"contains":{"type":"string"},"minContains":3})",
     R"(["a",1,"b"])",
     "- at '': min 3 items required to match contains schema, but matched 2 items at 0 2\n"
     "  - at '/1': got number, want string\n"},
    {"MaxContains", R"({"contains":{"type":"string"},"maxContains":1})",
     R"(["a",1,"b"])",
     "- at '': max 1 items required to match contains schema, but matched 2 items at 0 2\n"},
    {"LengthCountsRunes", R"({"minLength":3,"maxLength":1})",
     R"("éé")",
     "- at '': minLength: got 2, want 3\n"
     "- at '': maxLength: got 2, want 1\n"},
    {"Pattern", R"({"pattern":"^a\\.b$"})",
     R"("it's")",
     "- at '': 'it\\'s' does not match pattern '^a\\\\.b$'\n"},
    {"Not", R"({"not":{"type":"string"}})",
     R"("a")",
     "- at '': 'not' failed\n"},
    {"AllOfNests", R"({"allOf":[{"minimum":5},{"type":"string"}]})",
     R"(3)",
     "- at '': 'allOf' failed\n"
     "  - at '': minimum: got 3, want 5\n"
     "  - at '': got number, want string\n"},
    {"AnyOfNests", R"({"anyOf":[{"type":"string"},{"minimum":5,"multipleOf":2}]})",
     R"(3)",
     "- at '': 'anyOf' failed\n"
     "  - at '': got number, want string\n"
     "  - at '': validation failed\n"
     "    - at '': minimum: got 3, want 5\n"
     "    - at '': multipleOf: got 3, want 2\n"},
    {"OneOfNone", R"({"oneOf":[{"type":"string"},{"type":"null"}]})",
     R"(3)",
     "- at '': 'oneOf' failed, none matched\n"
     "  - at '': got number, want string\n"
     "  - at '': got number, want null\n"},
    {"OneOfTwo", R"({"oneOf":[{"type":"number"},{"type":"string"},{"minimum":0}]})",
     R"(3)",
     "- at '': 'oneOf' failed, subschemas 0, 2 matched\n"},
    {"IfThenElse", R"({"if":{"required":["a"]},"then":{"required":["b"]},
      "else":{"required":["c"]}})",
     R"({"a":1})",
     "- at '': missing property 'b'\n"},
    {"Else", R"({"if":{"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}})",
     R"({})",
     "- at '': missing property 'c'\n"},
    {"FalseSchema", R"({"properties":{"a":false}})",
     R"({"a":1})",
     "- at '/a': false schema\n"},
    {"UnevaluatedProperties", R"({"allOf":[{"properties":{"a":{}}}],
      "unevaluatedProperties":false})",
     R"({"a":1,"b":2})",
     "- at '/b': false schema\n"},
    {"UnevaluatedItems", R"({"prefixItems":[{}],"unevaluatedItems":false})",
     R"([1,2])",
     "- at '/1': false schema\n"},
    {"FormatsAssertInDraft7", R"({"$schema":"http://json-schema.org/draft-07/schema#",
      "format":"ipv4"})",
     R"("1.2.3.400")",
     "- at '': '1.2.3.400' is not valid ipv4: decimal must be between 0 and 255\n"},
    {"FormatsOnlyAnnotateIn2020", R"({"format":"ipv4"})",
     R"("1.2.3.400")",
     ""},
    {"ExclusiveBoundsInDraft4", R"({"$schema":"http://json-schema.org/draft-04/schema#",
      "minimum":3,"exclusiveMinimum":true})",
     R"(3)",
     "- at '': exclusiveMinimum: got 3, want 3\n"},
    {"PointerIsEscaped", R"({"properties":{"a/b~c'd":{"type":"string"}}})",
     R"({"a/b~c'd":1})",
     "- at '/a~1b~0c\\'d': got number, want string\n"},
    {"TwoFindingsStandSideBySide", R"({"properties":{"a":{"minimum":5,"multipleOf":2}}})",
     R"({"a":3})",
     "- at '/a': minimum: got 3, want 5\n"
     "- at '/a': multipleOf: got 3, want 2\n"},
};

const Row kReferences[] = {
    {"ThroughDefinitions", R"({"$ref":"#/$defs/a","$defs":{"a":{"type":"string"}}})",
     R"(1)",
     "- at '': got number, want string\n"},
    {"SeveralCausesShowTheReference", R"({"$ref":"#/$defs/a","$defs":{"a":{"minimum":5,
      "multipleOf":2}}})",
     R"(3)",
     "- at '': validation failed\n"
     "  - at '': minimum: got 3, want 5\n"
     "  - at '': multipleOf: got 3, want 2\n"},
    {"SiblingsAreIgnoredBefore2019", R"({"$schema":"http://json-schema.org/draft-07/schema#",
      "properties":{"a":{"$ref":"#/definitions/s","maxLength":1}},
      "definitions":{"s":{"type":"string"}}})",
     R"({"a":"long"})",
     ""},
    {"Anchors", R"({"$ref":"#x","$defs":{"a":{"$anchor":"x","type":"string"}}})",
     R"(1)",
     "- at '': got number, want string\n"},
    {"IdentifiersResolve", R"({"$id":"http://e.x/root.json","$ref":"sub.json",
      "$defs":{"a":{"$id":"sub.json","type":"string"}}})",
     R"(1)",
     "- at '': got number, want string\n"},
    {"Recursive", R"({"$schema":"https://json-schema.org/draft/2019-09/schema",
      "$recursiveAnchor":true,"type":"object","additionalProperties":{"$recursiveRef":"#"}})",
     R"({"a":{"b":1}})",
     "- at '/a/b': got number, want object\n"},
    {"Dynamic", R"({"$ref":"#/$defs/list","$defs":{"list":{"$id":"list",
      "items":{"$dynamicRef":"#item"},"$defs":{"d":{"$dynamicAnchor":"item"}}},
      "s":{"$dynamicAnchor":"item","type":"string"}}})",
     R"([1])",
     "- at '/0': got number, want string\n"},
    {"ToItselfIsACycle", R"({"$ref":"#"})",
     R"(1)",
     "- at '': both /$ref and  resolve to \"file:///values.schema.json#\" causing reference "
     "cycle\n"},
    {"CycleThroughAllOf", R"({"allOf":[{"$ref":"#/$defs/a"}],
      "$defs":{"a":{"anyOf":[{"$ref":"#"}]}}})",
     R"(1)",
     "- at '': 'allOf' failed\n"
     "  - at '': 'anyOf' failed\n"
     "    - at '': both /allOf/0/$ref/anyOf/0/$ref and  resolve to "
     "\"file:///values.schema.json#\" causing reference cycle\n"},
    {"Pointless", R"({"properties":{"a":{"$ref":"#/$defs/none"}}})",
     R"({})",
     "json-pointer in \"file:///values.schema.json#/$defs/none\" not found"},
    {"AnchorMissing", R"({"$ref":"#none"})",
     R"({})",
     "anchor in \"file:///values.schema.json#none\" not found in schema "
     "\"file:///values.schema.json\""},
    {"BadPointer", R"({"$ref":"#/a~2"})",
     R"({})",
     "invalid json-pointer \"file:///values.schema.json#/a~2\""},
    {"OtherDocument", R"({"$ref":"other.json#/definitions/a"})",
     R"(1)",
     "- at '': got number, want string\n"},
    {"OtherDocumentMissing", R"({"$ref":"none.json"})",
     R"(1)",
     "failing loading \"file:///none.json\": not here"},
    {"OtherDocumentBroken", R"({"$ref":"broken.json"})",
     R"(1)",
     "failing loading \"file:///broken.json\": unexpected EOF"},
    {"UnusedDefinitionsMayBeBroken", R"({"$defs":{"a":{"$ref":"none.json"}}})",
     R"(1)",
     ""},
    {"IntoUnknownKeywords", R"({"$ref":"#/odd","odd":{"type":"string"}})",
     R"(1)",
     "- at '': got number, want string\n"},
    {"IntoAnInvalidPlace", R"({"$ref":"#/odd","odd":{"type":"strin"}})",
     R"(1)",
     "\"file:///values.schema.json#/odd\" is not valid against metaschema: jsonschema "
     "validation failed with 'https://json-schema.org/draft/2020-12/schema#'\n"
     "- at '': 'allOf' failed\n"
     "  - at '/type': 'anyOf' failed\n"
     "    - at '/type': value must be one of 'array', 'boolean', 'integer', 'null', 'number', "
     "'object', 'string'\n"
     "    - at '/type': got string, want array"},
    {"Metaschemas", R"({"$ref":"http://json-schema.org/draft-07/schema#"})",
     R"({"type":3})",
     "- at '/type': 'anyOf' failed\n"
     "  - at '/type': value must be one of 'array', 'boolean', 'integer', 'null', 'number', "
     "'object', 'string'\n"
     "  - at '/type': got number, want array\n"},
    {"DuplicateIdentifier", R"({"$defs":{"a":{"$id":"x"},"b":{"$id":"x"}}})",
     R"(1)",
     "duplicate id \"file:///x\" in \"file:///values.schema.json\" at \"/$defs/b\" and "
     "\"/$defs/a\""},
    {"DuplicateAnchor", R"({"allOf":[{"$anchor":"x"},{"$anchor":"x"}]})",
     R"(1)",
     "duplicate anchor \"x\" in \"file:///values.schema.json\" at \"/allOf/0\" and \"/allOf/1\""},
};

const Row kInvalidSchemas[] = {
    {"Empty", R"()",
     R"(1)",
     "EOF"},
    {"Cut", R"({"type":)",
     R"(1)",
     "unexpected EOF"},
    {"Trailing", R"({} x)",
     R"(1)",
     "invalid character after top-level value"},
    {"NotASchema", R"([])",
     R"(1)",
     "\"file:///values.schema.json#\" is not valid against metaschema: jsonschema validation "
     "failed with 'https://json-schema.org/draft/2020-12/schema#'\n"
     "- at '': got array, want boolean or object"},
    {"UnknownType", R"({"type":"strin"})",
     R"(1)",
     "\"file:///values.schema.json#\" is not valid against metaschema: jsonschema validation "
     "failed with 'https://json-schema.org/draft/2020-12/schema#'\n"
     "- at '': 'allOf' failed\n"
     "  - at '/type': 'anyOf' failed\n"
     "    - at '/type': value must be one of 'array', 'boolean', 'integer', 'null', 'number', "
     "'object', 'string'\n"
     "    - at '/type': got string, want array"},
    {"Draft7Type", R"({"$schema":"http://json-schema.org/draft-07/schema#","type":"strin"})",
     R"(1)",
     "\"file:///values.schema.json#\" is not valid against metaschema: jsonschema validation "
     "failed with 'http://json-schema.org/draft-07/schema#'\n"
     "- at '/type': 'anyOf' failed\n"
     "  - at '/type': value must be one of 'array', 'boolean', 'integer', 'null', 'number', "
     "'object', 'string'\n"
     "  - at '/type': got string, want array"},
    {"Draft4NeedsItsMinimum", R"({"$schema":"http://json-schema.org/draft-04/schema#",
      "exclusiveMinimum":true})",
     R"(1)",
     "\"file:///values.schema.json#\" is not valid against metaschema: jsonschema validation "
     "failed with 'http://json-schema.org/draft-04/schema#'\n"
     "- at '': properties 'minimum' required, if 'exclusiveMinimum' exists"},
    {"NegativeLength", R"({"properties":{"a":{"maxLength":-1}}})",
     R"(1)",
     "\"file:///values.schema.json#\" is not valid against metaschema: jsonschema validation "
     "failed with 'https://json-schema.org/draft/2020-12/schema#'\n"
     "- at '': 'allOf' failed\n"
     "  - at '/properties/a': 'allOf' failed\n"
     "    - at '/properties/a/maxLength': minimum: got -1, want 0"},
    {"FractionalLength", R"({"$schema":"http://json-schema.org/draft-06/schema#","maxLength":1.5})",
     R"(1)",
     "\"file:///values.schema.json#\" is not valid against metaschema: jsonschema validation "
     "failed with 'http://json-schema.org/draft-06/schema#'\n"
     "- at '/maxLength': got number, want integer"},
    {"RequiredTwice", R"({"required":["a","a"]})",
     R"(1)",
     "\"file:///values.schema.json#\" is not valid against metaschema: jsonschema validation "
     "failed with 'https://json-schema.org/draft/2020-12/schema#'\n"
     "- at '': 'allOf' failed\n"
     "  - at '/required': items at 0 and 1 are equal"},
    {"BadExpression", R"j({"properties":{"a":{"pattern":"(?!a)"}}})j",
     R"(1)",
     "\"file:///values.schema.json#\" is not valid against metaschema: jsonschema validation "
     "failed with 'https://json-schema.org/draft/2020-12/schema#'\n"
     "- at '': 'allOf' failed\n"
     "  - at '/properties/a': 'allOf' failed\n"
     "    - at '/properties/a/pattern': '(?!a)' is not valid regex: error parsing regexp: "
     "invalid or unsupported Perl syntax: `(?!`"},
    {"BadExpressionAsName", R"({"patternProperties":{"[a":{}}})",
     R"(1)",
     "\"file:///values.schema.json#\" is not valid against metaschema: jsonschema validation "
     "failed with 'https://json-schema.org/draft/2020-12/schema#'\n"
     "- at '': 'allOf' failed\n"
     "  - at '/patternProperties': invalid propertyName '[a'\n"
     "    - at '': '[a' is not valid regex: error parsing regexp: missing closing ]: `[a`"},
    {"UnknownDraft", R"({"$schema":"http://e.x/none"})",
     R"(1)",
     "failing loading \"http://e.x/none\": not here"},
    {"MetaschemaWithoutValidation", R"({"$schema":"http://e.x/meta","minimum":5,
      "properties":{"a":false}})",
     R"({"a":1})",
     "- at '/a': false schema\n"},
    {"UnsupportedVocabulary", R"({"$schema":"http://e.x/odd"})",
     R"(1)",
     "unsupported vocabulary \"http://e.x/v\" in \"http://e.x/odd\""},
    {"HugeExponents", R"({"multipleOf":1e9999999})",
     R"(1)",
     "unable to validate schema: runtime error: invalid memory address or nil pointer dereference"},
};

// clang-format on

INSTANTIATE_TEST_SUITE_P(Keywords, Validate, testing::ValuesIn(kKeywords), claim);
INSTANTIATE_TEST_SUITE_P(References, Validate, testing::ValuesIn(kReferences), claim);
INSTANTIATE_TEST_SUITE_P(InvalidSchemas, Validate, testing::ValuesIn(kInvalidSchemas), claim);

std::string repeat(std::string_view s, size_t n) {
  std::string out;
  for (size_t i = 0; i < n; ++i) out += s;
  return out;
}

TEST(ValidateBounds, DeepValuesEndInAnError) {
  const std::string values = repeat(R"({"a":)", 9000) + "{}" + repeat("}", 9000);
  EXPECT_EQ(error_of(R"({"properties":{"a":{"$ref":"#"}}})", values),
            "unable to validate schema: it nests too deeply\n");
}

TEST(ValidateBounds, DeepSchemasEndInAnError) {
  EXPECT_EQ(error_of(repeat(R"({"not":)", 9000) + "{}" + repeat("}", 9000), "1"),
            "unable to validate schema: it nests too deeply\n");
  EXPECT_EQ(error_of(repeat(R"({"not":)", 3000) + "3" + repeat("}", 3000), "1"),
            "unable to validate schema: it nests too deeply");
}

TEST(ValidateBounds, ExponentialSchemasEndInAnError) {
  std::string schema = R"({"$ref":"#/$defs/a0","$defs":{)";
  for (int i = 0; i < 40; ++i) {
    const std::string next = R"({"$ref":"#/$defs/a)" + std::to_string(i + 1) + "\"}";
    schema += "\"a" + std::to_string(i) + R"(":{"anyOf":[)" + next + R"(,{"not":{"not":)" + next +
              "}}]},";
  }
  EXPECT_EQ(error_of(schema + R"("a40":false}})", "1"),
            "unable to validate schema: it takes too many steps\n");
}

TEST(ValidateBounds, EndlessFindingsEndInAnError) {
  std::string schema = R"({"items":{"enum":[)";
  for (int i = 0; i < 2000; ++i) schema += "\"0123456789\",";
  EXPECT_EQ(error_of(schema + "1]}}", "[" + repeat("2,", 20000) + "2]"),
            "unable to validate schema: it has too much to say\n");
}

TEST(ValidateBounds, LargeExpressionsShareALimit) {
  std::string schema = R"({"patternProperties":{)";
  for (int i = 0; i < 300; ++i) schema += "\"\\\\pL{1,1000}" + std::to_string(i) + "\":{},";
  const std::string error = error_of(schema + R"("a":{}}})", "{}");
  EXPECT_NE(error.find("expression too large"), std::string::npos);
}

TEST(ValidateBounds, ReferencesFromDocumentToDocumentEnd) {
  int loaded = 0;
  const Loader next = [&loaded](const std::string&) -> Result<std::string> {
    return R"({"$ref":"doc)" + std::to_string(++loaded) + "\"}";
  };
  auto verdict = validate(value::Value(), R"({"$ref":"doc0"})", next);
  ASSERT_FALSE(verdict);
  EXPECT_TRUE(verdict.error().text().ends_with(": too many documents")) << verdict.error().text();
  EXPECT_LT(loaded, 1000);
}

TEST(Validate, TakesTheGoTypesOfValues) {
  auto map = value::make_map();
  map->set("i", value::Value::integer(3));
  map->set("l", value::Value::strings({"a"}));
  const auto values = value::Value::map(map, value::Type::kValues);
  EXPECT_TRUE(validate(values, R"({"type":"object","properties":{"i":{"const":3.0}}})", {}));
  EXPECT_EQ(validate(values, R"({"properties":{"l":{"minItems":1}}})", {}).error().text(),
            "- at '/l': invalid jsonType []string\n");
}

}  // namespace
}  // namespace pintle::schema
