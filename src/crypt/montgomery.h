// Powers modulo eight odd numbers at once, by a processor's vector multiplier. Numbers are
// little-endian 64-bit words, `bits` / 64 of them. Inside this room only. Thread-safe; time and
// memory accesses do not depend on the numbers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pintle::crypt {

inline constexpr int kLanes = 8;

struct Multiplier;
// AVX-512's 52-bit integer multiplier; and products of doubles, by AVX2 and FMA. nullptr: not on
// this processor.
const Multiplier* ifma_multiplier();
const Multiplier* fma_multiplier();

// Below, bits is a multiple of 64 from 512 to 2048.

// How many of the eight cost no more than one.
int lanes_at_once(const Multiplier& by);

// Bit j: 2^(n[j]-1) = 1 mod n[j]. Each of the 1 to 8 n[j] is odd and has exactly `bits` bits.
unsigned fermat_base_2(const Multiplier& by, const uint64_t* const* n, int count, int bits);

// The Montgomery factor of numbers of this size is 2^radix_bits(bits).
int radix_bits(const Multiplier& by, int bits);
// out[j] = (base[j] / 2^radix_bits)^exponent mod n, for lanes_at_once() bases below an odd n; `one`
// is 2^radix_bits mod n. A random base may be given as it is: dividing all by one factor keeps them
// random.
void power(const Multiplier& by, const uint64_t* n, const uint64_t* one, const uint64_t* exponent,
           int bits, const uint64_t* const* base, uint64_t* const* out);

}  // namespace pintle::crypt
