#include "cel/parser.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "base/gotext.h"
#include "base/strings.h"
#include "cel/lexer.h"
#include "cel/macros.h"

namespace pintle::cel {
namespace {

constexpr size_t kMaxCharacters = 100000;
constexpr std::string_view kOperand =
    "'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER";
constexpr std::string_view kReserved[] = {
    "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop",
    "package", "namespace", "return", "var", "void", "while"};

struct Operator {
  Token token;
  std::string_view function;
  int level;  // how tightly it binds
};
constexpr Operator kBinary[] = {
    {Token::kLess, "_<_", 1},  {Token::kLessEqual, "_<=_", 1}, {Token::kGreater, "_>_", 1},
    {Token::kGreaterEqual, "_>=_", 1}, {Token::kEqual, "_==_", 1}, {Token::kUnequal, "_!=_", 1},
    {Token::kIn, "@in", 1},    {Token::kPlus, "_+_", 2},       {Token::kMinus, "_-_", 2},
    {Token::kStar, "_*_", 3},  {Token::kSlash, "_/_", 3},      {Token::kPercent, "_%_", 3}};

bool starts_operand(Token t) {
  switch (t) {
    case Token::kLeftBracket: case Token::kLeftBrace: case Token::kLeftParen: case Token::kDot:
    case Token::kMinus: case Token::kNot: case Token::kTrue: case Token::kFalse: case Token::kNull:
    case Token::kFloat: case Token::kInt: case Token::kUint: case Token::kString: case Token::kBytes:
    case Token::kIdent: return true;
    default: return false;
  }
}

// What may follow a rule that failed, besides the ends of those around it.
enum class Then : uint8_t { kEnd, kOperator, kOperandPart };

// Recovers from errors as ANTLR's generated parser does, so that what it complains of next is the same
// for most texts: a token too many is passed over, a missing one is thought to be there, or else all is
// skipped up to what may follow the rule that failed. x_stop, set where nesting is too deep, makes every
// rule return at once.
class Parser {
 public:
  Parser(std::string_view source, Errors& errors)
      : x_source(source), x_tokens(lex(source, errors)), x_errors(errors), x_make(x_ast, errors) {}

  Ast run() {
    x_ast.root = expression();
    if (!x_stop && token() != Token::kEnd) unexpected("<EOF>", ahead(1) == Token::kEnd, Then::kEnd);
    return std::move(x_ast);
  }

 private:
  // ---- tokens ----

  const Lexeme& here() const { return x_tokens[x_next]; }
  Token token() const { return here().token; }
  Token ahead(size_t n) const { return x_tokens[std::min(x_next + n, x_tokens.size() - 1)].token; }
  Lexeme take() {
    x_recovering = false;
    return x_tokens[x_next + 1 < x_tokens.size() ? x_next++ : x_next];
  }
  bool accept(Token t) {
    if (x_stop || token() != t) return false;
    take();
    return true;
  }

  // Nothing more is said until a token fits again.
  void syntax(std::string_view message) {
    if (!x_stop && !x_recovering) x_errors.add(here().at, cat("Syntax error: ", message));
    x_recovering = true;
  }
  // `wanted` does not stand here; when it stands behind, this token is passed over.
  void unexpected(std::string_view wanted, bool good_behind, Then then = Then::kOperandPart) {
    syntax(cat(good_behind ? "extraneous" : "mismatched", " input '", in_message(here().text), "' expecting ", wanted));
    if (good_behind) take();
    else recover(then);
  }
  // `behind`: the token here could stand behind the one that is missing.
  void expect(Token t, std::string_view name, bool behind, Then then = Then::kOperandPart) {
    if (x_stop || accept(t)) return;
    if (ahead(1) == t) {
      unexpected(name, true);
      take();
    } else if (behind) {
      syntax(cat("missing ", name, " at '", in_message(here().text), "'"));
    } else {
      unexpected(name, false, then);
    }
  }

  void recover(Then then) {
    if (x_failed_at == x_next && token() != Token::kEnd) ++x_next;
    x_failed_at = x_next;
    while (token() != Token::kEnd && !may_follow(token(), then)) ++x_next;
  }
  bool may_follow(Token t, Then then) const {
    if (x_open[static_cast<size_t>(t)] > 0) return true;
    if (t == Token::kAnd || t == Token::kOr || t == Token::kQuestion) return then != Then::kEnd;
    if (t == Token::kDot || t == Token::kLeftBracket) return then == Then::kOperandPart;
    const bool binary = std::any_of(std::begin(kBinary), std::end(kBinary),
                                    [&](const Operator& o) { return o.token == t; });
    return binary && then != Then::kEnd;
  }
  // While it lives, these tokens end something.
  struct Open {
    Open(Parser& p, std::initializer_list<Token> tokens) : parser(p), ends(tokens) {
      for (Token t : ends) ++p.x_open[static_cast<size_t>(t)];
    }
    ~Open() {
      for (Token t : ends) --parser.x_open[static_cast<size_t>(t)];
    }
    Parser& parser;
    std::vector<Token> ends;
  };
  NodeId inner(std::initializer_list<Token> ends) {
    Open open(*this, ends);
    return expression();
  }

  // Could what stands here follow a whole operand?
  bool may_end() const {
    const Token t = token();
    const bool either = t == Token::kLeftBracket || t == Token::kDot || t == Token::kMinus;
    if (either || starts_operand(t)) return either;
    const bool divides = t == Token::kColon || t == Token::kComma;
    return !divides || x_open[static_cast<size_t>(t)] > 0;
  }

  // ---- rules ----

  struct Deeper {
    explicit Deeper(Parser& p) : parser(p) {
      if (++p.x_depth > kMaxDepth && !p.x_stop) {
        p.x_errors.add(Errors::kNowhere, cat("expression recursion limit exceeded: ", kMaxDepth));
        p.x_stop = true;
      }
    }
    ~Deeper() { --parser.x_depth; }
    Parser& parser;
  };

  NodeId expression() {
    Deeper deeper(*this);
    NodeId condition = logic(Token::kOr);
    if (x_stop || token() != Token::kQuestion) return condition;
    const uint32_t at = take().at;
    NodeId yes = middle();
    expect(Token::kColon, "':'", starts_operand(token()), Then::kEnd);
    NodeId no = expression();
    return x_make.node(Op::kIf, at, {condition, yes, no}, "_?_:_");
  }

  NodeId middle() {
    Open open(*this, {Token::kColon});
    return logic(Token::kOr);
  }

  NodeId logic(Token op) {
    auto term = [&] { return op == Token::kOr ? logic(Token::kAnd) : binary(1); };
    std::vector<NodeId> terms = {term()};
    const uint32_t at = here().at;
    while (accept(op)) terms.push_back(term());
    if (terms.size() == 1) return terms[0];
    return x_make.node(op == Token::kOr ? Op::kOr : Op::kAnd, at, std::move(terms));
  }

  NodeId binary(int level) {
    if (level > 3) return unary();
    NodeId left = binary(level + 1);
    while (!x_stop) {
      const auto* op = std::find_if(std::begin(kBinary), std::end(kBinary), [&](const Operator& o) {
        return o.level == level && o.token == token();
      });
      if (op == std::end(kBinary)) break;
      const uint32_t at = take().at;
      NodeId right = binary(level + 1);
      const Op node = op->token == Token::kEqual ? Op::kEqual : op->token == Token::kUnequal ? Op::kUnequal : Op::kCall;
      left = x_make.node(node, at, {left, right}, op->function);
    }
    return left;
  }

  NodeId unary() {
    const Token sign = token();
    const bool literal = sign == Token::kMinus && (ahead(1) == Token::kInt || ahead(1) == Token::kFloat);
    if (x_stop || literal || (sign != Token::kMinus && sign != Token::kNot)) return member();
    const uint32_t at = here().at;
    size_t times = 0;
    while (accept(sign)) ++times;
    NodeId operand = member();
    if (times % 2 == 0) return operand;
    return x_make.node(Op::kCall, at, {operand}, sign == Token::kNot ? "!_" : "-_");
  }

  NodeId member() {
    NodeId left = primary();
    while (!x_stop) {
      if (token() == Token::kDot) {
        left = select(left);
      } else if (token() == Token::kLeftBracket) {
        const uint32_t at = take().at;
        const bool optional = accept(Token::kQuestion);
        if (!optional) operand_or("'!', '?'");
        NodeId index = inner({Token::kRightBracket});
        expect(Token::kRightBracket, "']'", may_end(), Then::kOperator);
        left = x_make.node(optional ? Op::kOptIndex : Op::kIndex, at, {left, index}, optional ? "_[?_]" : "_[_]");
      } else {
        break;
      }
    }
    return left;
  }

  NodeId select(NodeId left) {
    const uint32_t at = take().at;
    const bool optional = accept(Token::kQuestion);
    const Lexeme name = here();
    if (name.token == Token::kEscaped) {
      take();
      x_errors.add(name.at, "unsupported syntax: '`'");
      return left;
    }
    if (name.token != Token::kIdent) {
      no_field(at, optional);
      return left;
    }
    take();
    if (optional) {
      return x_make.node(Op::kOptSelect, at, {left, x_make.text_constant(name.at, std::string(name.text))}, "_?._");
    }
    if (token() != Token::kLeftParen) return x_make.node(Op::kSelect, at, {left}, name.text);
    const uint32_t open = take().at;
    return x_make.call(open, name.text, left, arguments());
  }
  void no_field(uint32_t dot, bool optional) {
    const Token t = token();
    const bool word = t == Token::kTrue || t == Token::kFalse || t == Token::kNull;
    if (optional) return unexpected("{IDENTIFIER, ESC_IDENTIFIER}", false, Then::kOperator);
    if (word) return unexpected("IDENTIFIER", false, Then::kOperator);
    const size_t end = t == Token::kEnd ? dot + 1 : here().at + here().text.size();
    syntax(cat("no viable alternative at input '", in_message(x_source.substr(dot, end - dot)), "'"));
    recover(Then::kOperator);
  }

  std::vector<NodeId> arguments() {
    std::vector<NodeId> out;
    if (accept(Token::kRightParen)) return out;
    operand_or("'(', ')'");
    if (accept(Token::kRightParen)) return out;
    do out.push_back(inner({Token::kRightParen, Token::kComma}));
    while (accept(Token::kComma));
    expect(Token::kRightParen, "')'", may_end(), Then::kOperator);
    return out;
  }
  // An operand, or the second of `both`, a part of the list of what was expected.
  void operand_or(std::string_view both) {
    if (x_stop || starts_operand(token())) return;
    const std::string_view first = both.substr(0, 3);
    const bool good_behind = starts_operand(ahead(1)) || ahead(1) == Token::kRightParen;
    unexpected(cat("{", replace_all(kOperand, first, both), "}"), good_behind);
  }
  // The end of a list whose elements commas divide.
  void closing(Token end, std::string_view wanted) {
    if (x_stop || accept(end)) return;
    const bool good_behind = ahead(1) == end;
    unexpected(wanted, good_behind);
    if (good_behind) take();
  }

  NodeId primary() {
    if (x_stop) return x_make.node(Op::kConst, here().at, {});
    if (!starts_operand(token())) unexpected(cat("{", kOperand, "}"), starts_operand(ahead(1)));
    if (!starts_operand(token())) return x_make.node(Op::kConst, here().at, {});
    switch (token()) {
      case Token::kLeftParen: {
        take();
        NodeId nested = inner({Token::kRightParen});
        expect(Token::kRightParen, "')'", may_end());
        return nested;
      }
      case Token::kLeftBracket: return list();
      case Token::kLeftBrace: return map();
      case Token::kDot:
      case Token::kIdent: return name();
      default: return literal();
    }
  }

  NodeId list() {
    const uint32_t at = take().at;
    std::vector<NodeId> items;
    std::vector<bool> optional;
    const bool nothing = token() == Token::kComma && ahead(1) == Token::kRightBracket && accept(Token::kComma);
    while (!nothing && !x_stop && token() != Token::kRightBracket) {
      optional.push_back(accept(Token::kQuestion));
      items.push_back(inner({Token::kRightBracket, Token::kComma}));
      if (!accept(Token::kComma)) break;
    }
    closing(Token::kRightBracket, "{']', ','}");
    NodeId id = x_make.node(Op::kList, at, std::move(items));
    x_ast.nodes[id].optional = std::move(optional);
    return id;
  }

  NodeId map() {
    const uint32_t at = take().at;
    std::vector<NodeId> kids;
    std::vector<bool> optional;
    const bool nothing = token() == Token::kComma && ahead(1) == Token::kRightBrace && accept(Token::kComma);
    while (!nothing && !x_stop && token() != Token::kRightBrace) {
      optional.push_back(accept(Token::kQuestion));
      kids.push_back(inner({Token::kColon, Token::kRightBrace}));
      expect(Token::kColon, "':'", starts_operand(token()), Then::kEnd);
      kids.push_back(inner({Token::kRightBrace, Token::kComma}));
      if (!accept(Token::kComma)) break;
    }
    closing(Token::kRightBrace, "{'}', ','}");
    NodeId id = x_make.node(Op::kMap, at, std::move(kids));
    x_ast.nodes[id].optional = std::move(optional);
    return id;
  }

  NodeId name() {
    const uint32_t start = here().at;
    const bool rooted = accept(Token::kDot);
    const Lexeme word = here();
    if (word.token != Token::kIdent) {
      no_field(start, false);
      return x_make.node(Op::kConst, start, {});
    }
    take();
    if (is_message()) return message(std::string(word.text));
    const bool reserved = std::find(std::begin(kReserved), std::end(kReserved), word.text) != std::end(kReserved);
    if (reserved) x_errors.add(start, cat("reserved identifier: ", word.text));
    const std::string text = (rooted ? "." : "") + std::string(word.text);
    if (token() != Token::kLeftParen) return x_make.node(Op::kIdent, word.at, {}, text);
    const uint32_t open = take().at;
    return x_make.call(open, text, std::nullopt, arguments());
  }

  // Name(.Name)*{ -- a message's literal.
  bool is_message() const {
    size_t n = 0;
    while (ahead(n) == Token::kDot && ahead(n + 1) == Token::kIdent) n += 2;
    return ahead(n) == Token::kLeftBrace;
  }
  NodeId message(std::string type) {
    while (accept(Token::kDot)) type += cat(".", take().text);
    const uint32_t at = take().at;
    while (!x_stop && token() != Token::kRightBrace) {
      accept(Token::kQuestion);
      expect(Token::kIdent, "IDENTIFIER", token() == Token::kColon);
      expect(Token::kColon, "':'", starts_operand(token()), Then::kEnd);
      inner({Token::kRightBrace, Token::kComma});
      if (!accept(Token::kComma)) break;
    }
    closing(Token::kRightBrace, "{'}', ','}");
    return x_make.node(Op::kMessage, at, {}, type);
  }

  NodeId literal() {
    const uint32_t at = here().at;
    std::string text;
    if (token() == Token::kMinus) text = take().text;
    const Lexeme word = take();
    text += word.text;
    auto bad = [&](std::string_view what) {
      x_errors.add(at, cat("invalid ", what, " literal"));
      return Val();
    };
    auto constant = [&](Val v) { return x_make.constant(at, v); };
    switch (word.token) {
      case Token::kTrue: return constant(Val::boolean(true));
      case Token::kFalse: return constant(Val::boolean(false));
      case Token::kNull: return constant(Val());
      case Token::kInt:
      case Token::kUint: {
        const bool is_unsigned = word.token == Token::kUint;
        if (is_unsigned) text.pop_back();
        const size_t prefix = text.find("0x");
        if (prefix != std::string::npos) text.erase(prefix, 2);
        const int base = prefix == std::string::npos ? 10 : 16;
        ParseError error = ParseError::kNone;
        if (is_unsigned) {
          const uint64_t u = parse_uint(text, base, 64, &error);
          return constant(error == ParseError::kNone ? Val::uinteger(u) : bad("uint"));
        }
        const int64_t i = parse_int(text, base, 64, &error);
        return constant(error == ParseError::kNone ? Val::integer(i) : bad("int"));
      }
      case Token::kFloat: {
        bool range = false;
        auto d = parse_float(text, &range);
        return constant(d && !range ? Val::real(*d) : bad("double"));
      }
      default: {
        auto value = unquote_literal(word.text);
        if (!value) x_errors.add(at, value.error().text());
        const Kind kind = word.token == Token::kBytes ? Kind::kBytes : Kind::kString;
        return x_make.text_constant(at, value ? std::move(*value) : "", kind);
      }
    }
  }

  const std::string_view x_source;
  const std::vector<Lexeme> x_tokens;
  Errors& x_errors;
  Ast x_ast;
  Maker x_make;
  size_t x_next = 0;
  size_t x_failed_at = static_cast<size_t>(-1);
  int x_depth = 0;
  std::array<int, static_cast<size_t>(Token::kPercent) + 1> x_open{};
  bool x_stop = false, x_recovering = false;
};

}  // namespace

Ast parse(std::string_view source, Errors& errors) {
  if (size_t n = rune_count(source); n > kMaxCharacters) {
    errors.add(Errors::kNowhere, cat("expression code point size exceeds limit: size: ", n, ", limit ", kMaxCharacters));
    return {};
  }
  return Parser(source, errors).run();
}

}  // namespace pintle::cel
