// Text of scalars that are no strings, where sigs yaml wants a string. Inside this room only.
#pragma once

#include <string>

#include "value/value.h"

namespace pintle::yaml {

// A bool, int or float as a JSON object's key: floats with 32-bit precision, .inf and .nan in YAML.
std::string key_text(const value::Value& v);

}  // namespace pintle::yaml
