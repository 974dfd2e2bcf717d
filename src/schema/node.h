// Node: one compiled subschema. Keywords that few schemas use live in `more`.
//
// Nodes point into the documents they were compiled from and at each other; both are owned by the
// Compiler and outlive every validation.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/decimal.h"
#include "schema/document.h"
#include "schema/equality.h"
#include "schema/formats.h"
#include "schema/regex_cache.h"

namespace pintle::schema {

struct Node;

// Keywords holding subschemas by name, in the order of the names.
struct NamedNodes {
  const value::Map* names = nullptr;  // the keyword's value
  std::vector<Node*> nodes;           // one per entry

  explicit operator bool() const { return names != nullptr; }
};

// `additionalProperties` and `additionalItems`: a boolean of theirs is no schema of its own.
struct Additional {
  enum Kind : uint8_t { kAbsent, kAllowed, kForbidden, kByNode };
  Kind kind = kAbsent;
  Node* node = nullptr;
};

// A property's `dependencies`: names (a list of strings) or a schema.
struct Dependency {
  std::string_view property;
  const value::List* names = nullptr;
  Node* node = nullptr;
};

struct Pattern {
  std::shared_ptr<const Regex> regex;
  Node* node = nullptr;
};

struct MoreKeywords {
  Node* recursive_ref = nullptr;
  Node* dynamic_ref = nullptr;
  std::string dynamic_ref_anchor;
  std::string_view dynamic_anchor;
  std::vector<std::pair<std::string_view, Node*>> dynamic_anchors;  // of a resource
  bool recursive_anchor = false;

  const value::Value* constant = nullptr;
  Node* negation = nullptr;
  std::vector<Node*> all_of, any_of, one_of;
  Node* if_ = nullptr;
  Node* then_ = nullptr;
  Node* else_ = nullptr;
  const Format* format = nullptr;
  bool regex_format = false;

  std::optional<int64_t> min_properties, max_properties;
  Node* property_names = nullptr;
  std::vector<Pattern> patterns;
  std::vector<Dependency> dependencies, dependent_required, dependent_schemas;
  Node* unevaluated_properties = nullptr;

  std::optional<int64_t> min_items, max_items, min_contains, max_contains;
  bool unique_items = false;
  Node* contains = nullptr;
  std::vector<Node*> first_items;  // `prefixItems`, or `items` as a list
  Additional additional_items;
  Node* unevaluated_items = nullptr;

  std::optional<int64_t> min_length, max_length;
  std::shared_ptr<const Regex> pattern;

  std::optional<Decimal> minimum, maximum, exclusive_minimum, exclusive_maximum, multiple_of;
};

struct Node {
  const value::Value* at = nullptr;
  Document* doc = nullptr;
  Resource* place = nullptr;   // the nearest around it
  Node* resource = nullptr;    // that resource's own node
  Draft draft = Draft::k2020;
  enum class Boolean : uint8_t { kNo, kTrue, kFalse } boolean = Boolean::kNo;
  uint8_t types = 0;           // JsonType bits; 0: any
  uint8_t enum_types = 0;
  bool all_properties_evaluated = false;
  bool all_items_evaluated = false;
  size_t items_evaluated = 0;

  Node* ref = nullptr;
  const value::List* enumeration = nullptr;
  const value::List* required = nullptr;
  NamedNodes properties;
  Additional additional_properties;
  Node* items = nullptr;       // one schema for all (further) items
  std::unique_ptr<MoreKeywords> more;

  bool stray = false;          // lies where no keyword puts a subschema
  // Found when the reference was made, reported when its turn comes to be compiled.
  std::unique_ptr<Error> broken;

  const MoreKeywords& rest() const;  // an empty one when there are none
  MoreKeywords& make_rest();
};

}  // namespace pintle::schema
