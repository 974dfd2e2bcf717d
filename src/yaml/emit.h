// One scalar's YAML text: which style it may be written in, and the text in that style, by the rules
// of go-yaml's emitter (libyaml's). Inside this room only.
//
// v2 folds at 80 columns and v3 never does; otherwise the styles differ only where TAB is.
#pragma once

#include <string>
#include <string_view>

namespace pintle::yaml {

enum class Style : uint8_t { kPlain, kSingle, kDouble, kLiteral };

// What an emitter must know about a text before it writes it.
struct Traits {
  bool multiline = false;       // contains a line break of any kind
  bool plain_allowed = true;
  bool single_allowed = true;
  bool literal_allowed = true;
};
Traits analyze(std::string_view text, bool tabs_fit_literals);

// True when text is a string that stands for itself unquoted anywhere in block context and holds
// neither breaks nor anything beyond printable ASCII: the common case, decided in one look.
bool plainly_plain(std::string_view text);

// Where a scalar stands.
struct Place {
  int indent = 0;          // of its continuation lines
  bool may_fold = false;   // long lines may break at spaces
  size_t width = 80;
};

// Each appends at the end of `out`, whose last line holds what precedes the scalar.
void write_plain(std::string& out, std::string_view text, const Place& place);
void write_single(std::string& out, std::string_view text, const Place& place);
void write_double(std::string& out, std::string_view text, const Place& place);
// "|" with its hints, then the lines, without the final line break of the last one's content.
// `hint` is the indent number written where the text starts with a space or break.
void write_literal(std::string& out, std::string_view text, int indent, int hint);

}  // namespace pintle::yaml
