// Scalars by libyaml's emitter rules, as go-yaml has them.
//
// Most strings of manifests are one line of printable ASCII: plainly_plain decides those with one
// table look per byte, and they are appended whole. The exact rules below are for the rest.
// Folding counts characters from the last line start, and only when the line could be too long.
#include "yaml/emit.h"

#include <cstring>

#include "base/gotext.h"
#include "yaml/chars.h"

namespace pintle::yaml {

namespace {

// In a plain scalar: 0 anywhere, 1 never as the first byte, 2 depends on its neighbours, 3 never.
struct PlainTable {
  uint8_t of[256] = {};
  constexpr PlainTable() {
    for (int c = 0; c < 256; ++c) {
      if (c < 0x20 || c >= 0x7f) of[c] = 3;
    }
    for (unsigned char c : std::string_view(",[]{}&*!|>'\"%@`?-.")) of[c] = 1;
    for (unsigned char c : std::string_view(" :#")) of[c] = 2;
  }
};
constexpr PlainTable kPlain;

// Printable as the emitter counts it: no BOM, nothing beyond the basic plane, no C1 control.
bool printable(std::string_view s, size_t i) {
  auto at = [&](size_t k) { return k < s.size() ? static_cast<unsigned char>(s[k]) : 0; };
  unsigned c = at(i);
  if (c == '\n' || (c >= 0x20 && c <= 0x7e)) return true;
  if (c == 0xc2) return at(i + 1) >= 0xa0;
  if (c > 0xc2 && c < 0xed) return true;
  if (c == 0xed) return at(i + 1) < 0xa0;
  if (c == 0xee) return true;
  if (c != 0xef) return false;
  if (at(i + 1) == 0xbb && at(i + 2) == 0xbf) return false;
  return !(at(i + 1) == 0xbf && (at(i + 2) == 0xbe || at(i + 2) == 0xbf));
}

bool starts_like_document_mark(std::string_view s) {
  return s.substr(0, 3) == "---" || s.substr(0, 3) == "...";
}

// The first byte forbids a plain scalar. '-', '?' and ':' do so only before a blank.
bool bad_first(std::string_view s, bool blank_follows) {
  switch (s[0]) {
    case '#':
    case ',':
    case '[':
    case ']':
    case '{':
    case '}':
    case '&':
    case '*':
    case '!':
    case '|':
    case '>':
    case '\'':
    case '"':
    case '%':
    case '@':
    case '`': return true;
    case '?':
    case ':':
    case '-': return blank_follows;
    default: return false;
  }
}

size_t column(const std::string& out) {
  size_t line = out.rfind('\n');
  line = line == std::string::npos ? 0 : line + 1;
  return rune_count(std::string_view(out).substr(line));
}

void break_line(std::string& out, int indent) {
  out.push_back('\n');
  out.append(static_cast<size_t>(indent), ' ');
}

bool space_at(std::string_view s, size_t i) { return i < s.size() && s[i] == ' '; }

// True when no line of `text` can reach the width, so that folding needs no counting.
bool fits(const std::string& out, std::string_view text, const Place& place) {
  if (!place.may_fold || std::memchr(text.data(), ' ', text.size()) == nullptr) return true;
  size_t line = out.rfind('\n');
  size_t before = out.size() - (line == std::string::npos ? 0 : line + 1);
  return before + text.size() <= place.width;
}

void append_escaped(std::string& out, char32_t r) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  switch (r) {
    case 0x00: out += "\\0"; return;
    case 0x07: out += "\\a"; return;
    case 0x08: out += "\\b"; return;
    case 0x09: out += "\\t"; return;
    case 0x0a: out += "\\n"; return;
    case 0x0b: out += "\\v"; return;
    case 0x0c: out += "\\f"; return;
    case 0x0d: out += "\\r"; return;
    case 0x1b: out += "\\e"; return;
    case 0x22: out += "\\\""; return;
    case 0x5c: out += "\\\\"; return;
    case 0x85: out += "\\N"; return;
    case 0xa0: out += "\\_"; return;
    case 0x2028: out += "\\L"; return;
    case 0x2029: out += "\\P"; return;
    default: break;
  }
  int digits = r <= 0xff ? 2 : r <= 0xffff ? 4 : 8;
  out.push_back('\\');
  out.push_back(digits == 2 ? 'x' : digits == 4 ? 'u' : 'U');
  for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) out.push_back(kHex[r >> shift & 15]);
}

}  // namespace

bool plainly_plain(std::string_view s) {
  if (s.empty() || kPlain.of[static_cast<unsigned char>(s[0])] != 0 || s.back() == ' ') return false;
  for (size_t i = 1; i < s.size(); ++i) {
    uint8_t kind = kPlain.of[static_cast<unsigned char>(s[i])];
    if (kind < 2) continue;
    if (kind == 3) return false;
    if (s[i] == ':' && (i + 1 == s.size() || s[i + 1] == ' ')) return false;
    if (s[i] == '#' && s[i - 1] == ' ') return false;
  }
  return true;
}

Traits analyze(std::string_view s, bool tabs_fit_literals) {
  Traits t;
  if (s.empty()) {
    t.literal_allowed = false;
    return t;
  }
  bool indicators = starts_like_document_mark(s);
  bool special = false, tab = false, edge = false, trailing_space = false;
  bool break_space = false, space_break = false;
  bool after_blank = true, after_space = false, after_break = false;
  for (size_t i = 0, w = 0; i < s.size(); i += w) {
    w = width(s[i]);
    if (w == 0) w = 1;
    bool last = i + w >= s.size();
    bool blank_follows = last || is_blank(s[i + w]);
    if (i == 0) {
      indicators |= bad_first(s, blank_follows);
    } else if (s[i] == ':') {
      indicators |= blank_follows;
    } else if (s[i] == '#') {
      indicators |= after_blank;
    }
    if (s[i] == '\t' && tabs_fit_literals) {
      tab = true;
    } else if (!printable(s, i)) {
      special = true;
    }
    bool is_break = break_size(s, i) > 0;
    if (s[i] == ' ') {
      edge |= i == 0 || last;
      trailing_space |= last;
      break_space |= after_break;
      after_space = true;
      after_break = false;
    } else if (is_break) {
      t.multiline = true;
      edge |= i == 0 || last;
      space_break |= after_space;
      after_space = false;
      after_break = true;
    } else {
      after_space = after_break = false;
    }
    after_blank = is_blank(s[i]) || is_break || s[i] == '\0';
  }
  t.plain_allowed = !(edge || break_space || space_break || special || tab || t.multiline || indicators);
  t.single_allowed = !(break_space || space_break || special || tab);
  t.literal_allowed = !(trailing_space || space_break || special);
  return t;
}

void write_plain(std::string& out, std::string_view s, const Place& place) {
  if (fits(out, s, place)) {
    out.append(s);
    return;
  }
  size_t col = column(out);
  bool after_space = false;
  for (size_t i = 0; i < s.size();) {
    if (s[i] == ' ') {
      if (!after_space && col > place.width && !space_at(s, i + 1)) {
        break_line(out, place.indent);
        col = static_cast<size_t>(place.indent);
      } else {
        out.push_back(' ');
        ++col;
      }
      after_space = true;
      ++i;
      continue;
    }
    size_t w = width(s[i]);
    out.append(s, i, w);
    ++col;
    i += w;
    after_space = false;
  }
}

void write_single(std::string& out, std::string_view s, const Place& place) {
  out.push_back('\'');
  bool fold = !fits(out, s, place);
  size_t col = fold ? column(out) : 0;
  bool after_space = false, after_break = false;
  for (size_t i = 0; i < s.size();) {
    if (s[i] == ' ') {
      if (fold && !after_space && col > place.width && i > 0 && i + 1 < s.size() &&
          s[i + 1] != ' ') {
        break_line(out, place.indent);
        col = static_cast<size_t>(place.indent);
      } else {
        out.push_back(' ');
        ++col;
      }
      after_space = true;
      ++i;
      continue;
    }
    if (size_t n = break_size(s, i); n > 0) {
      if (!after_break && s[i] == '\n') out.push_back('\n');
      out.append(s, i, n);
      col = 0;
      after_break = true;
      i += n;
      continue;
    }
    if (after_break) {
      out.append(static_cast<size_t>(place.indent), ' ');
      col = static_cast<size_t>(place.indent);
    }
    if (s[i] == '\'') {
      out.push_back('\'');
      ++col;
    }
    size_t w = width(s[i]);
    out.append(s, i, w);
    ++col;
    i += w;
    after_space = after_break = false;
  }
  out.push_back('\'');
}

void write_double(std::string& out, std::string_view s, const Place& place) {
  out.push_back('"');
  // A text that starts with a byte order mark is escaped throughout: go-yaml looks for the mark at
  // the start of the text instead of at each character.
  bool all = s.substr(0, 3) == "\xef\xbb\xbf";
  size_t line = out.size();  // where the current line's text starts, for counting columns lazily
  size_t base = column(out);
  bool after_space = false;
  for (size_t i = 0; i < s.size();) {
    if (all || !printable(s, i) || break_size(s, i) > 0 || s[i] == '"' || s[i] == '\\') {
      Rune r = decode_rune(s.substr(i));
      append_escaped(out, r.value);
      i += static_cast<size_t>(r.size);
      after_space = false;
      continue;
    }
    if (s[i] == ' ') {
      bool inner = i > 0 && i + 1 < s.size();
      if (place.may_fold && !after_space && inner && base + (out.size() - line) > place.width &&
          base + rune_count(std::string_view(out).substr(line)) > place.width) {
        break_line(out, place.indent);
        line = out.size();
        base = static_cast<size_t>(place.indent);
        if (s[i + 1] == ' ') out.push_back('\\');
      } else {
        out.push_back(' ');
      }
      after_space = true;
      ++i;
      continue;
    }
    size_t w = width(s[i]);
    out.append(s, i, w);
    i += w;
    after_space = false;
  }
  out.push_back('"');
}

void write_literal(std::string& out, std::string_view s, int indent, int hint) {
  out.push_back('|');
  if (s[0] == ' ' || break_size(s, 0) > 0) out.push_back(static_cast<char>('0' + hint));
  auto break_before = [&](size_t end) -> size_t {  // bytes of the break that ends at `end`
    for (size_t n = 1; n <= 3 && n <= end; ++n) {
      if ((s[end - n] & 0xc0) != 0x80) return break_size(s.substr(0, end), end - n) == n ? n : 0;
    }
    return 0;
  };
  size_t last = break_before(s.size());
  if (last == 0) {
    out.push_back('-');
  } else if (last == s.size() || break_before(s.size() - last) > 0) {
    out.push_back('+');
  }
  out.push_back('\n');
  for (size_t i = 0; i < s.size();) {
    if (size_t n = break_size(s, i); n > 0) {
      out.append(s, i, n);
      i += n;
      continue;
    }
    out.append(static_cast<size_t>(indent), ' ');
    // LS and PS may be in the text too; they end lines like "\n" but are rare: look for '\xe2'.
    size_t end = i;
    while (end < s.size() && s[end] != '\n' && s[end] != '\xe2') ++end;
    while (end < s.size() && break_size(s, end) == 0) {
      ++end;
      while (end < s.size() && s[end] != '\n' && s[end] != '\xe2') ++end;
    }
    out.append(s, i, end - i);
    i = end;
  }
}

}  // namespace pintle::yaml
