// The patterns templates use, compiled once and kept.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "regex/regex.h"

namespace pintle::funcs {

// The compiled pattern; errors as Regex::compile. Recent patterns are kept per thread.
Result<regex::RegexPtr> compile_regex(std::string_view pattern);

// What regexp.MustCompile panics with: "regexp: Compile(`[`): error parsing regexp: ...".
std::string must_compile_panic(std::string_view pattern, const Error& error);

}  // namespace pintle::funcs
