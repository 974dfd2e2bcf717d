// The text a YAML reader works on: decoded, checked, and what is known of it. Inside this room only.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pintle::yaml {

struct Input {
  std::string_view text;      // UTF-8 without a byte order mark, up to the first fault
  std::string owned;          // holds text when it had to be converted
  std::string_view fault;     // why the text ends early; empty: it does not
  bool ascii = true;          // a byte is a character: columns need no counting
  bool lf_only = true;        // no other line break than "\n"
};

// go-yaml's reader: UTF-8 or, by its byte order mark, UTF-16. A fault (bad UTF-8, a control
// character) is reported only when parsing comes near it: go-yaml decodes 512 bytes at a time, so
// text before the faulty piece can still fail for a reason of its own.
void prepare(std::string_view bytes, Input& input);

}  // namespace pintle::yaml
