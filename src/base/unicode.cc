// UTF-8 and Unicode properties as Go's unicode/utf8, unicode and strings have them.
//
// One sorted array holds the runs of code points of equal class, so every IsXxx is one binary
// search (12 steps over 13 KB) and one mask; ASCII reads a table of 128 words. Case mapping
// searches Go's list of ranges.
#include <algorithm>
#include <cstring>

#include "base/gotext.h"
#include "base/unicode_tables.h"

namespace pintle {

namespace ut = unicode_tables;

namespace {

constexpr char32_t kReplacement = 0xFFFD;
constexpr char32_t kMaxRune = 0x10FFFF;

uint32_t class_of(char32_t r) {
  if (r < 0x80) return ut::kAscii[r];
  if (r > kMaxRune) return 0;
  uint32_t key = static_cast<uint32_t>(r) << ut::kClassBits | ((1u << ut::kClassBits) - 1);
  const uint32_t* run = std::upper_bound(ut::kRuns, ut::kRuns + ut::kRunCount, key);
  return run[-1];  // the first run starts at 0
}

bool has(char32_t r, uint32_t bits) { return (class_of(r) & bits) != 0; }

enum Case { kToUpper, kToLower, kToTitle };

char32_t map_case(char32_t r, Case to) {
  auto* end = ut::kCases + ut::kCaseCount;
  auto* c = std::lower_bound(ut::kCases, end, static_cast<uint32_t>(r),
                             [](const ut::CaseRange& range, uint32_t v) { return range.hi < v; });
  if (c == end || r < c->lo) return r;
  int32_t delta = c->delta[to];
  if (delta > static_cast<int32_t>(kMaxRune)) {
    // Upper and lower alternate, starting with an upper one at lo.
    return c->lo + (((r - c->lo) & ~1u) | (to == kToLower ? 1u : 0u));
  }
  return static_cast<char32_t>(static_cast<int32_t>(r) + delta);
}

bool is_continuation(char c) { return (static_cast<uint8_t>(c) & 0xC0) == 0x80; }

template <typename MapRune>
std::string map_string(std::string_view s, char first, char last, MapRune map) {
  std::string out(s);
  size_t i = 0;
  for (; i < s.size() && static_cast<uint8_t>(s[i]) < 0x80; ++i) {
    if (s[i] >= first && s[i] <= last) out[i] ^= 0x20;
  }
  if (i == s.size()) return out;
  out.resize(i);
  for (s.remove_prefix(i); !s.empty();) {
    Rune r = decode_rune(s);
    append_rune(out, map(r.value));
    s.remove_prefix(static_cast<size_t>(r.size));
  }
  return out;
}

}  // namespace

Rune detail::decode_long_rune(std::string_view s) {
  if (s.empty()) return {kReplacement, 0};
  auto at = [&](size_t i) { return static_cast<uint8_t>(s[i]); };
  uint8_t b = at(0);
  if (b < 0x80) return {b, 1};
  const Rune bad{kReplacement, 1};
  if (b < 0xC2 || b > 0xF4) return bad;
  size_t n = b < 0xE0 ? 2 : b < 0xF0 ? 3 : 4;
  if (s.size() < n) return bad;
  for (size_t i = 1; i < n; ++i) {
    if (!is_continuation(s[i])) return bad;
  }
  // Overlong forms, surrogates and values above U+10FFFF show in the second byte.
  if ((b == 0xE0 && at(1) < 0xA0) || (b == 0xED && at(1) > 0x9F) || (b == 0xF0 && at(1) < 0x90) ||
      (b == 0xF4 && at(1) > 0x8F)) {
    return bad;
  }
  char32_t r = b & (0xFF >> (n + 1));
  for (size_t i = 1; i < n; ++i) r = r << 6 | (at(i) & 0x3F);
  return {r, static_cast<int>(n)};
}

Rune decode_last_rune(std::string_view s) {
  if (s.empty()) return {kReplacement, 0};
  size_t start = s.size() - 1;
  size_t limit = s.size() >= 4 ? s.size() - 4 : 0;
  while (start > limit && is_continuation(s[start])) --start;
  Rune r = decode_rune(s.substr(start));
  if (start + static_cast<size_t>(r.size) != s.size()) return {kReplacement, 1};
  return r;
}

void append_rune(std::string& out, char32_t r) {
  if (r < 0x80) {
    out.push_back(static_cast<char>(r));
    return;
  }
  if (r > kMaxRune || (r >= 0xD800 && r <= 0xDFFF)) r = kReplacement;
  auto tail = [&](int shift) { return static_cast<char>(0x80 | ((r >> shift) & 0x3F)); };
  if (r < 0x800) {
    out.append({static_cast<char>(0xC0 | r >> 6), tail(0)});
  } else if (r < 0x10000) {
    out.append({static_cast<char>(0xE0 | r >> 12), tail(6), tail(0)});
  } else {
    out.append({static_cast<char>(0xF0 | r >> 18), tail(12), tail(6), tail(0)});
  }
}

bool valid_utf8(std::string_view s) {
  while (!s.empty()) {
    uint64_t eight;
    if (s.size() >= sizeof eight) {  // mostly ASCII: skip it by words
      std::memcpy(&eight, s.data(), sizeof eight);
      if ((eight & 0x8080808080808080u) == 0) {
        s.remove_prefix(sizeof eight);
        continue;
      }
    }
    Rune r = decode_rune(s);
    if (r.size == 1 && r.value == kReplacement) return false;
    s.remove_prefix(static_cast<size_t>(r.size));
  }
  return true;
}

size_t rune_count(std::string_view s) {
  size_t n = 0;
  for (; !s.empty(); ++n) s.remove_prefix(static_cast<size_t>(decode_rune(s).size));
  return n;
}

bool is_space(char32_t r) { return has(r, ut::kSpace); }
bool is_letter(char32_t r) { return has(r, ut::kLetter); }
bool is_digit(char32_t r) { return has(r, ut::kDigit); }
bool is_number(char32_t r) { return has(r, ut::kNumber); }
bool is_upper(char32_t r) { return has(r, ut::kUpper); }
bool is_lower(char32_t r) { return has(r, ut::kLower); }
bool is_title(char32_t r) { return has(r, ut::kTitle); }
bool is_punct(char32_t r) { return has(r, ut::kPunct); }
bool is_print(char32_t r) { return has(r, ut::kPrint); }
bool is_graphic(char32_t r) { return has(r, ut::kGraphic); }

char32_t to_upper(char32_t r) {
  if (r < 0x80) return r >= 'a' && r <= 'z' ? r - 0x20 : r;
  return map_case(r, kToUpper);
}
char32_t to_lower(char32_t r) {
  if (r < 0x80) return r >= 'A' && r <= 'Z' ? r + 0x20 : r;
  return map_case(r, kToLower);
}
char32_t to_title(char32_t r) { return r < 0x80 ? to_upper(r) : map_case(r, kToTitle); }

std::string to_upper(std::string_view s) {
  return map_string(s, 'a', 'z', [](char32_t r) { return to_upper(r); });
}
std::string to_lower(std::string_view s) {
  return map_string(s, 'A', 'Z', [](char32_t r) { return to_lower(r); });
}

std::string_view trim_space(std::string_view s) {
  while (!s.empty()) {
    Rune r = decode_rune(s);
    if (!is_space(r.value)) break;
    s.remove_prefix(static_cast<size_t>(r.size));
  }
  while (!s.empty()) {
    Rune r = decode_last_rune(s);
    if (!is_space(r.value)) break;
    s.remove_suffix(static_cast<size_t>(r.size));
  }
  return s;
}

}  // namespace pintle
