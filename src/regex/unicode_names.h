// Names of Unicode categories and scripts in expressions. Pure.
#pragma once

#include <string>
#include <string_view>

namespace pintle::regex {

// What stands between the braces of \p{...}, as RE2 knows it: "L" for "Letter", "^Lu" for
// "^uppercase letter", "Old_Italic" for "olditalic". An unknown name comes back folded.
std::string re2_class_name(std::string_view name);

}  // namespace pintle::regex
