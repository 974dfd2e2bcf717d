// Where a TOML reader is in its text: characters forward and back, lines, the first error.
// Inside this room only.
#pragma once

#include <string>
#include <string_view>

#include "base/gotext.h"

namespace pintle::toml {

// Steps as BurntSushi's lexer does: the line counts a "\n" as soon as it is stepped over, control
// characters and bad UTF-8 are errors wherever they are looked at.
class Cursor {
 public:
  static constexpr char32_t kEnd = 0;         // NUL itself is an error
  static constexpr char32_t kBad = 0x110000;  // after an error; equals no character

  explicit Cursor(std::string_view text) : s_(text) {}

  char32_t next();
  void back();  // undoes the last next()
  char32_t peek() {
    char32_t c = next();
    back();
    return c;
  }
  bool accept(char32_t c) {
    if (next() == c) return true;
    back();
    return false;
  }
  void skip_blanks() {
    while (pos_ < s_.size() && (s_[pos_] == ' ' || s_[pos_] == '\t')) ++pos_;
    last_ = 0;
  }

  size_t position() const { return pos_; }
  std::string_view since(size_t start) const { return s_.substr(start, pos_ - start); }
  int line() const { return line_; }

  // Errors stick: the first one counts. They return false.
  bool fail(const std::string& message);                // at this line
  bool fail_previous_line(const std::string& message);  // the line before
  bool fail_at(int line, const std::string& message);
  bool failed() const { return !message_.empty(); }
  const std::string& message() const { return message_; }
  int error_line() const { return error_line_; }

 private:
  std::string_view s_;
  size_t pos_ = 0;
  size_t last_ = 0;  // bytes of the last character stepped over
  int line_ = 1;
  bool at_end_ = false;
  std::string message_;
  int error_line_ = 0;
};

inline bool is_blank(char32_t c) { return c == ' ' || c == '\t'; }
inline bool is_newline(char32_t c) { return c == '\n' || c == '\r'; }
inline bool is_hex(char32_t c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

}  // namespace pintle::toml
