// Character classes of YAML 1.1 as go-yaml's yamlprivateh.go defines them. Inside this room only.
#pragma once

#include <cstddef>
#include <string_view>

namespace pintle::yaml {

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }
inline bool is_alpha(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
         c == '-';
}
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

// Bytes of the line break at s[i]: CR, LF, NEL, LS or PS (CR LF counts as two breaks here); 0: none.
inline size_t break_size(std::string_view s, size_t i) {
  switch (s[i]) {
    case '\r':
    case '\n': return 1;
    case '\xc2': return i + 1 < s.size() && s[i + 1] == '\x85' ? 2 : 0;
    case '\xe2':
      return i + 2 < s.size() && s[i + 1] == '\x80' && (s[i + 2] == '\xa8' || s[i + 2] == '\xa9')
                 ? 3
                 : 0;
    default: return 0;
  }
}

// Bytes of the UTF-8 sequence that starts with c; 0 for a byte that starts none.
inline size_t width(char c) {
  auto u = static_cast<unsigned char>(c);
  if (u < 0x80) return 1;
  if ((u & 0xe0) == 0xc0) return 2;
  if ((u & 0xf0) == 0xe0) return 3;
  if ((u & 0xf8) == 0xf0) return 4;
  return 0;
}

}  // namespace pintle::yaml
