// Keyring files and clear-signed messages: everything of OpenPGP that we read ourselves.
#include <string_view>

#include "base/check.h"
#include "crypt/clear_sign.h"
#include "crypt/keyring_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pintle::crypt;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)keyring_packets(text, "ring");
  if (auto message = decode_clear_signed(text)) {
    CHECK(canonical_text(message->text).size() <= message->canonical.size());
    const std::string again = encode_clear_signed(message->text, "SHA512", message->signature);
    auto decoded = decode_clear_signed(again);
    CHECK(decoded && decoded->signature == message->signature);
  }
  return 0;
}
