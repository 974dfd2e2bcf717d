#include "crypt/sieve.h"

#include <gtest/gtest.h>

#include "crypt/primality.h"

namespace pintle::crypt {
namespace {

TEST(Sieve, SmallPrimesAreAllOddPrimesUpToTheLast) {
  const auto& primes = small_primes();
  EXPECT_GT(primes.size(), 12000u);
  std::vector<uint32_t> want;
  for (uint32_t p = 3; want.size() < primes.size(); p += 2) {
    bool prime = true;
    for (uint32_t d = 3; d * d <= p; d += 2) prime = prime && p % d != 0;
    if (prime) want.push_back(p);
  }
  EXPECT_EQ(primes, want);
}

TEST(Sieve, FirstMultiplesAreMultiplesAndFirst) {
  const auto& primes = small_primes();
  std::vector<uint32_t> first(primes.size());
  for (int bits : {64, 512, 576, 1024, 2048, 4096}) {
    for (int round = 0; round < 6; ++round) {
      OpensslPtr<BIGNUM> n(BN_new());
      if (round == 0) {  // the largest
        BN_set_bit(n.get(), bits);
        BN_sub_word(n.get(), 1);
      } else if (round == 1) {  // a multiple of some
        BN_set_word(n.get(), uint64_t{3} * 131071);
      } else {
        BN_rand(n.get(), bits, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY);
      }
      first_multiples(Words::of(*n, static_cast<size_t>(bits) / 64).data(), bits / 64,
                      first.data());
      for (size_t k = 0; k < primes.size(); ++k) {
        const uint64_t p = primes[k];
        ASSERT_LT(first[k], p);
        ASSERT_EQ((BN_mod_word(n.get(), p) + 2ull * first[k]) % p, 0u) << bits << ": " << p;
      }
    }
  }
}

}  // namespace
}  // namespace pintle::crypt
