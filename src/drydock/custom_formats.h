// The string formats that custom schemas may ask for (apiextensions formats.go). Pure, thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pintle::drydock {

// Formats that the API server does not know hold for any text.
bool matches_format(std::string_view format, std::string_view text);
// What is wrong with a text that claims one of the formats CEL names ("dns1123Label", "uri").
std::vector<std::string> format_complaints(std::string_view format, std::string_view text);

}  // namespace pintle::drydock
