#include "drydock/openapi_v2.h"

#include <string>

#include "base/protobuf.h"
#include "drydock/tree.h"
#include "json/json.h"

namespace pintle::drydock {
namespace {

// How a field's JSON becomes its bytes.
enum class Form : uint8_t {
  kText, kTexts, kNumber, kFlag, kDouble,
  kAny,         // a text of YAML in a message
  kAnys,
  kTypes,       // TypeItem: a text or some, in a message
  kItems,       // ItemsItem
  kSchemas,
  kProperties,  // named schemas in a message
  kAdditional,  // AdditionalPropertiesItem: a schema or a flag
};

struct SchemaField {
  std::string_view name;
  uint64_t number;
  Form form;
};
constexpr SchemaField kSchemaFields[] = {
    {"$ref", 1, Form::kText},
    {"format", 2, Form::kText},
    {"title", 3, Form::kText},
    {"description", 4, Form::kText},
    {"default", 5, Form::kAny},
    {"multipleOf", 6, Form::kDouble},
    {"maximum", 7, Form::kDouble},
    {"exclusiveMaximum", 8, Form::kFlag},
    {"minimum", 9, Form::kDouble},
    {"exclusiveMinimum", 10, Form::kFlag},
    {"maxLength", 11, Form::kNumber},
    {"minLength", 12, Form::kNumber},
    {"pattern", 13, Form::kText},
    {"maxItems", 14, Form::kNumber},
    {"minItems", 15, Form::kNumber},
    {"uniqueItems", 16, Form::kFlag},
    {"maxProperties", 17, Form::kNumber},
    {"minProperties", 18, Form::kNumber},
    {"required", 19, Form::kTexts},
    {"enum", 20, Form::kAnys},
    {"additionalProperties", 21, Form::kAdditional},
    {"type", 22, Form::kTypes},
    {"items", 23, Form::kItems},
    {"allOf", 24, Form::kSchemas},
    {"properties", 25, Form::kProperties},
    {"example", 30, Form::kAny},
};
constexpr uint64_t kSchemaExtensions = 31, kOperationExtensions = 13;
constexpr int kMaxDepth = 100;

std::string schema(const Value& v, int depth);

std::string any(const Value& v) {
  ProtobufWriter w;
  std::string text;
  if (json::append(text, v)) w.bytes(2, text);
  return w.message();
}

void extensions(ProtobufWriter& w, uint64_t field, const Value& v) {
  for (const auto& e : entries_of(&v)) {
    if (!e.key.view().starts_with("x-")) continue;
    ProtobufWriter named;
    named.bytes(1, e.key.view());
    named.bytes(2, any(e.value));
    w.bytes(field, named.message());
  }
}

// {name, value} for each of a map.
template <typename F>
void named(ProtobufWriter& w, uint64_t field, const Value& map, F value_of) {
  for (const auto& e : entries_of(&map)) {
    ProtobufWriter one;
    one.bytes(1, e.key.view());
    one.bytes(2, value_of(e.value));
    w.bytes(field, one.message());
  }
}

std::string named_schemas(const Value& map, int depth) {
  ProtobufWriter w;
  named(w, 1, map, [&](const Value& v) { return schema(v, depth); });
  return w.message();
}

std::string inside(uint64_t field, std::string_view bytes) {
  ProtobufWriter w;
  w.bytes(field, bytes);
  return w.message();
}

std::string types(const Value& v) {
  ProtobufWriter w;
  if (v.is_string()) w.bytes(1, v.as_string());
  for (const Value& one : items(v)) {
    if (one.is_string()) w.bytes(1, one.as_string());
  }
  return w.message();
}

void schema_field(ProtobufWriter& w, const SchemaField& f, const Value& v, int depth) {
  switch (f.form) {
    case Form::kText:
      if (v.is_string()) w.bytes(f.number, v.as_string());
      break;
    case Form::kTexts:
      for (const Value& one : items(v)) {
        if (one.is_string()) w.bytes(f.number, one.as_string());
      }
      break;
    case Form::kNumber:
      w.number(f.number, static_cast<uint64_t>(as_number(&v, 0)));
      break;
    case Form::kFlag:
      w.number(f.number, flag(v));
      break;
    case Form::kDouble:
      w.fixed(f.number, v.is(value::Type::kFloat64) ? v.as_double()
                                                    : static_cast<double>(as_number(&v, 0)));
      break;
    case Form::kAny:
      w.bytes(f.number, any(v));
      break;
    case Form::kAnys:
      for (const Value& one : items(v)) w.bytes(f.number, any(one));
      break;
    case Form::kTypes:
      w.bytes(f.number, types(v));
      break;
    case Form::kItems:
      w.bytes(f.number, inside(1, schema(v, depth)));
      break;
    case Form::kSchemas:
      for (const Value& one : items(v)) w.bytes(f.number, schema(one, depth));
      break;
    case Form::kProperties:
      w.bytes(f.number, named_schemas(v, depth));
      break;
    case Form::kAdditional: {
      ProtobufWriter item;
      if (v.is_map()) {
        item.bytes(1, schema(v, depth));
      } else {
        item.number(2, flag(v));
      }
      w.bytes(f.number, item.message());
      break;
    }
  }
}

std::string schema(const Value& v, int depth) {
  ProtobufWriter w;
  if (depth > kMaxDepth) return "";
  for (const SchemaField& f : kSchemaFields) {
    if (const Value* at = v.get(f.name)) schema_field(w, f, *at, depth + 1);
  }
  extensions(w, kSchemaExtensions, v);
  return w.message();
}

// Parameters are all of the query.
std::string operation(const Value& v) {
  ProtobufWriter w;
  for (const Value& p : items(v, "parameters")) {
    ProtobufWriter query;
    query.bytes(2, text(p, "in"));
    query.bytes(4, text(p, "name"));
    query.bytes(6, text(p, "type"));
    w.bytes(8, inside(1, inside(2, inside(3, query.message()))));
  }
  w.bytes(9, "");  // no responses
  extensions(w, kOperationExtensions, v);
  return w.message();
}

std::string path_item(const Value& v) {
  constexpr std::pair<std::string_view, uint64_t> kVerbs[] = {
      {"get", 2}, {"put", 3}, {"post", 4}, {"delete", 5}, {"patch", 8}};
  ProtobufWriter w;
  for (const auto& [verb, field] : kVerbs) {
    if (const Value* at = v.get(verb)) w.bytes(field, operation(*at));
  }
  return w.message();
}

}  // namespace

std::string openapi_v2_protobuf(const Value& document) {
  ProtobufWriter w, info, paths;
  w.bytes(1, text(document, "swagger"));
  info.bytes(1, text(document, "info", "title"));
  info.bytes(2, text(document, "info", "version"));
  w.bytes(2, info.message());
  if (const Value* all = document.get("paths")) named(paths, 2, *all, path_item);
  w.bytes(8, paths.message());
  if (const Value* all = document.get("definitions")) w.bytes(9, named_schemas(*all, 0));
  return w.message();
}

}  // namespace pintle::drydock
