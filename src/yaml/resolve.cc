// The tag resolution of go-yaml's resolve.go: the first byte hints at a table of words, a float, or
// a number or date. Ints are Go's base-0 syntax after deleting every "_".
#include "yaml/resolve.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "base/gotext.h"

namespace pintle::yaml {

using value::Value;

namespace {

enum Hint : uint8_t { kText, kWord, kSign, kDigit, kDot };

struct HintTable {
  uint8_t of[256] = {};
  constexpr HintTable() {
    for (unsigned char c : std::string_view("yYnNtTfFoO~")) of[c] = kWord;
    for (unsigned char c : std::string_view("0123456789")) of[c] = kDigit;
    of[static_cast<unsigned char>('+')] = kSign;
    of[static_cast<unsigned char>('-')] = kSign;
    of[static_cast<unsigned char>('.')] = kDot;
  }
};
constexpr HintTable kHints;

bool digit(char c) { return c >= '0' && c <= '9'; }

// lower, Title or UPPER case of a lower-case word.
bool same_word(std::string_view s, std::string_view word) {
  if (s.size() != word.size()) return false;
  auto upper = [](char c) { return static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c); };
  if (s == word) return true;
  if (s[0] != upper(word[0])) return false;
  bool title = true, all = true;
  for (size_t i = 1; i < s.size(); ++i) {
    title &= s[i] == word[i];
    all &= s[i] == upper(word[i]);
  }
  return title || all;
}

bool word(std::string_view s, Resolved& out) {
  if (s.size() > 5) return false;
  auto boolean = [&](bool b) {
    out = {Tag::kBool, Value::boolean(b)};
    return true;
  };
  switch (s[0]) {
    case 'y':
    case 'Y': return (s.size() == 1 || same_word(s, "yes")) && boolean(true);
    case 't':
    case 'T': return same_word(s, "true") && boolean(true);
    case 'f':
    case 'F': return same_word(s, "false") && boolean(false);
    case 'o':
    case 'O':
      if (same_word(s, "on")) return boolean(true);
      return same_word(s, "off") && boolean(false);
    case 'n':
    case 'N':
      if (s.size() == 1 || same_word(s, "no")) return boolean(false);
      break;
    default: break;
  }
  if (s == "~" || same_word(s, "null")) {
    out = {Tag::kNull, Value()};
    return true;
  }
  return false;
}

// .inf .Inf .INF with a sign, .nan .NaN .NAN without.
bool special_float(std::string_view s, Resolved& out) {
  bool sign = s[0] == '+' || s[0] == '-';
  std::string_view t = s.substr(sign ? 1 : 0);
  double d;
  if (t == ".inf" || t == ".Inf" || t == ".INF") {
    d = std::numeric_limits<double>::infinity();
    if (s[0] == '-') d = -d;
  } else if (!sign && (t == ".nan" || t == ".NaN" || t == ".NAN")) {
    d = std::numeric_limits<double>::quiet_NaN();
  } else {
    return false;
  }
  out = {Tag::kFloat, Value::number(d)};
  return true;
}

// [-+]?(.d+|d+(.d*)?)([eE][-+]?d+)?
bool float_shape(std::string_view s) {
  size_t i = 0;
  auto run = [&] {
    size_t start = i;
    while (i < s.size() && digit(s[i])) ++i;
    return i - start;
  };
  if (i < s.size() && (s[i] == '+' || s[i] == '-')) ++i;
  if (run() > 0) {
    if (i < s.size() && s[i] == '.') {
      ++i;
      run();
    }
  } else {
    if (i >= s.size() || s[i] != '.') return false;
    ++i;
    if (run() == 0) return false;
  }
  if (i < s.size() && (s[i] == 'e' || s[i] == 'E')) {
    ++i;
    if (i < s.size() && (s[i] == '+' || s[i] == '-')) ++i;
    if (run() == 0) return false;
  }
  return i == s.size();
}

// One or two digits off the front, as time.Parse reads "1", "2", "15", "4" and "5".
bool small_number(std::string_view& s, int& out) {
  if (s.empty() || !digit(s[0])) return false;
  out = s[0] - '0';
  s.remove_prefix(1);
  if (!s.empty() && digit(s[0])) {
    out = out * 10 + (s[0] - '0');
    s.remove_prefix(1);
  }
  return true;
}

bool eat(std::string_view& s, char c) {
  if (s.empty() || s[0] != c) return false;
  s.remove_prefix(1);
  return true;
}

bool zone(std::string_view s) {
  if (s == "Z") return true;
  if (s.size() != 6 || (s[0] != '+' && s[0] != '-') || s[3] != ':') return false;
  for (size_t i : {1, 2, 4, 5}) {
    if (!digit(s[i])) return false;
  }
  return (s[1] - '0') * 10 + s[2] - '0' <= 24 && (s[4] - '0') * 10 + s[5] - '0' <= 60;
}

bool timestamp(std::string_view s) {
  if (s.size() < 8 || s[4] != '-') return false;
  int year = 0, month, day, hour, minute, second;
  for (int i = 0; i < 4; ++i) {
    if (!digit(s[static_cast<size_t>(i)])) return false;
    year = year * 10 + (s[static_cast<size_t>(i)] - '0');
  }
  s.remove_prefix(5);
  if (!small_number(s, month) || month < 1 || month > 12 || !eat(s, '-')) return false;
  if (!small_number(s, day)) return false;
  static constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  if (day < 1 || day > kDays[month - 1] + (month == 2 && leap ? 1 : 0)) return false;
  if (s.empty()) return true;
  char between = s[0];
  s.remove_prefix(1);
  if (between != 'T' && between != 't' && between != ' ') return false;
  if (!small_number(s, hour) || hour > 23 || !eat(s, ':')) return false;
  if (!small_number(s, minute) || minute > 59 || !eat(s, ':')) return false;
  if (!small_number(s, second) || second > 59) return false;
  if (s.size() >= 2 && (s[0] == '.' || s[0] == ',') && digit(s[1])) {
    s.remove_prefix(1);
    while (!s.empty() && digit(s[0])) s.remove_prefix(1);
  }
  return between == ' ' ? s.empty() : zone(s);
}

bool integer(std::string_view plain, Resolved& out) {
  ParseError error;
  int64_t i = parse_int(plain, 0, 64, &error);
  if (error == ParseError::kNone) {
    out = {Tag::kInt, Value::int64(i)};
    return true;
  }
  uint64_t u = parse_uint(plain, 0, 64, &error);
  if (error != ParseError::kNone) return false;
  out = {Tag::kInt, Value::uint64(u)};
  return true;
}

bool number(std::string_view plain, Resolved& out) {
  if (integer(plain, out)) return true;
  if (!float_shape(plain)) return false;
  bool range = false;
  auto d = parse_float(plain, &range);
  if (!d || range) return false;
  out = {Tag::kFloat, Value::number(*d)};
  return true;
}

// [-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?
bool base60(std::string_view s) {
  size_t i = 0;
  if (i < s.size() && (s[i] == '+' || s[i] == '-')) ++i;
  if (i >= s.size() || !digit(s[i])) return false;
  while (i < s.size() && (digit(s[i]) || s[i] == '_')) ++i;
  size_t groups = 0;
  while (i + 1 < s.size() && s[i] == ':' && digit(s[i + 1])) {
    i += s[i + 1] <= '5' && i + 2 < s.size() && digit(s[i + 2]) ? 3 : 2;
    ++groups;
  }
  if (groups == 0) return false;
  if (i < s.size() && s[i] == '.') {
    ++i;
    while (i < s.size() && (digit(s[i]) || s[i] == '_')) ++i;
  }
  return i == s.size();
}

}  // namespace

bool may_resolve(std::string_view s) {
  return s.empty() || kHints.of[static_cast<unsigned char>(s[0])] != kText;
}

Resolved resolve(std::string_view s) {
  Resolved out;
  if (s.empty()) return {Tag::kNull, Value()};
  switch (kHints.of[static_cast<unsigned char>(s[0])]) {
    case kText: return out;
    case kWord: word(s, out); return out;
    case kDot: {
      if (special_float(s, out)) return out;
      bool range = false;
      auto d = parse_float(s, &range);
      if (d && !range) out = {Tag::kFloat, Value::number(*d)};
      return out;
    }
    default: break;
  }
  if (s.size() <= 18 && (s[0] != '0' || s.size() == 1)) {
    int64_t i;
    auto r = std::from_chars(s.data(), s.data() + s.size(), i);
    if (r.ec == std::errc() && r.ptr == s.data() + s.size() && s[0] != '-') {
      return {Tag::kInt, Value::int64(i)};
    }
  }
  if (special_float(s, out)) return out;
  if (timestamp(s)) {
    out.tag = Tag::kTimestamp;
    return out;
  }
  if (s.find('_') == std::string_view::npos) {
    number(s, out);
  } else {
    std::string plain;
    for (char c : s) {
      if (c != '_') plain.push_back(c);
    }
    number(plain, out);
  }
  return out;
}

bool needs_quotes(std::string_view s) {
  if (s.empty()) return true;
  uint8_t hint = kHints.of[static_cast<unsigned char>(s[0])];
  if (hint == kText) return false;
  if (hint == kWord && s.size() > 5) return false;
  return resolve(s).tag != Tag::kString ||
         ((hint == kDigit || hint == kSign) && s.find(':') != std::string_view::npos && base60(s));
}

std::string_view short_name(Tag tag) {
  switch (tag) {
    case Tag::kString: return "!!str";
    case Tag::kNull: return "!!null";
    case Tag::kBool: return "!!bool";
    case Tag::kInt: return "!!int";
    case Tag::kFloat: return "!!float";
    case Tag::kTimestamp: return "!!timestamp";
  }
  return "";
}

}  // namespace pintle::yaml
