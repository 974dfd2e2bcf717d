#include "base/printable.h"

#include "base/strings.h"

namespace pintle {

std::string printable(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (const char ch : text) {
    const auto byte = static_cast<unsigned char>(ch);
    if ((byte >= 0x20 && byte != 0x7f) || ch == '\n' || ch == '\t') {
      out += ch;
    } else {
      out += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return out;
}

std::string shortened(std::string_view text, size_t most) {
  if (text.size() <= most) return std::string(text);
  size_t n = most;
  while (n > 0 && (static_cast<uint8_t>(text[n]) & 0xC0) == 0x80) --n;  // not within a rune
  return cat(text.substr(0, n), "... (", text.size(), " bytes)");
}

}  // namespace pintle
