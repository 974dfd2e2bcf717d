// Decimal: an exact decimal number, as the library compares numbers (big.Rat of their text).
//
// Holds the significant digits and a power of ten, so comparing is comparing digit strings and no
// arithmetic on big integers is needed. Cost: linear in the digits. Like big.Rat it refuses
// exponents beyond a million; unlike it, also numbers of more than 500 significant digits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "value/value.h"

namespace pintle::schema {

class Decimal {
 public:
  Decimal() = default;  // zero
  // A JSON number, or a float64 as Go prints it; nullopt when the exponent is out of reach.
  static std::optional<Decimal> parse(std::string_view text);
  // The number in a Value of any numeric type, or a literal (json::Numbers::kLiteral).
  static std::optional<Decimal> of(const value::Value& v);

  int compare(const Decimal& o) const;  // <0, 0, >0
  bool is_integer() const { return exponent_ >= 0; }
  bool is_multiple_of(const Decimal& divisor) const;  // divisor is not zero
  double to_double() const;
  // The low 64 bits of an integer, as Go's int(n.Num().Int64()).
  int64_t low_bits() const;
  // Equal numbers give equal keys.
  std::string key() const;

 private:
  bool negative_ = false;
  std::string digits_;    // no leading or trailing zeros; empty: zero
  int64_t exponent_ = 0;  // the value is 0 or digits * 10^exponent
};

// Is `v` a number, in the sense of JSON Schema?
bool is_number(const value::Value& v);

}  // namespace pintle::schema
