// TOML text <-> value, with BurntSushi/toml 1.6's rules and error texts (toToml, fromToml).
// Integers int64, floats float64, dates Go time objects rendered as value strings by the caller's
// hook. Thread-safe: no state.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "value/value.h"

namespace pintle::toml {

// Makes the Go value of a TOML date or time from its RFC 3339 text (funcs owns the time object).
using TimeMaker = value::Value (*)(std::string_view rfc3339_text);

Result<value::Value> read_map(std::string_view text, TimeMaker make_time);
Result<std::string> write(const value::Value& v);

}  // namespace pintle::toml
