// What Go's fmt prints for a JSON tree, for the error texts that carry one. Pure.
#pragma once

#include <string>

#include "value/value.h"

namespace pintle::patch {

std::string go_text(const value::Value& v);         // %v: map[a:1 b:[x y]], <nil>
std::string go_syntax(const value::Value& v);       // %#v: map[string]interface {}{"a":1}, []interface {}{"x"}
std::string go_string_verb(const value::Value& v);  // %s: a string itself, else %!s(int64=5)
// reflect.TypeOf under %s: "map[string]interface {}", "int64", "%!s(<nil>)".
std::string go_type_text(const value::Value& v);

}  // namespace pintle::patch
