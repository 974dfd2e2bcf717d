// YAML text <-> value, as Helm sees it: sigs.k8s.io/yaml 1.6 over go-yaml v2 (YAML 1.1 resolver,
// through JSON, every number a float64) and go-yaml v3 for the "pretty" and struct outputs.
//
// Own scanner and parser (docs/adr/0006-yaml-reader.md): go-yaml's quirks, error texts and line
// numbers are what charts and scripts see ("yaml: line 3: found character that cannot start any
// token"). Thread-safe: no state. Bounded: alias expansion by go-yaml's ratio rule, nesting 10,000
// levels, and where values are made 32 MiB with a million starts of them. Only the first document
// of a text is read, as there; empty text and a lone null are nil. Duplicate keys: the last wins,
// also of keys that differ in YAML only (1 and "1"), where Go's map order would choose. Where it would
// choose between errors, the first one is taken.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "value/value.h"

namespace pintle::yaml {

// yaml.Unmarshal into interface{}. Errors: "error converting YAML to JSON: yaml: ...".
Result<value::Value> read(std::string_view text);
// yaml.Unmarshal into map[string]interface{} / []interface{}; another type gives Go's
// "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type
// map[string]interface {}". Empty text or null: an empty map / list.
Result<value::Value> read_map(std::string_view text);
Result<value::Value> read_list(std::string_view text);

// As read, numbers exact (int64 or uint64 where integral, else float64): what Kubernetes objects
// keep, and what a struct's string field needs before string_field.
Result<value::Value> read_exact(std::string_view text);
// As read_exact, refusing duplicate keys: UnmarshalStrict. Error: "...yaml: unmarshal errors:\n
//   line 2: key \"a\" already set in map".
Result<value::Value> read_strict(std::string_view text);
// sigs YAMLToJSON / YAMLToJSONStrict: compact JSON text. Errors: "yaml: ...".
Result<std::string> to_json(std::string_view text, bool strict = false);

// A choice of keys by path ("kind", "metadata.name"), for readers that look at a few fields of many
// documents. A path stops at the first value that is no map. Keys match as encoding/json matches
// struct fields, without regard to case. Make it once; it is read only.
class Fields {
 public:
  Fields(std::initializer_list<std::string_view> paths);

  struct Node {
    std::string name;
    std::vector<Node> children;  // empty: the whole value
  };
  const Node& root() const { return root_; }

 private:
  Node root_;
};

// read_exact of the same text, with the same errors, keeping only the chosen fields; a list found
// where a path goes on is kept as an empty one. Values that are not chosen cost no memory. Documents
// that use anchors, tags or merge keys may keep more than was asked for.
Result<value::Value> read_fields(std::string_view text, const Fields& fields);

// What sigs yaml puts into a string field of a struct: a number or bool (of read_exact) becomes its
// text, floats with 32-bit precision; anything else is left alone.
value::Value string_field(const value::Value& v);

// toYaml before its TrimSuffix: sigs yaml.Marshal (value -> JSON -> YAML v2). Ends in "\n".
// Errors: "error marshaling into JSON: json: ..." or, from reading that JSON back, "yaml: ...".
Result<std::string> write(const value::Value& v);
Status append(std::string& out, const value::Value& v);
// go-yaml v3 encoder with the given indent (toYamlPretty uses 2). Ends in "\n".
Result<std::string> write_v3(const value::Value& v, int indent = 2);

}  // namespace pintle::yaml
