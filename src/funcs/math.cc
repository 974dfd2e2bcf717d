// Sprig's arithmetic. Integer functions coerce every operand to int64 and wrap around; the `f`
// functions add, subtract, multiply and divide in decimal (decimal.h) so that 0.1 + 0.2 is 0.3.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/gotext.h"
#include "funcs/convert.h"
#include "funcs/decimal.h"
#include "funcs/families.h"

namespace pintle::funcs {

using value::Call;
using value::FuncDef;
using value::Type;
using value::Value;

namespace {

// ---- int64, wrapping ----

int64_t wrap_add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t wrap_sub(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
int64_t wrap_mul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

bool add(Call& c) {
  int64_t sum = 0;
  for (const Value& v : c.all()) sum = wrap_add(sum, to_int64(v));
  return c.give(Value::int64(sum));
}
bool add1(Call& c) { return c.give(Value::int64(wrap_add(to_int64(c[0]), 1))); }
bool sub(Call& c) { return c.give(Value::int64(wrap_sub(to_int64(c[0]), to_int64(c[1])))); }
bool mul(Call& c) {
  int64_t product = 1;
  for (const Value& v : c.all()) product = wrap_mul(product, to_int64(v));
  return c.give(Value::int64(product));
}

constexpr const char* kDivideByZero = "runtime error: integer divide by zero";

bool div(Call& c) {
  int64_t a = to_int64(c[0]), b = to_int64(c[1]);
  if (b == 0) return c.fail(kDivideByZero);
  return c.give(Value::int64(b == -1 ? wrap_sub(0, a) : a / b));
}
bool mod(Call& c) {
  int64_t a = to_int64(c[0]), b = to_int64(c[1]);
  if (b == 0) return c.fail(kDivideByZero);
  return c.give(Value::int64(b == -1 ? 0 : a % b));
}

bool max(Call& c) {
  int64_t best = to_int64(c[0]);
  for (const Value& v : c.all()) best = std::max(best, to_int64(v));
  return c.give(Value::int64(best));
}
bool min(Call& c) {
  int64_t best = to_int64(c[0]);
  for (const Value& v : c.all()) best = std::min(best, to_int64(v));
  return c.give(Value::int64(best));
}

// ---- float64 ----

// math.Max and math.Min: an infinity on the winning side beats NaN, NaN beats the rest, +0 > -0.
double go_max(double a, double b) {
  if (a == HUGE_VAL || b == HUGE_VAL) return HUGE_VAL;
  if (std::isnan(a) || std::isnan(b)) return std::nan("");
  if (a == 0 && b == 0) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
double go_min(double a, double b) {
  if (a == -HUGE_VAL || b == -HUGE_VAL) return -HUGE_VAL;
  if (std::isnan(a) || std::isnan(b)) return std::nan("");
  if (a == 0 && b == 0) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

template <double (*Pick)(double, double)>
bool pick_float(Call& c) {
  double best = to_float64(c[0]);
  for (const Value& v : c.all().subspan(1)) best = Pick(best, to_float64(v));
  return c.give(Value::number(best));
}

bool ceil(Call& c) { return c.give(Value::number(std::ceil(to_float64(c[0])))); }
bool floor(Call& c) { return c.give(Value::number(std::floor(to_float64(c[0])))); }

// math.Pow(10, n) as Go computes it, by squaring a mantissa: not always the nearest double.
double power_of_ten(int64_t n) {
  if (n == 0) return 1;
  if (n == 1) return 10;
  double result = 1, square = 0.625;  // 10 = 0.625 * 2^4
  int exponent = 0, square_exponent = 4;
  for (uint64_t i = n < 0 ? 0 - static_cast<uint64_t>(n) : static_cast<uint64_t>(n); i != 0;
       i >>= 1) {
    if (square_exponent > 1 << 12) {  // over- or underflow is certain
      exponent += square_exponent;
      break;
    }
    if (i & 1) {
      result *= square;
      exponent += square_exponent;
    }
    square *= square;
    square_exponent *= 2;
    if (square < 0.5) {
      square += square;
      --square_exponent;
    }
  }
  return n < 0 ? std::ldexp(1 / result, -exponent) : std::ldexp(result, exponent);
}

bool round(Call& c) {
  double cut = c.count > 2 ? c[2].as_double() : 0.5;
  double power = power_of_ten(c[1].as_int());
  double digit = power * to_float64(c[0]);
  double whole;
  double fraction = std::modf(digit, &whole);
  if (std::isinf(digit)) fraction = std::nan("");  // math.Modf(Inf) = Inf, NaN
  return c.give(Value::number((fraction >= cut ? std::ceil(digit) : std::floor(digit)) / power));
}

// ---- decimal ----

// Folds the arguments from `first` on, with op, into `acc`.
bool fold_decimal(Call& c, double acc, size_t first,
                  Result<Decimal> (*op)(const Decimal&, const Decimal&)) {
  auto sum = Decimal::from_double(acc);
  if (!sum) return c.fail(sum.error());
  for (const Value& v : c.all().subspan(first)) {
    auto x = Decimal::from_double(to_float64(v));
    if (!x) return c.fail(x.error());
    sum = op(*sum, *x);
    if (!sum) return c.fail(sum.error());
  }
  return c.give(Value::number(sum->to_double()));
}

bool addf(Call& c) { return fold_decimal(c, 0, 0, Decimal::add); }
bool add1f(Call& c) { return fold_decimal(c, 1, 0, Decimal::add); }
bool subf(Call& c) { return fold_decimal(c, to_float64(c[0]), 1, Decimal::subtract); }
bool mulf(Call& c) { return fold_decimal(c, to_float64(c[0]), 1, Decimal::multiply); }
bool divf(Call& c) { return fold_decimal(c, to_float64(c[0]), 1, Decimal::divide); }

// ---- conversions ----

bool to_int(Call& c) { return c.give(Value::integer(to_int64(c[0]))); }
bool as_int64(Call& c) { return c.give(Value::int64(to_int64(c[0]))); }
bool as_float64(Call& c) { return c.give(Value::number(to_float64(c[0]))); }
bool atoi(Call& c) { return c.give(Value::integer(parse_int(c[0].as_string(), 10, 64, nullptr))); }

bool to_decimal(Call& c) {  // "converts unix octal to decimal"
  ParseError error;
  int64_t n = parse_int(to_str(c[0]), 8, 64, &error);
  return c.give(Value::int64(error == ParseError::kNone ? n : 0));
}

// ---- sequences ----

// The count of numbers from start to before stop by step; nothing when step leads elsewhere.
struct Range {
  int64_t start, step;
  uint64_t count;
};

Range range_until(int64_t start, int64_t stop, int64_t step) {
  if (stop < start ? step >= 0 : step <= 0) return {start, step, 0};
  auto distance = stop < start ? static_cast<uint64_t>(start) - static_cast<uint64_t>(stop)
                               : static_cast<uint64_t>(stop) - static_cast<uint64_t>(start);
  uint64_t width = step < 0 ? 0 - static_cast<uint64_t>(step) : static_cast<uint64_t>(step);
  return {start, step, distance / width + (distance % width != 0)};
}

bool give_range(Call& c, Range r) {
  if (r.count > kMaxItems) return fail_items(c);
  std::vector<Value> out;
  out.reserve(r.count);
  for (uint64_t i = 0; i < r.count; ++i) {
    out.push_back(Value::integer(wrap_add(r.start, wrap_mul(static_cast<int64_t>(i), r.step))));
  }
  return c.give(Value::list_of(std::move(out), Type::kIntList));
}

bool until(Call& c) {
  int64_t n = c[0].as_int();
  return give_range(c, range_until(0, n, n < 0 ? -1 : 1));
}
bool until_step(Call& c) {
  return give_range(c, range_until(c[0].as_int(), c[1].as_int(), c[2].as_int()));
}

// As the shell's seq: one argument is the end, two are start and end, three have a step between.
bool seq(Call& c) {
  if (c.count == 0 || c.count > 3) return c.give(value::str(""));
  int64_t start = c.count == 1 ? 1 : c[0].as_int();
  int64_t end = c[c.count - 1].as_int();
  int64_t toward = end < start ? -1 : 1;
  int64_t step = c.count == 3 ? c[1].as_int() : toward;
  if (c.count == 3 && toward < 0 && step > 0) return c.give(value::str(""));
  Range r = range_until(start, wrap_add(end, toward), step);
  if (r.count > kMaxItems) return fail_items(c);
  std::string out;
  for (uint64_t i = 0; i < r.count; ++i) {
    if (i > 0) out.push_back(' ');
    char buf[24];
    int64_t n = wrap_add(r.start, wrap_mul(static_cast<int64_t>(i), r.step));
    out.append(buf, std::to_chars(buf, buf + sizeof buf, n).ptr);
  }
  return c.give(value::str(out));
}

constexpr FuncDef kRows[] = {
    {"add", "v*", add},
    {"add1", "v", add1},
    {"add1f", "v", add1f},
    {"addf", "v*", addf},
    {"atoi", "s", atoi},
    {"biggest", "vv*", max},
    {"ceil", "v", ceil},
    {"div", "vv", div},
    {"divf", "vv*", divf},
    {"float64", "v", as_float64},
    {"floor", "v", floor},
    {"int", "v", to_int},
    {"int64", "v", as_int64},
    {"max", "vv*", max},
    {"maxf", "vv*", pick_float<go_max>},
    {"min", "vv*", min},
    {"minf", "vv*", pick_float<go_min>},
    {"mod", "vv", mod},
    {"mul", "vv*", mul},
    {"mulf", "vv*", mulf},
    {"round", "vif*", round},
    {"seq", "i*", seq},
    {"sub", "vv", sub},
    {"subf", "vv*", subf},
    {"toDecimal", "v", to_decimal},
    {"until", "i", until},
    {"untilStep", "iii", until_step},
};

}  // namespace

Family math_family() { return kRows; }

}  // namespace pintle::funcs
