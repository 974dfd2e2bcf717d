#include "cel/lexer.h"

#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"

namespace pintle::cel {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f'; }
int hex(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

struct Word {
  std::string_view text;
  Token token;
};
constexpr Word kWords[] = {
    {"true", Token::kTrue}, {"false", Token::kFalse}, {"null", Token::kNull}, {"in", Token::kIn}};
// Longer ones first.
constexpr Word kSigns[] = {
    {"==", Token::kEqual},       {"!=", Token::kUnequal},     {"<=", Token::kLessEqual},
    {">=", Token::kGreaterEqual}, {"&&", Token::kAnd},        {"||", Token::kOr},
    {"<", Token::kLess},         {">", Token::kGreater},      {"[", Token::kLeftBracket},
    {"]", Token::kRightBracket}, {"{", Token::kLeftBrace},    {"}", Token::kRightBrace},
    {"(", Token::kLeftParen},    {")", Token::kRightParen},   {".", Token::kDot},
    {",", Token::kComma},        {"-", Token::kMinus},        {"!", Token::kNot},
    {"?", Token::kQuestion},     {":", Token::kColon},        {"+", Token::kPlus},
    {"*", Token::kStar},         {"/", Token::kSlash},        {"%", Token::kPercent}};

// A literal's opening: [bB]?[rR]? and quotes. size 0: none.
struct Opening {
  size_t size = 0;
  bool bytes = false, raw = false;
  std::string_view quote;
};
Opening opening_of(std::string_view s) {
  Opening o;
  size_t i = 0;
  if (i < s.size() && (s[i] == 'b' || s[i] == 'B')) o.bytes = true, ++i;
  if (i < s.size() && (s[i] == 'r' || s[i] == 'R')) o.raw = true, ++i;
  if (i >= s.size() || (s[i] != '"' && s[i] != '\'')) return {};
  o.quote = s.substr(i, 1);
  const std::string_view three = s.substr(i, 3);
  if (three == "\"\"\"" || three == "'''") o.quote = three;
  o.size = i + o.quote.size();
  return o;
}

// Bytes of the escape sequence after a backslash at s[0]; 0: none such.
size_t escape_length(std::string_view s) {
  if (s.size() < 2) return 0;
  auto all = [&](size_t from, size_t n, auto accept) {
    return s.size() >= from + n && std::all_of(s.begin() + static_cast<ptrdiff_t>(from),
                                               s.begin() + static_cast<ptrdiff_t>(from + n), accept);
  };
  auto is_hex = [](char c) { return hex(c) >= 0; };
  switch (s[1]) {
    case 'a': case 'b': case 'f': case 'n': case 'r': case 't': case 'v':
    case '"': case '\'': case '\\': case '?': case '`': return 2;
    case 'x': case 'X': return all(2, 2, is_hex) ? 4 : 0;
    case 'u': return all(2, 4, is_hex) ? 6 : 0;
    case 'U': return all(2, 8, is_hex) ? 10 : 0;
    case '0': case '1': case '2': case '3':
      return all(2, 2, [](char c) { return c >= '0' && c <= '7'; }) ? 4 : 0;
    default: return 0;
  }
}

class Lexer {
 public:
  Lexer(std::string_view source, Errors& errors) : x_source(source), x_errors(errors) {}

  std::vector<Lexeme> run() {
    std::vector<Lexeme> out;
    while (skip_blank(), x_at < x_source.size()) {
      const std::string_view rest = x_source.substr(x_at);
      Token token = Token::kEnd;
      const size_t n = one(rest, &token);
      if (n == 0) continue;
      out.push_back({token, static_cast<uint32_t>(x_at), rest.substr(0, n)});
      x_at += n;
    }
    out.push_back({Token::kEnd, static_cast<uint32_t>(x_source.size()), "<EOF>"});
    return out;
  }

 private:
  void skip_blank() {
    while (x_at < x_source.size()) {
      if (is_space(x_source[x_at])) {
        ++x_at;
      } else if (x_source.substr(x_at, 2) == "//") {
        x_at = std::min(x_source.find('\n', x_at), x_source.size());
      } else {
        return;
      }
    }
  }

  // Reports x_source[x_at, x_at + n) and goes on behind it.
  size_t unknown(size_t n) {
    x_errors.add(x_at, cat("Syntax error: token recognition error at: '", in_message(x_source.substr(x_at, n)), "'"));
    x_at += n;
    return 0;
  }

  size_t one(std::string_view s, Token* token) {
    if (Opening o = opening_of(s); o.size > 0) return literal(s, o, token);
    if (is_letter(s[0])) {
      size_t n = 1;
      while (n < s.size() && (is_letter(s[n]) || is_digit(s[n]))) ++n;
      *token = Token::kIdent;
      for (const Word& w : kWords) {
        if (w.text == s.substr(0, n)) *token = w.token;
      }
      return n;
    }
    if (is_digit(s[0]) || (s[0] == '.' && s.size() > 1 && is_digit(s[1]))) return number(s, token);
    if (s[0] == '`') return escaped(s, token);
    for (const Word& w : kSigns) {
      if (!s.starts_with(w.text)) continue;
      *token = w.token;
      return w.text.size();
    }
    size_t n = static_cast<size_t>(decode_rune(s).size);
    // The first half of "==", "&&" and "||" takes with it the character that was none.
    if ((s[0] == '=' || s[0] == '&' || s[0] == '|') && n < s.size()) {
      n += static_cast<size_t>(decode_rune(s.substr(n)).size);
    }
    return unknown(n);
  }

  size_t number(std::string_view s, Token* token) {
    size_t n = 0;
    auto digits = [&] {
      while (n < s.size() && is_digit(s[n])) ++n;
    };
    *token = Token::kInt;
    if (s.starts_with("0x") && s.size() > 2 && hex(s[2]) >= 0) {
      for (n = 2; n < s.size() && hex(s[n]) >= 0;) ++n;
    } else {
      digits();
      if (n + 1 < s.size() && s[n] == '.' && is_digit(s[n + 1])) {
        *token = Token::kFloat;
        ++n;
        digits();
      }
      if (n < s.size() && (s[n] == 'e' || s[n] == 'E')) {
        size_t e = n + 1;
        if (e < s.size() && (s[e] == '+' || s[e] == '-')) ++e;
        if (e < s.size() && is_digit(s[e])) {
          *token = Token::kFloat;
          n = e;
          digits();
        }
      }
    }
    if (*token == Token::kInt && n < s.size() && (s[n] == 'u' || s[n] == 'U')) {
      *token = Token::kUint;
      ++n;
    }
    return n;
  }

  size_t escaped(std::string_view s, Token* token) {
    size_t n = 1;
    while (n < s.size() && (is_letter(s[n]) || is_digit(s[n]) || std::string_view(".-/ ").find(s[n]) != s.npos)) ++n;
    if (n == 1 || n >= s.size() || s[n] != '`') return unknown(std::min(n + 1, s.size()));
    *token = Token::kEscaped;
    return n + 1;
  }

  size_t literal(std::string_view s, const Opening& o, Token* token) {
    const bool triple = o.quote.size() == 3;
    for (size_t i = o.size; i < s.size();) {
      if (s.substr(i, o.quote.size()) == o.quote) {
        *token = o.bytes ? Token::kBytes : Token::kString;
        return i + o.quote.size();
      }
      if (!triple && (s[i] == '\n' || s[i] == '\r')) return unterminated(s, o, i + 1, token);
      if (!o.raw && s[i] == '\\') {
        const size_t n = escape_length(s.substr(i));
        if (n == 0) return unterminated(s, o, std::min(i + 2, s.size()), token);
        i += n;
      } else {
        i += static_cast<size_t>(decode_rune(s.substr(i)).size);
      }
    }
    return unterminated(s, o, s.size(), token);
  }
  // A text without its end: """ is then "" and one quote, r" is the name r and a quote.
  size_t unterminated(std::string_view s, const Opening& o, size_t n, Token* token) {
    if (o.quote.size() == 3) {
      *token = o.bytes ? Token::kBytes : Token::kString;
      return o.size - 1;
    }
    if (o.size > o.quote.size()) {
      *token = Token::kIdent;
      return o.size - o.quote.size();
    }
    return unknown(std::min(n, s.size()));
  }

  std::string_view x_source;
  Errors& x_errors;
  size_t x_at = 0;
};

}  // namespace

std::vector<Lexeme> lex(std::string_view source, Errors& errors) { return Lexer(source, errors).run(); }

std::string in_message(std::string_view text) {
  return replace_all(replace_all(replace_all(text, "\n", "\\n"), "\r", "\\r"), "\t", "\\t");
}

Result<std::string> unquote_literal(std::string_view literal) {
  const Opening o = opening_of(literal);
  std::string_view s = literal.substr(o.size, literal.size() - o.size - o.quote.size());
  std::string out;
  auto code = [](std::string_view digits, int base) {
    uint32_t v = 0;
    for (char c : digits) v = v * static_cast<uint32_t>(base) + static_cast<uint32_t>(hex(c));
    return v;
  };
  while (!s.empty()) {
    if (s[0] != '\\' || o.raw) {
      if (s.starts_with("\r\n")) s.remove_prefix(1);  // line breaks are \n
      out += s[0] == '\r' ? '\n' : s[0];
      s.remove_prefix(1);
      continue;
    }
    const size_t n = escape_length(s);
    constexpr std::string_view kFrom = "abfnrtv\"'\\?`", kTo = "\a\b\f\n\r\t\v\"'\\?`";
    if (n == 2) {
      out += kTo[kFrom.find(s[1])];
    } else {
      const bool octal = is_digit(s[1]), wide = s[1] == 'u' || s[1] == 'U';
      if (wide && o.bytes) return Error("unable to unescape string");
      const uint32_t c = octal ? code(s.substr(1, 3), 8) : code(s.substr(2, n - 2), 16);
      if (o.bytes) {
        out += static_cast<char>(c);
      } else {
        if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) return Error("invalid unicode code point");
        append_rune(out, c);
      }
    }
    s.remove_prefix(n);
  }
  return out;
}

}  // namespace pintle::cel
