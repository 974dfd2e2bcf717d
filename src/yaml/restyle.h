// A document printed as go-yaml v3 prints the tree of nodes it read from that text (kyaml's way
// through a post-renderer): the order of keys, the styles of scalars and the comments stay;
// indentation, spacing and escapes become the encoder's.
//
// Works on lines, for block style with flow collections and scalars in it, which is what charts
// write. What it does not know (explicit "? keys", comments inside flow collections, plain scalars
// over paragraphs, and all that would change the value) gives nothing, and the caller writes the
// value instead. Pure; linear, and reads the document twice more to be sure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pintle::yaml {

std::optional<std::string> restyle(std::string_view document);

}  // namespace pintle::yaml
