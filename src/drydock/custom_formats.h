// The string formats that custom schemas may ask for (apiextensions formats.go). Pure, thread-safe.
#pragma once

#include <string_view>

namespace pintle::drydock {

// Formats that the API server does not know hold for any text.
bool matches_format(std::string_view format, std::string_view text);

}  // namespace pintle::drydock
