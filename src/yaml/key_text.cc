#include "yaml/key_text.h"

#include <cmath>

#include "base/gotext.h"
#include "yaml/yaml.h"

namespace pintle::yaml {

using value::Type;
using value::Value;

namespace {

std::string scalar_text(const Value& v) {
  switch (v.type()) {
    case Type::kBool: return v.as_bool() ? "true" : "false";
    case Type::kInt:
    case Type::kInt64: return std::to_string(v.as_int());
    case Type::kUint64: return std::to_string(v.as_uint());
    default: break;
  }
  std::string s;
  append_float(s, static_cast<float>(v.as_double()), 'g', -1, 32);  // beyond floats: +Inf
  return s;
}

}  // namespace

std::string key_text(const Value& v) {
  std::string s = scalar_text(v);
  if (s == "+Inf") return ".inf";
  if (s == "-Inf") return "-.inf";
  if (s == "NaN") return ".nan";
  return s;
}

Value string_field(const Value& v) {
  bool scalar = v.is(Type::kBool) || v.is_int() || v.is(Type::kUint64) || v.is(Type::kFloat64);
  return scalar ? value::str(scalar_text(v)) : v;
}

}  // namespace pintle::yaml
