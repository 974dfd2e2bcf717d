// strconv.Quote and Unquote.
#include "base/gotext.h"

namespace pintle {

namespace {

constexpr char kHex[] = "0123456789abcdef";

void append_hex(std::string& out, uint32_t v, int digits) {
  for (int i = digits - 1; i >= 0; --i) out.push_back(kHex[(v >> (4 * i)) & 15]);
}

// The letter after the backslash for controls that have one; 0 for the others.
char short_escape(char32_t r) {
  switch (r) {
    case '\a': return 'a';
    case '\b': return 'b';
    case '\f': return 'f';
    case '\n': return 'n';
    case '\r': return 'r';
    case '\t': return 't';
    case '\v': return 'v';
    default: return 0;
  }
}

void append_escaped(std::string& out, char32_t r) {
  if (char c = short_escape(r)) {
    out.append({'\\', c});
  } else if (r < ' ' || r == 0x7F) {
    out.append("\\x");
    append_hex(out, r, 2);
  } else if (r < 0x10000) {
    out.append("\\u");
    append_hex(out, r, 4);
  } else {
    out.append("\\U");
    append_hex(out, r, 8);
  }
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// One escape after its backslash; s moves past it. \x and octal ones stand for a byte, \u and \U
// for a rune.
bool append_unescaped(std::string& out, std::string_view& s, char quote) {
  if (s.empty()) return false;
  char c = s[0];
  s.remove_prefix(1);
  switch (c) {
    case 'a': out.push_back('\a'); return true;
    case 'b': out.push_back('\b'); return true;
    case 'f': out.push_back('\f'); return true;
    case 'n': out.push_back('\n'); return true;
    case 'r': out.push_back('\r'); return true;
    case 't': out.push_back('\t'); return true;
    case 'v': out.push_back('\v'); return true;
    case '\\': out.push_back('\\'); return true;
    case '\'':
    case '"':
      out.push_back(c);
      return c == quote;
    case 'x':
    case 'u':
    case 'U': {
      size_t n = c == 'x' ? 2 : c == 'u' ? 4 : 8;
      if (s.size() < n) return false;
      uint32_t v = 0;
      for (size_t i = 0; i < n; ++i) {
        int h = hex_value(s[i]);
        if (h < 0) return false;
        v = v << 4 | static_cast<uint32_t>(h);
      }
      s.remove_prefix(n);
      if (c == 'x') {
        out.push_back(static_cast<char>(v));
        return true;
      }
      if (v > 0x10FFFF || (v >= 0xD800 && v <= 0xDFFF)) return false;
      append_rune(out, v);
      return true;
    }
    default: break;
  }
  if (c < '0' || c > '7' || s.size() < 2) return false;
  int v = c - '0';
  for (int i = 0; i < 2; ++i) {
    if (s[0] < '0' || s[0] > '7') return false;
    v = v * 8 + (s[0] - '0');
    s.remove_prefix(1);
  }
  out.push_back(static_cast<char>(v));
  return v <= 255;
}

}  // namespace

void append_quoted(std::string& out, std::string_view s, bool ascii_only) {
  out.reserve(out.size() + s.size() + 2);
  out.push_back('"');
  while (!s.empty()) {
    size_t plain = 0;
    while (plain < s.size() && s[plain] >= ' ' && s[plain] < 0x7F && s[plain] != '"' &&
           s[plain] != '\\') {
      ++plain;
    }
    out.append(s.substr(0, plain));
    s.remove_prefix(plain);
    if (s.empty()) break;
    Rune r = decode_rune(s);
    std::string_view bytes = s.substr(0, static_cast<size_t>(r.size));
    s.remove_prefix(bytes.size());
    if (r.value == 0xFFFD && r.size == 1) {
      out.append("\\x");
      append_hex(out, static_cast<uint8_t>(bytes[0]), 2);
    } else if (r.value == '"' || r.value == '\\') {
      out.append({'\\', static_cast<char>(r.value)});
    } else if (!ascii_only && is_print(r.value)) {
      out.append(bytes);
    } else {
      append_escaped(out, r.value);
    }
  }
  out.push_back('"');
}

std::string quote(std::string_view s) {
  std::string out;
  append_quoted(out, s);
  return out;
}

std::string rune_name(char32_t r) {
  std::string out = "U+";
  append_hex(out, r, r > 0xFFFFF ? 6 : r > 0xFFFF ? 5 : 4);
  for (char& c : out) {
    if (c >= 'a' && c <= 'f') c -= 0x20;
  }
  if (r <= 0x10FFFF && is_print(r)) {
    out.append(" '");
    append_rune(out, r);
    out.push_back('\'');
  }
  return out;
}

std::optional<std::string> unquote(std::string_view s) {
  if (s.size() < 2 || s.front() != s.back()) return std::nullopt;
  char q = s[0];
  s = s.substr(1, s.size() - 2);
  std::string out;
  if (q == '`') {
    if (s.find('`') != s.npos) return std::nullopt;
    for (char c : s) {
      if (c != '\r') out.push_back(c);
    }
    return out;
  }
  if (q != '"' && q != '\'') return std::nullopt;
  int runes = 0;
  for (; !s.empty(); ++runes) {
    if (s[0] == q || s[0] == '\n') return std::nullopt;
    if (s[0] == '\\') {
      s.remove_prefix(1);
      if (!append_unescaped(out, s, q)) return std::nullopt;
    } else {
      Rune r = decode_rune(s);
      append_rune(out, r.value);
      s.remove_prefix(static_cast<size_t>(r.size));
    }
  }
  if (q == '\'' && runes > 1) return std::nullopt;  // '' passes in Go too
  return out;
}

}  // namespace pintle
