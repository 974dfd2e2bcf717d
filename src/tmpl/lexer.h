// Tokens of a template text (text/template/parse/lex.go). Inside this room only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pintle::tmpl {

enum class TokenKind : uint8_t {
  kError,  // text is the message
  kBool,
  kChar,  // some other printable character
  kCharConstant,
  kComplex,
  kAssign,
  kDeclare,
  kEof,
  kField,
  kIdentifier,
  kLeftDelim,
  kLeftParen,
  kNumber,
  kPipe,
  kRawString,
  kRightDelim,
  kRightParen,
  kSpace,
  kString,
  kText,
  kVariable,
  kKeyword,  // no token: the kinds below are keywords
  kBlock,
  kBreak,
  kContinue,
  kDot,
  kDefine,
  kElse,
  kEnd,
  kIf,
  kNil,
  kRange,
  kTemplate,
  kWith,
};

// Small enough for registers: tokens that went through memory took a twelfth of a parse.
struct Token {
  uint32_t pos = 0;  // where it starts; its line is counted from here when an error wants it
  uint32_t size = 0;
  TokenKind kind = TokenKind::kEof;
};

class Lexer {
 public:
  // break_word, continue_word: these are keywords (no function has the name).
  Lexer(std::string_view text, bool break_word, bool continue_word)
      : text_(text), break_word_(break_word), continue_word_(continue_word) {}

  Token next();  // after kError or kEof there is nothing more to ask
  std::string_view text_of(Token token) const;
  std::string describe(Token token) const;  // as in `unexpected "x" in operand`

 private:
  Token text();
  bool left_delim(Token& token);
  Token inside_action();
  Token right_delim(bool trim);
  Token space();
  Token identifier();
  Token field_or_variable(TokenKind kind);
  Token number();
  bool scan_number();
  Token quoted(char quote, TokenKind kind, const char* unterminated);
  Token raw_quoted();
  Token bad_character();
  Token emit(TokenKind kind);
  Token fail(std::string message);

  bool at(size_t i, char c) const { return i < text_.size() && text_[i] == c; }
  bool space_at(size_t i) const;
  bool right_delim_at(size_t i) const { return at(i, '}') && at(i + 1, '}'); }
  bool trimmed_right_delim_at(size_t i) const {
    return space_at(i) && at(i + 1, '-') && right_delim_at(i + 2);
  }
  bool at_terminator() const;
  void skip_letters_and_digits();
  void accept_run(std::string_view valid);
  bool accept(std::string_view valid);

  std::string_view text_;
  size_t pos_ = 0;    // next byte to read
  size_t start_ = 0;  // of the token being read
  int parens_ = 0;
  bool inside_ = false;
  bool break_word_, continue_word_;
  std::string message_;
};

}  // namespace pintle::tmpl
