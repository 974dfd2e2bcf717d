// TOML text <-> value, with BurntSushi/toml 1.6's rules and error texts (fromToml, toToml).
//
// Own reader (not toml++): its errors ("toml: line 2 (last key "a"): Key 'a' has already been
// defined.") are what charts see. Integers are int64, floats float64; dates and other Go types
// belong to the caller, through hooks. Thread-safe: no state.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "value/value.h"

namespace pintle::toml {

// Makes a value of a TOML date or time; its text comes with "T" and "Z" in upper case. nullopt: it
// is no date ("invalid datetime").
using ReadTime = std::optional<value::Value> (*)(std::string_view text);

Result<value::Value> read_map(std::string_view text, ReadTime read_time);

// The text of an object that is a TOML scalar (a time, a quoted string); nullopt: it is a table
// (Object::plain gives its keys).
using WriteObject = std::optional<std::string> (*)(const value::Value& object);

// A quoted basic string.
std::string quote(std::string_view s);

// Keys sorted, scalars before tables, two spaces per level. nil values are left out; in a list they
// are an error ("toml: cannot encode array with nil element"). v must not be nil.
Result<std::string> write(const value::Value& v, WriteObject write_object);

}  // namespace pintle::toml
