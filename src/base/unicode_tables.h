// Unicode as Go ships it, for base/unicode.cc alone. The data is generated
// (tools/make_unicode_tables.go); nothing is built at start-up.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pintle::unicode_tables {

// Bits of a class word, in the order the generator asks Go for them.
enum Class : uint32_t {
  kLetter = 1 << 0,
  kDigit = 1 << 1,
  kNumber = 1 << 2,
  kUpper = 1 << 3,
  kLower = 1 << 4,
  kTitle = 1 << 5,
  kPunct = 1 << 6,
  kPrint = 1 << 7,
  kGraphic = 1 << 8,
  kSpace = 1 << 9,
};
inline constexpr int kClassBits = 10;

extern const uint16_t kAscii[128];

// Runs of code points of equal class, ascending: first code point << kClassBits | class word.
extern const uint32_t kRuns[];
extern const size_t kRunCount;

// unicode.CaseRange: the distance to the upper, lower and title form. A distance above 0x10ffff
// marks a stretch where upper and lower letters alternate.
struct CaseRange {
  uint32_t lo, hi;
  int32_t delta[3];
};
extern const CaseRange kCases[];
extern const size_t kCaseCount;

}  // namespace pintle::unicode_tables
