#include "tmpl/numbers.h"

#include <cmath>

#include "base/gotext.h"

namespace pintle::tmpl {

namespace {

constexpr double kTwo63 = 9223372036854775808.0;
constexpr double kTwo64 = 18446744073709551616.0;

// A float that is a whole number is an integer literal too (3.0, 1e3).
void integers_from_float(NumberNode& n) {
  double f = n.float_value;
  if (!(std::trunc(f) == f)) return;
  if (f >= -kTwo63 && f < kTwo63) {
    n.is_int = true;
    n.int_value = static_cast<int64_t>(f);
  }
  if (f >= 0 && f < kTwo64) {
    n.is_uint = true;
    n.uint_value = static_cast<uint64_t>(f);
  }
}

void set_complex(NumberNode& n, double real, double imaginary) {
  n.is_complex = true;
  n.float_value = real;
  n.imaginary = imaginary;
  n.is_float = imaginary == 0;
  if (n.is_float) integers_from_float(n);
}

// strconv.UnquoteChar inside single quotes; false: invalid syntax. s moves past the character.
bool unquote_char(std::string_view& s, char32_t& r) {
  if (s.empty() || s[0] == '\'') return false;
  if (s[0] != '\\') {
    Rune rune = decode_rune(s);
    r = rune.value;
    s.remove_prefix(static_cast<size_t>(rune.size));
    return true;
  }
  if (s.size() < 2) return false;
  char c = s[1];
  s.remove_prefix(2);
  size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  if (digits > 0) {
    if (s.size() < digits) return false;
    ParseError error = ParseError::kNone;
    for (char d : s.substr(0, digits)) {
      if (d == '_' || d == '+' || d == '-') return false;
    }
    uint64_t v = parse_uint(s.substr(0, digits), 16, 64, &error);
    if (error != ParseError::kNone || v > 0x10ffff) return false;
    if (c != 'x' && v >= 0xd800 && v < 0xe000) return false;
    s.remove_prefix(digits);
    r = static_cast<char32_t>(v);
    return true;
  }
  if (c >= '0' && c <= '7') {
    char32_t v = static_cast<char32_t>(c - '0');
    for (int i = 0; i < 2; ++i) {
      if (s.empty() || s[0] < '0' || s[0] > '7') return false;
      v = v * 8 + static_cast<char32_t>(s[0] - '0');
      s.remove_prefix(1);
    }
    r = v;
    return v <= 255;
  }
  static constexpr std::string_view kNames = "abfnrtv\\'";
  static constexpr std::string_view kValues = "\a\b\f\n\r\t\v\\'";
  size_t i = kNames.find(c);
  if (i == kNames.npos) return false;
  r = static_cast<char32_t>(kValues[i]);
  return true;
}

}  // namespace

std::string read_char_constant(NumberNode& n, std::string_view text) {
  std::string_view rest = text.substr(1);
  char32_t r = 0;
  if (!unquote_char(rest, r)) return "invalid syntax";
  if (rest != "'") return "malformed character constant: " + std::string(text);
  n.is_int = n.is_uint = n.is_float = true;
  n.int_value = r;
  n.uint_value = r;
  n.float_value = r;
  return {};
}

std::string read_complex(NumberNode& n, std::string_view text) {
  // The second sign splits the parts; one behind an exponent letter belongs to its number.
  size_t split = text.size();
  for (size_t i = text.size() - 1; i > 0; --i) {
    if (text[i] != '+' && text[i] != '-') continue;
    char before = text[i - 1];
    bool hex = text.find_first_of("xX") != text.npos;
    if (before == 'p' || before == 'P' || (!hex && (before == 'e' || before == 'E'))) continue;
    split = i;
    break;
  }
  auto real = parse_float(text.substr(0, split));
  auto imaginary = split < text.size() ? parse_float(text.substr(split, text.size() - split - 1))
                                       : std::nullopt;
  if (!real || !imaginary) return "syntax error scanning complex number";
  set_complex(n, *real, *imaginary);
  return {};
}

std::string read_number(NumberNode& n, std::string_view text) {
  bool out_of_range = false;
  if (text.ends_with('i')) {
    auto f = parse_float(text.substr(0, text.size() - 1), &out_of_range);
    if (f && !out_of_range) {
      set_complex(n, 0, *f);
      return {};
    }
  }
  ParseError error = ParseError::kNone;
  uint64_t u = parse_uint(text, 0, 64, &error);
  if (error == ParseError::kNone) {
    n.is_uint = true;
    n.uint_value = u;
  }
  error = ParseError::kNone;
  int64_t i = parse_int(text, 0, 64, &error);
  if (error == ParseError::kNone) {
    n.is_int = true;
    n.int_value = i;
    if (i == 0) n.is_uint = true;  // -0
  }
  if (n.is_int) {
    n.is_float = true;
    n.float_value = static_cast<double>(n.int_value);
  } else if (n.is_uint) {
    n.is_float = true;
    n.float_value = static_cast<double>(n.uint_value);
  } else {
    out_of_range = false;
    auto f = parse_float(text, &out_of_range);
    if (f && !out_of_range) {
      if (text.find_first_of(".eEpP") == text.npos) return "integer overflow: " + quote(text);
      n.is_float = true;
      n.float_value = *f;
      integers_from_float(n);
    }
  }
  if (!n.is_int && !n.is_uint && !n.is_float) return "illegal number syntax: " + quote(text);
  return {};
}

}  // namespace pintle::tmpl
