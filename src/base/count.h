// Counting bytes of a text: a bound on what its reader will make of it, without reading it.
#pragma once

#include <cstddef>
#include <string_view>

namespace pintle {

// Has s more than n bytes that are one of `of`? Nothing is counted where s is not even that long.
inline bool more_than(std::string_view s, std::string_view of, size_t n) {
  if (s.size() <= n) return false;
  bool counts[256] = {};
  for (char c : of) counts[static_cast<unsigned char>(c)] = true;
  size_t found = 0;
  for (char c : s) found += counts[static_cast<unsigned char>(c)];
  return found > n;
}

}  // namespace pintle
