#include "funcs/duration.h"

#include <cmath>

#include "base/gotext.h"
#include "funcs/objects.h"

namespace pintle::funcs {
namespace {

using value::Call;
using value::FuncDef;
using value::Value;

constexpr double kTwoTo63 = 9223372036854775808.0;

std::string float_text(double d) {
  std::string out;
  append_float(out, d, 'g', -1);
  return out;
}

Result<int64_t> from_seconds(int64_t seconds) {
  int64_t nanos = 0;
  if (__builtin_mul_overflow(seconds, kSecond, &nanos)) {
    return Error("duration seconds overflow: " + std::to_string(seconds));
  }
  return nanos;
}

Result<int64_t> from_seconds(double seconds) {
  if (!std::isfinite(seconds)) return Error("invalid duration seconds: " + float_text(seconds));
  constexpr double kLimit = kTwoTo63 / static_cast<double>(kSecond);
  if (seconds > kLimit || seconds < -kLimit) {
    return Error("duration seconds overflow: " + float_text(seconds));
  }
  const double nanos = seconds * static_cast<double>(kSecond);
  if (nanos > kTwoTo63 || nanos < -kTwoTo63) {
    return Error("duration nanoseconds overflow: " + float_text(nanos));
  }
  // Exactly 2^63 passes the checks and becomes the smallest integer, as on Go's amd64.
  return nanos >= kTwoTo63 ? INT64_MIN : static_cast<int64_t>(nanos);
}

Result<int64_t> from_text(std::string_view text) {
  const std::string_view s = trim_space(text);
  if (s.empty()) return Error("empty duration");
  if (auto d = parse_duration(s)) return *d;
  bool range = false;
  auto seconds = parse_float(s, &range);
  if (seconds && !range) return from_seconds(*seconds);
  return Error("could not parse duration " + quote(text));
}

Result<int64_t> to_duration(const Value& v) {
  if (auto d = duration_of(v)) return *d;
  if (v.is_string()) return from_text(v.as_string());
  if (v.is_nil() || v.is_invalid()) return Error("invalid duration");
  const Value n = v.is_object() ? v.as_object()->basic() : v;
  if (n.is_int()) return from_seconds(n.as_int());
  if (n.is_uint()) {
    if (n.as_uint() > INT64_MAX) {
      return Error("duration seconds overflow: " + std::to_string(n.as_uint()));
    }
    return from_seconds(static_cast<int64_t>(n.as_uint()));
  }
  if (n.is(value::Type::kFloat64)) return from_seconds(n.as_double());
  return Error("unsupported duration type " + std::string(value::go_type(v)));
}

bool must_to_duration(Call& c) {
  auto d = to_duration(c[0]);
  return d ? c.give(make_duration(*d)) : c.fail(std::move(d).error());
}

// Whole units and the rest apart, as Duration.Hours and its kin do.
template <int64_t kUnit, int kDivide = 1, int kDivideAgain = 1>
bool in_units(Call& c) {
  const int64_t d = to_duration(c[0]).value_or(0);
  double n =
      static_cast<double>(d / kUnit) + static_cast<double>(d % kUnit) / static_cast<double>(kUnit);
  return c.give(Value::number(n / kDivide / kDivideAgain));
}

template <int64_t kUnit>
bool whole_units(Call& c) {
  return c.give(Value::int64(to_duration(c[0]).value_or(0) / kUnit));
}

template <int64_t (*kFit)(int64_t, int64_t)>
bool fit(Call& c) {
  auto d = to_duration(c[0]);
  if (!d) return c.give(make_duration(0));
  auto multiple = to_duration(c[1]);
  return c.give(make_duration(multiple ? kFit(*d, *multiple) : *d));
}

constexpr int64_t kHour = 3600 * kSecond;

constexpr FuncDef kRows[] = {
    {"durationDays", "v", in_units<kHour, 24>},
    {"durationHours", "v", in_units<kHour>},
    {"durationMicroseconds", "v", whole_units<1000>},
    {"durationMilliseconds", "v", whole_units<1000000>},
    {"durationMinutes", "v", in_units<60 * kSecond>},
    {"durationNanoseconds", "v", whole_units<1>},
    {"durationRoundTo", "vv", fit<duration_round>},
    {"durationSeconds", "v", in_units<kSecond>},
    {"durationTruncateTo", "vv", fit<duration_truncate>},
    {"durationWeeks", "v", in_units<kHour, 24, 7>},
    {"mustToDuration", "v", must_to_duration},
};

}  // namespace

Family duration_family() { return kRows; }

}  // namespace pintle::funcs
