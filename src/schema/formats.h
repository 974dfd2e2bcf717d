// The `format` keyword: what each named format refuses, in the words of the library Helm uses.
// Pure, thread-safe. "regex" is not here: it needs the compiler's cache (regex.h).
#pragma once

#include <string_view>

#include "base/result.h"

namespace pintle::schema {

using FormatCheck = Status (*)(std::string_view);

struct Format {
  std::string_view name;
  FormatCheck check;  // values that are not strings have any format
};

// Null: an unknown format, which asserts nothing.
const Format* find_format(std::string_view name);

}  // namespace pintle::schema
