#include "crypt/seal.h"

#include "crypt/crypt.h"
#include "crypt/openssl.h"

namespace pintle::crypt {
namespace {

constexpr size_t kKey = 32, kNonce = 12, kTag = 16;

unsigned char* writable(std::string& s) { return reinterpret_cast<unsigned char*>(s.data()); }

OpensslPtr<EVP_CIPHER_CTX> start(bool encrypt, std::string_view key, std::string_view nonce,
                                 std::string_view context) {
  start_openssl();
  CHECK(key.size() == kKey);
  OpensslPtr<EVP_CIPHER_CTX> state(EVP_CIPHER_CTX_new());
  CHECK(state != nullptr);
  CHECK(EVP_CipherInit_ex(state.get(), EVP_aes_256_gcm(), nullptr, uchars(key), uchars(nonce),
                          encrypt ? 1 : 0) == 1);
  int n = 0;
  CHECK(EVP_CipherUpdate(state.get(), nullptr, &n, uchars(context),
                         static_cast<int>(context.size())) == 1);
  return state;
}

}  // namespace

std::string seal(std::string_view key, std::string_view text, std::string_view context) {
  std::string nonce = random_bytes(kNonce);
  auto state = start(true, key, nonce, context);
  std::string out(text.size(), '\0'), tag(kTag, '\0');
  int n = 0;
  CHECK(EVP_CipherUpdate(state.get(), writable(out), &n, uchars(text),
                         static_cast<int>(text.size())) == 1);
  CHECK(EVP_CipherFinal_ex(state.get(), writable(tag), &n) == 1);
  CHECK(EVP_CIPHER_CTX_ctrl(state.get(), EVP_CTRL_GCM_GET_TAG, kTag, tag.data()) == 1);
  return nonce + out + tag;
}

Result<std::string> open_sealed(std::string_view key, std::string_view sealed,
                                std::string_view context) {
  Error refused(Code::kInvalidArgument, "cannot decrypt: another key, or changed bytes");
  if (sealed.size() < kNonce + kTag) return refused;
  auto state = start(false, key, sealed.substr(0, kNonce), context);
  std::string_view text = sealed.substr(kNonce, sealed.size() - kNonce - kTag);
  std::string tag(sealed.substr(sealed.size() - kTag)), out(text.size(), '\0'), rest(kTag, '\0');
  int n = 0;
  CHECK(EVP_CipherUpdate(state.get(), writable(out), &n, uchars(text),
                         static_cast<int>(text.size())) == 1);
  CHECK(EVP_CIPHER_CTX_ctrl(state.get(), EVP_CTRL_GCM_SET_TAG, kTag, tag.data()) == 1);
  if (EVP_CipherFinal_ex(state.get(), writable(rest), &n) != 1) return refused;
  return out;
}

}  // namespace pintle::crypt
