#include "tmpl/print_verbs.h"

#include <algorithm>
#include <utility>

#include "base/gotext.h"

namespace pintle::tmpl {

namespace {

constexpr char kLower[] = "0123456789abcdefx";
constexpr char kUpper[] = "0123456789ABCDEFX";

// strconv.CanBackquote: one line of printable text without a backquote.
bool can_backquote(std::string_view s) {
  while (!s.empty()) {
    Rune r = decode_rune(s);
    if (r.size > 1) {
      if (r.value == 0xfeff) return false;
    } else {
      auto c = static_cast<unsigned char>(s[0]);
      if (c >= 0x80 || (c < ' ' && c != '\t') || c == '`' || c == 0x7f) return false;
    }
    s.remove_prefix(static_cast<size_t>(r.size));
  }
  return true;
}

// strconv.QuoteRune: append_quoted knows the escapes, but escapes the other quote.
std::string quote_rune(char32_t r, bool ascii_only) {
  if (r == '\'') return "'\\''";
  if (r == '"') return "'\"'";
  std::string text, out;
  append_rune(text, r);
  append_quoted(out, text, ascii_only);
  out.front() = out.back() = '\'';
  return out;
}

char32_t as_rune(uint64_t c) { return c > 0x10ffff ? 0xfffd : static_cast<char32_t>(c); }

}  // namespace

void Format::clear() {
  width_set = precision_set = false;
  minus = plus = sharp = space = zero = plus_v = sharp_v = false;
  width = precision = 0;
}

bool Format::flag(char c) {
  switch (c) {
    case '#': sharp = true; return true;
    case '0': zero = true; return true;
    case '+': plus = true; return true;
    case '-': minus = true; return true;
    case ' ': space = true; return true;
    default: return false;
  }
}

void Format::padding(int64_t n) {
  if (n <= 0 || out_.size() > kMaxPrinted) return;
  out_.append(static_cast<size_t>(n), zero && !minus ? '0' : ' ');
}

void Format::pad(std::string_view s) {
  if (!width_set || width == 0) {
    out_.append(s);
    return;
  }
  int64_t missing = width - static_cast<int64_t>(rune_count(s));
  if (!minus) padding(missing);
  out_.append(s);
  if (minus) padding(missing);
}

void Format::pad_without_zeros(std::string_view s) {
  bool was = std::exchange(zero, false);
  pad(s);
  zero = was;
}

std::string_view Format::cut(std::string_view s) const {
  if (!precision_set) return s;
  size_t i = 0;
  for (int n = precision; n > 0 && i < s.size(); --n) {
    i += static_cast<size_t>(decode_rune(s.substr(i)).size);
  }
  return s.substr(0, i);
}

void Format::str(std::string_view s) { pad(cut(s)); }

void Format::quoted(std::string_view s) {
  s = cut(s);
  std::string text;
  if (sharp && can_backquote(s)) {
    text.append("`").append(s).append("`");
  } else {
    append_quoted(text, s, plus);
  }
  pad(text);
}

void Format::hex(std::string_view bytes, bool upper) {
  const char* digits = upper ? kUpper : kLower;
  if (precision_set && static_cast<size_t>(precision) < bytes.size()) {
    bytes = bytes.substr(0, static_cast<size_t>(precision));
  }
  if (bytes.empty()) {
    if (width_set) padding(width);
    return;
  }
  std::string text;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (space && i > 0) text += ' ';
    if (sharp && (space || i == 0)) {
      text += '0';
      text += digits[16];
    }
    auto c = static_cast<unsigned char>(bytes[i]);
    text += digits[c >> 4];
    text += digits[c & 15];
  }
  pad(text);
}

void Format::integer(uint64_t u, unsigned base, bool is_signed, char32_t verb) {
  const char* digits = verb == 'X' ? kUpper : kLower;
  bool negative = is_signed && static_cast<int64_t>(u) < 0;
  if (negative) u = -u;

  // Leading zeros come from a precision or, without one, from the zero flag and the width.
  int least = 0;
  if (precision_set) {
    least = precision;
    if (least == 0 && u == 0) {
      bool was = std::exchange(zero, false);
      padding(width);
      zero = was;
      return;
    }
  } else if (zero && !minus && width_set) {
    least = width;
    if (negative || plus || space) --least;
  }

  std::string text;  // backwards
  do {
    text += digits[u % base];
    u /= base;
  } while (u != 0);
  if (least > static_cast<int>(text.size())) text.resize(static_cast<size_t>(least), '0');
  if (sharp) {
    if (base == 2) text += "b0";
    if (base == 8 && text.back() != '0') text += '0';
    if (base == 16) {
      text += digits[16];
      text += '0';
    }
  }
  if (verb == 'O') text += "o0";
  if (negative) {
    text += '-';
  } else if (plus) {
    text += '+';
  } else if (space) {
    text += ' ';
  }
  std::reverse(text.begin(), text.end());
  pad_without_zeros(text);
}

void Format::hex_number(uint64_t u, bool with_0x) {
  bool was = std::exchange(sharp, with_0x);
  integer(u, 16, false, 'v');
  sharp = was;
}

// The sharp flag: a decimal point always, and the zeros %g dropped.
void Format::restore_point(std::string& number, char verb, int precision_used) const {
  int digits = 0;
  if (verb == 'g' || verb == 'G' || verb == 'x') digits = precision_used == -1 ? 6 : precision_used;
  std::string tail;
  bool point = false, nonzero = false;
  for (size_t i = 1; i < number.size(); ++i) {
    char c = number[i];
    bool exponent = c == 'p' || c == 'P' || ((c == 'e' || c == 'E') && verb != 'x' && verb != 'X');
    if (exponent) {
      tail = number.substr(i);
      number.resize(i);
      break;
    }
    if (c == '.') {
      point = true;
      continue;
    }
    if (c != '0') nonzero = true;
    if (nonzero) --digits;
  }
  if (!point) {
    if (number.size() == 2 && number[1] == '0') --digits;
    number += '.';
  }
  if (digits > 0) number.append(static_cast<size_t>(digits), '0');
  number += tail;
}

void Format::floating(double d, char verb, int precision_default) {
  int used = precision_set ? precision : precision_default;
  std::string number(1, '+');
  append_float(number, d, verb, used);
  if (number[1] == '-' || number[1] == '+') number.erase(0, 1);
  if (space && number[0] == '+' && !plus) number[0] = ' ';
  if (number[1] == 'I' || number[1] == 'N') {
    std::string_view text = number;
    if (number[1] == 'N' && !space && !plus) text.remove_prefix(1);
    // Go pads +Inf with its sign even when none was asked for.
    return pad_without_zeros(text);
  }
  if (sharp && verb != 'b') restore_point(number, verb, used);
  if (plus || number[0] != '+') {
    if (zero && !minus && width_set && width > static_cast<int>(number.size())) {
      out_ += number[0];
      padding(width - static_cast<int64_t>(number.size()));
      out_.append(number, 1);
      return;
    }
    return pad(number);
  }
  pad(std::string_view(number).substr(1));
}

void Format::character(uint64_t c) {
  std::string text;
  append_rune(text, as_rune(c));
  pad(text);
}

void Format::quoted_character(uint64_t c) { pad(quote_rune(as_rune(c), plus)); }

void Format::unicode(uint64_t u) {
  std::string digits;
  for (uint64_t n = u; n != 0; n >>= 4) digits += kUpper[n & 15];
  size_t least = precision_set && precision > 4 ? static_cast<size_t>(precision) : 4;
  if (digits.size() < least) digits.resize(least, '0');
  std::reverse(digits.begin(), digits.end());
  std::string text = "U+" + digits;
  if (sharp && u <= 0x10ffff && is_print(static_cast<char32_t>(u))) {
    text += " '";
    append_rune(text, static_cast<char32_t>(u));
    text += '\'';
  }
  pad_without_zeros(text);
}

}  // namespace pintle::tmpl
