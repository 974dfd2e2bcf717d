// Powers modulo eight odd numbers at once, one in each 64-bit lane of AVX-512's 52-bit multiplier.
// Numbers are little-endian 64-bit words, `bits` / 64 of them. Inside this room only. Thread-safe;
// time and memory accesses do not depend on the numbers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pintle::crypt::ifma {

inline constexpr int kLanes = 8;

// Whether this processor can, and numbers of so many bits are served (a multiple of 64, 512 to
// 2048). Nothing below may be called otherwise.
bool serves(int bits);

// Bit j: 2^(n[j]-1) = 1 mod n[j]. Each n[j] is odd and has exactly `bits` bits.
unsigned fermat_base_2(const uint64_t* const n[kLanes], int bits);

// The Montgomery factor of numbers of this size is 2^radix_bits(bits).
int radix_bits(int bits);
// out[j] = (base[j] / 2^radix_bits)^exponent mod n, for eight bases below one odd n; `one` is
// 2^radix_bits mod n. A random base may be given as it is: dividing all by one factor keeps them
// random.
void power(const uint64_t* n, const uint64_t* one, const uint64_t* exponent, int bits,
           const uint64_t* const base[kLanes], uint64_t* const out[kLanes]);

// out[k] = the least i >= 0 for which start + 2i is a multiple of primes[k]. The primes are odd,
// below 2^20; factors: what multiple_factors() gave for them and these bits. count: a multiple
// of 8.
void first_multiples(const uint64_t* start, int bits, const uint32_t* primes,
                     const uint32_t* factors, size_t count, uint32_t* out);
void multiple_factors(int bits, const uint32_t* primes, size_t count, uint32_t* factors);

}  // namespace pintle::crypt::ifma
