// The --set family's grammar (helm pkg/strvals), error texts included. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "value/value.h"

namespace pintle::chart::strvals {

// Each parses `line` into `dest` (a map; changed in place, also partly when an error is returned).
Status parse_into(std::string_view line, value::Map& dest);          // --set
Status parse_into_string(std::string_view line, value::Map& dest);   // --set-string
Status parse_literal_into(std::string_view line, value::Map& dest);  // --set-literal
Status parse_json_into(std::string_view line, value::Map& dest);     // --set-json
using FileReader = std::function<Result<std::string>(std::string_view path)>;
Status parse_file_into(std::string_view line, value::Map& dest, const FileReader& read);
Result<std::string> to_yaml(std::string_view line);

}  // namespace pintle::chart::strvals
