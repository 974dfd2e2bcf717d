// Tags and directives.
#include <cstring>

#include "yaml/scanner.h"

namespace pintle::yaml {

bool Scanner::fetch_tag() {
  if (!save_simple_key()) return false;
  simple_key_allowed_ = false;
  Token t{TokenType::kTag, false, 0, 0, line_, {}, {}};
  std::string handle, suffix;
  if (at(pos_ + 1) == '<') {
    pos_ += 2;
    if (!scan_tag_uri({}, suffix)) return false;
    if (peek_char() != '>') return fail("did not find the expected '>'");
    ++pos_;
  } else {
    if (!scan_tag_handle(false, handle)) return false;
    if (handle.size() > 1 && handle.back() == '!') {
      if (!scan_tag_uri({}, suffix)) return false;
    } else {
      if (!scan_tag_uri(handle, suffix)) return false;
      handle = "!";
      if (suffix.empty()) std::swap(handle, suffix);  // "!" alone: the non-specific tag
    }
  }
  if (!blankz_at(pos_)) return fail("did not find expected whitespace or line break");
  t.value = arena_.copy(handle);
  t.suffix = arena_.copy(suffix);
  tokens_.push_back(t);
  return true;
}

bool Scanner::scan_tag_handle(bool directive, std::string& out) {
  if (peek_char() != '!') return fail("did not find expected '!'");
  size_t start = pos_++;
  while (is_alpha(peek_char())) ++pos_;
  if (peek_char() == '!') {
    ++pos_;
  } else if (directive && pos_ - start > 1) {
    return fail("did not find expected '!'");
  }
  out = s_.substr(start, pos_ - start);
  return true;
}

bool Scanner::scan_tag_uri(std::string_view head, std::string& out) {
  bool any = !head.empty();
  if (head.size() > 1) out.append(head.substr(1));
  for (;;) {
    char c = peek_char();
    if (c == '%') {
      if (!scan_uri_escapes(out)) return false;
    } else if (is_alpha(c) || (c != '\0' && std::strchr(";/?:@&=+$,.!~*'()[]", c) != nullptr)) {
      out.push_back(c);
      ++pos_;
    } else {
      break;
    }
    any = true;
  }
  return any || fail("did not find expected tag URI");
}

bool Scanner::scan_uri_escapes(std::string& out) {
  for (size_t left = 0, first = 1; first == 1 || left > 0; first = 0) {
    int high = hex_value(peek_char(1)), low = hex_value(peek_char(2));
    if (peek_char() != '%' || high < 0 || low < 0) {
      return fail("did not find URI escaped octet");
    }
    char octet = static_cast<char>(high << 4 | low);
    if (first == 1) {
      left = width(octet);
      if (left == 0) return fail("found an incorrect leading UTF-8 octet");
    } else if ((octet & 0xc0) != 0x80) {
      return fail("found an incorrect trailing UTF-8 octet");
    }
    out.push_back(octet);
    pos_ += 3;
    --left;
  }
  return true;
}

bool Scanner::fetch_directive() {
  if (!close_blocks()) return false;
  Token t{TokenType::kVersionDirective, false, 0, 0, line_, {}, {}};
  size_t start = ++pos_;
  while (is_alpha(peek_char())) ++pos_;
  std::string_view name = s_.substr(start, pos_ - start);
  if (name.empty()) return fail("could not find expected directive name");
  if (!blankz_at(pos_)) return fail("found unexpected non-alphabetical character");
  if (name == "YAML") {
    if (!scan_version(t)) return false;
  } else if (name == "TAG") {
    if (!scan_tag_directive(t)) return false;
  } else {
    return fail("found unknown directive name");
  }
  while (is_blank(peek_char())) ++pos_;
  if (peek_char() == '#') skip_to_break();
  if (!breakz_at(pos_)) return fail("did not find expected comment or line break");
  if (break_here()) skip_break();
  tokens_.push_back(t);
  return true;
}

bool Scanner::scan_version(Token& t) {
  while (is_blank(peek_char())) ++pos_;
  if (!scan_version_number(&t.major)) return false;
  if (peek_char() != '.') return fail("did not find expected digit or '.' character");
  ++pos_;
  return scan_version_number(&t.minor);
}

bool Scanner::scan_version_number(uint8_t* out) {
  int value = 0, length = 0;
  for (; is_digit(peek_char()); ++pos_) {
    if (++length > 2) return fail("found extremely long version number");
    value = value * 10 + (peek_char() - '0');
  }
  if (length == 0) return fail("did not find expected version number");
  *out = static_cast<uint8_t>(value);
  return true;
}

bool Scanner::scan_tag_directive(Token& t) {
  while (is_blank(peek_char())) ++pos_;
  std::string handle, prefix;
  if (!scan_tag_handle(true, handle)) return false;
  if (!is_blank(peek_char())) return fail("did not find expected whitespace");
  while (is_blank(peek_char())) ++pos_;
  if (!scan_tag_uri({}, prefix)) return false;
  if (!blankz_at(pos_)) return fail("did not find expected whitespace or line break");
  t.type = TokenType::kTagDirective;
  t.value = arena_.copy(handle);
  t.suffix = arena_.copy(prefix);
  return true;
}

}  // namespace pintle::yaml
