// Tokens of CEL's text. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cel/node.h"

namespace pintle::cel {

enum class Token : uint8_t {
  kEnd, kIdent, kEscaped, kInt, kUint, kFloat, kString, kBytes,
  kTrue, kFalse, kNull, kIn,
  kEqual, kUnequal, kLess, kLessEqual, kGreater, kGreaterEqual, kAnd, kOr,
  kLeftBracket, kRightBracket, kLeftBrace, kRightBrace, kLeftParen, kRightParen,
  kDot, kComma, kMinus, kNot, kQuestion, kColon, kPlus, kStar, kSlash, kPercent,
};

struct Lexeme {
  Token token = Token::kEnd;
  uint32_t at = 0;
  std::string_view text;
};

// What is no token is reported and left out.
std::vector<Lexeme> lex(std::string_view source, Errors& errors);

// The value of a string or bytes literal with its quotes and prefix. Errors: "unable to unescape
// string", "invalid unicode code point".
Result<std::string> unquote_literal(std::string_view literal);

// As ANTLR quotes a text in its messages: line breaks and tabs escaped.
std::string in_message(std::string_view text);

}  // namespace pintle::cel
