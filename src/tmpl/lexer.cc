// The lexer hands out one token per call and looks at each byte about once: text between actions is
// found with memchr, actions are scanned by character class with UTF-8 decoded only beyond ASCII.
// It counts no lines; tokens keep their offset.
#include "tmpl/lexer.h"

#include <bit>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/gotext.h"

namespace pintle::tmpl {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

size_t find_left_delim(std::string_view s, size_t from) {
  while (from + 1 < s.size()) {
    const void* p = std::memchr(s.data() + from, '{', s.size() - 1 - from);
    if (p == nullptr) break;
    from = static_cast<size_t>(static_cast<const char*>(p) - s.data());
    if (s[from + 1] == '{') return from;
    ++from;
  }
  return s.npos;
}

TokenKind keyword(std::string_view word) {
  switch (word.size()) {
    case 2:
      if (word == "if") return TokenKind::kIf;
      break;
    case 3:
      if (word == "end") return TokenKind::kEnd;
      if (word == "nil") return TokenKind::kNil;
      break;
    case 4:
      if (word == "else") return TokenKind::kElse;
      if (word == "with") return TokenKind::kWith;
      if (word == "true") return TokenKind::kBool;
      break;
    case 5:
      if (word == "range") return TokenKind::kRange;
      if (word == "false") return TokenKind::kBool;
      if (word == "block") return TokenKind::kBlock;
      if (word == "break") return TokenKind::kBreak;
      break;
    case 6:
      if (word == "define") return TokenKind::kDefine;
      break;
    case 8:
      if (word == "template") return TokenKind::kTemplate;
      if (word == "continue") return TokenKind::kContinue;
      break;
    default: break;
  }
  return TokenKind::kIdentifier;
}

bool alphanumeric(char32_t r) { return r == '_' || is_letter(r) || is_digit(r); }

constexpr bool ascii_alphanumeric(unsigned char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// How many bytes from `from` on are ASCII letters, digits and underscores; names are long, and were a
// fifth of a parse byte by byte.
size_t ascii_word(std::string_view text, size_t from) {
  size_t at = from;
#ifdef __SSE2__
  const auto all = [](char c) { return _mm_set1_epi8(c); };
  // Moved so that the range begins at the smallest signed byte.
  const auto within = [&](__m128i bytes, char first, char last) {
    const __m128i moved = _mm_add_epi8(bytes, all(static_cast<char>(-128 - first)));
    return _mm_cmplt_epi8(moved, all(static_cast<char>(-128 + last - first + 1)));
  };
  for (; text.size() - at >= 16; at += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    const __m128i letters = within(_mm_or_si128(bytes, all(0x20)), 'a', 'z');
    const __m128i others = _mm_or_si128(within(bytes, '0', '9'), _mm_cmpeq_epi8(bytes, all('_')));
    const auto word = static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(letters, others)));
    if (word != 0xffff) return at + static_cast<size_t>(std::countr_one(word)) - from;
  }
#endif
  while (at < text.size() && ascii_alphanumeric(static_cast<unsigned char>(text[at]))) ++at;
  return at - from;
}

}  // namespace

std::string_view Lexer::text_of(Token token) const {
  if (token.kind == TokenKind::kEof) return "EOF";
  if (token.kind == TokenKind::kError) return message_;
  return text_.substr(token.pos, token.size);
}

std::string Lexer::describe(Token token) const {
  std::string_view text = text_of(token);
  if (token.kind == TokenKind::kEof || token.kind == TokenKind::kError) return std::string(text);
  if (token.kind > TokenKind::kKeyword) return cat("<", text, ">");
  if (text.size() <= 10) return quote(text);
  size_t n = 0;
  for (int runes = 0; runes < 10 && n < text.size(); ++runes) {
    n += static_cast<size_t>(decode_rune(text.substr(n)).size);
  }
  return quote(text.substr(0, n)) + "...";
}

Token Lexer::emit(TokenKind kind) {
  Token t{static_cast<uint32_t>(start_), static_cast<uint32_t>(pos_ - start_), kind};
  start_ = pos_;
  return t;
}

Token Lexer::fail(std::string message) {
  message_ = std::move(message);
  return {static_cast<uint32_t>(start_), 0, TokenKind::kError};
}

bool Lexer::space_at(size_t i) const { return i < text_.size() && is_blank(text_[i]); }

Token Lexer::next() { return inside_ ? inside_action() : text(); }

Token Lexer::text() {
  for (;;) {
    size_t delim = find_left_delim(text_, pos_);
    if (delim == text_.npos) {
      pos_ = text_.size();
      if (pos_ > start_) return emit(TokenKind::kText);
      return emit(TokenKind::kEof);
    }
    if (delim > start_) {
      size_t end = delim;
      if (at(delim + 2, '-') && space_at(delim + 3)) {
        while (end > start_ && is_blank(text_[end - 1])) --end;
      }
      pos_ = end;
      bool empty = end == start_;
      Token t = emit(TokenKind::kText);
      start_ = pos_ = delim;
      if (!empty) return t;
    }
    Token t;
    if (left_delim(t)) return t;  // else a comment was skipped
  }
}

// At "{{": the delimiter, a comment's error, or nothing because a whole comment was passed.
bool Lexer::left_delim(Token& token) {
  pos_ += 2;
  size_t marker = at(pos_, '-') && space_at(pos_ + 1) ? 2 : 0;
  if (!at(pos_ + marker, '/') || !at(pos_ + marker + 1, '*')) {
    token = emit(TokenKind::kLeftDelim);
    inside_ = true;
    parens_ = 0;
    pos_ += marker;
    start_ = pos_;
    return true;
  }
  pos_ += marker;
  start_ = pos_;
  size_t close = text_.find("*/", pos_ + 2);
  if (close == text_.npos) {
    token = fail("unclosed comment");
    return true;
  }
  pos_ = close + 2;
  bool trim = trimmed_right_delim_at(pos_);
  if (!trim && !right_delim_at(pos_)) {
    token = fail("comment ends before closing delimiter");
    return true;
  }
  pos_ += trim ? 4 : 2;
  if (trim) {
    while (space_at(pos_)) ++pos_;
  }
  start_ = pos_;
  return false;
}

Token Lexer::right_delim(bool trim) {
  if (trim) {
    pos_ += 2;
    start_ = pos_;
  }
  pos_ += 2;
  Token t = emit(TokenKind::kRightDelim);
  if (trim) {
    while (space_at(pos_)) ++pos_;
    start_ = pos_;
  }
  inside_ = false;
  return t;
}

Token Lexer::inside_action() {
  bool trim = trimmed_right_delim_at(pos_);
  if (trim || right_delim_at(pos_)) {
    if (parens_ == 0) return right_delim(trim);
    return fail("unclosed left paren");
  }
  if (pos_ >= text_.size()) return fail("unclosed action");
  auto c = static_cast<unsigned char>(text_[pos_]);
  switch (c) {
    case ' ':
    case '\t':
    case '\r':
    case '\n': return space();
    case '=': ++pos_; return emit(TokenKind::kAssign);
    case ':':
      ++pos_;
      if (!at(pos_, '=')) return fail("expected :=");
      ++pos_;
      return emit(TokenKind::kDeclare);
    case '|': ++pos_; return emit(TokenKind::kPipe);
    case '"': return quoted('"', TokenKind::kString, "unterminated quoted string");
    case '`': return raw_quoted();
    case '\'': return quoted('\'', TokenKind::kCharConstant, "unterminated character constant");
    case '$':
      ++pos_;
      return field_or_variable(TokenKind::kVariable);
    case '.':
      if (pos_ + 1 < text_.size() && (text_[pos_ + 1] < '0' || text_[pos_ + 1] > '9')) {
        ++pos_;
        return field_or_variable(TokenKind::kField);
      }
      return number();
    case '(':
      ++pos_;
      ++parens_;
      return emit(TokenKind::kLeftParen);
    case ')':
      ++pos_;
      if (--parens_ < 0) return fail("unexpected right paren");
      return emit(TokenKind::kRightParen);
    default: break;
  }
  if (c == '+' || c == '-' || (c >= '0' && c <= '9')) return number();
  if (c < 0x80) {
    if (ascii_alphanumeric(c)) return identifier();
    ++pos_;
    if (c >= ' ' && c < 0x7f) return emit(TokenKind::kChar);
    return fail("unrecognized character in action: " + rune_name(c));
  }
  Rune r = decode_rune(text_.substr(pos_));
  if (alphanumeric(r.value)) return identifier();
  return fail("unrecognized character in action: " + rune_name(r.value));
}

Token Lexer::space() {
  size_t spaces = 0;
  while (space_at(pos_)) {
    ++pos_;
    ++spaces;
  }
  // The last space may belong to " -}}".
  if (at(pos_, '-') && right_delim_at(pos_ + 1)) {
    --pos_;
    if (spaces == 1) return right_delim(true);
  }
  return emit(TokenKind::kSpace);
}

bool Lexer::at_terminator() const {
  if (pos_ >= text_.size()) return true;
  switch (text_[pos_]) {
    case ' ':
    case '\t':
    case '\r':
    case '\n':
    case '.':
    case ',':
    case '|':
    case ':':
    case ')':
    case '(': return true;
    default: return right_delim_at(pos_);
  }
}

void Lexer::skip_letters_and_digits() {
  for (;;) {
    pos_ += ascii_word(text_, pos_);
    if (pos_ == text_.size() || static_cast<unsigned char>(text_[pos_]) < 0x80) return;
    Rune r = decode_rune(text_.substr(pos_));
    if (!alphanumeric(r.value)) return;
    pos_ += static_cast<size_t>(r.size);
  }
}

Token Lexer::bad_character() {
  return fail("bad character " + rune_name(decode_rune(text_.substr(pos_)).value));
}

Token Lexer::identifier() {
  skip_letters_and_digits();
  if (!at_terminator()) return bad_character();
  TokenKind kind = keyword(text_.substr(start_, pos_ - start_));
  if (kind == TokenKind::kBreak && !break_word_) kind = TokenKind::kIdentifier;
  if (kind == TokenKind::kContinue && !continue_word_) kind = TokenKind::kIdentifier;
  return emit(kind);
}

Token Lexer::field_or_variable(TokenKind kind) {
  if (at_terminator()) {
    return emit(kind == TokenKind::kVariable ? TokenKind::kVariable : TokenKind::kDot);
  }
  skip_letters_and_digits();
  if (!at_terminator()) return bad_character();
  return emit(kind);
}

Token Lexer::quoted(char quote, TokenKind kind, const char* unterminated) {
  for (++pos_; pos_ < text_.size(); ++pos_) {
    char c = text_[pos_];
    if (c == '\n') break;
    if (c == '\\') {
      ++pos_;
      if (pos_ >= text_.size() || text_[pos_] == '\n') break;
    } else if (c == quote) {
      ++pos_;
      return emit(kind);
    }
  }
  return fail(unterminated);
}

Token Lexer::raw_quoted() {
  size_t close = text_.find('`', pos_ + 1);
  if (close == text_.npos) return fail("unterminated raw quoted string");
  pos_ = close + 1;
  return emit(TokenKind::kRawString);
}

bool Lexer::accept(std::string_view valid) {
  if (pos_ >= text_.size() || valid.find(text_[pos_]) == valid.npos) return false;
  ++pos_;
  return true;
}

void Lexer::accept_run(std::string_view valid) {
  while (accept(valid)) {
  }
}

Token Lexer::number() {
  bool ok = scan_number();
  if (ok && pos_ < text_.size() && (text_[pos_] == '+' || text_[pos_] == '-')) {
    if (scan_number() && text_[pos_ - 1] == 'i') return emit(TokenKind::kComplex);
    ok = false;
  }
  if (ok) return emit(TokenKind::kNumber);
  return fail("bad number syntax: " + quote(text_.substr(start_, pos_ - start_)));
}

bool Lexer::scan_number() {
  accept("+-");
  std::string_view digits = "0123456789_";
  if (accept("0")) {
    if (accept("xX")) {
      digits = "0123456789abcdefABCDEF_";
    } else if (accept("oO")) {
      digits = "01234567_";
    } else if (accept("bB")) {
      digits = "01_";
    }
  }
  accept_run(digits);
  if (accept(".")) accept_run(digits);
  if (digits.size() == 11 && accept("eE")) {
    accept("+-");
    accept_run("0123456789_");
  }
  if (digits.size() == 23 && accept("pP")) {
    accept("+-");
    accept_run("0123456789_");
  }
  accept("i");
  if (pos_ < text_.size()) {
    Rune r = decode_rune(text_.substr(pos_));
    if (alphanumeric(r.value)) {
      pos_ += static_cast<size_t>(r.size);  // the message shows it
      return false;
    }
  }
  return true;
}

}  // namespace pintle::tmpl
