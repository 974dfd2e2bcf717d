// What rules see of a schema, and the text of a rule as a program.
#include <algorithm>

#include "base/strings.h"
#include "drydock/custom_rules.h"

namespace pintle::drydock {
namespace {

using Types = std::unique_ptr<cel::Schema>;
using Kind = cel::Schema::Kind;

Types of_kind(Kind kind) {
  auto out = std::make_unique<cel::Schema>();
  out->kind = kind;
  return out;
}

Kind text_kind(std::string_view format) {
  struct Row {
    std::string_view format;
    Kind kind;
  };
  constexpr Row kFormats[] = {
      {"byte", Kind::kBytes}, {"duration", Kind::kDuration}, {"date", Kind::kDate}, {"date-time", Kind::kDateTime}};
  const auto* found =
      std::find_if(std::begin(kFormats), std::end(kFormats), [&](const Row& r) { return r.format == format; });
  return found == std::end(kFormats) ? Kind::kString : found->kind;
}

// Every object has a kind, an apiVersion and a name, whatever its schema says.
void add_meta(cel::Schema& object) {
  object.add("apiVersion", of_kind(Kind::kString));
  object.add("kind", of_kind(Kind::kString));
  Types meta = of_kind(Kind::kObject);
  meta->add("name", of_kind(Kind::kString));
  meta->add("generateName", of_kind(Kind::kString));
  object.add("metadata", std::move(meta));
}

Types types_of(const CustomSchema& s, bool resource) {
  if (s.int_or_string) return of_kind(Kind::kIntOrString);
  if (s.type == "boolean") return of_kind(Kind::kBool);
  if (s.type == "integer") return of_kind(Kind::kInt);
  if (s.type == "number") return of_kind(Kind::kDouble);
  if (s.type == "string") return of_kind(text_kind(s.format));
  if (s.type == "array" && s.items) {
    Types out = of_kind(Kind::kList);
    if (s.list_type == "set") out->list = cel::Schema::List::kSet;
    if (s.list_type == "map") out->list = cel::Schema::List::kMap;
    for (const std::string& key : s.list_keys) out->keys.push_back(cel::escape_field(key).value_or(key));
    out->item = rule_types(*s.items, s.items->embedded);
    if (out->item->kind == Kind::kHidden) out->kind = Kind::kHidden;
    return out;
  }
  if (s.type != "object") return of_kind(Kind::kHidden);
  if (s.additional) {
    Types out = of_kind(Kind::kMap);
    out->item = rule_types(*s.additional, s.additional->embedded);
    if (out->item->kind == Kind::kHidden) out->kind = Kind::kHidden;
    return out;
  }
  Types out = of_kind(Kind::kObject);
  for (const auto& [name, below] : s.properties) {
    const bool meta = resource && (name == "kind" || name == "apiVersion" || name == "metadata");
    if (!meta) out->add(name, rule_types(*below, below->embedded));
  }
  if (resource) add_meta(*out);
  return out;
}

}  // namespace

Types rule_types(const CustomSchema& schema, bool resource) {
  Types out = types_of(schema, resource);
  out->nullable = schema.nullable;
  return out;
}

Result<cel::Program> compile_rule(const std::string& text, const CustomRule& rule, const cel::Schema& types, bool message) {
  const std::string kind = message ? "messageExpression " : "";
  auto program = cel::compile(text, types, rule.optional_old.value_or(false));
  if (!program) {
    const bool compiles = program.error().code() == Code::kFailedPrecondition;
    const std::string_view instantiation = message ? "instantiation failed: " : "program instantiation failed: ";
    return Error(cat(kind, compiles ? instantiation : "compilation failed: ", program.error().text()));
  }
  if (message && program->result_type() != "string") return Error("messageExpression must evaluate to a string");
  if (!message && program->result_type() != "bool") return Error("cel expression must evaluate to a bool");
  return program;
}

}  // namespace pintle::drydock
