// Names of files and charts, and texts of theirs, reach the terminal through messages; their control
// characters must not, nor megabytes of them.
#pragma once

#include <string>
#include <string_view>

namespace pintle {

// ASCII control characters but newline and tab as \x1b; the rest as it is.
std::string printable(std::string_view text);

// text, or when it is longer than `most` its start and "... (N bytes)": what an error may repeat.
std::string shortened(std::string_view text, size_t most = size_t{64} << 10);

}  // namespace pintle
