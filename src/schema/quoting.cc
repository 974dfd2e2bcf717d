#include "schema/quoting.h"

#include "base/gotext.h"

namespace pintle::schema {
namespace {

// The inside of a Go string literal, with \" made plain and ' escaped.
std::string requote(std::string_view literal) {
  const std::string_view inner = literal.substr(1, literal.size() - 2);
  std::string out = "'";
  for (size_t i = 0; i < inner.size(); ++i) {
    if (inner[i] == '\\' && i + 1 < inner.size() && inner[i + 1] == '"') continue;
    if (inner[i] == '\'') out += '\\';
    out += inner[i];
  }
  return out + "'";
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

// The library replaces \" textually, so of an escaped backslash before a quote (\\") it takes the
// second half too; requote does the same by looking at neighbours only.
std::string quote_single(std::string_view s) { return requote(quote(s)); }

std::string quote_rune(char32_t r) {
  std::string text;
  append_rune(text, r);
  return requote(quote(text));
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
