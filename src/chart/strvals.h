// The --set family's grammar (helm pkg/strvals), error texts included. Pure.
//
//   line  = pair { "," pair }      pair = path "=" value      path = name { "." name | "[" int "]" }
//
// In names and values a backslash takes the next character literally; "{a,b}" is a list. An empty
// name sets nothing. `helm3`: "a[" is an error there, and silently nothing in Helm 4.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "value/value.h"

namespace pintle::chart::strvals {

// Each parses `line` into `dest` (a map; changed in place, also partly when an error is returned).
// Lists inside dest that others hold too are copied before they change; maps are not.
// room: how many items indexes may still add to lists, in all lines that share it; null: the line
// has one of its own.
struct Room {
  size_t items = size_t{1} << 20;
};
Status parse_into(std::string_view line, value::Map& dest, bool helm3 = false,
                  Room* room = nullptr);  // --set
Status parse_into_string(std::string_view line, value::Map& dest, bool helm3 = false,
                  Room* room = nullptr);  // --set-string
Status parse_literal_into(std::string_view line, value::Map& dest, bool helm3 = false,
                  Room* room = nullptr);  // --set-literal
Status parse_json_into(std::string_view line, value::Map& dest, bool helm3 = false,
                  Room* room = nullptr);  // --set-json
using FileReader = std::function<Result<std::string>(std::string_view path)>;
Status parse_file_into(std::string_view line, value::Map& dest, const FileReader& read,
                       bool helm3 = false, Room* room = nullptr);  // --set-file
// The line on an empty map, as YAML without its last newline.
Result<std::string> to_yaml(std::string_view line);

}  // namespace pintle::chart::strvals
