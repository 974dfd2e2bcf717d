// Numbers and dates: how far they reach, then whether they are well formed.
#include <algorithm>

#include "toml/reader.h"

namespace pintle::toml {

using value::Value;

namespace {

bool leading_zero(std::string_view s) {
  if (s.size() > 1 && s[0] == '0' && s[1] != 'b' && s[1] != 'o' && s[1] != 'x') return true;
  return s.size() > 2 && (s[0] == '-' || s[0] == '+') && s[1] == '0';
}

bool underscores_fit(std::string_view s) {
  if (s == "nan" || s == "+nan" || s == "-nan" || s == "inf" || s == "-inf" || s == "+inf") {
    return true;
  }
  bool digit_before = false;
  for (char c : s) {
    if (c == '_' && !digit_before) return false;
    digit_before = is_hex(static_cast<unsigned char>(c));
  }
  return digit_before;
}

bool periods_fit(std::string_view s) {
  bool period = false;
  for (char c : s) {
    if (period && !(c >= '0' && c <= '9')) return false;
    period = c == '.';
  }
  return !period;
}

}  // namespace

bool Reader::number_or_date(Value* out) {
  size_t start = at_.position();
  auto digit = [](char32_t c) { return c >= '0' && c <= '9'; };
  auto text = [&] { return at_.since(start); };
  bool zero = false;
  char32_t c = at_.next();
  if (c == '0') {
    c = at_.next();
    if (c == 'b' || c == 'o' || c == 'x') {
      char32_t p = at_.peek();
      auto fits = [c](char32_t d) {
        return c == 'b' ? d == '0' || d == '1' : c == 'o' ? d >= '0' && d <= '7' : is_hex(d);
      };
      if (at_.failed()) return false;
      if (!fits(p)) {
        std::string shown(text());
        append_rune(shown, p);
        const char* kind = c == 'b' ? "a binary" : c == 'o' ? "an octal" : "a hexadecimal";
        return fail(std::string("not ") + kind + " number: '" + shown + "'");
      }
      run([&](char32_t d) { return fits(d) || d == '_'; });
      return integer(text(), out);
    }
    at_.back();
    zero = !digit(c);  // "0-" is no date: the number ends at the zero
  }
  run(digit);
  c = at_.next();
  if (!zero && (c == '-' || c == ':')) {
    run([&](char32_t d) {
      return digit(d) || d == '-' || d == ':' || d == 'T' || d == 't' || d == ' ' || d == '.' ||
             d == 'Z' || d == 'z' || d == '+';
    });
    return date(text(), out);
  }
  if (c == '_') {
    run([&](char32_t d) { return digit(d) || d == '_'; });
    c = at_.next();
  }
  if (c == '.' || c == 'e' || c == 'E') {
    run([&](char32_t d) {
      return digit(d) || d == '_' || d == '.' || d == '-' || d == '+' || d == 'e' || d == 'E';
    });
    return real(text(), out);
  }
  at_.back();
  return integer(text(), out);
}

bool Reader::signed_number(Value* out) {
  size_t start = at_.position() - 1;
  auto text = [&] { return at_.since(start); };
  char32_t c = at_.next();
  if (c == 'i' || c == 'n') {
    bool good = c == 'i' ? at_.accept('n') && at_.accept('f') : at_.accept('a') && at_.accept('n');
    if (!good) return fail("invalid float: '" + std::string(text()) + "'");
    return real(text(), out);
  }
  if (c == '0') {
    char32_t p = at_.peek();
    if (p == 'b' || p == 'o' || p == 'x') {
      return fail("cannot use sign with non-decimal numbers: '" + std::string(text()) +
                  static_cast<char>(p) + "'");
    }
  }
  if (c == '.') return fail("floats must start with a digit, not '.'");
  if (c < '0' || c > '9') return fail("expected a digit but got " + quote_char(c));
  auto digit = [](char32_t d) { return (d >= '0' && d <= '9') || d == '_'; };
  run(digit);
  c = at_.next();
  if (c == '.' || c == 'e' || c == 'E') {
    run([&](char32_t d) {
      return digit(d) || d == '.' || d == '-' || d == '+' || d == 'e' || d == 'E';
    });
    return real(text(), out);
  }
  at_.back();
  return integer(text(), out);
}

bool Reader::integer(std::string_view text, Value* out) {
  if (at_.failed()) return false;
  if (!underscores_fit(text)) {
    return fail("Invalid integer " + pintle::quote(text) +
                ": underscores must be surrounded by digits");
  }
  if (leading_zero(text)) {
    return fail("Invalid integer " + pintle::quote(text) + ": cannot have leading zeroes");
  }
  ParseError error;
  int64_t i = parse_int(text, 0, 64, &error);
  if (error == ParseError::kRange) return fail(std::string(text) + " is out of range for int64");
  if (error != ParseError::kNone) {
    return fail("BUG: Expected integer value, but got '" + std::string(text) + "'.");
  }
  *out = Value::int64(i);
  return true;
}

bool Reader::real(std::string_view text, Value* out) {
  if (at_.failed()) return false;
  std::string shown = "Invalid float " + pintle::quote(text);
  bool first = true;
  for (size_t i = 0; i < text.size();) {
    size_t end = text.find_first_of(".eE", i);
    if (end == std::string_view::npos) end = text.size();
    std::string_view part = text.substr(i, end - i);
    i = end + 1;
    if (part.empty()) continue;
    if (!underscores_fit(part)) {
      return fail(shown + ": underscores must be surrounded by digits");
    }
    if (first && leading_zero(part)) {
      // Go looks at all underscores before it looks at zeroes.
      bool later = true;
      for (size_t k = i; k < text.size() && later;) {
        size_t stop = std::min(text.find_first_of(".eE", k), text.size());
        later = stop == k || underscores_fit(text.substr(k, stop - k));
        k = stop + 1;
      }
      return fail(shown + (later ? ": cannot have leading zeroes"
                                 : ": underscores must be surrounded by digits"));
    }
    first = false;
  }
  if (!periods_fit(text)) return fail(shown + ": '.' must be followed by one or more digits");
  std::string plain;
  for (char c : text) {
    if (c != '_') plain.push_back(c);
  }
  bool negative_nan = plain == "-nan";
  if (negative_nan || plain == "+nan") plain = "nan";
  bool range = false;
  auto d = parse_float(plain, &range);
  if (range) return fail(std::string(text) + " is out of range for float64");
  if (!d) return fail("Invalid float value: " + pintle::quote(text));
  *out = Value::number(negative_nan ? -*d : *d);
  return true;
}

bool Reader::date(std::string_view text, Value* out) {
  if (at_.failed()) return false;
  std::string plain;
  for (char c : trim_space(text)) {
    plain.push_back(c == 't' || c == ' ' ? 'T' : c == 'z' ? 'Z' : c);
  }
  auto v = read_time_(plain);
  if (!v) return fail("invalid datetime: " + pintle::quote(plain));
  *out = std::move(*v);
  return true;
}

}  // namespace pintle::toml
