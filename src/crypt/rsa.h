// RSA with OpenSSL's arithmetic alone. Inside this room only. Pure; thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pintle::crypt {

// Big-endian, as in PKCS#1; a key of two primes.
struct RsaNumbers {
  std::string n, e, p, q, dp, dq, inverse;
};

int rsa_bits(const RsaNumbers& key);
// PKCS#1 v1.5 over SHA-256. None: the numbers make no key, or one too short or too long for it.
std::optional<std::string> rsa_sign_sha256(const RsaNumbers& key, std::string_view message);

}  // namespace pintle::crypt
