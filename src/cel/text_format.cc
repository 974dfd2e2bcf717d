// Numbers are grouped and exponents raised as golang.org/x/text prints them for en_US, which is what
// the API server uses: 1,234.500000 and 1.234500×10⁰³.
#include "cel/text_format.h"

#include <algorithm>
#include <cmath>

#include "base/gotext.h"
#include "base/strings.h"
#include "cel/function.h"
#include "cel/time.h"

namespace pintle::cel {
namespace {

using Args = std::span<const Val>;
constexpr int kPrecision = 6, kMaxPrecision = 1000;

struct Verb {
  char letter;
  std::string_view wanted;
  std::initializer_list<Kind> kinds;
};
const Verb kVerbs[] = {
    {'s', "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and "
          "timestamps",
     {Kind::kList, Kind::kMap, Kind::kInt, Kind::kUint, Kind::kDouble, Kind::kBool, Kind::kString, Kind::kTimestamp,
      Kind::kBytes, Kind::kDuration, Kind::kType, Kind::kNull}},
    {'d', "decimal clause can only be used on integers", {Kind::kInt, Kind::kUint}},
    {'f', "fixed-point clause can only be used on doubles", {Kind::kDouble, Kind::kString}},
    {'e', "scientific clause can only be used on doubles", {Kind::kDouble, Kind::kString}},
    {'b', "only integers and bools can be formatted as binary", {Kind::kInt, Kind::kUint, Kind::kBool}},
    {'x', "only integers, byte buffers, and strings can be formatted as hex",
     {Kind::kInt, Kind::kUint, Kind::kString, Kind::kBytes}},
    {'X', "only integers, byte buffers, and strings can be formatted as hex",
     {Kind::kInt, Kind::kUint, Kind::kString, Kind::kBytes}},
    {'o', "octal clause can only be used on integers", {Kind::kInt, Kind::kUint}}};

const Verb* verb_of(char letter) {
  const auto* found = std::find_if(std::begin(kVerbs), std::end(kVerbs), [&](const Verb& v) { return v.letter == letter; });
  return found == std::end(kVerbs) ? nullptr : found;
}

std::string_view digits(bool upper) { return upper ? "0123456789ABCDEF" : "0123456789abcdef"; }

std::string in_base(const Val& v, unsigned base, bool upper) {
  const bool negative = v.is(Kind::kInt) && v.i < 0;
  uint64_t n = v.is(Kind::kBool) ? uint64_t{v.b} : negative ? 0 - v.u : v.u;
  std::string out;
  do {
    out += digits(upper)[n % base];
    n /= base;
  } while (n > 0);
  if (negative) out += '-';
  std::reverse(out.begin(), out.end());
  return out;
}
std::string hex(const Val& v, bool upper) {
  if (!v.is(Kind::kString) && !v.is(Kind::kBytes)) return in_base(v, 16, upper);
  std::string out;
  for (unsigned char c : v.view()) {
    out += digits(upper)[c / 16];
    out += digits(upper)[c % 16];
  }
  return out;
}

std::string fixed(double d, int precision) {
  std::string digits;
  append_float(digits, d, 'f', precision);
  const size_t start = digits.starts_with('-') ? 1 : 0;
  for (size_t at = std::min(digits.find('.'), digits.size()); at > start + 3;) digits.insert(at -= 3, ",");
  return digits;
}
std::string scientific(double d) {
  std::string text;
  append_float(text, d, 'e', kPrecision);  // "1.234500e+03"
  const size_t e = text.find('e');
  std::string out = text.substr(0, e) + "×10";
  constexpr std::string_view kRaised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  for (char c : text.substr(e + 1)) {
    if (c == '-') out += "⁻";
    else if (c != '+') out += kRaised[c - '0'];
  }
  return out;
}
Result<std::string> real(const Clause& clause, const Val& v) {
  double d = v.d;
  if (v.is(Kind::kString)) {
    const std::string_view s = v.view();
    if (s != "NaN" && s != "Infinity" && s != "-Infinity") return Error(clause_error(clause.verb, "string"));
    d = s == "NaN" ? std::nan("") : s == "Infinity" ? INFINITY : -INFINITY;
  }
  if (std::isnan(d)) return std::string("NaN");
  if (std::isinf(d)) return std::string(d < 0 ? "-∞" : "∞");
  return clause.verb == 'e' ? scientific(d) : fixed(d, clause.precision.value_or(kPrecision));
}

Result<std::string> text_of(Arena& a, const Val& v);

// Inside a list or map.
Result<std::string> quoted(Arena& a, const Val& v) {
  switch (v.kind) {
    case Kind::kString: return quote(v.view());
    case Kind::kBytes: return "b" + quote(v.view());
    case Kind::kTimestamp: return cat("timestamp(", quote(timestamp_text(v)), ")");
    case Kind::kDuration: return cat("duration(", quote(duration_text(v.i)), ")");
    case Kind::kDouble: {
      if (!std::isfinite(v.d)) return quote(std::isnan(v.d) ? "NaN" : v.d > 0 ? "+Inf" : "-Inf");
      std::string out;
      append_float(out, v.d, 'f', kPrecision);
      return out;
    }
    default: return text_of(a, v);
  }
}

Result<std::string> text_of(Arena& a, const Val& v) {
  if (v.is_error()) return Error(std::string(v.view()));
  if (v.is(Kind::kList)) {
    std::string out;
    for (size_t i = 0; i < v.list->size; ++i) {
      const Val one = item(a, *v.list, i);
      append(out, {i ? ", " : "", TRY(quoted(a, one))});
      if (out.size() > Arena::kMaxBytes) return Error("the text grows too long");
    }
    return "[" + out + "]";
  }
  if (v.is(Kind::kMap)) {
    std::vector<std::string> pairs;
    for (const Val& key : keys_of(a, *v.map)) {
      Val value;
      if (!find(a, *v.map, key, &value)) continue;
      const std::string left = TRY(quoted(a, key)), right = TRY(quoted(a, value));
      pairs.push_back(cat(left, ":", right));
    }
    std::sort(pairs.begin(), pairs.end());
    return "{" + join(pairs, ", ") + "}";
  }
  if (v.is(Kind::kBytes)) return std::string(v.view());
  return shown(a, v);
}

Result<std::string> printed(Arena& a, const Clause& clause, const Val& v) {
  if (!prints(clause.verb, v.kind)) return Error(clause_error(clause.verb, value_type_name(v.kind)));
  switch (clause.verb) {
    case 's': return text_of(a, v);
    case 'd': return shown(a, v);
    case 'f':
    case 'e': return real(clause, v);
    case 'b': return in_base(v, 2, false);
    case 'o': return in_base(v, 8, false);
    default: return hex(v, clause.verb == 'X');
  }
}

Val format(Arena& a, Args v) {
  auto clauses = parse_clauses(v[0].view(), v[1].list->size);
  if (!clauses) return a.error(clauses.error().text());
  std::string out;
  size_t i = 0;
  for (const Clause& clause : *clauses) {
    out += clause.literal;
    if (clause.verb == 0) break;
    auto text = printed(a, clause, item(a, *v[1].list, i++));
    if (!text) return a.error(text.error().text());
    out += *text;
    if (out.size() > Arena::kMaxBytes) return a.error("the text grows too long");
  }
  return a.copy(out);
}

constexpr Row kRows[] = {{"format", "string.(list(dyn)) -> string", format, Cost::kText}};

}  // namespace

std::span<const Row> text_format_rows() { return kRows; }

bool prints(char verb, Kind kind) {
  if (kind == Kind::kDyn || kind == Kind::kParam) return true;
  const Verb* v = verb_of(verb);
  return v && std::find(v->kinds.begin(), v->kinds.end(), kind) != v->kinds.end();
}

std::string clause_error(char verb, std::string_view given) {
  const Verb* v = verb_of(verb);
  return cat("error during formatting: ", v ? v->wanted : "", ", was given ", given);
}

Result<std::vector<Clause>> parse_clauses(std::string_view format, size_t arguments) {
  std::vector<Clause> out(1);
  auto bad = [](std::string_view why) { return Error(cat("could not parse formatting clause: ", why)); };
  while (!format.empty()) {
    const size_t percent = std::min(format.find('%'), format.size());
    out.back().literal += format.substr(0, percent);
    format.remove_prefix(percent);
    if (format.empty()) break;
    if (format.starts_with("%%")) {
      out.back().literal += '%';
      format.remove_prefix(2);
      continue;
    }
    format.remove_prefix(1);
    if (format.empty()) return Error("unexpected end of string");
    if (out.size() > arguments) return Error(cat("index ", out.size() - 1, " out of range"));
    if (format[0] == '.') {
      const size_t end = format.find_first_not_of("0123456789", 1);
      if (end == std::string_view::npos) {
        return bad("error while parsing precision: could not find end of precision specifier");
      }
      ParseError error = ParseError::kNone;
      const int64_t n = parse_int(format.substr(1, end - 1), 10, 32, &error);
      if (error != ParseError::kNone) {
        return bad(cat("error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing ",
                       quote(format.substr(1, end - 1)), ": invalid syntax"));
      }
      out.back().precision = static_cast<int>(std::min<int64_t>(n, kMaxPrecision));
      format.remove_prefix(end);
    }
    if (!verb_of(format[0])) return bad(cat("unrecognized formatting clause \"", format[0], "\""));
    out.back().verb = format[0];
    format.remove_prefix(1);
    out.emplace_back();
  }
  return out;
}

}  // namespace pintle::cel
