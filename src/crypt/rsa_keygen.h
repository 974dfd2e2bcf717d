// Making RSA keys. Inside this room only. Thread-safe.
#pragma once

#include <string>

namespace pintle::crypt {

// A new key with e = 65537 as PKCS#1 DER. bits: a multiple of 128 from 1024.
std::string generate_rsa_pkcs1(int bits);

// The next key of 2048 bits will be wanted soon: where there is a second processor, a thread begins
// to look for its primes. It is gone before the process exits.
void expect_rsa_key();

}  // namespace pintle::crypt
