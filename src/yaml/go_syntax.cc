#include "yaml/go_syntax.h"

#include <cstdio>

#include "base/gotext.h"

namespace pintle::yaml {

using value::Type;
using value::Value;

namespace {

void append_hex(std::string& out, uint64_t u) {
  char buf[24];
  int n = std::snprintf(buf, sizeof buf, "0x%llx", static_cast<unsigned long long>(u));
  out.append(buf, static_cast<size_t>(n));
}

void append(std::string& out, const Value& v, bool top);

void append_key(std::string& out, std::string_view raw) {
  std::string_view text = raw.substr(1);
  switch (raw[0]) {
    case 's': append_quoted(out, text); return;
    case 'b': out += text == "1" ? "true" : "false"; return;
    case 'u': append_hex(out, parse_uint(text, 10, 64, nullptr)); return;
    case 'n': out += "interface {}(nil)"; return;
    default: out += text;
  }
}

void append(std::string& out, const Value& v, bool top) {
  switch (v.type()) {
    case Type::kBool: out += v.as_bool() ? "true" : "false"; return;
    case Type::kInt64: out += std::to_string(v.as_int()); return;
    case Type::kUint64: append_hex(out, v.as_uint()); return;
    case Type::kFloat64: append_float_v(out, v.as_double()); return;
    case Type::kString: append_quoted(out, v.as_string()); return;
    case Type::kList: {
      out += "[]interface {}{";
      const char* between = "";
      for (const Value& item : v.items()) {
        out += between;
        append(out, item, false);
        between = ", ";
      }
      out += "}";
      return;
    }
    case Type::kMap: {
      out += "map[interface {}]interface {}{";
      const char* between = "";
      for (const auto& e : *v.as_map()) {
        out += between;
        append_key(out, e.key);
        out += ":";
        append(out, e.value, false);
        between = ", ";
      }
      out += "}";
      return;
    }
    default: out += top ? "<nil>" : "interface {}(nil)";
  }
}

}  // namespace

std::string go_syntax(const Value& raw) {
  std::string out;
  append(out, raw, true);
  return out;
}

}  // namespace pintle::yaml
