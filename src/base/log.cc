#include "base/log.h"

#include "base/gotext.h"

namespace pintle {
namespace {

bool needs_quotes(std::string_view s) {
  if (s.empty()) return true;
  while (!s.empty()) {
    const Rune r = decode_rune(s);
    if (r.value < 0x80) {  // DEL stays bare, as in encoding/json's safe set
      if (r.value <= ' ' || r.value == '"' || r.value == '=') return true;
    } else if (r.value == 0xFFFD || !is_print(r.value)) {
      return true;
    }
    s.remove_prefix(static_cast<size_t>(r.size));
  }
  return false;
}

void append_field(std::string& out, std::string_view s) {
  if (needs_quotes(s)) {
    append_quoted(out, s);
  } else {
    out += s;
  }
}

}  // namespace

std::string slog_line(std::string_view level, std::string_view message, const LogAttrs& attrs) {
  std::string line = "level=";
  line += level;
  line += " msg=";
  append_field(line, message);
  for (const LogAttr& attr : attrs) {
    line += ' ';
    append_field(line, attr.key);
    line += '=';
    append_field(line, attr.value);
  }
  return line;
}

}  // namespace pintle
