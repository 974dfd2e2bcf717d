// Text -> value with all of go-yaml v2's decoding rules: tags, anchors, aliases and their budget,
// merge keys, strict mode, and the errors that print Go values. The thorough half of reading;
// builder.h is the quick one. Inside this room only.
#pragma once

#include "base/result.h"
#include "value/value.h"
#include "yaml/input.h"

namespace pintle::yaml {

struct DecodeOptions {
  bool exact = true;    // integers stay integers
  bool strict = false;  // a duplicate key is an error
};

// Errors have the text of YAMLToJSON's ("yaml: ...", "json: unsupported value: +Inf"); code
// kOutOfRange: the value nests deeper than JSON decoding accepts, with that error's text.
Result<value::Value> decode(const Input& input, const DecodeOptions& options);

}  // namespace pintle::yaml
