// Decimal: exact decimal arithmetic on float64 operands, as Sprig's addf, subf, mulf and divf use
// shopspring/decimal. Each operand enters with the shortest digits that give it back.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"

namespace pintle::funcs {

class Decimal {
 public:
  // Errors: "Cannot create a Decimal from NaN" (or +Inf, -Inf).
  static Result<Decimal> from_double(double d);
  double to_double() const;  // the nearest one

  // Exact. Error: the result has more than 36,000 digits (thousands of factors).
  static Result<Decimal> add(const Decimal& a, const Decimal& b);
  static Result<Decimal> subtract(const Decimal& a, const Decimal& b);
  static Result<Decimal> multiply(const Decimal& a, const Decimal& b);
  // Rounded to 16 digits after the point, halves away from zero. Error: "decimal division by 0".
  static Result<Decimal> divide(const Decimal& a, const Decimal& b);

 private:
  bool negative_ = false;
  std::vector<uint32_t> limbs_;  // magnitude in base 10^9, lowest first, no leading zeros; {}: 0
  int64_t exponent_ = 0;         // the number is +-magnitude * 10^exponent
};

}  // namespace pintle::funcs
