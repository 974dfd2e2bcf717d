// What a flag's text becomes: one setter per type, with strconv's and time's error texts.
#include <array>
#include <charconv>
#include <cmath>

#include "base/gotext.h"
#include "cli/flags.h"

namespace pintle::cli {
namespace {

Error number_error(std::string_view function, std::string_view text, ParseError error) {
  return Error(Code::kInvalidArgument,
               "strconv." + std::string(function) + ": parsing " + quote(text) +
                   (error == ParseError::kRange ? ": value out of range" : ": invalid syntax"));
}

template <typename T>
T& at(void* target) {
  return *static_cast<T*>(target);
}

Status set_bool(void* target, bool, std::string_view text) {
  at<bool>(target) = TRY(parse_bool(text));
  return ok();
}

Status set_integer(void* target, bool, std::string_view text) {
  ParseError error;
  const int64_t n = parse_int(text, 0, 64, &error);
  if (error != ParseError::kNone) return number_error("ParseInt", text, error);
  at<int64_t>(target) = n;
  return ok();
}

Status set_count(void* target, bool, std::string_view text) {
  ParseError error;
  const uint64_t n = parse_uint(text, 0, 64, &error);
  if (error != ParseError::kNone) return number_error("ParseUint", text, error);
  at<uint64_t>(target) = n;
  return ok();
}

Status set_real(void* target, bool, std::string_view text) {
  bool range = false;
  const auto d = parse_float(text, &range);
  if (!d) return number_error("ParseFloat", text, ParseError::kSyntax);
  const float f = static_cast<float>(*d);
  if (range || (std::isinf(f) && !std::isinf(*d))) {
    return number_error("ParseFloat", text, ParseError::kRange);
  }
  at<float>(target) = f;
  return ok();
}

Status set_duration(void* target, bool, std::string_view text) {
  at<Duration>(target) = TRY(parse_duration(text));
  return ok();
}

Status set_string(void* target, bool, std::string_view text) {
  at<std::string>(target) = text;
  return ok();
}

void extend(Strings& list, bool first, Strings more) {
  if (first) list.clear();
  for (auto& item : more) list.push_back(std::move(item));
}

Status set_list(void* target, bool first, std::string_view text) {
  Strings items;
  if (!text.empty()) items = TRY(parse_csv(text));
  extend(at<Strings>(target), first, std::move(items));
  return ok();
}

Status set_array(void* target, bool first, std::string_view text) {
  extend(at<Strings>(target), first, {std::string(text)});
  return ok();
}

Status set_pairs(void* target, bool first, std::string_view text) {
  size_t equals = 0;
  for (char c : text) equals += c == '=';
  const auto malformed = [](std::string_view pair) {
    return Error(Code::kInvalidArgument, std::string(pair) + " must be formatted as key=value");
  };
  Strings items;
  if (equals == 0) return malformed(text);
  if (equals == 1) {
    std::string_view bare = text;
    while (bare.starts_with('"')) bare.remove_prefix(1);
    while (bare.ends_with('"')) bare.remove_suffix(1);
    items.emplace_back(bare);
  } else {
    items = TRY(parse_csv(text));
  }
  Pairs pairs;
  for (const std::string& item : items) {
    const size_t eq = item.find('=');
    if (eq == std::string::npos) return malformed(item);
    pairs[item.substr(0, eq)] = item.substr(eq + 1);
  }
  auto& all = at<Pairs>(target);
  if (first) all.clear();
  for (auto& [key, value] : pairs) all[key] = value;
  return ok();
}

std::string joined(const Strings& items) {
  std::string out = "[";
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += ',';
    out += items[i];
  }
  return out + "]";
}

}  // namespace

Flag& Flags::boolean(std::string_view name, bool& target, std::string_view usage, char shorthand) {
  return add({.name = name,
              .shorthand = shorthand,
              .kind = Flag::Kind::kBool,
              .type = "bool",
              .usage = usage,
              .default_text = target ? "true" : "false",
              .bare = "true",
              .target = &target,
              .set = set_bool});
}

Flag& Flags::integer(std::string_view name, int64_t& target, std::string_view usage,
                     char shorthand) {
  return add({.name = name,
              .shorthand = shorthand,
              .kind = Flag::Kind::kNumber,
              .type = "int",
              .usage = usage,
              .default_text = std::to_string(target),
              .target = &target,
              .set = set_integer});
}

Flag& Flags::count(std::string_view name, uint64_t& target, std::string_view usage) {
  return add({.name = name,
              .kind = Flag::Kind::kNumber,
              .type = "uint",
              .usage = usage,
              .default_text = std::to_string(target),
              .target = &target,
              .set = set_count});
}

Flag& Flags::real(std::string_view name, float& target, std::string_view usage) {
  std::string text;
  append_float(text, target, 'g', -1, 32);
  return add({.name = name,
              .kind = Flag::Kind::kNumber,
              .type = "float32",
              .usage = usage,
              .default_text = std::move(text),
              .target = &target,
              .set = set_real});
}

Flag& Flags::duration(std::string_view name, Duration& target, std::string_view usage) {
  return add({.name = name,
              .kind = Flag::Kind::kDuration,
              .type = "duration",
              .usage = usage,
              .default_text = duration_text(target),
              .target = &target,
              .set = set_duration});
}

Flag& Flags::string(std::string_view name, std::string& target, std::string_view usage,
                    char shorthand) {
  return add({.name = name,
              .shorthand = shorthand,
              .kind = Flag::Kind::kString,
              .type = "string",
              .usage = usage,
              .default_text = target,
              .target = &target,
              .set = set_string});
}

Flag& Flags::list(std::string_view name, Strings& target, std::string_view usage, char shorthand) {
  return add({.name = name,
              .shorthand = shorthand,
              .kind = Flag::Kind::kList,
              .type = "strings",
              .usage = usage,
              .default_text = joined(target),
              .target = &target,
              .set = set_list});
}

Flag& Flags::array(std::string_view name, Strings& target, std::string_view usage, char shorthand) {
  return add({.name = name,
              .shorthand = shorthand,
              .kind = Flag::Kind::kList,
              .type = "stringArray",
              .usage = usage,
              .default_text = joined(target),
              .target = &target,
              .set = set_array});
}

Flag& Flags::pairs(std::string_view name, Pairs& target, std::string_view usage, char shorthand) {
  return add({.name = name,
              .shorthand = shorthand,
              .type = "stringToString",
              .usage = usage,
              .default_text = "[]",
              .target = &target,
              .set = set_pairs});
}

Flag& Flags::custom(std::string_view name, std::string_view type, std::string default_text,
                    void* target, Flag::Set set, std::string_view usage, char shorthand) {
  return add({.name = name,
              .shorthand = shorthand,
              .type = type,
              .usage = usage,
              .default_text = std::move(default_text),
              .target = target,
              .set = set});
}

Result<bool> parse_bool(std::string_view text) {
  for (std::string_view yes : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (text == yes) return true;
  }
  for (std::string_view no : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (text == no) return false;
  }
  return number_error("ParseBool", text, ParseError::kSyntax);
}

// time.ParseDuration: [+-] then numbers with units, each with an optional fraction.
Result<Duration> parse_duration(std::string_view text) {
  const auto invalid = [&](std::string_view why = "invalid duration ") {
    return Error(Code::kInvalidArgument, "time: " + std::string(why) + quote(text));
  };
  struct Unit {
    std::string_view name;
    uint64_t ns;
  };
  constexpr std::array<Unit, 8> kUnits = {{{"ns", 1},
                                           {"us", 1'000},
                                           {"\u00b5s", 1'000},
                                           {"\u03bcs", 1'000},
                                           {"ms", 1'000'000},
                                           {"s", 1'000'000'000},
                                           {"m", 60'000'000'000},
                                           {"h", 3'600'000'000'000}}};
  constexpr uint64_t kMax = uint64_t{1} << 63;
  std::string_view s = text;
  bool negative = false;
  if (!s.empty() && (s[0] == '-' || s[0] == '+')) {
    negative = s[0] == '-';
    s.remove_prefix(1);
  }
  if (s == "0") return Duration{0};
  if (s.empty()) return invalid();
  const auto is_digit_char = [](char c) { return c >= '0' && c <= '9'; };
  uint64_t total = 0;
  while (!s.empty()) {
    if (s[0] != '.' && !is_digit_char(s[0])) return invalid();
    uint64_t whole = 0;
    size_t digits = 0;
    while (!s.empty() && is_digit_char(s[0])) {
      if (whole > kMax / 10) return invalid();
      whole = whole * 10 + static_cast<uint64_t>(s[0] - '0');
      if (whole > kMax) return invalid();
      s.remove_prefix(1);
      ++digits;
    }
    uint64_t fraction = 0;
    double scale = 1;
    if (!s.empty() && s[0] == '.') {
      s.remove_prefix(1);
      bool overflow = false;
      while (!s.empty() && is_digit_char(s[0])) {
        const uint64_t next = fraction * 10 + static_cast<uint64_t>(s[0] - '0');
        if (!overflow && (fraction > (kMax - 1) / 10 || next > kMax)) overflow = true;
        if (!overflow) {
          fraction = next;
          scale *= 10;
        }
        s.remove_prefix(1);
        ++digits;
      }
    }
    if (digits == 0) return invalid();
    size_t n = 0;
    while (n < s.size() && s[n] != '.' && !is_digit_char(s[n])) ++n;
    if (n == 0) return invalid("missing unit in duration ");
    const Unit* unit = nullptr;
    for (const Unit& u : kUnits) {
      if (u.name == s.substr(0, n)) unit = &u;
    }
    if (!unit) {
      return invalid("unknown unit " + quote(s.substr(0, n)) + " in duration ");
    }
    s.remove_prefix(n);
    if (whole > kMax / unit->ns) return invalid();
    uint64_t ns = whole * unit->ns;
    if (fraction > 0) {
      ns += static_cast<uint64_t>(static_cast<double>(fraction) *
                                  (static_cast<double>(unit->ns) / scale));
      if (ns > kMax) return invalid();
    }
    total += ns;
    if (total > kMax) return invalid();
  }
  if (!negative && total > kMax - 1) return invalid();
  return Duration{static_cast<int64_t>(negative ? 0 - total : total)};
}

std::string duration_text(Duration d) {
  if (d.ns == 0) return "0s";
  const bool negative = d.ns < 0;
  uint64_t u = negative ? 0 - static_cast<uint64_t>(d.ns) : static_cast<uint64_t>(d.ns);
  // value/scale with trailing zeros of the fraction dropped
  const auto fixed = [](uint64_t value, uint64_t scale) {
    std::string out = std::to_string(value / scale);
    uint64_t rest = value % scale;
    if (rest == 0) return out;
    std::string digits = std::to_string(scale + rest).substr(1);
    while (digits.back() == '0') digits.pop_back();
    return out + "." + digits;
  };
  std::string out = negative ? "-" : "";
  if (u < 1'000) return out + std::to_string(u) + "ns";
  if (u < 1'000'000) return out + fixed(u, 1'000) + "\u00b5s";
  if (u < 1'000'000'000) return out + fixed(u, 1'000'000) + "ms";
  const uint64_t seconds = u / 1'000'000'000;
  if (seconds >= 3600) out += std::to_string(seconds / 3600) + "h";
  if (seconds >= 60) out += std::to_string(seconds / 60 % 60) + "m";
  return out + fixed(u % 60'000'000'000, 1'000'000'000) + "s";
}

}  // namespace pintle::cli
