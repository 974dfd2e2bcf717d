// bcrypt, scrypt and the AES-256-CBC that Sprig's encryptAES uses.
#include <crypt.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#include <cstring>
#include <memory>

#include "crypt/crypt.h"
#include "crypt/openssl.h"

namespace pintle::crypt {
namespace {

constexpr size_t kBlock = 16;
constexpr size_t kKey = 32;

std::string aes_key(std::string_view password) {
  std::string key(password.substr(0, kKey));
  key.resize(kKey, '\0');
  return key;
}

// CBC over whole blocks, no padding.
std::string aes_cbc(bool encrypt, const std::string& key, std::string_view iv,
                    std::string_view data) {
  start_openssl();
  OpensslPtr<EVP_CIPHER_CTX> state(EVP_CIPHER_CTX_new());
  std::string out(data.size(), '\0');
  int n = 0, tail = 0;
  CHECK(EVP_CipherInit_ex(state.get(), EVP_aes_256_cbc(), nullptr, uchars(key), uchars(iv),
                          encrypt ? 1 : 0) == 1);
  CHECK(EVP_CIPHER_CTX_set_padding(state.get(), 0) == 1);
  auto* to = reinterpret_cast<unsigned char*>(out.data());
  CHECK(EVP_CipherUpdate(state.get(), to, &n, uchars(data), static_cast<int>(data.size())) == 1);
  CHECK(EVP_CipherFinal_ex(state.get(), to + n, &tail) == 1);
  return out;
}

// Sixteen bytes as bcrypt spells them: its own alphabet, 22 characters.
std::string bcrypt_salt(std::string_view raw) {
  constexpr char kAlphabet[] = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  std::string out;
  uint32_t bits = 0;
  int have = 0;
  for (unsigned char c : raw) {
    bits = bits << 8 | c;
    for (have += 8; have >= 6; have -= 6) out += kAlphabet[bits >> (have - 6) & 63];
  }
  out += kAlphabet[bits << (6 - have) & 63];
  return out;
}

}  // namespace

Result<std::string> bcrypt(std::string_view password) {
  if (password.size() > 72) {
    return Error("bcrypt: password length exceeds 72 bytes", Code::kInvalidArgument);
  }
  // "$2b$" is what Go calls "$2a$"; libcrypt's own "2a" guards against an old bug of others.
  std::string setting = "$2b$10$" + bcrypt_salt(random_bytes(16));
  auto state = std::make_unique<crypt_data>();
  std::string phrase(password);  // libcrypt reads up to a NUL, as every verifier in C does
  // Not crypt_r: AddressSanitizer looks for that one in a shared library.
  const char* hash = crypt_rn(phrase.c_str(), setting.c_str(), state.get(), sizeof *state);
  if (hash == nullptr || std::strlen(hash) != 60) {
    return Error("bcrypt: libcrypt lacks the method", Code::kInternal);
  }
  std::string out(hash);
  out[2] = 'a';
  return out;
}

std::string scrypt(std::string_view password, std::string_view salt, uint64_t n, uint32_t r,
                   uint32_t p, size_t length) {
  start_openssl();
  std::string out(length, '\0');
  const uint64_t memory = 128ull * r * (n + p + 2) + (1u << 20);
  CHECK(EVP_PBE_scrypt(password.data(), password.size(), uchars(salt), salt.size(), n, r, p, memory,
                       reinterpret_cast<unsigned char*>(out.data()), length) == 1);
  return out;
}

std::string aes_encrypt(std::string_view password, std::string_view text) {
  std::string iv = random_bytes(kBlock);
  std::string padded(text);
  size_t padding = kBlock - text.size() % kBlock;
  padded.append(padding, static_cast<char>(padding));
  return iv + aes_cbc(true, aes_key(password), iv, padded);
}

Result<std::string> aes_decrypt(std::string_view password, std::string_view data) {
  // The texts are the Go runtime's: the original checks nothing before it slices.
  if (data.size() < kBlock) {
    return Error("runtime error: slice bounds out of range [:16] with capacity " +
                 std::to_string(data.size()));
  }
  std::string_view iv = data.substr(0, kBlock);
  data.remove_prefix(kBlock);
  if (data.size() % kBlock != 0) return Error("crypto/cipher: input not full blocks");
  if (data.empty()) return Error("runtime error: index out of range [-1]");
  std::string out = aes_cbc(false, aes_key(password), iv, data);
  size_t padding = static_cast<unsigned char>(out.back());
  if (padding > out.size()) {
    return Error(
        "runtime error: slice bounds out of range [:" +
        std::to_string(static_cast<long long>(out.size()) - static_cast<long long>(padding)) + "]");
  }
  out.resize(out.size() - padding);
  return out;
}

}  // namespace pintle::crypt
