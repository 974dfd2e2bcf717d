// CustomResourceDefinitions: what one declares, and the rules it sets for its objects (apiextensions-
// apiserver). Plain functions over values; a parsed definition is immutable and thread-safe.
//
// Not done: conversion webhooks are never called; a schema nested deeper than 100 levels is refused.
// Rules in CEL are custom_rules.h's.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "drydock/kinds.h"
#include "value/value.h"

namespace pintle::drydock {

struct CustomSchema;  // one node of a structural schema
class CustomRules;    // custom_rules.h

struct CustomColumn : Column {
  std::string json_path;  // ".spec.replicas"
};

struct CustomVersion {
  std::string name;
  bool served = false, storage = false, deprecated = false;
  std::string deprecation_warning;
  std::shared_ptr<const CustomSchema> schema;  // null: everything is kept, nothing is checked
  std::shared_ptr<const CustomRules> rules;    // of `schema`; set where objects are served
  bool status = false;                         // has the status subresource
  struct Scale {
    std::string replicas_path, status_path, selector_path;  // ".spec.replicas"; selector may be ""
  };
  std::optional<Scale> scale;
  std::vector<CustomColumn> columns;  // none declared: AGE alone
  std::vector<std::string> selectable;  // ".spec.color"
};

struct CustomDefinition {
  std::string group, plural, singular, kind, list_kind;
  std::vector<std::string> short_names, categories;
  bool namespaced = true;
  std::vector<CustomVersion> versions;
};

// A definition that has passed validate_definition. Error: a schema that cannot be read.
Result<CustomDefinition> parse_definition(const value::Value& crd);
Result<std::shared_ptr<const CustomSchema>> parse_schema(const value::Value& schema);

// Fills in singular, listKind, conversion and kin; on every write of a definition.
void default_definition(value::Value& crd);
void validate_definition(const value::Value& crd, const value::Value* old,
                         std::vector<Cause>& causes);
// The status of a definition whose names are free: NamesAccepted and Established at `time`,
// acceptedNames, storedVersions. Conditions that hold already keep their time.
// `conflict`: the reason and message why its names are not accepted; empty: they are.
struct NameConflict {
  std::string reason, message;
};
value::Value definition_status(const value::Value& crd, std::string_view time, const NameConflict& conflict = {});

// Removes what the schema does not name; the paths ("spec.foo") are appended to `unknown`, sorted.
void prune(value::Value& object, const CustomSchema* schema, std::vector<std::string>& unknown);
// Drops nulls that may not be and fills in the schema's defaults.
void fill_defaults(value::Value& object, const CustomSchema* schema);
// Types, bounds, formats, list keys, embedded objects. The object is defaulted and pruned.
void validate_custom(const value::Value& object, const CustomSchema* schema,
                     std::vector<Cause>& causes);

// What a schema says of its own default; a field "<nil>" is the default as a whole.
std::vector<Cause> check_default(const value::Value& schema);

// All of the above at once, for a write: prune, default. Prune first, as the API server does.
void default_and_prune(value::Value& object, const CustomSchema* schema,
                       std::vector<std::string>& unknown);

// A column's cell: the value at its path, nil when absent. Dates stay text; the table ages them.
value::Value custom_cell(const value::Value& object, const CustomColumn& column);
// The value at a simple JSONPath (".a.b[0]", "['k']", "[?(@.type==\"Ready\")]"); null: none.
const value::Value* at_path(const value::Value& object, std::string_view json_path);

}  // namespace pintle::drydock
