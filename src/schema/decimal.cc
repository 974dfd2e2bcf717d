#include "schema/decimal.h"

#include <algorithm>
#include <cmath>

#include "base/gotext.h"

namespace pintle::schema {
namespace {

constexpr int64_t kMaxExponent = 1'000'000;
constexpr size_t kMaxDigits = 500;  // bounds the long division
constexpr size_t kWordDigits = 18;  // what fits a uint64_t with room to spare

uint64_t to_word(std::string_view digits) {
  uint64_t n = 0;
  for (const char c : digits) n = n * 10 + static_cast<uint64_t>(c - '0');
  return n;
}

uint64_t mul_mod(uint64_t a, uint64_t b, uint64_t m) {
  return static_cast<uint64_t>(static_cast<unsigned __int128>(a) * b % m);
}

uint64_t pow10_mod(int64_t k, uint64_t m) {
  uint64_t result = 1 % m;
  uint64_t base = 10 % m;
  for (; k > 0; k >>= 1) {
    if (k & 1) result = mul_mod(result, base, m);
    base = mul_mod(base, base, m);
  }
  return result;
}

// Digit strings without leading zeros, as numbers.
bool less(std::string_view a, std::string_view b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

void subtract(std::string& a, std::string_view b) {  // a >= b
  int borrow = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    char& d = a[a.size() - 1 - i];
    int v = d - '0' - borrow - (i < b.size() ? b[b.size() - 1 - i] - '0' : 0);
    borrow = v < 0;
    d = static_cast<char>('0' + v + 10 * borrow);
  }
  a.erase(0, a.find_first_not_of('0'));
}

// Long division, digit by digit: does `divisor` divide `digits` followed by `zeros` zeros?
bool divides(std::string_view divisor, std::string_view digits, int64_t zeros) {
  std::string rest;
  const int64_t total = static_cast<int64_t>(digits.size()) + zeros;
  for (int64_t i = 0; i < total; ++i) {
    const bool zero = i >= static_cast<int64_t>(digits.size());
    if (zero && rest.empty()) return true;
    if (!rest.empty() || zero || digits[static_cast<size_t>(i)] != '0') {
      rest += zero ? '0' : digits[static_cast<size_t>(i)];
    }
    while (!less(rest, divisor)) subtract(rest, divisor);
  }
  return rest.empty();
}

}  // namespace

std::optional<Decimal> Decimal::parse(std::string_view text) {
  Decimal d;
  if (text.starts_with('-') || text.starts_with('+')) {
    d.negative_ = text[0] == '-';
    text.remove_prefix(1);
  }
  const size_t e = text.find_first_of("eE");
  if (e != std::string_view::npos) {
    ParseError fault = ParseError::kNone;
    d.exponent_ = parse_int(text.substr(e + 1), 10, 64, &fault);
    if (fault != ParseError::kNone) return std::nullopt;
    text = text.substr(0, e);
  }
  if (text.empty()) return std::nullopt;
  bool point = false;
  int64_t fraction = 0;
  for (const char c : text) {
    if (c == '.' && !point) {
      point = true;
    } else if (c >= '0' && c <= '9') {
      d.digits_ += c;
      fraction += point;
    } else {
      return std::nullopt;
    }
  }
  d.digits_.erase(0, d.digits_.find_first_not_of('0'));
  if (d.digits_.empty()) return Decimal();
  if (d.exponent_ > kMaxExponent || d.exponent_ < -kMaxExponent) return std::nullopt;
  if (d.digits_.size() > kMaxDigits) return std::nullopt;
  d.exponent_ -= fraction;
  const size_t last = d.digits_.find_last_not_of('0');
  d.exponent_ += static_cast<int64_t>(d.digits_.size() - last - 1);
  d.digits_.resize(last + 1);
  return d;
}

std::optional<Decimal> Decimal::of(const value::Value& v) {
  using value::Type;
  switch (v.type()) {
    case Type::kInt:
    case Type::kInt64: return parse(std::to_string(v.as_int()));
    case Type::kUint8:
    case Type::kUint32:
    case Type::kUint64: return parse(std::to_string(v.as_uint()));
    case Type::kFloat64: {
      std::string text;
      append_float(text, v.as_double(), 'g', -1);
      return parse(text);
    }
    case Type::kBytes: return parse(v.as_string());
    default: return std::nullopt;
  }
}

int Decimal::compare(const Decimal& o) const {
  if (digits_.empty() || o.digits_.empty()) {
    const int a = digits_.empty() ? 0 : (negative_ ? -1 : 1);
    const int b = o.digits_.empty() ? 0 : (o.negative_ ? -1 : 1);
    return a - b;
  }
  if (negative_ != o.negative_) return negative_ ? -1 : 1;
  const int sign = negative_ ? -1 : 1;
  const int64_t magnitude = static_cast<int64_t>(digits_.size()) + exponent_;
  const int64_t other = static_cast<int64_t>(o.digits_.size()) + o.exponent_;
  if (magnitude != other) return magnitude < other ? -sign : sign;
  return digits_.compare(o.digits_) * sign;
}

bool Decimal::is_multiple_of(const Decimal& divisor) const {
  if (digits_.empty()) return true;
  const int64_t zeros = exponent_ - divisor.exponent_;
  // Neither number ends in a zero, so more powers of ten below cannot cancel.
  if (zeros < 0) return false;
  if (divisor.digits_.size() <= kWordDigits) {
    const uint64_t m = to_word(divisor.digits_);
    uint64_t rest = 0;
    for (const char c : digits_) rest = (mul_mod(rest, 10, m) + static_cast<uint64_t>(c - '0')) % m;
    return mul_mod(rest, pow10_mod(zeros, m), m) == 0;
  }
  // A divisor of n digits holds fewer than 4n factors 2 or 5: further zeros change nothing.
  const int64_t enough = 4 * static_cast<int64_t>(divisor.digits_.size());
  return divides(divisor.digits_, digits_, std::min(zeros, enough));
}

double Decimal::to_double() const {
  if (digits_.empty()) return 0;
  const auto d = parse_float(key());
  return d ? *d : 0;
}

int64_t Decimal::low_bits() const {
  uint64_t n = to_word(digits_);  // wraps, as wanted
  for (int64_t i = 0; i < exponent_ && i < 64; ++i) n *= 10;  // 10^64 has no low bits left
  return static_cast<int64_t>(negative_ ? 0 - n : n);
}

std::string Decimal::key() const {
  if (digits_.empty()) return "0";
  return (negative_ ? "-" : "") + digits_ + "e" + std::to_string(exponent_);
}

bool is_number(const value::Value& v) {
  using value::Type;
  if (v.is(Type::kFloat64)) return std::isfinite(v.as_double());
  return v.is_int() || v.is_uint() || v.is(Type::kBytes);
}

}  // namespace pintle::schema
