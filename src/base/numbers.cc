// strconv's numbers: integers in any base, floats to and from text.
//
// Digits of floats come from <charconv> (shortest ones, or rounded exactly), laid out by Go's
// rules. Precisions beyond 1,100 digits only append zeros: a double has no more.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "base/gotext.h"

namespace pintle {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

// A finite number as 0.d1d2d3... x 10^point, without trailing zeros; no digits: zero.
struct Decimal {
  std::string digits;
  int point = 0;
};

Decimal decimal(double d, int significant, int bits) {
  char buf[1200];
  std::to_chars_result r;
  if (significant > 0) {
    r = std::to_chars(buf, buf + sizeof buf, d, std::chars_format::scientific,
                      std::min(significant, 1100) - 1);
  } else if (bits == 32) {
    r = std::to_chars(buf, buf + sizeof buf, static_cast<float>(d), std::chars_format::scientific);
  } else {
    r = std::to_chars(buf, buf + sizeof buf, d, std::chars_format::scientific);
  }
  std::string_view text(buf, static_cast<size_t>(r.ptr - buf));
  size_t e = text.find('e');
  Decimal out;
  for (char c : text.substr(0, e)) {
    if (c != '.') out.digits.push_back(c);
  }
  out.digits.erase(out.digits.find_last_not_of('0') + 1);
  if (!out.digits.empty()) out.point = std::atoi(std::string(text.substr(e + 1)).c_str()) + 1;
  return out;
}

void append_exponent_form(std::string& out, const Decimal& d, int precision, char e) {
  out.push_back(d.digits.empty() ? '0' : d.digits[0]);
  if (precision > 0) {
    size_t want = static_cast<size_t>(precision);
    std::string_view rest = std::string_view(d.digits).substr(std::min<size_t>(1, d.digits.size()));
    rest = rest.substr(0, want);
    out.push_back('.');
    out.append(rest).append(want - rest.size(), '0');
  }
  int exp = d.digits.empty() ? 0 : d.point - 1;
  out.push_back(e);
  out.push_back(exp < 0 ? '-' : '+');
  exp = std::abs(exp);
  if (exp < 10) out.push_back('0');
  out.append(std::to_string(exp));
}

void append_plain_form(std::string& out, const Decimal& d, int precision) {
  int n = static_cast<int>(d.digits.size());
  if (d.point > 0) {
    int whole = std::min(n, d.point);
    out.append(d.digits, 0, static_cast<size_t>(whole));
    out.append(static_cast<size_t>(d.point - whole), '0');
  } else {
    out.push_back('0');
  }
  if (precision <= 0) return;
  out.push_back('.');
  int zeros = std::min(precision, std::max(0, -d.point));
  out.append(static_cast<size_t>(zeros), '0');
  int from = std::clamp(d.point, 0, n);
  int take = std::min(precision - zeros, n - from);
  out.append(d.digits, static_cast<size_t>(from), static_cast<size_t>(take));
  out.append(static_cast<size_t>(precision - zeros - take), '0');
}

void append_general_form(std::string& out, const Decimal& d, int precision, bool shortest,
                         char e) {
  int n = static_cast<int>(d.digits.size());
  int limit = precision;
  if (limit > n && n >= d.point) limit = n;
  if (shortest) limit = 6;
  int exp = d.point - 1;
  if (exp < -4 || exp >= limit) {
    append_exponent_form(out, d, std::min(precision, n) - 1, e);
  } else {
    append_plain_form(out, d, std::max((precision > d.point ? n : precision) - d.point, 0));
  }
}

struct Binary {
  uint64_t mantissa;
  int exponent;  // of the lowest mantissa bit
  int mantissa_bits;
};

Binary binary(double d, int bits) {
  uint64_t raw = 0;
  int mantissa_bits = 52, bias = 1023, exp_mask = 0x7FF;
  if (bits == 32) {
    float f = static_cast<float>(d);
    uint32_t r;
    std::memcpy(&r, &f, sizeof r);
    raw = r;
    mantissa_bits = 23, bias = 127, exp_mask = 0xFF;
  } else {
    std::memcpy(&raw, &d, sizeof raw);
  }
  int exp = static_cast<int>(raw >> mantissa_bits) & exp_mask;
  uint64_t mantissa = raw & ((uint64_t{1} << mantissa_bits) - 1);
  if (exp == 0) {
    ++exp;
  } else {
    mantissa |= uint64_t{1} << mantissa_bits;
  }
  return {mantissa, exp - bias - mantissa_bits, mantissa_bits};
}

// -0x1.yyyp+dd: the mantissa is moved so that its first bit is bit 60.
void append_hex_form(std::string& out, Binary b, int precision, bool upper) {
  int exp = b.mantissa == 0 ? 0 : b.exponent + b.mantissa_bits;
  uint64_t m = b.mantissa << (60 - b.mantissa_bits);
  while (m != 0 && (m & (uint64_t{1} << 60)) == 0) {
    m <<= 1;
    --exp;
  }
  if (precision >= 0 && precision < 15) {
    int keep = precision * 4;
    uint64_t extra = (m << keep) & ((uint64_t{1} << 60) - 1);
    m >>= 60 - keep;
    if ((extra | (m & 1)) > uint64_t{1} << 59) ++m;
    m <<= 60 - keep;
    if (m & (uint64_t{1} << 61)) {
      m >>= 1;
      ++exp;
    }
  }
  const char* hex = upper ? "0123456789ABCDEF" : "0123456789abcdef";
  out.append(upper ? "0X" : "0x");
  out.push_back(static_cast<char>('0' + ((m >> 60) & 1)));
  m <<= 4;
  if (precision > 0 || (precision < 0 && m != 0)) out.push_back('.');
  for (int i = 0; precision < 0 ? m != 0 : i < precision; ++i, m <<= 4) {
    out.push_back(hex[m >> 60]);
  }
  out.push_back(upper ? 'P' : 'p');
  out.push_back(exp < 0 ? '-' : '+');
  exp = std::abs(exp);
  if (exp < 10) out.push_back('0');
  out.append(std::to_string(exp));
}

// Underscores may only separate digits, or follow a base prefix.
bool underscores_ok(std::string_view s) {
  if (!s.empty() && (s[0] == '-' || s[0] == '+')) s.remove_prefix(1);
  char saw = '^';
  size_t i = 0;
  bool hex = false;
  if (s.size() >= 2 && s[0] == '0') {
    char p = lower(s[1]);
    if (p == 'b' || p == 'o' || p == 'x') {
      i = 2;
      saw = '0';
      hex = p == 'x';
    }
  }
  for (; i < s.size(); ++i) {
    char c = lower(s[i]);
    if ((c >= '0' && c <= '9') || (hex && c >= 'a' && c <= 'f')) {
      saw = '0';
    } else if (c == '_') {
      if (saw != '0') return false;
      saw = '_';
    } else {
      if (saw == '_') return false;
      saw = '!';
    }
  }
  return saw != '_';
}

bool equals_fold(std::string_view s, std::string_view lower_case) {
  return std::equal(s.begin(), s.end(), lower_case.begin(), lower_case.end(),
                    [](char a, char b) { return lower(a) == b; });
}

// The syntax of a Go float; the number without underscores goes to `clean`.
bool scan_float(std::string_view s, std::string& clean) {
  size_t i = 0;
  if (i < s.size() && (s[i] == '+' || s[i] == '-')) {
    if (s[i] == '-') clean.push_back('-');
    ++i;
  }
  bool hex = i + 2 < s.size() && s[i] == '0' && lower(s[i + 1]) == 'x';
  if (hex) {
    clean.append("0x");
    i += 2;
  }
  bool dot = false, digits = false, underscores = false;
  for (; i < s.size(); ++i) {
    char c = lower(s[i]);
    if (c == '_') {
      underscores = true;
      continue;
    }
    if (c == '.') {
      if (dot) return false;
      dot = true;
    } else if ((c >= '0' && c <= '9') || (hex && c >= 'a' && c <= 'f')) {
      digits = true;
    } else {
      break;
    }
    clean.push_back(c);
  }
  if (!digits) return false;
  if (i < s.size() && lower(s[i]) == (hex ? 'p' : 'e')) {
    clean.push_back(lower(s[i++]));
    if (i < s.size() && (s[i] == '+' || s[i] == '-')) clean.push_back(s[i++]);
    if (i == s.size() || s[i] < '0' || s[i] > '9') return false;
    for (; i < s.size() && ((s[i] >= '0' && s[i] <= '9') || s[i] == '_'); ++i) {
      if (s[i] == '_') {
        underscores = true;
      } else {
        clean.push_back(s[i]);
      }
    }
  } else if (hex) {
    return false;  // a hexadecimal mantissa needs its exponent
  }
  return i == s.size() && (!underscores || underscores_ok(s));
}

}  // namespace

void append_float(std::string& out, double d, char fmt, int precision, int bits) {
  if (std::isnan(d)) {
    out.append("NaN");
    return;
  }
  if (std::isinf(d)) {
    out.append(d < 0 ? "-Inf" : "+Inf");
    return;
  }
  if (std::signbit(d)) out.push_back('-');
  d = std::fabs(d);
  bool shortest = precision < 0;
  switch (fmt) {
    case 'b': {
      Binary b = binary(d, bits);
      out.append(std::to_string(b.mantissa)).push_back('p');
      if (b.exponent >= 0) out.push_back('+');
      out.append(std::to_string(b.exponent));
      return;
    }
    case 'x':
    case 'X': append_hex_form(out, binary(d, bits), precision, fmt == 'X'); return;
    case 'e':
    case 'E': {
      Decimal n = decimal(d, shortest ? 0 : precision < 1100 ? precision + 1 : 1100, bits);
      if (shortest) precision = std::max(static_cast<int>(n.digits.size()) - 1, 0);
      append_exponent_form(out, n, precision, fmt);
      return;
    }
    case 'g':
    case 'G': {
      if (precision == 0) precision = 1;
      Decimal n = decimal(d, shortest ? 0 : precision, bits);
      if (shortest) precision = static_cast<int>(n.digits.size());
      append_general_form(out, n, precision, shortest, fmt == 'g' ? 'e' : 'E');
      return;
    }
    default: break;
  }
  if (shortest) {
    Decimal n = decimal(d, 0, bits);
    append_plain_form(out, n, std::max(static_cast<int>(n.digits.size()) - n.point, 0));
    return;
  }
  char buf[1500];
  int exact = std::min(precision, 1100);
  auto r = std::to_chars(buf, buf + sizeof buf, d, std::chars_format::fixed, exact);
  out.append(buf, static_cast<size_t>(r.ptr - buf));
  out.append(static_cast<size_t>(precision - exact), '0');
}

void append_float_v(std::string& out, double d) {
  if (std::fabs(d) < 1e6 && d == std::trunc(d) && !(d == 0 && std::signbit(d))) {
    char buf[16];
    auto r = std::to_chars(buf, buf + sizeof buf, static_cast<int>(d));
    out.append(buf, static_cast<size_t>(r.ptr - buf));
    return;
  }
  append_float(out, d, 'g', -1);
}

std::optional<double> parse_float(std::string_view s, bool* range) {
  if (range) *range = false;
  std::string_view word = s;
  bool negative = !word.empty() && word[0] == '-';
  if (!word.empty() && (word[0] == '-' || word[0] == '+')) word.remove_prefix(1);
  if (equals_fold(word, "inf") || equals_fold(word, "infinity")) {
    return negative ? -HUGE_VAL : HUGE_VAL;
  }
  if (equals_fold(s, "nan")) return std::nan("");
  std::string clean;
  if (!scan_float(s, clean)) return std::nullopt;
  double d = std::strtod(clean.c_str(), nullptr);
  if (std::isinf(d) && range) *range = true;
  return d;
}

uint64_t parse_uint(std::string_view s, int base, int bits, ParseError* error) {
  auto fail = [&](ParseError e, uint64_t v) {
    if (error) *error = e;
    return v;
  };
  std::string_view all = s;
  bool guess = base == 0;
  if (s.empty() || (!guess && (base < 2 || base > 36))) return fail(ParseError::kSyntax, 0);
  if (guess) {
    base = 10;
    if (s[0] == '0') {
      char p = s.size() >= 3 ? lower(s[1]) : 0;
      base = p == 'b' ? 2 : p == 'x' ? 16 : 8;
      s.remove_prefix(p == 'b' || p == 'x' || p == 'o' ? 2 : 1);
    }
  }
  uint64_t max = bits == 0 || bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  uint64_t n = 0;
  bool underscores = false;
  for (char raw : s) {
    char c = lower(raw);
    if (c == '_' && guess) {
      underscores = true;
      continue;
    }
    int d = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'z' ? c - 'a' + 10 : 36;
    if (d >= base) return fail(ParseError::kSyntax, 0);
    unsigned __int128 wide =
        static_cast<unsigned __int128>(n) * static_cast<unsigned>(base) + static_cast<unsigned>(d);
    if (wide > max) return fail(ParseError::kRange, max);
    n = static_cast<uint64_t>(wide);
  }
  if (underscores && !underscores_ok(all)) return fail(ParseError::kSyntax, 0);
  return fail(ParseError::kNone, n);
}

int64_t parse_int(std::string_view s, int base, int bits, ParseError* error) {
  if (error) *error = ParseError::kSyntax;
  bool negative = !s.empty() && s[0] == '-';
  if (!s.empty() && (s[0] == '-' || s[0] == '+')) s.remove_prefix(1);
  ParseError e;
  uint64_t u = parse_uint(s, base, bits, &e);
  if (e == ParseError::kSyntax) return 0;
  uint64_t cutoff = uint64_t{1} << ((bits == 0 ? 64 : bits) - 1);
  if (u >= cutoff + (negative ? 1 : 0)) {
    e = ParseError::kRange;
    u = negative ? cutoff : cutoff - 1;
  }
  if (error) *error = e;
  return static_cast<int64_t>(negative ? 0 - u : u);
}

}  // namespace pintle
