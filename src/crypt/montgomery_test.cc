#include "crypt/montgomery.h"

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

class Multipliers : public testing::TestWithParam<std::tuple<Engine, int>> {
 protected:
  void SetUp() override {
    if (!is_able(std::get<0>(GetParam()))) GTEST_SKIP() << "not on this processor";
  }
  const Multiplier& by() const {
    return std::get<0>(GetParam()) == Engine::kIfma ? *ifma_multiplier() : *fma_multiplier();
  }
  int bits() const { return std::get<1>(GetParam()); }
  size_t words() const { return static_cast<size_t>(bits()) / 64; }
};

// 2^bits - 2^a - 2^b + 2^c + d, without the powers whose exponents are negative.
Bn made_of(int bits, int a, int b, int c, int d) {
  Bn n(BN_new()), power(BN_new());
  BN_set_bit(n.get(), bits);
  for (auto [exponent, positive] : {std::pair{a, false}, {b, false}, {c, true}}) {
    if (exponent < 0) continue;
    BN_zero(power.get());
    BN_set_bit(power.get(), exponent);
    positive ? BN_add(n.get(), n.get(), power.get()) : BN_sub(n.get(), n.get(), power.get());
  }
  d < 0 ? BN_sub_word(n.get(), static_cast<BN_ULONG>(-d))
        : BN_add_word(n.get(), static_cast<BN_ULONG>(d));
  return n;
}

// Numbers at both ends of their range, with digits of nothing but ones and nothing but zeros, and
// random ones: 24.
std::vector<Bn> moduli(int bits) {
  std::vector<Bn> out;
  for (int d : {-1, -3}) out.push_back(made_of(bits, -1, -1, -1, d));
  for (int d : {1, 3}) out.push_back(made_of(bits, bits - 1, -1, -1, d));
  for (int at : {51, 52, 102, 104, 153, 208}) {
    out.push_back(made_of(bits, at, -1, -1, -1));                  // 1...1 0 1...1
    out.push_back(made_of(bits, bits - 1, -1, at, 1));             // 10...0 1 0...01
    out.push_back(made_of(bits, bits - at, bits / 2, at + 1, 1));  // runs of both
  }
  while (out.size() < 24) out.push_back(random_modulus(bits));
  return out;
}

// 0, 1, 2 and n - 1 in changing lanes, and random numbers.
Bn base_for(size_t lane, size_t round, const Bn& n) {
  const size_t kind = (lane + round) % kLanes;
  Bn b(BN_new());
  if (kind < 3) {
    BN_set_word(b.get(), kind);
  } else if (kind == 3) {
    BN_sub(b.get(), n.get(), BN_value_one());
  } else {
    BN_rand_range(b.get(), n.get());
  }
  return b;
}

TEST_P(Multipliers, PowersAreOpensslsPowers) {
  OpensslPtr<BN_CTX> c(BN_CTX_new());
  const std::vector<Bn> all = moduli(bits());
  for (size_t i = 0; i < all.size(); ++i) {
    const Bn& n = all[i];
    Bn factor(BN_new()), exponent = random_number(bits(), BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY);
    if (i % 8 < 2) BN_set_word(exponent.get(), i % 8);
    BN_set_bit(factor.get(), radix_bits(by(), bits()));
    BN_mod(factor.get(), factor.get(), n.get(), c.get());
    Bn inverse(BN_mod_inverse(nullptr, factor.get(), n.get(), c.get()));
    std::vector<Bn> bases;
    std::vector<Words> base_words, powers;
    const uint64_t* base[kLanes];
    uint64_t* out[kLanes];
    const auto lanes = static_cast<size_t>(lanes_at_once(by()));
    for (size_t j = 0; j < lanes; ++j) {
      bases.push_back(base_for(j, i, n));
      base_words.push_back(Words::of(*bases[j], words()));
      powers.emplace_back(words());
      base[j] = base_words.back().data();
      out[j] = powers.back().data();
    }
    power(by(), Words::of(*n, words()).data(), Words::of(*factor, words()).data(),
          Words::of(*exponent, words()).data(), bits(), base, out);
    for (size_t j = 0; j < lanes; ++j) {
      Bn want(BN_new());
      BN_mod_mul(want.get(), bases[j].get(), inverse.get(), n.get(), c.get());
      BN_mod_exp(want.get(), want.get(), exponent.get(), n.get(), c.get());
      EXPECT_EQ(BN_cmp(powers[j].number().get(), want.get()), 0) << "modulus " << i << ": " << j;
    }
  }
}

// p(2p - 1) of 512 bits, both prime, p = 1 mod 4: composite, but 2^(n-1) = 1 mod n.
Bn pseudoprime(BN_CTX* c) {
  Bn p(BN_new()), q(BN_new()), n(BN_new());
  do {
    BN_rand(p.get(), 256, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ODD);
    BN_clear_bit(p.get(), 1);
    BN_lshift1(q.get(), p.get());
    BN_sub_word(q.get(), 1);
    BN_mul(n.get(), p.get(), q.get(), c);
  } while (BN_num_bits(n.get()) != 512 || BN_check_prime(p.get(), c, nullptr) != 1 ||
           BN_check_prime(q.get(), c, nullptr) != 1);
  return n;
}

TEST_P(Multipliers, FermatsTestAgreesWithOpenssl) {
  OpensslPtr<BN_CTX> c(BN_CTX_new());
  Bn two(BN_new());
  BN_set_word(two.get(), 2);
  for (size_t round = 0; round < (bits() > 1024 ? 1 : 4); ++round) {
    std::vector<Bn> n = moduli(bits());
    // Something that passes: a prime in a changing lane, and what is none.
    BN_generate_prime_ex(n[16 + round].get(), bits(), 0, nullptr, nullptr, nullptr);
    if (bits() == 512) n[20 + round] = pseudoprime(c.get());
    unsigned passed = 0;
    for (size_t at = 0; at + kLanes <= n.size(); at += kLanes) {
      std::vector<Words> kept;
      const uint64_t* lanes[kLanes];
      unsigned want = 0;
      for (size_t j = 0; j < kLanes; ++j) {
        kept.push_back(Words::of(*n[at + j], words()));
        lanes[j] = kept.back().data();
        Bn x(BN_new()), e(BN_dup(n[at + j].get()));
        BN_sub_word(e.get(), 1);
        BN_mod_exp(x.get(), two.get(), e.get(), n[at + j].get(), c.get());
        want |= static_cast<unsigned>(BN_is_one(x.get())) << j;
      }
      // Fewer numbers than lanes too.
      EXPECT_EQ(fermat_base_2(by(), lanes + 3, 2, bits()), want >> 3 & 3);
      EXPECT_EQ(fermat_base_2(by(), lanes, kLanes, bits()), want) << "moduli from " << at;
      passed = want;
    }
    const unsigned sure = bits() == 512 ? 0x11u << round : 1u << round;  // others may be prime by chance
    EXPECT_EQ(passed & sure, sure);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Multipliers,
                         testing::Combine(testing::Values(Engine::kIfma, Engine::kFma),
                                          testing::Values(512, 576, 1024, 1536, 2048)));

}  // namespace
}  // namespace pintle::crypt
