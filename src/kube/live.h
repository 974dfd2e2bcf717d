// Reading what a live object says of itself. Inside this room only. Pure; views die with the object.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "value/value.h"

namespace pintle::kube {

using Keys = std::initializer_list<std::string_view>;

const value::Value* at(const value::Value& root, Keys path);  // null: a step is missing
int64_t number(const value::Value& root, Keys path, int64_t fallback);
std::string_view text(const value::Value& root, Keys path, std::string_view fallback = "");
std::span<const value::Value> items(const value::Value& root, Keys path);

// status.conditions
const value::Value* condition(const value::Value& o, std::string_view type);  // null: none
bool condition_is(const value::Value& o, std::string_view type, std::string_view status);

// {"a": "b"} -> "a=b", as a label selector's text.
std::string selector_text(const value::Value& labels);

}  // namespace pintle::kube
