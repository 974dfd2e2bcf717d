// Private keys of every kind charts can hold, read and written in Go's forms. Inside this room
// only.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "crypt/openssl.h"
#include "crypt/rsa.h"

namespace pintle::crypt {

enum class KeyKind : uint8_t { kRsa, kEcdsa, kEd25519, kX25519, kDsa };

struct PrivateKey {
  KeyKind kind = KeyKind::kRsa;
  std::string der;         // PKCS#1, SEC 1, PKCS#8 or the DSA form, as Go writes this kind
  std::string public_key;  // the bits of subjectPublicKey; empty for DSA
  std::string algorithm;   // subjectPublicKeyInfo's AlgorithmIdentifier, encoded
  std::string signature;   // AlgorithmIdentifier of signatures made with it; empty: cannot sign
  int digest = 0;          // of those signatures: 256, 384, 512; 0: the scheme's own (Ed25519)
  OpensslPtr<EVP_PKEY> handle;    // null for DSA, and where there is
  std::optional<RsaNumbers> rsa;  // kRsa of two primes with all its numbers
};

PrivateKey new_rsa_key(int bits);
// sprig's parsePrivateKeyPEM; errors as Go's ("no PEM data in input").
Result<PrivateKey> parse_private_key(std::string_view pem);
std::string private_key_pem(const PrivateKey& key);
// Error: Go's refusal of short RSA keys.
Result<std::string> sign(const PrivateKey& key, std::string_view message);

}  // namespace pintle::crypt
