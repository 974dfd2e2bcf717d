#include "funcs/decimal.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdlib>
#include <string>

#include "base/gotext.h"
#include "base/strings.h"

namespace pintle::funcs {

namespace {

using Limbs = std::vector<uint32_t>;

constexpr uint64_t kBase = 1'000'000'000;
constexpr int kDigits = 9;  // per limb
constexpr size_t kMaxLimbs = 4000;
constexpr int64_t kDivisionPrecision = 16;

void trim(Limbs& a) {
  while (!a.empty() && a.back() == 0) a.pop_back();
}

std::strong_ordering compare(const Limbs& a, const Limbs& b) {
  if (a.size() != b.size()) return a.size() <=> b.size();
  for (size_t i = a.size(); i-- > 0;) {
    if (a[i] != b[i]) return a[i] <=> b[i];
  }
  return std::strong_ordering::equal;
}

Limbs sum(const Limbs& a, const Limbs& b) {
  Limbs out(std::max(a.size(), b.size()) + 1);
  uint64_t carry = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    uint64_t n = carry + (i < a.size() ? a[i] : 0) + (i < b.size() ? b[i] : 0);
    out[i] = static_cast<uint32_t>(n % kBase);
    carry = n / kBase;
  }
  trim(out);
  return out;
}

Limbs difference(const Limbs& a, const Limbs& b) {  // a >= b
  Limbs out = a;
  int64_t borrow = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    int64_t n = int64_t{out[i]} - (i < b.size() ? b[i] : 0) - borrow;
    borrow = n < 0;
    out[i] = static_cast<uint32_t>(n < 0 ? n + static_cast<int64_t>(kBase) : n);
  }
  trim(out);
  return out;
}

Limbs product(const Limbs& a, const Limbs& b) {
  Limbs out(a.size() + b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    uint64_t carry = 0;
    for (size_t j = 0; j < b.size() || carry; ++j) {
      uint64_t n = out[i + j] + carry + (j < b.size() ? uint64_t{a[i]} * b[j] : 0);
      out[i + j] = static_cast<uint32_t>(n % kBase);
      carry = n / kBase;
    }
  }
  trim(out);
  return out;
}

Limbs times_power_of_ten(const Limbs& a, int64_t n) {  // n >= 0
  if (a.empty()) return a;
  uint32_t head = 1;
  for (int64_t i = n % kDigits; i > 0; --i) head *= 10;
  Limbs power(static_cast<size_t>(n / kDigits), 0);
  power.push_back(head);
  return product(a, power);
}

struct Quotient {
  Limbs quotient, remainder;
};

// Long division. Each quotient limb is found by bisection over products with the divisor: operands
// have a hundred limbs at most, and this needs no normalisation.
Quotient divide_limbs(const Limbs& a, const Limbs& b) {
  Quotient out;
  out.quotient.resize(a.size());
  for (size_t i = a.size(); i-- > 0;) {
    out.remainder.insert(out.remainder.begin(), a[i]);
    trim(out.remainder);
    uint32_t low = 0, high = static_cast<uint32_t>(kBase - 1);
    while (low < high) {
      uint32_t mid = low + (high - low + 1) / 2;
      if (compare(product(b, {mid}), out.remainder) <= 0) {
        low = mid;
      } else {
        high = mid - 1;
      }
    }
    if (low > 0) out.remainder = difference(out.remainder, product(b, {low}));
    out.quotient[i] = low;
  }
  trim(out.quotient);
  return out;
}

}  // namespace

Result<Decimal> Decimal::from_double(double d) {
  std::string text;
  if (!std::isfinite(d)) {
    append_float(text, d, 'g', -1);
    return Error("Cannot create a Decimal from " + text);
  }
  append_float(text, std::fabs(d), 'e', -1);
  size_t e = text.find('e');
  std::string digits = text.substr(0, 1) + (e > 2 ? text.substr(2, e - 2) : "");
  Decimal out;
  out.negative_ = d < 0;
  if (d == 0) return out;
  out.exponent_ = std::atoi(text.c_str() + e + 1) - static_cast<int64_t>(digits.size()) + 1;
  for (size_t end = digits.size(); end > 0;) {
    size_t begin = end > kDigits ? end - kDigits : 0;
    out.limbs_.push_back(
        static_cast<uint32_t>(std::atoi(digits.substr(begin, end - begin).c_str())));
    end = begin;
  }
  trim(out.limbs_);
  return out;
}

double Decimal::to_double() const {
  if (limbs_.empty()) return 0;
  std::string text = negative_ ? "-" : "";
  for (size_t i = limbs_.size(); i-- > 0;) {
    std::string limb = std::to_string(limbs_[i]);
    if (i + 1 != limbs_.size()) text.append(kDigits - limb.size(), '0');
    text.append(limb);
  }
  return std::strtod(cat(text, "e", exponent_).c_str(), nullptr);
}

Result<Decimal> Decimal::add(const Decimal& a, const Decimal& b) {
  Decimal out;
  out.exponent_ = std::min(a.exponent_, b.exponent_);
  int64_t up_a = a.exponent_ - out.exponent_, up_b = b.exponent_ - out.exponent_;
  if (std::max(up_a, up_b) > static_cast<int64_t>(kMaxLimbs) * kDigits) {
    return Error("decimal result has too many digits");
  }
  Limbs x = times_power_of_ten(a.limbs_, up_a), y = times_power_of_ten(b.limbs_, up_b);
  if (a.negative_ == b.negative_) {
    out.limbs_ = sum(x, y);
    out.negative_ = a.negative_;
  } else if (compare(x, y) >= 0) {
    out.limbs_ = difference(x, y);
    out.negative_ = a.negative_;
  } else {
    out.limbs_ = difference(y, x);
    out.negative_ = b.negative_;
  }
  return out;
}

Result<Decimal> Decimal::subtract(const Decimal& a, const Decimal& b) {
  Decimal minus = b;
  minus.negative_ = !b.negative_;
  return add(a, minus);
}

Result<Decimal> Decimal::multiply(const Decimal& a, const Decimal& b) {
  if (a.limbs_.size() + b.limbs_.size() > kMaxLimbs) {
    return Error("decimal result has too many digits");
  }
  Decimal out;
  out.limbs_ = product(a.limbs_, b.limbs_);
  out.exponent_ = a.exponent_ + b.exponent_;
  out.negative_ = a.negative_ != b.negative_;
  return out;
}

Result<Decimal> Decimal::divide(const Decimal& a, const Decimal& b) {
  if (b.limbs_.empty()) return Error("decimal division by 0");
  int64_t e = a.exponent_ - b.exponent_ + kDivisionPrecision;
  Limbs dividend = e < 0 ? a.limbs_ : times_power_of_ten(a.limbs_, e);
  if (dividend.size() > kMaxLimbs) return Error("decimal result has too many digits");
  Limbs divisor = e < 0 ? times_power_of_ten(b.limbs_, -e) : b.limbs_;
  Quotient q = divide_limbs(dividend, divisor);
  if (compare(sum(q.remainder, q.remainder), divisor) >= 0) q.quotient = sum(q.quotient, {1});
  Decimal out;
  out.limbs_ = std::move(q.quotient);
  out.exponent_ = -kDivisionPrecision;
  out.negative_ = a.negative_ != b.negative_;
  return out;
}

}  // namespace pintle::funcs
