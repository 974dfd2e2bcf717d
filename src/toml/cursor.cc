#include "toml/cursor.h"

#include <cstdio>

namespace pintle::toml {

char32_t Cursor::next() {
  if (failed()) return kBad;
  if (pos_ >= s_.size()) {
    at_end_ = true;
    return kEnd;
  }
  Rune r = decode_rune(s_.substr(pos_));
  char text[64];
  if (r.value == 0xfffd && r.size == 1) {
    std::snprintf(text, sizeof text, "invalid UTF-8 byte: 0x%02x",
                  static_cast<unsigned>(static_cast<unsigned char>(s_[pos_])));
    fail(text);
    return kBad;
  }
  char32_t c = r.value;
  bool control = (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f ||
                 (c == '\r' && (pos_ + 1 == s_.size() || s_[pos_ + 1] != '\n'));
  if (control) {
    std::snprintf(text, sizeof text, "TOML files cannot contain control characters: '0x%02x'",
                  static_cast<unsigned>(c));
    fail(text);
    return kBad;
  }
  if (c == '\n') ++line_;
  last_ = static_cast<size_t>(r.size);
  pos_ += last_;
  return c;
}

void Cursor::back() {
  if (failed()) return;
  if (at_end_) {
    at_end_ = false;
    return;
  }
  pos_ -= last_;
  if (last_ > 0 && s_[pos_] == '\n') --line_;
  // Further steps back only ever cross the quotes of a string.
  last_ = pos_ > 0 ? 1 : 0;
}

bool Cursor::fail_at(int line, const std::string& message) {
  if (!failed()) {
    message_ = message;
    error_line_ = line;
  }
  return false;
}

bool Cursor::fail(const std::string& message) {
  bool after_line = at_end_ && pos_ >= 1 && s_[pos_ - 1] == '\n';
  return fail_at(line_ - (after_line ? 1 : 0), message);
}

bool Cursor::fail_previous_line(const std::string& message) { return fail_at(line_ - 1, message); }

}  // namespace pintle::toml
