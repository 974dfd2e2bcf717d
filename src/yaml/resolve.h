// What a plain YAML 1.1 scalar means, as go-yaml v2 and v3 decide it: null, bool, int, float,
// timestamp, else a string. Inside this room only. Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "value/value.h"

namespace pintle::yaml {

enum class Tag : uint8_t { kString, kNull, kBool, kInt, kFloat, kTimestamp };

struct Resolved {
  Tag tag = Tag::kString;
  value::Value value;  // kNull: nil; kBool; kInt: int64 or uint64; kFloat: float64; others: nil
};

// False: text is a string for sure (looked at: its first byte).
bool may_resolve(std::string_view text);
Resolved resolve(std::string_view text);

// An unquoted text that an emitter must quote because it would not read back as a string, by v2's
// list of booleans (v3 knows fewer, but quotes the same ones). Includes base-60 numbers (12:30).
bool needs_quotes(std::string_view text);

// "!!int", "!!str" ...
std::string_view short_name(Tag tag);

}  // namespace pintle::yaml
