// What the commands of pintled print.
#pragma once

#include <string_view>

namespace pintle::pintled {

inline constexpr int kUsage = 2;
void say(std::string_view text);   // to standard output
void warn(std::string_view text);  // to standard error
int fail(int code, std::string_view text);  // "Error: TEXT"; returns the code
// Thousands of watches need as many descriptors.
void raise_descriptor_limit();
// What bursts leave behind goes back to the system: few arenas, and large pieces of their own.
void keep_memory_close();

}  // namespace pintle::pintled
