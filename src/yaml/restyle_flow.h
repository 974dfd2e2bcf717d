// Parts of lines for restyle.cc: keys, scalars in quotes, flow collections. Inside this room only.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pintle::yaml {

std::string_view trim_blanks(std::string_view s);

struct Key {
  std::string text;  // as it is printed
  size_t size = 0;   // of the key and its ':' in the text
  bool merge = false;
};
// The key that a block line starts with.
std::optional<Key> key_of(std::string_view line);

enum class FlowState : uint8_t { kDone, kMore, kBad };
struct FlowEnd {
  FlowState state;
  size_t size = 0;  // how much was read
};
// Prints the scalar in quotes or the flow collection that `text` starts with; kMore when it goes on
// behind the end. `indent` is that of a scalar's later lines.
FlowEnd print_flow(std::string_view text, int indent, std::string& out);

}  // namespace pintle::yaml
