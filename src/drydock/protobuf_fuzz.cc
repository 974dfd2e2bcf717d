// Bodies in protobuf: any bytes behind the magic, and any raw message of a known kind.
#include <cstdint>
#include <string>
#include <string_view>

#include "drydock/protobuf.h"

namespace {

// A message's envelope: runtime.Unknown with its type, and the bytes as its raw part.
std::string enveloped(std::string_view raw) {
  std::string out("k8s\0\n\x0f\n\x02v1\x12\tConfigMap\x12", 22);
  for (size_t n = raw.size();; n >>= 7) {
    const bool more = n >= 0x80;
    out += static_cast<char>((n & 0x7f) | (more ? 0x80 : 0));
    if (!more) break;
  }
  out += raw;
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)pintle::drydock::read_protobuf(bytes);
  (void)pintle::drydock::read_protobuf(std::string("k8s\0", 4).append(bytes));
  (void)pintle::drydock::read_protobuf(enveloped(bytes));
  return 0;
}
