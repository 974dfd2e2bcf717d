// Bytes of a Secret -> a record; whatever is read must come back the same.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "release/record.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pintle::release;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)unpack(bytes);
  const auto record = decode_json(bytes);
  if (!record) return 0;
  const auto once = encode_json(*record, Writer::kHelm4);
  if (!once) return 0;
  const auto again = decode_json(*once);
  if (!again || *encode_json(*again, Writer::kHelm4) != *once) std::abort();
  return 0;
}
