#include "schema/quoting.h"

#include "base/gotext.h"
#include "base/strings.h"

namespace pintle::schema {
namespace {

// A Go string literal in the library's single quotes: every \" made plain and every ' escaped, by
// text and before the outer quotes go, so that a backslash at the end loses its escape.
std::string requote(std::string_view literal) {
  std::string inner = replace_all(replace_all(literal, "\\\"", "\""), "'", "\\'");
  return "'" + inner.substr(1, inner.size() - 2) + "'";
}

void append_grouped(std::string& out, std::string_view digits) {
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
}

void append_superscript(std::string& out, std::string_view digits) {
  static constexpr std::string_view kDigits[] = {"⁰", "¹", "²", "³", "⁴",
                                                 "⁵", "⁶", "⁷", "⁸", "⁹"};
  for (const char c : digits) out += c == '-' ? "⁻" : kDigits[c - '0'];
}

}  // namespace

std::string quote_single(std::string_view s) { return requote(quote(s)); }

std::string quote_rune(char32_t r) {
  if (r == '"') return "'\"'";
  if (r == '\'') return "'\\''";
  std::string text;
  append_rune(text, r);
  text = quote(text);
  return "'" + text.substr(1, text.size() - 2) + "'";
}

std::string quote_time(std::string_view s) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : s) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80 || byte < ' ') {
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string english(int64_t n) {
  std::string digits = std::to_string(n);
  std::string out;
  if (n < 0) {
    out = "-";
    digits.erase(0, 1);
  }
  append_grouped(out, digits);
  return out;
}

std::string english(double d) {
  std::string plain;
  append_float(plain, d, 'g', -1);
  std::string out;
  std::string_view rest = plain;
  if (rest.starts_with('-')) {
    out = "-";
    rest.remove_prefix(1);
  }
  const size_t e = rest.find('e');
  if (e != std::string_view::npos) {
    out += rest.substr(0, e);
    out += "×10";
    rest.remove_prefix(e + 1);
    if (rest.starts_with('+')) rest.remove_prefix(1);
    append_superscript(out, rest);
    return out;
  }
  const size_t point = rest.find('.');
  append_grouped(out, rest.substr(0, point));
  if (point != std::string_view::npos) out += rest.substr(point);
  return out;
}

void append_pointer_token(std::string& out, std::string_view token) {
  for (const char c : token) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
}

}  // namespace pintle::schema
