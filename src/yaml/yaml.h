// YAML text <-> value, as Helm sees it: sigs.k8s.io/yaml 1.6 over go-yaml v2 (YAML 1.1 resolver,
// through JSON, every number a float64) and go-yaml v3 for the "pretty" and struct outputs.
//
// Facts: the fixed quirks and error texts of go-yaml ("yaml: line 3: found character that cannot
// start any token"). Thread-safe: no state. Bounded: alias expansion as go-yaml's ratio rule,
// nesting 10,000. Cost: reading plain block YAML runs at memory speed / N (see yaml_bench).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "value/value.h"

namespace pintle::yaml {

// yaml.Unmarshal into interface{} (first document only). Empty text gives nil.
Result<value::Value> read(std::string_view text);
// yaml.Unmarshal into map[string]interface{} / []interface{}; another type gives Go's
// "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type
// map[string]interface {}". Empty text or null: an empty map / list.
// `partial` (optional) receives what had been decoded when the error came up (fromYaml keeps it).
Result<value::Value> read_map(std::string_view text, value::Value* partial = nullptr);
Result<value::Value> read_list(std::string_view text, value::Value* partial = nullptr);

// As read, numbers exact (int64 where integral): what YAMLToJSON keeps, for Kubernetes objects.
Result<value::Value> read_exact(std::string_view text);
// sigs YAMLToJSON / YAMLToJSONStrict: compact JSON text. Strict refuses duplicate keys.
Result<std::string> to_json(std::string_view text, bool strict = false);
// Strict unmarshal checks (duplicate keys) with the value: UnmarshalStrict.
Result<value::Value> read_strict(std::string_view text);

// toYaml before its TrimSuffix: sigs yaml.Marshal (value -> JSON -> YAML v2). Ends in "\n".
Result<std::string> write(const value::Value& v);
Status append(std::string& out, const value::Value& v);
// go-yaml v3 encoder with the given indent (toYamlPretty uses 2). Ends in "\n".
Result<std::string> write_v3(const value::Value& v, int indent = 2);

}  // namespace pintle::yaml
