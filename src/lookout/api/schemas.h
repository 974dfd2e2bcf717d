// Schemas: what stands in the API's JSON and in its queries, as two tables. The OpenAPI document
// and the schema of each type of events are made of them. Types are words:
//   text number flag object texts map   time (milliseconds since 1970)
//   a|b|c (one of these texts)   Name (another schema)   [Name] (a list)   any
// Pure; thread-safe.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace pintle::lookout {

struct SchemaField {
  std::string_view name, type, meaning;
  bool always = false;  // others are left out when they are empty or 0
};

struct Schema {
  std::string_view name, meaning;
  std::span<const SchemaField> fields;
  std::string_view base = {};  // a schema whose fields it has, too
};

std::span<const Schema> schemas();
std::span<const SchemaField> query_parameters();
const SchemaField* find_query_parameter(std::string_view name);

// A type, and an object of such fields, as JSON Schema; names are references into a document's
// components.
std::string type_json(std::string_view type);
std::string schema_json(const Schema& schema);

}  // namespace pintle::lookout
