// The filter is Fermat's test to base 2 for several candidates at once, else one Miller-Rabin round
// with a random base. Both let every prime pass, and so bend nothing.
#include "crypt/primality.h"

#include "crypt/crypt.h"
#include "crypt/montgomery.h"
#include "crypt/sieve.h"

namespace pintle::crypt {
namespace {

using Bn = OpensslPtr<BIGNUM>;

constexpr uint32_t kExponent = 65537;

Bn new_bn() {
  Bn n(BN_secure_new());
  CHECK(n != nullptr);
  return n;
}

// nullptr: OpenSSL's way, or not on this processor.
const Multiplier* multiplier_of(Engine engine) {
  if (engine == Engine::kIfma) return ifma_multiplier();
  return engine == Engine::kFma ? fma_multiplier() : nullptr;
}

Words random_start(int bits) {
  std::string raw = random_bytes(static_cast<size_t>(bits) / 8);
  Bn n(BN_bin2bn(uchars(raw), static_cast<int>(raw.size()), nullptr));
  OPENSSL_cleanse(raw.data(), raw.size());
  CHECK(n != nullptr && BN_set_bit(n.get(), bits - 1) && BN_set_bit(n.get(), bits - 2) &&
        BN_set_bit(n.get(), 0));
  return Words::of(*n, static_cast<size_t>(bits) / 64);
}

struct MillerRabin {
  MillerRabin(const Words& n, int bits)
      : bits(bits),
        context(BN_CTX_secure_new()),
        number(n.number()),
        minus_one(new_bn()),
        odd(new_bn()),
        limit(new_bn()) {
    CHECK(context && BN_copy(minus_one.get(), number.get()) && BN_sub_word(minus_one.get(), 1));
    while (!BN_is_bit_set(minus_one.get(), twos)) ++twos;
    CHECK(BN_rshift(odd.get(), minus_one.get(), twos));
    CHECK(BN_copy(limit.get(), number.get()) && BN_sub_word(limit.get(), 3));
  }

  // Uniform in [2, n - 2], by reducing twice the needed bits.
  Bn random_base() const {
    std::string raw = random_bytes(static_cast<size_t>(bits) / 4);
    Bn base = new_bn();
    CHECK(BN_bin2bn(uchars(raw), static_cast<int>(raw.size()), base.get()));
    CHECK(BN_mod(base.get(), base.get(), limit.get(), context.get()) && BN_add_word(base.get(), 2));
    return base;
  }

  // Whether the base behind x = base^odd speaks for a prime.
  bool passes(BIGNUM* x) const {
    if (BN_is_one(x) || BN_cmp(x, minus_one.get()) == 0) return true;
    for (int i = 1; i < twos; ++i) {
      CHECK(BN_mod_sqr(x, x, number.get(), context.get()));
      if (BN_cmp(x, minus_one.get()) == 0) return true;
    }
    return false;
  }

  bool rounds(int count) const {
    if (count <= 0) return true;
    OpensslPtr<BN_MONT_CTX> mont(BN_MONT_CTX_new());
    CHECK(mont && BN_MONT_CTX_set(mont.get(), number.get(), context.get()));
    Bn x = new_bn();
    for (int round = 0; round < count; ++round) {
      CHECK(BN_mod_exp_mont_consttime(x.get(), random_base().get(), odd.get(), number.get(),
                                      context.get(), mont.get()));
      if (!passes(x.get())) return false;
    }
    return true;
  }

  // As many as are computed at once.
  bool rounds_at_once(const Multiplier& by, const Words& n) const {
    Bn factor = new_bn();
    CHECK(BN_set_bit(factor.get(), radix_bits(by, bits)) &&
          BN_mod(factor.get(), factor.get(), number.get(), context.get()));
    const Words one = Words::of(*factor, n.size()), exponent = Words::of(*odd, n.size());
    std::vector<Words> bases, powers;
    const uint64_t* base[kLanes];
    uint64_t* power[kLanes];
    for (int j = 0; j < lanes_at_once(by); ++j) {
      bases.push_back(Words::of(*random_base(), n.size()));
      powers.emplace_back(n.size());
      base[j] = bases.back().data();
      power[j] = powers.back().data();
    }
    crypt::power(by, n.data(), one.data(), exponent.data(), bits, base, power);
    for (const Words& x : powers) {
      if (!passes(x.number().get())) return false;
    }
    return true;
  }

  int bits, twos = 0;
  OpensslPtr<BN_CTX> context;
  Bn number, minus_one, odd, limit;
};

}  // namespace

bool is_able(Engine engine) {
  return engine == Engine::kOpenssl || multiplier_of(engine) != nullptr;
}

Engine best_engine(int bits) {
  if (bits < 512 || bits > 2048) return Engine::kOpenssl;
  if (is_able(Engine::kIfma)) return Engine::kIfma;
  return is_able(Engine::kFma) ? Engine::kFma : Engine::kOpenssl;
}

size_t at_once(Engine engine) {
  const Multiplier* by = multiplier_of(engine);
  return by != nullptr ? static_cast<size_t>(lanes_at_once(*by)) : 1;
}

Words Words::of(const BIGNUM& n, size_t count) {
  Words out(count);
  CHECK(BN_bn2lebinpad(&n, reinterpret_cast<unsigned char*>(out.data()),
                       static_cast<int>(count * sizeof(uint64_t))) >= 0);
  return out;
}

Bn Words::number() const {
  Bn n(BN_lebin2bn(reinterpret_cast<const unsigned char*>(words_.data()),
                   static_cast<int>(words_.size() * sizeof(uint64_t)), new_bn().release()));
  CHECK(n != nullptr);
  return n;
}

Candidates::Candidates(int bits) : start_(random_start(bits)) {
  const auto& primes = small_primes();
  std::vector<uint32_t> first(primes.size());
  first_multiples(start_.data(), bits / 64, first.data());
  for (size_t k = 0; k < primes.size(); ++k) cross_out(primes[k], first[k]);
  OPENSSL_cleanse(first.data(), first.size() * sizeof(uint32_t));
  // e must have an inverse: start + 2i = 1 mod 65537 will not do.
  const uint64_t r = BN_mod_word(start_.number().get(), kExponent);
  cross_out(kExponent, (kExponent + 1 - r) % kExponent * ((kExponent + 1) / 2) % kExponent);
}

void Candidates::cross_out(uint32_t prime, size_t first) {
  for (size_t i = first; i < kWindow; i += prime) crossed_[i] = true;
}

Words Candidates::next() {
  while (at_ < kWindow && crossed_[at_]) ++at_;
  if (at_ == kWindow) return {};
  Words n(start_.size());
  uint64_t carry = 2 * at_++;
  for (size_t i = 0; i < n.size(); ++i) {
    n.data()[i] = start_.data()[i] + carry;
    carry = n.data()[i] < carry;
  }
  if (carry != 0) {  // past the last number of so many bits
    at_ = kWindow;
    return {};
  }
  return n;
}

unsigned may_be_prime(const std::vector<Words>& candidates, int bits, Engine engine) {
  if (const Multiplier* by = multiplier_of(engine)) {
    std::vector<const uint64_t*> n;
    for (const Words& candidate : candidates) n.push_back(candidate.data());
    return fermat_base_2(*by, n.data(), static_cast<int>(n.size()), bits);
  }
  unsigned passed = 0;
  for (size_t j = 0; j < candidates.size(); ++j) {
    if (MillerRabin(candidates[j], bits).rounds(1)) passed |= 1u << j;
  }
  return passed;
}

bool is_prime(const Words& n, int bits, Engine engine) {
  const MillerRabin test(n, bits);
  int rounds = bits >= 2048 ? 4 : 5;
  if (const Multiplier* by = multiplier_of(engine)) {
    if (!test.rounds_at_once(*by, n)) return false;
    rounds -= lanes_at_once(*by);
  }
  return test.rounds(rounds);
}

}  // namespace pintle::crypt
