// Seal: secrets at rest, by AES-256-GCM.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace pintle::crypt {

// `key`: 32 bytes. The answer: 12 random bytes, the encrypted text, a tag of 16. `context` is not
// in it but must be the same at opening, so that one place's secret is of no use in another.
std::string seal(std::string_view key, std::string_view text, std::string_view context);
// Error: another key or context, or the bytes were changed.
Result<std::string> open_sealed(std::string_view key, std::string_view sealed,
                                std::string_view context);

}  // namespace pintle::crypt
