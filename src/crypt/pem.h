// PEM as Go's encoding/pem reads and writes it. Inside this room only. Pure; thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pintle::crypt {

struct PemBlock {
  std::string type;
  std::string bytes;
};

// The first well-formed block; malformed ones before it are passed over. Headers are skipped.
std::optional<PemBlock> pem_decode(std::string_view text);
std::string pem_encode(std::string_view type, std::string_view bytes);  // lines of 64, no headers

}  // namespace pintle::crypt
