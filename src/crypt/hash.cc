// SHA-1, SHA-256, SHA-512 and HMAC.
//
// OpenSSL's EVP front fetches its provider on first use, which costs 0.5 ms and more: a third of
// the CLI's start-up budget, and most charts take a checksum. The older one-structure interface has
// the same assembly behind it and no first-use cost, so this file alone keeps to it.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include "crypt/crypt.h"

namespace pintle::crypt {
namespace {

std::string bytes(const unsigned char* digest, size_t size) {
  return std::string(reinterpret_cast<const char*>(digest), size);
}

std::string sha256_of(std::string_view a, std::string_view b) {
  SHA256_CTX state;
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256_Init(&state);
  SHA256_Update(&state, a.data(), a.size());
  SHA256_Update(&state, b.data(), b.size());
  SHA256_Final(digest, &state);
  return bytes(digest, sizeof digest);
}

}  // namespace

std::string sha1(std::string_view data) {
  SHA_CTX state;
  unsigned char digest[SHA_DIGEST_LENGTH];
  SHA1_Init(&state);
  SHA1_Update(&state, data.data(), data.size());
  SHA1_Final(digest, &state);
  return bytes(digest, sizeof digest);
}

std::string sha256(std::string_view data) { return sha256_of(data, {}); }

std::string sha512(std::string_view data) {
  SHA512_CTX state;
  unsigned char digest[SHA512_DIGEST_LENGTH];
  SHA512_Init(&state);
  SHA512_Update(&state, data.data(), data.size());
  SHA512_Final(digest, &state);
  return bytes(digest, sizeof digest);
}

std::string hmac_sha256(std::string_view key, std::string_view data) {
  std::string block(key.size() > SHA256_CBLOCK ? sha256(key) : std::string(key));
  block.resize(SHA256_CBLOCK, '\0');
  for (char& c : block) c ^= 0x36;
  std::string inner = sha256_of(block, data);
  for (char& c : block) c ^= 0x36 ^ 0x5c;
  return sha256_of(block, inner);
}

}  // namespace pintle::crypt
