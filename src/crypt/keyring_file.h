// The three file formats a keyring comes in, all brought to OpenPGP packets. Inside this room only.
// Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace pintle::crypt {

Result<std::string> keyring_packets(std::string_view data, std::string_view path);

}  // namespace pintle::crypt
