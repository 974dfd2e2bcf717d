// text/template's own functions (funcs.go). Inside this room only.
#pragma once

#include <span>
#include <string>

#include "value/func.h"

namespace pintle::tmpl {

std::span<const value::FuncDef> builtins();

// Builtins the compiler treats itself: and/or stop early, call names its callee.
enum class Special : uint8_t { kNone, kAnd, kOr, kCall };
Special special(const value::FuncDef* function);

// What `call` says about a value that is no function; `name` is the callee as written.
std::string not_callable(std::string_view name, const value::Value& v);

// A complex literal.
value::Value complex_number(double real, double imaginary);

// The number, string or bool inside a value of a named type (time.Duration), else the value.
value::Value basic_of(const value::Value& v);

}  // namespace pintle::tmpl
