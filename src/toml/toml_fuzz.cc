// Any bytes: no crash; what reads must write, and read back to the same text.
#include <cstdint>

#include "base/check.h"
#include "toml/toml.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pintle;
  auto no_dates = [](std::string_view) -> std::optional<value::Value> { return std::nullopt; };
  auto no_objects = [](const value::Value&) -> std::optional<std::string> { return std::nullopt; };
  auto v = toml::read_map({reinterpret_cast<const char*>(data), size}, no_dates);
  if (!v) return 0;
  auto out = toml::write(*v, no_objects);
  CHECK(out);
  auto again = toml::read_map(*out, no_dates);
  CHECK(again);
  CHECK(toml::write(*again, no_objects).value() == *out);
  return 0;
}
