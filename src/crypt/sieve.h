// Where a random start meets the multiples of small primes. Inside this room only. Thread-safe;
// time and memory accesses do not depend on the start.
#pragma once

#include <cstdint>
#include <vector>

namespace pintle::crypt {

// From 3 to 2^17, as many as fill whole groups of first_multiples().
const std::vector<uint32_t>& small_primes();

// out[k] = the least i >= 0 for which start + 2i is a multiple of small_primes()[k]. start: `words`
// little-endian 64-bit words; as many numbers of out as there are small primes.
void first_multiples(const uint64_t* start, int words, uint32_t* out);

}  // namespace pintle::crypt
