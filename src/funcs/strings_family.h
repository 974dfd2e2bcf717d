// The two other files of the string family (strings.cc joins them).
#pragma once

#include "funcs/families.h"

namespace pintle::funcs {

Family string_case_family();    // strings_case.cc: upper, title, camelcase, snakecase ...
Family string_layout_family();  // strings_layout.cc: indent, nindent, wrap, abbrev ...

}  // namespace pintle::funcs
