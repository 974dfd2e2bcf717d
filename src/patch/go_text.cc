#include "patch/go_text.h"

#include "base/gotext.h"

namespace pintle::patch {
namespace {

using value::Value;

constexpr int kMaxDepth = 200;  // a text for people; deeper parts are left out

void append(std::string& out, const Value& v, int depth) {
  if (depth > kMaxDepth) {
    out += "...";
  } else if (v.is_nil()) {
    out += "<nil>";
  } else if (v.is(value::Type::kBool)) {
    out += v.as_bool() ? "true" : "false";
  } else if (v.is_int()) {
    out += std::to_string(v.as_int());
  } else if (v.is_uint()) {
    out += std::to_string(v.as_uint());
  } else if (v.is(value::Type::kFloat64)) {
    append_float_v(out, v.as_double());
  } else if (v.is_string()) {
    out += v.as_string();
  } else if (v.is_list()) {
    out += '[';
    bool first = true;
    for (const Value& item : v.items()) {
      if (!first) out += ' ';
      first = false;
      append(out, item, depth + 1);
    }
    out += ']';
  } else if (v.is_map()) {
    out += "map[";
    bool first = true;
    if (v.as_map()) {
      for (const auto& [key, member] : *v.as_map()) {
        if (!first) out += ' ';
        first = false;
        out += key.view();
        out += ':';
        append(out, member, depth + 1);
      }
    }
    out += ']';
  }
}

}  // namespace

std::string go_text(const Value& v) {
  std::string out;
  append(out, v, 0);
  return out;
}

std::string go_syntax(const Value& v) {
  if (v.is_nil()) return "interface {}(nil)";
  if (v.is_string()) return quote(v.as_string());
  if (!v.is_map() && !v.is_list()) return go_text(v);
  std::string out = v.is_map() ? "map[string]interface {}{" : "[]interface {}{";
  bool first = true;
  auto separate = [&] {
    if (!first) out += ", ";
    first = false;
  };
  if (v.is_map() && v.as_map()) {
    for (const auto& e : *v.as_map()) {
      separate();
      out += quote(e.key.view()) + ":" + go_syntax(e.value);
    }
  }
  for (const Value& item : v.items()) {
    separate();
    out += go_syntax(item);
  }
  return out + "}";
}

std::string go_string_verb(const Value& v) {
  if (v.is_string()) return std::string(v.as_string());
  if (v.is_nil()) return "%!s(<nil>)";
  return "%!s(" + std::string(value::go_type(v)) + "=" + go_text(v) + ")";
}

std::string go_type_text(const Value& v) {
  return v.is_nil() ? "%!s(<nil>)" : std::string(value::go_type(v));
}

}  // namespace pintle::patch
