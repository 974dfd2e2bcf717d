// RSA keys, made fast: certificates are what charts wait for longest.
//
// OpenSSL 3's generator follows SP 800-56B with 64 Miller-Rabin rounds per prime and one thread.
// The error bound wanted (2^-112 and better) needs far less work; see primality.cc for the sieve,
// the filter and the rounds, montgomery.cc for eight tests at once, prime_search.cc for how threads
// share the search. 2048 bits take 5 ms of processor time with AVX-512's multiplier, 11 ms with
// AVX2's doubles, 25 ms with neither, shared by two processors if there are; Go takes 72 ms and
// OpenSSL 180.
// Searching upwards from a random start favours primes after long gaps a little, as OpenSSL's own
// search does; the loss of entropy is far below one bit.
#include "crypt/rsa_keygen.h"

#include <tuple>

#include "crypt/crypt.h"
#include "crypt/der.h"
#include "crypt/openssl.h"
#include "crypt/prime_search.h"

namespace pintle::crypt {
namespace {

constexpr uint32_t kExponent = 65537;

using Bn = OpensslPtr<BIGNUM>;
Bn new_bn() { return Bn(BN_new()); }

std::string number(const BIGNUM& n) {
  std::string raw(static_cast<size_t>(BN_num_bytes(&n)), '\0');
  BN_bn2bin(&n, reinterpret_cast<unsigned char*>(raw.data()));
  return der::integer(raw);
}

constexpr int kUsualBits = 2048;

// Keys of the usual size share one search, whose thread ends its last step behind our back.
PrimeSearch& lasting_search() {
  static PrimeSearch search(kUsualBits / 2, best_engine(kUsualBits / 2));
  return search;
}

std::pair<Bn, Bn> two_primes(int bits) {
  auto taken = [&] {
    if (bits == kUsualBits) return lasting_search().take_pair();
    return PrimeSearch(bits / 2, best_engine(bits / 2)).take_pair();
  }();
  return {taken.first.number(), taken.second.number()};
}

}  // namespace

void expect_keys(size_t count) { lasting_search().prepare(2 * count); }

std::string generate_rsa_pkcs1(int bits) {
  start_openssl();
  OpensslPtr<BN_CTX> context(BN_CTX_secure_new());
  BN_CTX* c = context.get();
  Bn p, q, n = new_bn(), e = new_bn(), d = new_bn(), p1 = new_bn(), q1 = new_bn();
  Bn gap = new_bn(), gcd = new_bn(), lambda = new_bn();
  Bn dp = new_bn(), dq = new_bn(), inverse = new_bn();
  CHECK(BN_set_word(e.get(), kExponent));
  while (true) {
    std::tie(p, q) = two_primes(bits);
    CHECK(BN_sub(gap.get(), p.get(), q.get()));
    if (BN_num_bits(gap.get()) <= bits / 2 - 100) continue;  // FIPS 186-5 A.1.3: too near
    CHECK(BN_mul(n.get(), p.get(), q.get(), c));
    for (BIGNUM* secret : {p.get(), q.get(), p1.get(), q1.get(), d.get()}) {
      BN_set_flags(secret, BN_FLG_CONSTTIME);
    }
    CHECK(BN_copy(p1.get(), p.get()) && BN_sub_word(p1.get(), 1));
    CHECK(BN_copy(q1.get(), q.get()) && BN_sub_word(q1.get(), 1));
    CHECK(BN_gcd(gcd.get(), p1.get(), q1.get(), c));
    CHECK(BN_mul(lambda.get(), p1.get(), q1.get(), c));
    CHECK(BN_div(lambda.get(), nullptr, lambda.get(), gcd.get(), c));
    BN_set_flags(lambda.get(), BN_FLG_CONSTTIME);
    CHECK(BN_mod_inverse(d.get(), e.get(), lambda.get(), c));
    if (BN_num_bits(d.get()) > bits / 2) break;  // FIPS 186-5 A.1.1: a small d is weak
  }
  CHECK(BN_mod(dp.get(), d.get(), p1.get(), c));
  CHECK(BN_mod(dq.get(), d.get(), q1.get(), c));
  CHECK(BN_mod_inverse(inverse.get(), q.get(), p.get(), c));
  return der::sequence({der::small_integer(0), number(*n), number(*e), number(*d), number(*p),
                        number(*q), number(*dp), number(*dq), number(*inverse)});
}

}  // namespace pintle::crypt
