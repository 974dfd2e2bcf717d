// Helm's own wording of parse and execution errors (pkg/engine). Inside this room only.
#pragma once

#include <string_view>

#include "base/result.h"

namespace pintle::render {

// parse error at (FILE:LINE): MESSAGE, where MESSAGE is what follows the last ": ".
Error parse_error(std::string_view file, const Error& error);

// `required` and `fail`: "execution error at (FILE:LINE:COL): MESSAGE" with the outermost place.
// Otherwise, when every link of the chain is a template's error, one block of lines per link;
// when one is not, the text as it is. Helm 3 has no blocks.
Error execution_error(std::string_view file, const Error& error, bool helm3);

}  // namespace pintle::render
