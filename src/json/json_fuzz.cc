// Any bytes: no crash; what reads must write, and read back to the same text.
#include <cstdint>

#include "base/check.h"
#include "json/json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pintle;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  size_t used = 0;
  auto prefix = json::read_prefix(text, &used);
  if (prefix) CHECK(used <= size);
  (void)json::read(text, {json::Numbers::kExact});
  auto v = json::read(text);
  if (!v) return 0;
  auto out = json::write(*v);
  CHECK(out);
  auto again = json::read(*out);
  CHECK(again);
  CHECK(json::write(*again).value() == *out);
  return 0;
}
