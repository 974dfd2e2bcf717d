// Which odd numbers are prime, and finding candidates worth asking about. Inside this room only.
// Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "crypt/openssl.h"

namespace pintle::crypt {

// How the powers are computed: several at a time by AVX-512's integers or AVX2's doubles, or each
// by OpenSSL. bits of all numbers below: a multiple of 64; several at a time takes 512 to 2048.
enum class Engine : uint8_t { kIfma, kFma, kOpenssl };
bool is_able(Engine engine);  // whether this processor can
Engine best_engine(int bits);
size_t at_once(Engine engine);  // candidates that are best asked about together

// A secret number, little-endian; wiped when it goes.
class Words {
 public:
  Words() = default;
  explicit Words(size_t count) : words_(count) {}
  Words(Words&&) = default;
  Words& operator=(Words&&) = default;
  ~Words() { OPENSSL_cleanse(words_.data(), words_.size() * sizeof(uint64_t)); }
  static Words of(const BIGNUM& n, size_t count);
  OpensslPtr<BIGNUM> number() const;
  bool empty() const { return words_.empty(); }
  uint64_t* data() { return words_.data(); }
  const uint64_t* data() const { return words_.data(); }
  size_t size() const { return words_.size(); }

 private:
  std::vector<uint64_t> words_;
};

// Odd numbers start + 2i without small factors, start random with the two top bits set; none is
// 1 mod 65537. next() is empty when the window is used up.
class Candidates {
 public:
  explicit Candidates(int bits);
  Words next();

 private:
  static constexpr size_t kWindow = 4096;
  void cross_out(uint32_t prime, size_t first);

  Words start_;
  size_t at_ = 0;
  std::array<bool, kWindow> crossed_{};
};

// Bit j: candidates[j] may be prime. 1 to 8, of `bits` bits each. A prime always passes;
// of composites with this many bits hardly any does.
unsigned may_be_prime(const std::vector<Words>& candidates, int bits, Engine engine);
// Miller-Rabin with random bases, at least as many rounds as FIPS 186-5 table B.1 asks for an
// error of 2^-112: 5 at 1024 bits, 4 at 2048.
bool is_prime(const Words& n, int bits, Engine engine);

}  // namespace pintle::crypt
