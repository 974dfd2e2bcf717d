// JSON Schema validation of chart values: drafts 4, 6, 7, 2019-09, 2020-12, with the wording of the
// library Helm 4.3.1 uses (santhosh-tekuri/jsonschema 6.0.3) and Helm's own frame around it.
//
// No network and no files here: `$ref` to other documents goes through the Loader it is handed.
// Thread-safe: validate() has no shared state. Bounded: recursion depth, regex by RE2.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "value/value.h"

namespace pintle::schema {

// Fetches the text of an absolute URL (http, https, file, urn); the error text is what Helm prints
// after "failing loading \"URL\": ".
using Loader = std::function<Result<std::string>(const std::string& url)>;

// Validates `values` against the schema text. On failure the error is exactly what Helm's
// ValidateAgainstSingleSchema returns (one "- at '/path': ..." line per finding, ending in "\n");
// a schema that does not compile gives the library's compile error text.
Status validate(const value::Value& values, std::string_view schema_json, const Loader& loader);

}  // namespace pintle::schema
