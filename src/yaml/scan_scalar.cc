// The inside of scalars: plain, quoted, literal and folded.
#include <algorithm>
#include <cstring>

#include "base/gotext.h"
#include "yaml/scanner.h"

namespace pintle::yaml {

namespace {

// Bytes at which the run of a plain scalar needs a look: bit 0 in block context, bit 1 in flow.
struct StopTable {
  uint8_t of[256] = {};
  constexpr StopTable() {
    for (unsigned char c : std::string_view(" \t\r\n:")) of[c] = 3;
    for (unsigned char c : std::string_view(",?[]{}")) of[c] = 2;
    of[0xc2] = of[0xe2] = 3;
  }
};
constexpr StopTable kPlainStops;

// What a line break between two pieces of a folded scalar turns into.
void append_folded(std::string& text, const std::string& first, const std::string& later) {
  if (first.empty() || first[0] != '\n') {
    text += first;
    text += later;
  } else if (later.empty()) {
    text.push_back(' ');
  } else {
    text += later;
  }
}

}  // namespace

bool Scanner::scan_plain(Token& t) {
  const uint8_t stop = flow_level_ > 0 ? 2 : 1;
  const long indent = indent_ + 1;
  const size_t n = s_.size();
  size_t start = pos_;   // of the piece on this line
  size_t end = pos_;     // after its last non-blank
  bool joined = false;   // text_ holds earlier lines
  bool leading = false;  // blanks after a line break
  break_.clear();
  breaks_.clear();
  for (;;) {
    if (column() == 0 && (document_mark("---") || document_mark("..."))) break;
    if (peek_char() == '#') break;
    size_t word = pos_;
    while (pos_ < n) {
      char c = s_[pos_];
      if ((kPlainStops.of[static_cast<unsigned char>(c)] & stop) == 0) {
        ++pos_;
        continue;
      }
      if (c == ':') {
        if (blankz_at(pos_ + 1)) break;
      } else if (c != '\xc2' && c != '\xe2') {
        break;
      } else if (break_size(s_, pos_) > 0) {
        break;
      }
      ++pos_;
    }
    if (pos_ > word) {
      if (leading) {
        if (!joined) text_.assign(s_, start, end - start);
        joined = true;
        append_folded(text_, break_, breaks_);
        break_.clear();
        breaks_.clear();
        leading = false;
        start = word;
      }
      if (joined) {  // the blanks before the word come along
        text_.append(s_, start, pos_ - start);
        start = pos_;
      }
      end = pos_;
    }
    if (pos_ >= n || !(is_blank(s_[pos_]) || break_here())) break;
    while (pos_ < n) {
      if (s_[pos_] == ' ') {
        ++pos_;
      } else if (s_[pos_] == '\t') {
        if (leading && column() < indent) {
          return fail("found a tab character that violates indentation");
        }
        ++pos_;
      } else if (break_here()) {
        read_break(leading ? breaks_ : break_);
        leading = true;
      } else {
        break;
      }
    }
    if (flow_level_ == 0 && column() < indent) break;
  }
  t.value = joined ? arena_.copy(text_) : s_.substr(start, end - start);
  if (leading) simple_key_allowed_ = true;
  return true;
}

bool Scanner::scan_quoted(bool single, Token& t) {
  size_t i = pos_ + 1;
  for (; i < s_.size(); ++i) {
    auto c = static_cast<unsigned char>(s_[i]);
    if (c == (single ? '\'' : '"')) {
      if (single && at(i + 1) == '\'') break;
      t.value = s_.substr(pos_ + 1, i - pos_ - 1);
      pos_ = i + 1;
      return true;
    }
    if (c == '\n' || c == '\r' || c == 0xc2 || c == 0xe2 || (c == '\\' && !single)) break;
  }
  return scan_quoted_slowly(single, t);
}

bool Scanner::scan_quoted_slowly(bool single, Token& t) {
  const char quote = single ? '\'' : '"';
  ++pos_;
  text_.clear();
  std::string blanks;
  for (;;) {
    if (column() == 0 && (document_mark("---") || document_mark("..."))) {
      return fail("found unexpected document indicator");
    }
    if (end_at(pos_)) return fail("found unexpected end of stream");
    bool leading = false;
    while (!blankz_at(pos_)) {
      char c = s_[pos_];
      if (single && c == quote && at(pos_ + 1) == quote) {
        text_.push_back(quote);
        pos_ += 2;
      } else if (c == quote) {
        break;
      } else if (!single && c == '\\' && pos_ + 1 < s_.size() && break_size(s_, pos_ + 1) > 0) {
        ++pos_;
        skip_break();
        leading = true;
        break;
      } else if (!single && c == '\\') {
        if (!scan_escape(text_)) return false;
      } else {
        size_t w = width(c);
        text_.append(s_, pos_, w);
        pos_ += w;
      }
    }
    if (peek_char() == quote) break;
    break_.clear();
    breaks_.clear();
    blanks.clear();
    while (pos_ < s_.size()) {
      if (is_blank(s_[pos_])) {
        if (!leading) blanks.push_back(s_[pos_]);
        ++pos_;
      } else if (break_here()) {
        read_break(leading ? breaks_ : break_);
        leading = true;
      } else {
        break;
      }
    }
    if (leading) {
      append_folded(text_, break_, breaks_);
    } else {
      text_ += blanks;
    }
  }
  ++pos_;
  t.value = arena_.copy(text_);
  return true;
}

bool Scanner::scan_escape(std::string& out) {
  int digits = 0;
  char c = at(pos_ + 1);
  switch (c) {
    case '0': out.push_back('\0'); break;
    case 'a': out.push_back('\a'); break;
    case 'b': out.push_back('\b'); break;
    case 't':
    case '\t': out.push_back('\t'); break;
    case 'n': out.push_back('\n'); break;
    case 'v': out.push_back('\v'); break;
    case 'f': out.push_back('\f'); break;
    case 'r': out.push_back('\r'); break;
    case 'e': out.push_back('\x1b'); break;
    case ' ':
    case '"':
    case '\'':
    case '\\': out.push_back(c); break;
    case 'N': out += "\xc2\x85"; break;
    case '_': out += "\xc2\xa0"; break;
    case 'L': out += "\xe2\x80\xa8"; break;
    case 'P': out += "\xe2\x80\xa9"; break;
    case 'x': digits = 2; break;
    case 'u': digits = 4; break;
    case 'U': digits = 8; break;
    default: return fail("found unknown escape character");
  }
  pos_ += 2;
  if (digits == 0) return true;
  uint64_t value = 0;
  for (int k = 0; k < digits; ++k) {
    int d = hex_value(peek_char(static_cast<size_t>(k)));
    if (d < 0) return fail("did not find expected hexdecimal number");
    value = value << 4 | static_cast<uint64_t>(d);
  }
  if ((value >= 0xd800 && value <= 0xdfff) || value > 0x10ffff) {
    return fail("found invalid Unicode character escape code");
  }
  append_rune(out, static_cast<char32_t>(value));
  pos_ += static_cast<size_t>(digits);
  return true;
}

bool Scanner::scan_block_header(int* chomp, long* increment) {
  auto chomping = [&] {
    char c = peek_char();
    if (c != '+' && c != '-') return false;
    *chomp = c == '+' ? 1 : -1;
    ++pos_;
    return true;
  };
  auto digit = [&] {
    if (!is_digit(peek_char())) return true;
    if (peek_char() == '0') return fail("found an indentation indicator equal to 0");
    *increment = peek_char() - '0';
    ++pos_;
    return true;
  };
  if (chomping()) {
    if (!digit()) return false;
  } else {
    if (!digit()) return false;
    if (*increment > 0) chomping();
  }
  while (is_blank(peek_char())) ++pos_;
  if (peek_char() == '#') skip_to_break();
  if (!breakz_at(pos_)) return fail("did not find expected comment or line break");
  if (break_here()) skip_break();
  return true;
}

bool Scanner::scan_block_scalar(bool literal, Token& t) {
  int chomp = 0;
  long increment = 0, indent = 0;
  ++pos_;
  if (!scan_block_header(&chomp, &increment)) return false;
  if (increment > 0) indent = indent_ >= 0 ? indent_ + increment : increment;
  text_.clear();
  break_.clear();
  breaks_.clear();
  if (!scan_block_breaks(&indent)) return false;
  bool leading_blank = false;
  while (!end_at(pos_) && column() == indent) {
    bool blank = is_blank(s_[pos_]);
    if (!literal && !leading_blank && !blank && !break_.empty() && break_[0] == '\n') {
      if (breaks_.empty()) text_.push_back(' ');
    } else {
      text_ += break_;
    }
    break_.clear();
    text_ += breaks_;
    breaks_.clear();
    leading_blank = blank;
    size_t end = find_break(pos_);
    text_.append(s_, pos_, end - pos_);
    pos_ = end;
    if (!end_at(pos_)) read_break(break_);
    if (!scan_block_breaks(&indent)) return false;
  }
  if (chomp != -1) text_ += break_;
  if (chomp == 1) text_ += breaks_;
  t.value = arena_.copy(text_);
  return true;
}

// Indentation and empty lines before the next line of text; finds the indent when it is 0.
bool Scanner::scan_block_breaks(long* indent) {
  long deepest = 0;
  for (;;) {
    if (*indent == 0) {
      while (peek_char() == ' ') ++pos_;
    } else {
      long col = column();
      for (; col < *indent && peek_char() == ' '; ++col) ++pos_;
    }
    long col = column();
    deepest = std::max(deepest, col);
    if ((*indent == 0 || col < *indent) && peek_char() == '\t') {
      return fail("found a tab character where an indentation space is expected");
    }
    if (!break_here()) break;
    read_break(breaks_);
  }
  if (*indent == 0) *indent = std::max({deepest, indent_ + 1, 1L});
  return true;
}

}  // namespace pintle::yaml
