// Number and character literals (parse.newNumber). Inside this room only.
#pragma once

#include <string>
#include <string_view>

#include "tmpl/node.h"

namespace pintle::tmpl {

// Fill `n` from the token's text; the message of the error otherwise ("" is success).
std::string read_number(NumberNode& n, std::string_view text);
std::string read_complex(NumberNode& n, std::string_view text);
std::string read_char_constant(NumberNode& n, std::string_view text);

}  // namespace pintle::tmpl
