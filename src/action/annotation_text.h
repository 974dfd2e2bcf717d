// An annotation put into the text of a manifest and taken out again, everything else untouched. The
// text is as yaml::restyle prints it: two columns a level, one key a line. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pintle::action {

// Sets metadata.annotations[key], making the maps that are missing. False: what stands there is not
// understood, and nothing has changed.
bool set_annotation(std::string& document, std::string_view key, std::string_view value);

// Removes it, with maps that are empty then. Its value, or nothing.
std::optional<std::string> clear_annotation(std::string& document, std::string_view key);

}  // namespace pintle::action
