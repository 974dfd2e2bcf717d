// How fmt's %#v prints what go-yaml v2 decodes, for the errors that show it. Inside this room only.
#pragma once

#include <string>

#include "value/value.h"

namespace pintle::yaml {

// A raw value (decode.cc: map keys carry their type in the first byte).
std::string go_syntax(const value::Value& raw);

}  // namespace pintle::yaml
