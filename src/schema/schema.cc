#include "schema/schema.h"

#include "base/strings.h"
#include "schema/compiler.h"
#include "schema/validator.h"

namespace pintle::schema {

namespace {

// Where Helm pretends the schema of a chart lies; relative references start from here.
constexpr std::string_view kUrl = "file:///values.schema.json";

}  // namespace

Status validate(const value::Value& values, std::string_view schema_json, const Loader& loader) {
  value::Value document = TRY(read_document(schema_json));
  Compiler compiler(loader);
  compiler.preset(std::string(kUrl), std::move(document));
  const Node* schema = TRY(compiler.compile(std::string(kUrl)));
  auto verdict = Validator(compiler).validate(*schema, values);
  if (verdict) return ok();
  const std::string head = cat("jsonschema validation failed with '", kUrl, "#'\n");
  return Error(cat(without_prefix(verdict.error().text(), head), "\n"),
               verdict.error().code());
}

}  // namespace pintle::schema
