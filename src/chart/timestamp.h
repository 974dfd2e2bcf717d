// RFC 3339 times as Go's time.Time reads and prints them in JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace pintle::chart {

struct Timestamp {
  int64_t unix_ns = INT64_MIN;  // as it is for years int64 nanoseconds cannot hold
  std::string text;             // RFC 3339, fraction without trailing zeros
};

// Error: time.Parse's text ("parsing time \"x\" as ...: cannot parse ...").
Result<Timestamp> parse_rfc3339(std::string_view s);
std::string format_rfc3339(int64_t unix_ns, int offset_seconds = 0);

}  // namespace pintle::chart
