// What must be read from a request's body as it is written, beside the tree it becomes: keys that stand
// twice, numbers as their digits, its beginning. The texts are well-formed; a scan of brackets and
// quotes is enough. Cost: linear in the text. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pintle::drydock {

// The number at the end of a path ("spec.replicas", "a.b[0].c") in a well-formed JSON text; "": none.
std::string_view number_at(std::string_view json, std::string_view path);
// What strict reading of a JSON text complains of, in the text's order: keys that stand twice in one
// object, and the paths that check_fields did not know. `duplicate field "data.a"`, `unknown field "zz"`.
std::vector<std::string> strict_complaints(std::string_view json, const std::vector<std::string>& unknown);
// `line 4: key "a" already set in map`
std::vector<std::string> duplicate_yaml_keys(std::string_view yaml);
// The beginning of a body as refusals show it: text of an object, hexadecimal of anything else.
std::string summary_of(std::string_view body);

}  // namespace pintle::drydock
