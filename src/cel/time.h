// Times and durations: as schemas' formats allow them (strfmt), as CEL's conversions read them
// (time.Parse, time.ParseDuration), and written. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cel/val.h"

namespace pintle::cel {

inline constexpr int64_t kZeroTime = -62135596800;  // 0001-01-01, Go's zero time
inline constexpr int64_t kFirstTime = kZeroTime, kLastTime = 253402300799;

struct Date {
  int64_t year = 1970;
  int month = 1, day = 1;  // from 1
};
int64_t days_of(const Date& d);  // since 1970-01-01
Date date_of(int64_t days);

// time.Parse(time.RFC3339, s). Error: Go's words.
Result<Val> parse_rfc3339(std::string_view s);
// The formats of schemas.
Result<Val> parse_date(std::string_view s);
Result<Val> parse_date_time(std::string_view s);  // also with a blank for the T, without a zone
std::string timestamp_text(const Val& t);         // RFC 3339 in its own zone, with what nanoseconds there are

// time.ParseDuration: "1h2m3.5s".
std::optional<int64_t> parse_duration(std::string_view s);
// strfmt's: also "3 days", "1 week".
std::optional<int64_t> parse_long_duration(std::string_view s);
std::string duration_text(int64_t ns);  // seconds: "3723.5s"

}  // namespace pintle::cel
