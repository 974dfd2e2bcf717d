// Calls with a pattern that is known before the program runs.
#pragma once

#include <span>
#include <string_view>

#include "cel/val.h"
#include "regex/regex.h"

namespace pintle::cel {

bool takes_regex(std::string_view function);  // as its second argument
Val regex_call(Arena& arena, std::string_view function, const regex::Regex& regex, std::span<const Val> args);

}  // namespace pintle::cel
