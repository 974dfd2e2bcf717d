// JSON Schema validation of chart values: drafts 4, 6, 7, 2019-09, 2020-12, with the wording of the
// library Helm 4.3.1 uses (santhosh-tekuri/jsonschema 6.0.3) and Helm's own frame around it. The
// theory: docs/adr/0007-json-schema.md.
//
// No network and no files here: `$ref` to other documents goes through the Loader it is handed
// (schema/loader.h makes Helm's). Thread-safe when the Loader is: validate() keeps no state.
// Bounded in nesting, steps, size of expressions and of text. Cost: a few milliseconds for the
// largest public charts (180 kB of schema: about 1.5 ms); the values are not copied.
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

// Validates `values` against the schema text. The error is exactly what Helm's
// ValidateAgainstSingleSchema returns: for values one "- at '/path': ..." line per finding, ending
// in "\n"; for a schema that does not read or compile the library's text, without "\n".
Status validate(const value::Value& values, std::string_view schema_json, const Loader& loader);

}  // namespace pintle::schema
