// Names of files and charts reach the terminal through messages; their control characters must not.
#pragma once

#include <string>
#include <string_view>

namespace pintle {

// ASCII control characters but newline and tab as \x1b; the rest as it is.
std::string printable(std::string_view text);

}  // namespace pintle
