#include "crypt/montgomery_ifma.h"

#include <gtest/gtest.h>

#include "crypt/primality.h"

namespace pintle::crypt {
namespace {

using Bn = OpensslPtr<BIGNUM>;

Bn random_number(int bits, int top, int bottom) {
  Bn n(BN_new());
  EXPECT_EQ(BN_rand(n.get(), bits, top, bottom), 1);
  return n;
}
Bn random_modulus(int bits) { return random_number(bits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ODD); }

class Ifma : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!ifma::serves(GetParam())) GTEST_SKIP() << "not on this processor";
  }
};

// Numbers at both ends of their range, and random ones.
std::vector<Bn> moduli(int bits) {
  std::vector<Bn> out;
  for (int i = 0; i < 12; ++i) out.push_back(random_modulus(bits));
  for (int below : {1, 3}) {
    Bn n(BN_new());
    BN_set_bit(n.get(), bits);
    BN_sub_word(n.get(), static_cast<BN_ULONG>(below));
    out.push_back(std::move(n));
  }
  for (int above : {1, 3}) {
    Bn n(BN_new());
    BN_set_bit(n.get(), bits - 1);
    BN_add_word(n.get(), static_cast<BN_ULONG>(above));
    out.push_back(std::move(n));
  }
  return out;
}

TEST_P(Ifma, PowersAreOpensslsPowers) {
  const int bits = GetParam();
  const size_t words = static_cast<size_t>(bits) / 64;
  OpensslPtr<BN_CTX> c(BN_CTX_new());
  for (const Bn& n : moduli(bits)) {
    Bn factor(BN_new()), exponent = random_number(bits, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY);
    BN_set_bit(factor.get(), ifma::radix_bits(bits));
    BN_mod(factor.get(), factor.get(), n.get(), c.get());
    Bn inverse(BN_mod_inverse(nullptr, factor.get(), n.get(), c.get()));
    std::vector<Bn> bases;
    std::vector<Words> base_words, powers;
    const uint64_t* base[ifma::kLanes];
    uint64_t* out[ifma::kLanes];
    for (size_t j = 0; j < ifma::kLanes; ++j) {
      Bn b(BN_new());
      if (j < 3) {
        BN_set_word(b.get(), j);
      } else if (j == 3) {
        BN_sub(b.get(), n.get(), BN_value_one());
      } else {
        BN_rand_range(b.get(), n.get());
      }
      base_words.push_back(Words::of(*b, words));
      powers.emplace_back(words);
      base[j] = base_words.back().data();
      out[j] = powers.back().data();
      bases.push_back(std::move(b));
    }
    ifma::power(Words::of(*n, words).data(), Words::of(*factor, words).data(),
                Words::of(*exponent, words).data(), bits, base, out);
    for (size_t j = 0; j < ifma::kLanes; ++j) {
      Bn want(BN_new());
      BN_mod_mul(want.get(), bases[j].get(), inverse.get(), n.get(), c.get());
      BN_mod_exp(want.get(), want.get(), exponent.get(), n.get(), c.get());
      Bn got = powers[j].number();
      // A multiple of n may stand for zero.
      if (BN_cmp(got.get(), n.get()) == 0) BN_zero(got.get());
      EXPECT_EQ(BN_cmp(got.get(), want.get()), 0) << bits << " lane " << j;
    }
  }
}

TEST_P(Ifma, FermatsTestAgreesWithOpenssl) {
  const int bits = GetParam();
  const size_t words = static_cast<size_t>(bits) / 64;
  OpensslPtr<BN_CTX> c(BN_CTX_new());
  Bn two(BN_new());
  BN_set_word(two.get(), 2);
  for (int round = 0; round < (bits > 1024 ? 1 : 4); ++round) {
    std::vector<Bn> n = moduli(bits);
    // Something that passes: a prime in a changing lane.
    BN_generate_prime_ex(n[static_cast<size_t>(round)].get(), bits, 0, nullptr, nullptr, nullptr);
    for (size_t at = 0; at + ifma::kLanes <= n.size(); at += ifma::kLanes) {
      std::vector<Words> kept;
      const uint64_t* lanes[ifma::kLanes];
      unsigned want = 0;
      for (size_t j = 0; j < ifma::kLanes; ++j) {
        kept.push_back(Words::of(*n[at + j], words));
        lanes[j] = kept.back().data();
        Bn x(BN_new()), e(BN_dup(n[at + j].get()));
        BN_sub_word(e.get(), 1);
        BN_mod_exp(x.get(), two.get(), e.get(), n[at + j].get(), c.get());
        want |= static_cast<unsigned>(BN_is_one(x.get())) << j;
      }
      EXPECT_EQ(ifma::fermat_base_2(lanes, bits), want);
      EXPECT_TRUE(at != 0 || want != 0);
    }
  }
}

TEST_P(Ifma, FirstMultiplesAreMultiplesAndFirst) {
  const int bits = GetParam();
  std::vector<uint32_t> primes;
  for (uint32_t p = 3; p < 2000; p += 2) {
    bool prime = true;
    for (uint32_t d = 3; d * d <= p; d += 2) prime = prime && p % d != 0;
    if (prime) primes.push_back(p);
  }
  for (uint32_t p : {65521u, 65537u, 131071u, 262139u, 524287u, 1048573u}) primes.push_back(p);
  primes.resize(primes.size() / 8 * 8 - 8);  // a count that is no multiple of the groups'
  primes.back() = 1048573;
  std::vector<uint32_t> factors(primes.size()), first(primes.size());
  ifma::multiple_factors(bits, primes.data(), primes.size(), factors.data());
  for (const Bn& n : moduli(bits)) {
    ifma::first_multiples(Words::of(*n, static_cast<size_t>(bits) / 64).data(), bits, primes.data(),
                          factors.data(), primes.size(), first.data());
    for (size_t k = 0; k < primes.size(); ++k) {
      const uint64_t p = primes[k];
      ASSERT_LT(first[k], p);
      ASSERT_EQ((BN_mod_word(n.get(), p) + 2ull * first[k]) % p, 0u) << p;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Bits, Ifma, testing::Values(512, 576, 1024, 1536, 2048));

}  // namespace
}  // namespace pintle::crypt
