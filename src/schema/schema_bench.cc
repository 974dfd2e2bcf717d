// A schema as generators write them for large charts: nested objects with types, descriptions,
// patterns and references to shared definitions. Compiled and applied anew each time, as Helm does.
#include <benchmark/benchmark.h>

#include "base/check.h"
#include "base/strings.h"
#include "json/json.h"
#include "schema/schema.h"

namespace pintle::schema {
namespace {

// About 1 kB a component.
std::string large_schema(int components, std::string_view draft) {
  std::string out = cat(R"({"$schema": ")", draft, R"(", "type": "object", "definitions": {
    "quantity": {"type": ["string", "number"], "pattern": "^[0-9.]+[A-Za-z]*$"},
    "resources": {"type": "object", "additionalProperties": {
      "type": "object", "additionalProperties": {"$ref": "#/definitions/quantity"}}}},
    "properties": {)");
  for (int i = 0; i < components; ++i) {
    out += cat(i ? "," : "", "\"component", i, R"(": {"type": "object",
      "description": "Settings of one component of the application, spelled out at some length.",
      "additionalProperties": false, "required": ["enabled"], "properties": {
        "enabled": {"type": "boolean", "default": true, "description": "Whether it is installed"},
        "replicas": {"type": "integer", "minimum": 0, "maximum": 100},
        "image": {"type": "object", "properties": {
          "repository": {"type": "string"}, "tag": {"type": ["string", "null"]},
          "pullPolicy": {"enum": ["Always", "IfNotPresent", "Never"]}}},
        "resources": {"$ref": "#/definitions/resources"},
        "tolerations": {"type": "array", "items": {"type": "object", "properties": {
          "key": {"type": "string"}, "effect": {"type": "string"}}}},
        "extra": {"anyOf": [{"type": "string"}, {"type": "object"}, {"type": "null"}]}}})");
  }
  return out + "}}";
}

value::Value large_values(int components) {
  std::string out = "{";
  for (int i = 0; i < components; ++i) {
    out += cat(i ? "," : "", "\"component", i, R"(": {"enabled": true, "replicas": 2,
      "image": {"repository": "registry.example/app", "tag": null, "pullPolicy": "Always"},
      "resources": {"limits": {"cpu": "100m", "memory": "128Mi"}},
      "tolerations": [{"key": "a", "effect": "NoSchedule"}], "extra": {}})");
  }
  auto v = json::read(out + "}");
  CHECK(v);
  return *v;
}

void validate_large(benchmark::State& state, std::string_view draft) {
  const auto components = static_cast<int>(state.range(0));
  const std::string schema = large_schema(components, draft);
  const value::Value values = large_values(components);
  for (auto _ : state) CHECK(validate(values, schema, {}));
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * schema.size()));
  state.counters["schema_kB"] = static_cast<double>(schema.size()) / 1000;
}

BENCHMARK_CAPTURE(validate_large, draft7, "http://json-schema.org/draft-07/schema#")
    ->Arg(10)
    ->Arg(500);
BENCHMARK_CAPTURE(validate_large, draft2020, "https://json-schema.org/draft/2020-12/schema")
    ->Arg(500);

void explain_one_fault(benchmark::State& state) {
  const std::string schema = large_schema(500, "http://json-schema.org/draft-07/schema#");
  const value::Value values = large_values(500);
  values.as_map()->set("component7", value::str("no object"));
  for (auto _ : state) CHECK(!validate(values, schema, {}));
}
BENCHMARK(explain_one_fault);

// What a doubt costs: the metaschema itself is run.
void doubtful_schema(benchmark::State& state) {
  std::string schema = large_schema(500, "http://json-schema.org/draft-07/schema#");
  schema.insert(1, R"("maxLength": 1e3, )");
  const value::Value values = large_values(500);
  for (auto _ : state) CHECK(validate(values, schema, {}));
}
BENCHMARK(doubtful_schema);

}  // namespace
}  // namespace pintle::schema
