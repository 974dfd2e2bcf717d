// Go's fmt for values: %v and friends, Sprint, Sprintln, Sprintf, strconv.Quote.
// Shapes: fmt 1.26 (templates.md 1.10). Pure. Depth beyond 1,000 prints "..." instead of crashing.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "value/value.h"

namespace pintle::tmpl {

void print_value(std::string& out, const value::Value& v);  // %v of an interface argument
// What an action prints ({{ x }}): "<no value>" for kInvalid, pointer receivers reachable.
void print_action(std::string& out, const value::Value& v);
std::string sprint(std::span<const value::Value> args);
std::string sprintln(std::span<const value::Value> args);
std::string sprintf(std::string_view format, std::span<const value::Value> args);

}  // namespace pintle::tmpl
