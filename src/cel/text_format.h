// '%s of %d'.format([...]): its clauses, for the checker and for the function. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cel/type.h"

namespace pintle::cel {

struct Clause {
  std::string literal;  // what stands before it
  char verb = 0;        // 0: the end
  std::optional<int> precision;
};
// `arguments`: how many there are. Errors: "index 1 out of range", "could not parse formatting
// clause: unrecognized formatting clause \"q\"".
Result<std::vector<Clause>> parse_clauses(std::string_view format, size_t arguments);

// May the verb print a value of this kind? Kinds that may only be known later pass.
bool prints(char verb, Kind kind);
// "error during formatting: decimal clause can only be used on integers, was given string".
std::string clause_error(char verb, std::string_view given);

}  // namespace pintle::cel
