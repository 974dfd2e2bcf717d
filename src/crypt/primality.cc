// The sieve: start mod p for each small prime p tells which of the window's numbers it divides.
// With OpenSSL that is a long division for each p, so it stops at 2^16 (one candidate in ten is
// left); eight lanes do it for 12000 primes in 60 us. Further up a sieve costs what it saves.
//
// The filter is Fermat's test to base 2 for eight candidates at once, else one Miller-Rabin round
// with a random base. Both let every prime pass, and so bend nothing.
#include "crypt/primality.h"

#include "crypt/crypt.h"
#include "crypt/montgomery_ifma.h"

namespace pintle::crypt {
namespace {

using Bn = OpensslPtr<BIGNUM>;

constexpr uint32_t kExponent = 65537;
constexpr uint32_t kShallow = 1u << 16, kDeep = 1u << 17;
constexpr size_t kChunk = 1024;

Bn new_bn() {
  Bn n(BN_secure_new());
  CHECK(n != nullptr);
  return n;
}

// 3 and up; as many as fill whole registers. Never freed: a search may outlive static objects.
const std::vector<uint32_t>& primes_below(uint32_t limit) {
  auto make = [](uint32_t end) {
    std::vector<uint8_t> composite(end / 2);  // of 2i + 1; bytes: twice as fast as bits
    auto* out = new std::vector<uint32_t>;
    out->reserve(end / 8);
    for (uint32_t i = 1; i < end / 2; ++i) {
      if (composite[i]) continue;
      const uint32_t p = 2 * i + 1;
      out->push_back(p);
      for (uint64_t m = uint64_t{p} * p / 2; m < end / 2; m += p) composite[m] = true;
    }
    out->resize(out->size() / ifma::kLanes * ifma::kLanes);
    return out;
  };
  static const std::vector<uint32_t>& shallow = *make(kShallow);
  if (limit == kShallow) return shallow;
  static const std::vector<uint32_t>& deep = *make(kDeep);
  return deep;
}

const std::vector<uint32_t>& factors_for(int bits) {
  auto make = [](int size) {
    const auto& primes = primes_below(kDeep);
    auto* out = new std::vector<uint32_t>(primes.size());
    ifma::multiple_factors(size, primes.data(), primes.size(), out->data());
    return out;
  };
  static const std::vector<uint32_t>& of_1024 = *make(1024);
  if (bits == 1024) return of_1024;
  static const std::vector<uint32_t>& of_2048 = *make(2048);
  if (bits == 2048) return of_2048;
  static const std::vector<uint32_t>& of_512 = *make(512);
  CHECK(bits == 512);
  return of_512;
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

  bool eight_rounds(const Words& n) const {
    Bn factor = new_bn();
    CHECK(BN_set_bit(factor.get(), ifma::radix_bits(bits)) &&
          BN_mod(factor.get(), factor.get(), number.get(), context.get()));
    const Words one = Words::of(*factor, n.size()), exponent = Words::of(*odd, n.size());
    std::vector<Words> bases, powers;
    const uint64_t* base[ifma::kLanes];
    uint64_t* power[ifma::kLanes];
    for (int j = 0; j < ifma::kLanes; ++j) {
      bases.push_back(Words::of(*random_base(), n.size()));
      powers.emplace_back(n.size());
      base[j] = bases.back().data();
      power[j] = powers.back().data();
    }
    ifma::power(n.data(), one.data(), exponent.data(), bits, base, power);
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

Engine best_engine(int bits) {
  const bool known = bits == 512 || bits == 1024 || bits == 2048;
  return known && ifma::serves(bits) ? Engine::kIfma : Engine::kOpenssl;
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

Candidates::Candidates(int bits, Engine engine) : start_(random_start(bits)) {
  const auto& primes = primes_below(engine == Engine::kIfma ? kDeep : kShallow);
  uint32_t first[kChunk];
  const Bn number = start_.number();
  for (size_t at = 0; at < primes.size(); at += kChunk) {
    const size_t count = std::min(kChunk, primes.size() - at);
    if (engine == Engine::kIfma) {
      ifma::first_multiples(start_.data(), bits, primes.data() + at, factors_for(bits).data() + at,
                            count, first);
    } else {
      for (size_t k = 0; k < count; ++k) {
        // start + 2i = 0 mod p: i = -start/2 mod p, and 1/2 = (p+1)/2.
        const uint64_t p = primes[at + k], r = BN_mod_word(number.get(), p);
        first[k] = static_cast<uint32_t>((p - r) % p * ((p + 1) / 2) % p);
      }
    }
    for (size_t k = 0; k < count; ++k) cross_out(primes[at + k], first[k]);
  }
  // e must have an inverse: start + 2i = 1 mod 65537 will not do.
  const uint64_t r = BN_mod_word(number.get(), kExponent);
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
  unsigned passed = 0;
  if (engine == Engine::kIfma) {
    const uint64_t* n[ifma::kLanes];
    for (size_t j = 0; j < ifma::kLanes; ++j) n[j] = candidates[j % candidates.size()].data();
    passed = ifma::fermat_base_2(n, bits) & ((1u << candidates.size()) - 1);
  } else {
    for (size_t j = 0; j < candidates.size(); ++j) {
      if (MillerRabin(candidates[j], bits).rounds(1)) passed |= 1u << j;
    }
  }
  return passed;
}

bool is_prime(const Words& n, int bits, Engine engine) {
  const MillerRabin test(n, bits);
  return engine == Engine::kIfma ? test.eight_rounds(n) : test.rounds(bits >= 2048 ? 4 : 5);
}

}  // namespace pintle::crypt
