#include "tmpl/escape.h"

#include "base/gotext.h"

namespace pintle::tmpl {

namespace {

constexpr char kHex[] = "0123456789ABCDEF";

void append_u(std::string& out, char32_t r) {
  out += "\\u";
  std::string digits;
  for (char32_t n = r; n != 0; n >>= 4) digits.insert(digits.begin(), kHex[n & 15]);
  if (digits.size() < 4) digits.insert(0, 4 - digits.size(), '0');
  out += digits;
}

}  // namespace

std::string html_escape(std::string_view s) {
  std::string out;
  out.reserve(s.size());
  for (char c : s) {
    switch (c) {
      case '\0': out += "\xef\xbf\xbd"; break;
      case '"': out += "&#34;"; break;
      case '\'': out += "&#39;"; break;
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string js_escape(std::string_view s) {
  std::string out;
  out.reserve(s.size());
  for (size_t i = 0; i < s.size();) {
    auto c = static_cast<unsigned char>(s[i]);
    if (c >= 0x80) {
      Rune r = decode_rune(s.substr(i));
      if (is_print(r.value)) {
        out.append(s.substr(i, static_cast<size_t>(r.size)));
      } else {
        append_u(out, r.value);
      }
      i += static_cast<size_t>(r.size);
      continue;
    }
    ++i;
    if (c == '\\' || c == '\'' || c == '"') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c < ' ' || c == '<' || c == '>' || c == '&' || c == '=') {
      append_u(out, c);
    } else {
      out += static_cast<char>(c);
    }
  }
  return out;
}

}  // namespace pintle::tmpl
