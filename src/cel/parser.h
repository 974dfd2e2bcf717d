// From text to nodes, macros expanded. Pure. Errors are ANTLR's as far as one error goes: what
// follows the first broken token is not looked at. Nesting deeper than kMaxDepth and texts longer
// than 100,000 characters are refused.
#pragma once

#include <string_view>

#include "cel/node.h"

namespace pintle::cel {

inline constexpr int kMaxDepth = 250;

// Meaningless when `errors` is not empty afterwards.
Ast parse(std::string_view source, Errors& errors);

}  // namespace pintle::cel
