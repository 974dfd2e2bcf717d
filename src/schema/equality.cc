#include "schema/equality.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <vector>

#include "schema/decimal.h"

namespace pintle::schema {
namespace {

using value::Type;
using value::Value;

constexpr size_t kPairwise = 20;  // up to here comparing all pairs beats hashing

bool numbers_equal(const Value& a, const Value& b) {
  if (a.is_int() && b.is_int()) return a.as_int() == b.as_int();
  if (a.is(Type::kFloat64) && b.is(Type::kFloat64)) return a.as_double() == b.as_double();
  const auto x = Decimal::of(a);
  const auto y = Decimal::of(b);
  return x && y && x->compare(*y) == 0;
}

void mix(size_t& h, size_t v) { h ^= v + 0x9e3779b97f4a7c15 + (h << 6) + (h >> 2); }

size_t hash_of(const Value& v) {
  size_t h = json_type(v);
  switch (json_type(v)) {
    case kBooleanType: mix(h, v.as_bool()); break;
    case kStringType: mix(h, std::hash<std::string_view>()(v.as_string())); break;
    case kNumberType:
      if (const auto n = Decimal::of(v)) mix(h, std::hash<std::string>()(n->key()));
      break;
    case kArrayType:
      for (const Value& item : v.items()) mix(h, hash_of(item));
      break;
    case kObjectType:
      if (v.length() == 0) break;
      for (const auto& e : *v.as_map()) {
        mix(h, std::hash<std::string_view>()(e.key));
        mix(h, hash_of(e.value));
      }
      break;
    default: break;
  }
  return h;
}

}  // namespace

JsonType json_type(const Value& v) {
  switch (v.type()) {
    case Type::kNil: return kNullType;
    case Type::kBool: return kBooleanType;
    case Type::kFloat64: return std::isfinite(v.as_double()) ? kNumberType : kNoType;
    case Type::kInt:
    case Type::kInt64:
    case Type::kUint8:
    case Type::kUint32:
    case Type::kUint64:
    case Type::kBytes: return kNumberType;  // a literal
    case Type::kString: return kStringType;
    case Type::kList: return kArrayType;
    case Type::kMap: return kObjectType;
    default: return kNoType;
  }
}

std::string_view type_name(JsonType t) {
  switch (t) {
    case kNullType: return "null";
    case kBooleanType: return "boolean";
    case kNumberType: return "number";
    case kIntegerType: return "integer";
    case kStringType: return "string";
    case kArrayType: return "array";
    case kObjectType: return "object";
    case kNoType: break;
  }
  return "";
}

JsonType type_of_name(std::string_view name) {
  for (int bit = kNullType; bit <= kObjectType; bit <<= 1) {
    const auto t = static_cast<JsonType>(bit);
    if (type_name(t) == name) return t;
  }
  return kNoType;
}

bool is_integer(const Value& v) {
  if (v.is_int() || v.is_uint()) return true;
  if (v.is(Type::kFloat64)) return std::trunc(v.as_double()) == v.as_double();
  const auto n = Decimal::of(v);
  return n && n->is_integer();
}

bool json_equal(const Value& a, const Value& b) {
  const JsonType type = json_type(a);
  if (type != json_type(b)) return false;
  switch (type) {
    case kNullType: return true;
    case kBooleanType: return a.as_bool() == b.as_bool();
    case kNumberType: return numbers_equal(a, b);
    case kStringType: return a.as_string() == b.as_string();
    case kArrayType:
      return std::equal(a.items().begin(), a.items().end(), b.items().begin(), b.items().end(),
                        json_equal);
    case kObjectType:
      if (a.length() != b.length()) return false;
      return a.length() == 0 ||
             std::equal(a.as_map()->begin(), a.as_map()->end(), b.as_map()->begin(),
                        [](const auto& x, const auto& y) {
                          return x.key == y.key && json_equal(x.value, y.value);
                        });
    default: return false;
  }
}

std::optional<std::pair<size_t, size_t>> find_duplicates(std::span<const Value> items) {
  if (items.size() <= kPairwise) {
    for (size_t i = 1; i < items.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (json_equal(items[i], items[j])) return std::pair(j, i);
      }
    }
    return std::nullopt;
  }
  std::unordered_multimap<size_t, size_t> seen;
  for (size_t i = 0; i < items.size(); ++i) {
    const size_t h = hash_of(items[i]);
    const auto [begin, end] = seen.equal_range(h);
    size_t first = i;
    for (auto it = begin; it != end; ++it) {
      if (it->second < first && json_equal(items[i], items[it->second])) first = it->second;
    }
    if (first != i) return std::pair(first, i);
    seen.emplace(h, i);
  }
  return std::nullopt;
}

}  // namespace pintle::schema
