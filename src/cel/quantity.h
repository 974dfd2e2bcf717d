// resource.Quantity: parsed, compared, and written in the canonical form the API server stores
// ("1000m" is "1", "1024Mi" is "1Gi"). Values are held as a 128-bit count of nano units; what is
// finer is rounded up, what is larger saturates, as Kubernetes does at its own bounds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pintle::cel {

struct Quantity {
  enum class Format : uint8_t { kDecimalSI, kBinarySI, kDecimalExponent };
  __int128 nano = 0;
  Format format = Format::kDecimalSI;
};

std::optional<Quantity> parse_quantity(std::string_view text);
std::string canonical(const Quantity& q);
// What decoding complains of when parse_quantity gives nothing.
std::string quantity_error();

}  // namespace pintle::cel
