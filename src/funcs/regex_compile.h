// Patterns in Go's regexp syntax, compiled by RE2 and kept. RE2 is seen inside this room only.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace re2 {
class RE2;
}

namespace pintle::funcs {

// The compiled pattern. Errors are Go's: "error parsing regexp: missing closing ]: `[`".
// Recent patterns are kept per thread (bounded, see regex_compile.cc).
Result<std::shared_ptr<const re2::RE2>> compile_regex(std::string_view pattern);
// Whether a text holds a match, for rooms that must not know RE2. Errors as above.
Result<std::function<bool(std::string_view)>> regex_matcher(std::string_view pattern);

// What regexp.MustCompile panics with: "regexp: Compile(`[`): error parsing regexp: ...".
std::string must_compile_panic(std::string_view pattern, const Error& error);

}  // namespace pintle::funcs
