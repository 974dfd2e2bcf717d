// start mod p for every small p, by Montgomery's reduction with 2^32: digits of 31 bits are taken
// from the highest, and each step is r = r * 2^63 / 2^32 + digit mod p, where r stays below 2^32.
// Once more without a digit, and reduced, it is start / 2 mod p. Four primes fill a register of
// AVX2, and eight such hide the multiplier's wait; the compiler halves them for processors without.
//
// 12000 primes and 1024 bits take 0.08 ms, 0.17 without AVX2; the primes themselves 0.4 ms, once.
// Further up a sieve costs what it saves.
#include "crypt/sieve.h"

#include "crypt/openssl.h"

namespace pintle::crypt {
namespace {

constexpr uint32_t kLimit = 1u << 17;
constexpr size_t kGroup = 32;

struct Small {
  std::vector<uint32_t> prime, inverse, step;  // p; -1/p mod 2^32; 2^63 mod p
};

// Never freed: a search may outlive static objects.
const Small& small() {
  auto make = [] {
    std::vector<uint8_t> composite(kLimit / 2);  // of 2i + 1; bytes: twice as fast as bits
    auto* out = new Small;
    for (auto* v : {&out->prime, &out->inverse, &out->step}) v->reserve(kLimit / 8);
    for (uint32_t i = 1; i < kLimit / 2; ++i) {
      if (composite[i]) continue;
      const uint32_t p = 2 * i + 1;
      out->prime.push_back(p);
      for (uint64_t m = uint64_t{p} * p / 2; m < kLimit / 2; m += p) composite[m] = true;
    }
    out->prime.resize(out->prime.size() / kGroup * kGroup);
    for (const uint32_t p : out->prime) {
      uint32_t x = p;  // each step doubles the number of right bits, and three are right at first
      for (int right = 3; right < 32; right *= 2) x *= 2 - p * x;
      out->inverse.push_back(0 - x);
      out->step.push_back(static_cast<uint32_t>((uint64_t{1} << 63) % p));
    }
    return out;
  };
  static const Small& it = *make();
  return it;
}

constexpr int kRadix = 31;
constexpr uint64_t kLow = 0xffffffff;

std::vector<uint32_t> digits_of(const uint64_t* words, int count) {
  std::vector<uint32_t> out;
  for (int bit = 0; bit < 64 * count; bit += kRadix) {
    uint64_t x = words[bit / 64] >> bit % 64;
    if (bit % 64 + kRadix > 64 && bit / 64 + 1 < count) x |= words[bit / 64 + 1] << (64 - bit % 64);
    out.push_back(x & 0x7fffffff);
  }
  return out;
}

#define PINTLE_INLINE __attribute__((always_inline)) static inline

using Four = uint64_t __attribute__((vector_size(32)));

PINTLE_INLINE void load(Four& out, const uint32_t* from) {
  out = Four{from[0], from[1], from[2], from[3]};
}

// The numbers' lower halves multiplied.
PINTLE_INLINE void multiply(Four& out, const Four& a, const Four& b) {
  out = (a & kLow) * (b & kLow);
}

// x / 2^32 mod p: below 2p, or at most p if x is below 2^32. k = -1/p.
PINTLE_INLINE void reduce(Four& x, const Four& p, const Four& k) {
  Four q, qp;
  multiply(q, x, k);
  multiply(qp, q, p);
  x = (x + qp) >> 32;
}

PINTLE_INLINE void first_multiples_of_group(const std::vector<uint32_t>& digits, const Small& s,
                                            size_t at, uint32_t* out) {
  constexpr size_t kFours = kGroup / 4;
  Four p[kFours], k[kFours], by[kFours], r[kFours] = {};
#pragma unroll
  for (size_t g = 0; g < kFours; ++g) {
    load(p[g], &s.prime[at + 4 * g]);
    load(k[g], &s.inverse[at + 4 * g]);
    load(by[g], &s.step[at + 4 * g]);
  }
  for (size_t i = digits.size(); i-- > 0;) {
#pragma unroll  // into registers
    for (size_t g = 0; g < kFours; ++g) {
      multiply(r[g], r[g], by[g]);
      reduce(r[g], p[g], k[g]);
      r[g] += digits[i];
    }
  }
#pragma unroll
  for (size_t g = 0; g < kFours; ++g) {
    multiply(r[g], r[g], by[g]);
    reduce(r[g], p[g], k[g]);
    reduce(r[g], p[g], k[g]);  // start / 2, from 0 to p
    const Four first = (p[g] - r[g]) & (r[g] != 0);
    for (size_t j = 0; j < 4; ++j) out[4 * g + j] = static_cast<uint32_t>(first[j]);
  }
}

using Digits = std::vector<uint32_t>;

void by_halves(const Digits& digits, const Small& s, uint32_t* out) {
  for (size_t at = 0; at < s.prime.size(); at += kGroup) {
    first_multiples_of_group(digits, s, at, out + at);
  }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) void by_fours(const Digits& digits, const Small& s, uint32_t* out) {
  for (size_t at = 0; at < s.prime.size(); at += kGroup) {
    first_multiples_of_group(digits, s, at, out + at);
  }
}
bool has_fours() { return __builtin_cpu_supports("avx2"); }
#else
void by_fours(const Digits& digits, const Small& s, uint32_t* out) { by_halves(digits, s, out); }
bool has_fours() { return false; }
#endif

}  // namespace

const std::vector<uint32_t>& small_primes() { return small().prime; }

void first_multiples(const uint64_t* start, int words, uint32_t* out) {
  Digits digits = digits_of(start, words);
  (has_fours() ? by_fours : by_halves)(digits, small(), out);
  OPENSSL_cleanse(digits.data(), digits.size() * sizeof(uint32_t));
}

}  // namespace pintle::crypt
