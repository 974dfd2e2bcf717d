// Strings of all four kinds and their escapes.
#include "toml/reader.h"

namespace pintle::toml {

namespace {

std::string_view without_first_newline(std::string_view s) {
  if (s.substr(0, 1) == "\n") return s.substr(1);
  if (s.substr(0, 2) == "\r\n") return s.substr(2);
  return s;
}

// A backslash, blanks and at least one line break vanish, with all blanks and breaks that follow.
std::string without_escaped_newlines(std::string_view s) {
  std::string out;
  for (size_t i = 0; i < s.size();) {
    if (s[i] != '\\') {
      out.push_back(s[i++]);
      continue;
    }
    size_t j = i + 1;
    while (j < s.size() && std::string_view(" \t\r\n").find(s[j]) != std::string_view::npos) ++j;
    if (s.substr(i, j - i).find('\n') != std::string_view::npos) {
      i = j;
    } else {
      out.append(s, i, 2);
      i += 2;
    }
  }
  return out;
}

}  // namespace

bool Reader::string(std::string* out) {
  size_t start = string_start_ = at_.position();
  for (;;) {
    char32_t c = at_.next();
    if (c == Cursor::kBad) return false;
    if (c == Cursor::kEnd) return fail("unexpected EOF; expected '\"'");
    if (is_newline(c)) return at_.fail_previous_line("strings cannot contain newlines");
    if (c == '\\' && !escape()) return false;
    if (c != '"') continue;
    item_line_ = at_.line();
    std::string_view text = at_.since(start);
    text.remove_suffix(1);
    return unescape(text, out);
  }
}

bool Reader::raw_string(std::string* out) {
  size_t start = at_.position();
  for (;;) {
    char32_t c = at_.next();
    if (c == Cursor::kBad) return false;
    if (c == Cursor::kEnd) return fail("unexpected EOF; expected \"'\"");
    if (is_newline(c)) return at_.fail_previous_line("strings cannot contain newlines");
    if (c != '\'') continue;
    item_line_ = at_.line();
    *out = at_.since(start);
    out->pop_back();
    return true;
  }
}

// After the opening quotes. Up to two more of them may stand before the closing three.
bool Reader::multiline_string(char32_t q, std::string* out) {
  bool raw = q == '\'';
  const std::string five(5, static_cast<char>(q));
  size_t start = string_start_ = at_.position();
  auto ends_with = [&](std::string_view tail) {
    std::string_view s = at_.since(start);
    return s.size() >= tail.size() && s.substr(s.size() - tail.size()) == tail;
  };
  for (;;) {
    char32_t c = at_.next();
    if (c == Cursor::kBad) return false;
    if (c == Cursor::kEnd) {
      return fail(raw ? "unexpected EOF; expected \"'''\"" : "unexpected EOF; expected '\"\"\"'");
    }
    if (c == '\\' && !raw) {
      if (!is_newline(at_.next())) {
        at_.back();
        if (!escape()) return false;
      }
      continue;
    }
    if (c != q || !at_.accept(q)) continue;
    if (!at_.accept(q)) {
      at_.back();
      continue;
    }
    if (at_.peek() == q) {
      if (ends_with(five) && (raw || !ends_with("\\" + five))) {
        return fail(raw ? "unexpected \"''''''\"" : "unexpected '\"\"\"\"\"\"'");
      }
      at_.back();
      at_.back();
      continue;
    }
    if (at_.failed()) return false;
    item_line_ = at_.line();
    std::string_view text = at_.since(start);
    text = without_first_newline(text.substr(0, text.size() - 3));
    if (raw) {
      *out = text;
      return true;
    }
    return unescape(without_escaped_newlines(text), out);
  }
}

// What follows a backslash: that it is an escape. unescape reads its value.
bool Reader::escape() {
  char32_t c = at_.next();
  if (c == Cursor::kBad) return false;
  if (std::u32string_view(U"ebtnfr\" \t\\").find(c) != std::u32string_view::npos) return true;
  int digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  if (digits == 0) {
    std::string shown;
    append_rune(shown, c);
    std::string message = "invalid escape in string '\\" + shown + "'";
    return c == Cursor::kEnd ? at_.fail_previous_line(message) : fail(message);
  }
  for (int i = 0; i < digits; ++i) {
    if (is_hex(at_.next())) continue;
    const char* count = digits == 2 ? "two" : digits == 4 ? "four" : "eight";
    return fail(std::string("expected ") + count + " hexadecimal digits after '\\" +
                static_cast<char>(c) + "', but got " +
                pintle::quote(at_.since(string_start_)) + " instead");
  }
  return true;
}

bool Reader::unescape(std::string_view s, std::string* out) {
  for (size_t i = 0; i < s.size();) {
    if (s[i] != '\\') {
      out->push_back(s[i++]);
      continue;
    }
    char c = s[i + 1];
    i += 2;
    switch (c) {
      case 'b': out->push_back('\b'); continue;
      case 't': out->push_back('\t'); continue;
      case 'n': out->push_back('\n'); continue;
      case 'f': out->push_back('\f'); continue;
      case 'r': out->push_back('\r'); continue;
      case 'e': out->push_back('\x1b'); continue;
      case '"':
      case '\\': out->push_back(c); continue;
      case ' ':
      case '\t': return fail(std::string("invalid escape: '\\") + c + "'");
      default: break;
    }
    size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : 8;
    std::string_view hex = s.substr(i, digits);
    auto r = static_cast<char32_t>(parse_uint(hex, 16, 64, nullptr));
    i += digits;
    if (r > 0x10ffff || (r >= 0xd800 && r < 0xe000)) {
      return fail("Escaped character '\\u" + std::string(hex) + "' is not valid UTF-8.");
    }
    append_rune(*out, r);
  }
  return true;
}

}  // namespace pintle::toml
