// Checks text 16 bytes at a time: almost all of it is printable ASCII and line feeds.
#include "yaml/input.h"

#include <cstdint>
#include <cstring>

#include "base/gotext.h"

namespace pintle::yaml {

namespace {

constexpr size_t kPiece = 512;

typedef unsigned char Block __attribute__((vector_size(16)));

// True when the 16 bytes at p are all printable ASCII or "\n".
bool ordinary(const char* p) {
  Block b;
  std::memcpy(&b, p, sizeof b);
  Block odd = reinterpret_cast<Block>((b < 0x20) & (b != '\n')) | reinterpret_cast<Block>(b > 0x7e);
  uint64_t halves[2];
  std::memcpy(halves, &odd, sizeof halves);
  return (halves[0] | halves[1]) == 0;
}

bool allowed(char32_t c) {
  return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c <= 0x7e) || c == 0x85 ||
         (c >= 0xa0 && c <= 0xd7ff) || (c >= 0xe000 && c <= 0xfffd) || c >= 0x10000;
}

// The character at s[i], its size in *size; nullptr or why it is none.
const char* character(std::string_view s, size_t i, char32_t* value, size_t* size) {
  auto byte = [&](size_t k) { return static_cast<unsigned char>(s[k]); };
  unsigned first = byte(i);
  if (first < 0x80) {
    *size = 1;
    *value = first;
  } else {
    size_t n = (first & 0xe0) == 0xc0 ? 2 : (first & 0xf0) == 0xe0 ? 3 : (first & 0xf8) == 0xf0 ? 4 : 0;
    if (n == 0) return "invalid leading UTF-8 octet";
    if (i + n > s.size()) return "incomplete UTF-8 octet sequence";
    char32_t v = first & (0xffu >> (n + 1));
    for (size_t k = 1; k < n; ++k) {
      if ((byte(i + k) & 0xc0) != 0x80) return "invalid trailing UTF-8 octet";
      v = v << 6 | (byte(i + k) & 0x3f);
    }
    if (v < (n == 2 ? 0x80u : n == 3 ? 0x800u : 0x10000u)) return "invalid length of a UTF-8 sequence";
    if ((v >= 0xd800 && v <= 0xdfff) || v > 0x10ffff) return "invalid Unicode character";
    *size = n;
    *value = v;
  }
  return allowed(*value) ? nullptr : "control characters are not allowed";
}

// Where the piece that holds the fault at `bad` begins; pieces end between characters.
size_t piece_start(std::string_view s, size_t bad, size_t skipped) {
  size_t start = 0;
  size_t end = kPiece - skipped;  // a byte order mark counts in the first piece
  while (end <= bad) {
    size_t cut = end;
    while (cut > start && (static_cast<unsigned char>(s[cut]) & 0xc0) == 0x80) --cut;
    start = cut;
    end = start + kPiece;
  }
  return start;
}

void check(Input& in, size_t skipped) {
  std::string_view s = in.text;
  for (size_t i = 0; i < s.size();) {
    if (i + 16 <= s.size() && ordinary(s.data() + i)) {
      i += 16;
      continue;
    }
    size_t stop = i + 16 < s.size() ? i + 16 : s.size();
    while (i < stop) {
      char32_t value;
      size_t size;
      if (const char* fault = character(s, i, &value, &size)) {
        in.fault = fault;
        bool cut = in.fault == "incomplete UTF-8 octet sequence";
        in.text = s.substr(0, cut ? i : piece_start(s, i, skipped));
        return;
      }
      in.ascii &= size == 1;
      if (value == '\r' || value == 0x85 || value == 0x2028 || value == 0x2029) in.lf_only = false;
      i += size;
    }
  }
}

void convert_utf16(std::string_view s, bool little, Input& in) {
  auto unit = [&](size_t i) {
    auto a = static_cast<unsigned char>(s[i]), b = static_cast<unsigned char>(s[i + 1]);
    return static_cast<char32_t>(little ? a | b << 8 : a << 8 | b);
  };
  for (size_t i = 0; i < s.size();) {
    if (i + 2 > s.size()) {
      in.fault = "incomplete UTF-16 character";
      break;
    }
    char32_t c = unit(i);
    i += 2;
    if ((c & 0xfc00) == 0xdc00) {
      in.fault = "unexpected low surrogate area";
      break;
    }
    if ((c & 0xfc00) == 0xd800) {
      if (i + 2 > s.size()) {
        in.fault = "incomplete UTF-16 surrogate pair";
        break;
      }
      char32_t low = unit(i);
      i += 2;
      if ((low & 0xfc00) != 0xdc00) {
        in.fault = "expected low surrogate area";
        break;
      }
      c = 0x10000 + ((c & 0x3ff) << 10) + (low & 0x3ff);
    }
    if (!allowed(c)) {
      in.fault = "control characters are not allowed";
      break;
    }
    append_rune(in.owned, c);
  }
  in.text = in.owned;
  in.ascii = in.lf_only = false;
}

}  // namespace

void prepare(std::string_view bytes, Input& in) {
  if (bytes.substr(0, 2) == "\xff\xfe") return convert_utf16(bytes.substr(2), true, in);
  if (bytes.substr(0, 2) == "\xfe\xff") return convert_utf16(bytes.substr(2), false, in);
  size_t mark = bytes.substr(0, 3) == "\xef\xbb\xbf" ? 3 : 0;
  in.text = bytes.substr(mark);
  check(in, mark);
}

}  // namespace pintle::yaml
