// Chains of products over a multiplier's rows.
//
// Fermat's test to base 2 needs no multiplication by the base, and no division to begin: a number
// v stands for 2^f when v = R * 2^f mod n. With n - 1 = c * 2^m - b, 0 <= b < 2^m, v = R / 2^c is a
// single bit and stands for 2^-c; m squarings, doubled where b has a bit, lead to
// f = -c * 2^m + b = -(n - 1).
#include "crypt/montgomery.h"

#include "crypt/multiplier.h"

namespace pintle::crypt {
namespace {

constexpr int kMaxWords = 2048 / 64;

uint64_t mask_of(int bits) { return (uint64_t{1} << bits) - 1; }

// With R / n at least 2^8.
int digits_for(const Multiplier& by, int bits) {
  const int unit = by.radix * by.block;
  return (bits + 8 + unit - 1) / unit * by.block;
}

uint64_t digit_of(const uint64_t* words, int count, int at, int radix) {
  const int bit = radix * at, word = bit / 64, offset = bit % 64;
  if (word >= count) return 0;
  uint64_t x = words[word] >> offset;
  if (offset + radix > 64 && word + 1 < count) x |= words[word + 1] << (64 - offset);
  return x & mask_of(radix);
}

void load(const Multiplier& by, Row* out, const uint64_t* const* numbers, int lanes, int bits) {
  for (int i = 0; i < digits_for(by, bits); ++i) {
    for (int j = 0; j < lanes; ++j) {
      out[i].lane[j] = by.held(digit_of(numbers[j], bits / 64, i, by.radix));
    }
  }
}

void set_modulus(const Multiplier& by, Modulus& m, const uint64_t* const* n, int lanes, int bits) {
  m.digits = digits_for(by, bits);
  m.lanes = lanes;
  load(by, m.n, n, lanes, bits);
  for (int j = 0; j < lanes; ++j) {
    // Each step doubles the number of right bits, and three are right at first.
    uint64_t x = n[j][0];
    for (int right = 3; right < 64; right *= 2) x *= 2 - n[j][0] * x;
    m.k0.lane[j] = (0 - x) & mask_of(by.radix);
  }
  by.prepare(m);
}

// words -= n if that is not negative, by choosing and not by jumping.
void subtract_once(uint64_t* words, const uint64_t* n, int count) {
  uint64_t less[kMaxWords + 1], borrow = 0;
  for (int w = 0; w <= count; ++w) {
    const unsigned __int128 x =
        static_cast<unsigned __int128>(words[w]) - (w < count ? n[w] : 0) - borrow;
    less[w] = static_cast<uint64_t>(x);
    borrow = static_cast<uint64_t>(x >> 64) & 1;
  }
  for (int w = 0; w <= count; ++w) words[w] ^= (words[w] ^ less[w]) & (borrow - 1);
}

// out[j] = a[j] / R mod n[j].
void unload(const Multiplier& by, uint64_t* const* out, const Row* a, const Modulus& m,
            const uint64_t* const* n, int bits) {
  Row one[kMaxDigits], v[kMaxDigits];
  for (int i = 0; i < m.digits; ++i) {
    for (uint64_t& lane : one[i].lane) lane = by.held(i == 0);
  }
  by.multiply(v, a, one, m);  // at most 2n
  const int count = bits / 64;
  for (int j = 0; j < m.lanes; ++j) {
    uint64_t words[kMaxWords + 2] = {};
    for (int i = 0; i < m.digits; ++i) {
      const int bit = by.radix * i, word = bit / 64, offset = bit % 64;
      const uint64_t x = by.digit(v[i].lane[j]);
      if (word > count) break;  // nothing is so high
      words[word] |= x << offset;
      if (offset + by.radix > 64) words[word + 1] |= x >> (64 - offset);
    }
    subtract_once(words, n[j], count);
    subtract_once(words, n[j], count);
    for (int w = 0; w < count; ++w) out[j][w] = words[w];
  }
}

}  // namespace

int radix_bits(const Multiplier& by, int bits) { return by.radix * digits_for(by, bits); }

int lanes_at_once(const Multiplier& by) { return by.lanes; }

unsigned fermat_base_2(const Multiplier& by, const uint64_t* const* numbers, int count, int bits) {
  const int words = bits / 64, squarings = bits - 9;
  const int lanes = (count + by.lanes - 1) / by.lanes * by.lanes;
  const uint64_t* n[kLanes];
  for (int j = 0; j < lanes; ++j) n[j] = numbers[j < count ? j : 0];
  Modulus m;
  set_modulus(by, m, n, lanes, bits);
  Row v[kMaxDigits] = {};
  uint64_t b[kLanes][kMaxWords];  // -(n - 1) mod 2^squarings; c is the rest of n - 1, rounded up
  for (int j = 0; j < lanes; ++j) {
    uint64_t borrow = 0, any = 0;
    for (int w = 0; w < words; ++w) {
      const uint64_t x = w == 0 ? n[j][0] - 1 : n[j][w];  // n is odd
      b[j][w] = 0 - x - borrow;
      borrow |= x != 0;
      if (w == words - 1) b[j][w] &= mask_of(55);
      any |= b[j][w];
    }
    const int c = static_cast<int>(n[j][words - 1] >> 55) + (any != 0);
    const int bit = by.radix * m.digits - c;
    for (int i = 0; i < m.digits; ++i) {
      v[i].lane[j] = by.held(static_cast<uint64_t>(i == bit / by.radix) << bit % by.radix);
    }
  }
  for (int t = squarings - 1; t >= 0; --t) {
    Row shift{};
    for (int j = 0; j < lanes; ++j) shift.lane[j] = b[j][t / 64] >> t % 64 & 1;
    by.square(v, v, m, shift);
  }
  uint64_t result[kLanes][kMaxWords], *out[kLanes];
  for (int j = 0; j < lanes; ++j) out[j] = result[j];
  unload(by, out, v, m, n, bits);
  unsigned passed = 0;
  for (int j = 0; j < count; ++j) {
    uint64_t other = result[j][0] ^ 1;
    for (int w = 1; w < words; ++w) other |= result[j][w];
    passed |= static_cast<unsigned>(other == 0) << j;
  }
  return passed;
}

// Four bits of the exponent at a time. The wanted entry of the table is picked by looking at all.
void power(const Multiplier& by, const uint64_t* n, const uint64_t* one, const uint64_t* exponent,
           int bits, const uint64_t* const* base, uint64_t* const* out) {
  constexpr unsigned kEntries = 16;
  const uint64_t *ns[kLanes], *ones[kLanes];
  for (int j = 0; j < kLanes; ++j) ns[j] = n, ones[j] = one;
  Modulus m;
  set_modulus(by, m, ns, by.lanes, bits);
  Row table[kEntries][kMaxDigits];
  load(by, table[0], ones, by.lanes, bits);
  load(by, table[1], base, by.lanes, bits);
  for (unsigned e = 2; e < kEntries; ++e) by.multiply(table[e], table[e - 1], table[1], m);
  Row v[kMaxDigits], factor[kMaxDigits];
  const Row no_shift{};
  for (int i = 0; i < m.digits; ++i) v[i] = table[0][i];
  for (int t = bits - 4; t >= 0; t -= 4) {
    for (int i = 0; i < 4; ++i) by.square(v, v, m, no_shift);
    const uint64_t wanted = exponent[t / 64] >> t % 64 & (kEntries - 1);
    for (int i = 0; i < m.digits; ++i) factor[i] = no_shift;
    for (unsigned e = 0; e < kEntries; ++e) {
      const uint64_t mask = 0 - static_cast<uint64_t>(e == wanted);
      for (int i = 0; i < m.digits; ++i) {
        for (int j = 0; j < by.lanes; ++j) factor[i].lane[j] |= table[e][i].lane[j] & mask;
      }
    }
    by.multiply(v, v, factor, m);
  }
  unload(by, out, v, m, ns, bits);
}

}  // namespace pintle::crypt
