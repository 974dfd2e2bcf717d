// Making RSA keys. Inside this room only. Thread-safe.
#pragma once

#include <string>

namespace pintle::crypt {

// A new key with e = 65537 as PKCS#1 DER. bits: a multiple of 128 from 1024.
std::string generate_rsa_pkcs1(int bits);

}  // namespace pintle::crypt
