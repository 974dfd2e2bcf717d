// What a processor's vector multiplier does for montgomery.cc: products of eight numbers at once,
// each modulo its own odd number n. Inside this room only.
//
// A number is a column of rows, least digit first; a row holds the same digit of all eight. The
// numbers are below 8n, and R = 2^(radix * digits) is at least 2^8 n, so products need no
// comparison: only the end of a chain is made canonical.
#pragma once

#include <bit>
#include <cstdint>

#include "crypt/montgomery.h"

namespace pintle::crypt {

struct alignas(64) Row {
  uint64_t lane[kLanes];
};

inline constexpr int kMaxDigits = 42;  // 2048 + 8 bits

struct Modulus {
  int digits;
  int lanes;  // the others hold nothing: four of eight may be cheaper
  Row n[kMaxDigits];
  Row k0;  // -1/n mod 2^radix, no matter how digits are held

  // What the multiplier wants to know besides, set by its prepare().
  Row inverse[3];
  Row shifted[kMaxDigits];
  uint64_t square_start[2 * kMaxDigits], product_start[2 * kMaxDigits];
};

struct Multiplier {
  int lanes;     // numbers that cost no more than one: 4 or 8
  int radix;     // bits of a digit
  int block;     // numbers have a multiple of so many digits
  bool as_real;  // digits are held as doubles, else as integers
  void (*prepare)(Modulus& m);
  // out = a * a / R * 2^shift mod n; shift: 0 or 1 for each lane, an integer. out may be a.
  void (*square)(Row* out, const Row* a, const Modulus& m, const Row& shift);
  // out = a * b / R mod n. out may be a or b.
  void (*multiply)(Row* out, const Row* a, const Row* b, const Modulus& m);

  uint64_t held(uint64_t digit) const {
    return as_real ? std::bit_cast<uint64_t>(static_cast<double>(digit)) : digit;
  }
  uint64_t digit(uint64_t held) const {
    return as_real ? static_cast<uint64_t>(std::bit_cast<double>(held)) : held;
  }
};

}  // namespace pintle::crypt
