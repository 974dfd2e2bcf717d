// JSON types and equality as the library sees them: numbers by value, whatever their Go type.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "value/value.h"

namespace pintle::schema {

// JSON's types as bits, in the order error texts list them. kNoType: a Go value JSON has no word
// for (NaN, []string, ...).
enum JsonType : uint8_t {
  kNoType = 0,
  kNullType = 1,
  kBooleanType = 2,
  kNumberType = 4,
  kIntegerType = 8,
  kStringType = 16,
  kArrayType = 32,
  kObjectType = 64,
};

JsonType json_type(const value::Value& v);
std::string_view type_name(JsonType t);
JsonType type_of_name(std::string_view name);  // kNoType: unknown
bool is_integer(const value::Value& v);        // 1.0 is one

bool json_equal(const value::Value& a, const value::Value& b);
// The first pair of equal items: the smallest second index, then the smallest first.
std::optional<std::pair<size_t, size_t>> find_duplicates(std::span<const value::Value> items);

}  // namespace pintle::schema
