#include "crypt/primality.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <set>
#include <string>
#include <thread>

#include "crypt/prime_search.h"

namespace pintle::crypt {
namespace {

using Bn = OpensslPtr<BIGNUM>;

// (6k+1)(12k+1)(18k+1), all three prime: passes Fermat's test to every base prime to it.
constexpr const char* kCarmichael1024 =
    "c0fbf67a7d5230dcb1af59c72781991ccfafd06df67d2b25d7ff5170f8648c53a884fbf33c4a228dbbade2a3"
    "17ec621433ed1358e8261189a686cf824dfa0763f624b30146d77d008874556704948a77975003b12bf605e1"
    "1722dc282b807cf80da002fb986582ae0397dc92dfeb54f1c0e5bb411f0be1b1c983310dcf3a7039";

Bn from_hex(const char* text) {
  BIGNUM* n = nullptr;
  EXPECT_GT(BN_hex2bn(&n, text), 0);
  return Bn(n);
}

bool openssl_calls_it_prime(const BIGNUM& n) { return BN_check_prime(&n, nullptr, nullptr) == 1; }

// Every way that the processor has.
class Engines : public testing::TestWithParam<Engine> {
 protected:
  void SetUp() override {
    if (!is_able(GetParam())) GTEST_SKIP() << "not on this processor";
  }
};

TEST(Candidates, AreOddOfTheRightSizeAndWithoutSmallFactors) {
  for (int bits : {512, 1024, 2048}) {
    Candidates candidates(bits);
    int count = 0;
    for (Words n = candidates.next(); !n.empty(); n = candidates.next(), ++count) {
      const Bn number = n.number();
      ASSERT_EQ(BN_num_bits(number.get()), bits);
      ASSERT_TRUE(BN_is_bit_set(number.get(), bits - 2));
      for (uint32_t p : {2u, 3u, 5u, 7u, 11u, 13u, 251u, 257u, 4093u, 4099u, 64997u, 65003u}) {
        ASSERT_NE(BN_mod_word(number.get(), p), 0u) << p;
      }
      ASSERT_NE(BN_mod_word(number.get(), 65537), 1u);
    }
    // 1.123 / ln(2^17) of 4096: 390; a deviation is some 15.
    EXPECT_GT(count, 280) << bits;
    EXPECT_LT(count, 520) << bits;
  }
}

TEST(Candidates, NoneLeftOutIsPrime) {
  // What is crossed out has a factor: primes of the window counted without the sieve.
  Candidates candidates(512);
  std::set<std::string> kept;
  Bn first, last;
  for (Words n = candidates.next(); !n.empty(); n = candidates.next()) {
    last = n.number();
    if (first == nullptr) first = n.number();
    char* text = BN_bn2hex(last.get());
    kept.insert(text);
    OPENSSL_free(text);
  }
  int primes = 0;
  for (int i = 0; i < 1500 && BN_cmp(first.get(), last.get()) <= 0; ++i) {
    if (openssl_calls_it_prime(*first)) {
      ++primes;
      char* text = BN_bn2hex(first.get());
      EXPECT_TRUE(kept.count(text) == 1 || BN_mod_word(first.get(), 65537) == 1);
      OPENSSL_free(text);
    }
    BN_add_word(first.get(), 2);
  }
  EXPECT_GT(primes, 0);  // 8 expected
}

TEST_P(Engines, PrimesPassAndCompositesDoNot) {
  for (int bits : {512, 1024}) {
    for (int round = 0; round < 4; ++round) {
      Bn prime(BN_new()), half(BN_new()), composite(BN_new());
      OpensslPtr<BN_CTX> c(BN_CTX_new());
      BN_generate_prime_ex(prime.get(), bits, 0, nullptr, nullptr, nullptr);
      BN_generate_prime_ex(half.get(), bits / 2, 0, nullptr, nullptr, nullptr);
      BN_sqr(composite.get(), half.get(), c.get());  // the top bits of both are set
      const size_t words = static_cast<size_t>(bits) / 64;
      std::vector<Words> both;
      both.push_back(Words::of(*prime, words));
      both.push_back(Words::of(*composite, words));
      EXPECT_EQ(may_be_prime(both, bits, GetParam()), 1u);
      EXPECT_TRUE(is_prime(both[0], bits, GetParam()));
      EXPECT_FALSE(is_prime(both[1], bits, GetParam()));
    }
  }
}

TEST_P(Engines, CarmichaelNumbersAreRefused) {
  const Bn n = from_hex(kCarmichael1024);
  ASSERT_EQ(BN_num_bits(n.get()), 1024);
  std::vector<Words> one;
  one.push_back(Words::of(*n, 16));
  if (at_once(GetParam()) > 1) {  // the filter alone would have let it pass
    EXPECT_EQ(may_be_prime(one, 1024, GetParam()), 1u);
  }
  // One base in eight lies about this one, so five bases may, once in 32768 times.
  int refused = 0;
  for (int i = 0; i < 20; ++i) refused += !is_prime(one[0], 1024, GetParam());
  EXPECT_GE(refused, 19);
}

TEST_P(Engines, SearchesGiveIndependentPrimes) {
  PrimeSearch search(512, GetParam());
  std::set<std::string> seen;
  for (int i = 0; i < 12; ++i) {
    auto [p, q] = search.take_pair();
    for (const Words* n : {&p, &q}) {
      const Bn number = n->number();
      EXPECT_EQ(BN_num_bits(number.get()), 512);
      EXPECT_TRUE(openssl_calls_it_prime(*number));
      char* text = BN_bn2hex(number.get());
      // The leading 64 bits: equal ones would be a window used twice.
      EXPECT_TRUE(seen.insert(std::string(text, 16)).second);
      OPENSSL_free(text);
    }
  }
}

TEST_P(Engines, ManyTakersAndPreparersShareASearch) {
  PrimeSearch search(512, GetParam());
  search.prepare(6);
  std::atomic<int> taken = 0;
  std::vector<std::thread> takers;
  for (int t = 0; t < 4; ++t) {
    takers.emplace_back([&] {
      for (int i = 0; i < 3; ++i) {
        auto [p, q] = search.take_pair();
        taken += !p.empty() && !q.empty();
        search.prepare(2);
      }
    });
  }
  for (std::thread& t : takers) t.join();
  EXPECT_EQ(taken, 12);
}

TEST_P(Engines, ASearchCanBeLeftAtAnyMoment) {
  for (int i = 0; i < 20; ++i) {
    PrimeSearch search(1024, GetParam());
    search.prepare(4);
    if (i % 2 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200 * i));
  }
}

TEST(PrimeSearch, TheLeadingBitsAreEvenlySpread) {
  // 192 primes: each of eight leading patterns (the two top bits are set) 24 times, give
  // or take 4.6.
  PrimeSearch search(512, best_engine(512));
  int counts[8] = {};
  for (int i = 0; i < 96; ++i) {
    auto [p, q] = search.take_pair();
    ++counts[p.data()[7] >> 59 & 7];
    ++counts[q.data()[7] >> 59 & 7];
  }
  for (int count : counts) {
    EXPECT_GT(count, 0);
    EXPECT_LT(count, 52);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Engines,
                         testing::Values(Engine::kIfma, Engine::kFma, Engine::kOpenssl));

}  // namespace
}  // namespace pintle::crypt
