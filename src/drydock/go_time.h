// Times as objects carry them: written, and checked. Is this text a time as Go's time.Parse reads it, by RFC 3339 (metav1.Time) or with microseconds
// (metav1.MicroTime)? Errors in Go's words: `parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot
// parse "x" as "2006"`. Pure, thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace pintle::drydock {

// RFC 3339 in UTC; with microseconds or whole seconds.
std::string time_text(int64_t unix_ns, bool micro = false);

Status check_time(std::string_view text, bool micro = false);

}  // namespace pintle::drydock
