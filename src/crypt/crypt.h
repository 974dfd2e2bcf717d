// Hashes, encodings, keys, certificates: the door to OpenSSL (libcrypto) and libcrypt. No policy.
// Thread-safe. No OpenSSL type appears here. Out of memory inside OpenSSL aborts (CHECK).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pintle::crypt {

std::string sha1(std::string_view data);  // raw digest bytes
std::string sha256(std::string_view data);
std::string sha512(std::string_view data);
std::string hmac_sha256(std::string_view key, std::string_view data);
std::string hex(std::string_view bytes);  // lower case
uint32_t adler32(std::string_view data);

std::string base64_encode(std::string_view data);
// Go's StdEncoding: \r \n skipped. Error: "illegal base64 data at input byte 4".
Result<std::string> base64_decode(std::string_view text);
std::string base32_encode(std::string_view data);
Result<std::string> base32_decode(std::string_view text);

std::string random_bytes(size_t n);
uint64_t random_below(uint64_t bound);  // uniform in [0, bound); bound > 0
std::string uuid_v4();

// Cost 10, "$2a$10$". Error over 72 bytes: "bcrypt: password length exceeds 72 bytes".
Result<std::string> bcrypt(std::string_view password);
std::string scrypt(std::string_view password, std::string_view salt, uint64_t n, uint32_t r,
                   uint32_t p, size_t length);
// AES-256-CBC with PKCS#7, random IV in front; the password is padded or cut to 32 bytes.
// Errors of decryption are the Go runtime's ("crypto/cipher: input not full blocks"); `data`
// shorter than 16 bytes is refused likewise.
std::string aes_encrypt(std::string_view password, std::string_view text);
Result<std::string> aes_decrypt(std::string_view password, std::string_view data);

// kind: "" or "rsa" (4096, PKCS#1), "ecdsa" (P-256, SEC1), "ed25519" (PKCS#8), "dsa". PEM text.
// Error: "Unknown type X".
Result<std::string> generate_private_key(std::string_view kind);

struct Certificate {
  std::string cert;  // PEM
  std::string key;   // PEM
};
struct CertRequest {
  std::string common_name;
  std::vector<std::string> ips;  // 4 or 16 raw bytes each, as parse_ip gives them
  std::vector<std::string> dns_names;
  // Why the caller could not give these names; reported at the point where Go reads them.
  std::optional<Error> names_error;
  int64_t days = 0;
  std::optional<std::string> key_pem;  // none: a new RSA 2048 key
};
// net.ParseIP: 4 bytes for IPv4 (also when mapped into IPv6), else 16; nullopt: no address.
std::optional<std::string> parse_ip(std::string_view text);

// That many RSA 2048 keys will be wanted soon: where there is a second processor, a thread begins to
// look for their primes. It is gone before the process exits.
void expect_keys(size_t count);

// As sprig 3.3.0 makes them (key usages, serial, validity); see templates.md 3.12. Errors: sprig's
// texts ("parsing private key: ...", "unable to decode certificate"). Each new key takes some
// 3 ms on two cores (rsa_keygen.cc).
Result<Certificate> make_ca(const CertRequest& request);
Result<Certificate> make_self_signed(const CertRequest& request);
Result<Certificate> make_signed(const CertRequest& request, const Certificate& ca);
// sprig's buildCustomCert after its base64: both texts are returned as they are if they hold a
// certificate and a private key.
Result<Certificate> check_certificate(std::string cert_pem, std::string key_pem);

}  // namespace pintle::crypt
