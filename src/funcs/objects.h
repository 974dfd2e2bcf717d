// The Go types of their own that functions here hand to charts: time.Time and its kin,
// *semver.Version, sprig.certificate. Inside this room only.
#pragma once

#include <optional>

#include "crypt/crypt.h"
#include "funcs/go_time.h"
#include "semver/semver.h"
#include "value/value.h"

namespace pintle::funcs {

value::Value make_time(Time t);
const Time* time_of(const value::Value& v);  // null: no time.Time

value::Value make_duration(int64_t nanos);
std::optional<int64_t> duration_of(const value::Value& v);  // nullopt: no time.Duration

value::Value make_version(semver::Version v);              // *semver.Version
const semver::Version* version_of(const value::Value& v);  // null: neither pointer nor struct

value::Value make_certificate(crypt::Certificate c);  // sprig.certificate
const crypt::Certificate* certificate_of(const value::Value& v);

}  // namespace pintle::funcs
