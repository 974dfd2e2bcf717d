// The ways text and numbers are quoted inside findings: the library's single quotes, Go's %q of a
// rune, package time's own quotes, and numbers as x/text prints them in English.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pintle::schema {

std::string quote_single(std::string_view s);  // 'it\'s "so"'
std::string quote_rune(char32_t r);            // %q: 'x'
std::string quote_time(std::string_view s);    // time.ParseError: bytes beyond ASCII as \xNN

std::string english(int64_t n);  // 1,234
std::string english(double d);   // 1,234.5 and 1.5×10⁰⁶ from a million on and below 0.0001

// One element of a JSON pointer: ~ and / escaped.
void append_pointer_token(std::string& out, std::string_view token);

}  // namespace pintle::schema
