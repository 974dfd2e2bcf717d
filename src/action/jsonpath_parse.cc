#include <algorithm>

#include "action/jsonpath_node.h"
#include "base/gotext.h"
#include "base/strings.h"

namespace pintle::action {
namespace {

using Node = JsonPath::Node;
using Kind = Node::Kind;
using NodePtr = std::unique_ptr<Node>;

constexpr char32_t kEnd = 0xFFFFFFFF;
constexpr int kMaxDepth = 100;  // filters inside filters

bool is_line_end(char32_t r) { return r == '\r' || r == '\n'; }
bool is_word(char32_t r) { return r == '_' || is_letter(r) || is_digit(r); }
bool is_terminator(char32_t r) {
  constexpr std::u32string_view kSigns = U" \t\r\n.,[]$@{}";
  return r == kEnd || kSigns.find(r) != kSigns.npos;
}
Error bad(std::string text) { return {Code::kInvalidArgument, std::move(text)}; }

class Parser {
 public:
  Parser(std::string_view input, int depth) : input_(input), depth_(depth) {}

  Result<NodePtr> parse() {
    if (depth_ > kMaxDepth) return bad("expression nested too deeply");
    auto root = std::make_unique<Node>(Kind::kList);
    while (pos_ < input_.size()) {
      const size_t brace = std::min(input_.find('{', pos_), input_.size());
      if (brace > pos_) add(*root, Kind::kText, std::string(input_.substr(pos_, brace - pos_)));
      pos_ = brace;
      if (pos_ == input_.size()) break;
      ++pos_;
      root->children.push_back(std::make_unique<Node>(Kind::kList));
      TRY(action(*root->children.back()));
    }
    return root;
  }

 private:
  // The list of one action: text between its braces.
  Result<NodePtr> parse_action(std::string_view text) const {
    auto root = TRY(Parser(cat("{", text, "}"), depth_ + 1).parse());
    return std::move(root->children[0]);
  }

  Status action(Node& list);
  Status array(Node& list);
  Status filter(Node& list);
  Status quoted(Node& list, char32_t end);
  Status number(Node& list);
  void field(Node& list);
  void word(Node& list);
  Status slice(Node& list, std::string_view text);

  static Node& add(Node& list, Kind kind, std::string text = {}) {
    return *list.children.emplace_back(std::make_unique<Node>(kind, std::move(text)));
  }
  char32_t next() {
    if (pos_ >= input_.size()) {
      width_ = 0;
      return kEnd;
    }
    const Rune r = decode_rune(input_.substr(pos_));
    width_ = static_cast<size_t>(r.size);
    pos_ += width_;
    return r.value;
  }
  void back() { pos_ -= width_; }
  char32_t peek() {
    const char32_t r = next();
    back();
    return r;
  }
  bool at(std::string_view s) const { return input_.substr(pos_).starts_with(s); }

  const std::string_view input_;
  const int depth_;
  size_t pos_ = 0, width_ = 0;
};

Status Parser::action(Node& list) {
  for (;;) {
    if (at("}")) {
      ++pos_;
      return ok();
    }
    if (at("[?(")) {
      TRY(filter(list));
      continue;
    }
    if (at("..")) {
      if (!list.children.empty() && list.children.back()->kind == Kind::kRecursive) {
        return bad("invalid multiple recursive descent");
      }
      pos_ += 2;
      add(list, Kind::kRecursive);
      if (is_word(peek())) field(list);
      continue;
    }
    const char32_t r = next();
    if (r == kEnd || is_line_end(r)) return bad("unclosed action");
    if (r == ' ' || r == '@' || r == '$') continue;
    if (r == '[') {
      TRY(array(list));
    } else if (r == '"' || r == '\'') {
      TRY(quoted(list, r));
    } else if (r == '.') {
      field(list);
    } else if (r == '+' || r == '-' || is_digit(r)) {
      back();
      TRY(number(list));
    } else if (is_word(r)) {
      back();
      word(list);
    } else {
      return bad("unrecognized character in action: " + rune_name(r));
    }
  }
}

void Parser::word(Node& list) {
  const size_t start = pos_;
  while (!is_terminator(peek())) next();
  std::string text(input_.substr(start, pos_ - start));
  if (text == "true" || text == "false") {
    add(list, Kind::kBool).integer = text == "true";
  } else {
    add(list, Kind::kIdentifier, std::move(text));
  }
}

void Parser::field(Node& list) {
  const size_t start = pos_;
  for (char32_t r = next();; r = next()) {
    if (r == '\\') {
      next();
    } else if (is_terminator(r)) {
      back();
      break;
    }
  }
  std::string text(input_.substr(start, pos_ - start));
  if (text == "*") {
    add(list, Kind::kWildcard);
    return;
  }
  std::erase(text, '\\');
  add(list, Kind::kField, std::move(text));
}

Status Parser::number(Node& list) {
  const size_t start = pos_;
  if (peek() == '+' || peek() == '-') next();
  while (peek() == '.' || is_digit(peek())) next();
  const std::string_view text = input_.substr(start, pos_ - start);
  ParseError error{};
  const int64_t integer = parse_int(text, 10, 64, &error);
  if (error == ParseError::kNone) {
    add(list, Kind::kInt).integer = integer;
    return ok();
  }
  const auto real = parse_float(text);
  if (!real) return bad(cat("cannot parse number ", text));
  add(list, Kind::kFloat).number = *real;
  return ok();
}

Status Parser::quoted(Node& list, char32_t end) {
  const size_t start = pos_ - 1;
  for (;;) {
    const char32_t r = next();
    if (r == kEnd || r == '\n') return bad("unterminated quoted string");
    if (r == end && input_[pos_ - 2] != '\\') break;
  }
  const std::string_view text = input_.substr(start, pos_ - start);
  const std::string_view inner = text.substr(1, text.size() - 2);
  if (inner.find('\\') == inner.npos && inner.find(static_cast<char>(end)) == inner.npos) {
    add(list, Kind::kText, std::string(inner));
    return ok();
  }
  // strconv.Unquote knows one rune between single quotes; there the other quote is escaped instead.
  std::string go(inner);
  if (end == '\'') go = replace_all(replace_all(go, "\"", "\\\""), "\\'", "'");
  const auto plain = unquote(cat("\"", go, "\""));
  if (!plain) return bad(cat("unquote string ", text, " error invalid syntax"));
  add(list, Kind::kText, *plain);
  return ok();
}

// "[start:end:step]", each of them optional; "[i]" is "[i:i+1]".
Status Parser::slice(Node& list, std::string_view text) {
  const auto parts = split(text, ":");
  const auto digits = [](std::string_view s) {
    if (s.starts_with('-')) s.remove_prefix(1);
    return std::all_of(s.begin(), s.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  if (parts.size() > 3 || !std::all_of(parts.begin(), parts.end(), digits)) {
    return bad(cat("invalid array index ", text));
  }
  std::array<Node::Param, 3> params;
  for (size_t i = 0; i < 3; ++i) {
    if (i >= parts.size()) {
      if (i == 1) params[i] = {params[0].value + 1, true, true};
      continue;
    }
    if (parts[i].empty()) {
      if (i == 1 && parts.size() == 1) params[i] = {params[0].value + 1, true, true};
      continue;
    }
    ParseError error{};
    params[i].value = parse_int(parts[i], 10, 32, &error);
    params[i].known = true;
    if (error != ParseError::kNone) {
      return bad(cat("array index ", parts[i], " is not a number"));
    }
  }
  add(list, Kind::kArray).params = params;
  return ok();
}

Status Parser::array(Node& list) {
  const size_t start = pos_;
  for (char32_t r = next(); r != ']'; r = next()) {
    if (r == kEnd || r == '\n') return bad("unterminated array");
  }
  std::string_view text = input_.substr(start, pos_ - 1 - start);
  if (text == "*") text = ":";
  const auto parts = split(text, ",");
  if (parts.size() > 1) {
    NodePtr all = std::make_unique<Node>(Kind::kUnion);
    for (std::string_view part : parts) {
      while (part.starts_with(' ')) part.remove_prefix(1);
      while (part.ends_with(' ')) part.remove_suffix(1);
      all->children.push_back(TRY(parse_action(cat("[", part, "]"))));
    }
    list.children.push_back(std::move(all));
    return ok();
  }
  const bool key = text.size() >= 2 && text.front() == '\'' && text.back() == '\'' &&
                   text.find('\'', 1) == text.size() - 1;
  if (!key) return slice(list, text);
  NodePtr fields = TRY(parse_action(cat(".", text.substr(1, text.size() - 2))));
  for (NodePtr& node : fields->children) list.children.push_back(std::move(node));
  return ok();
}

Status Parser::filter(Node& list) {
  pos_ += 3;
  const size_t start = pos_;
  bool opened = false, closed = false;
  char32_t pair = 0;
  for (bool inside = true; inside;) {
    const char32_t r = next();
    if (r == kEnd || r == '\n') return bad("unterminated filter");
    if (r == '"' || r == '\'') {
      if (!opened) {
        opened = true;
        pair = r;
      } else if (input_[pos_ - 2] != '\\' && r == pair) {
        closed = true;
      }
    } else if (r == ')' && opened == closed) {
      inside = false;
    }
  }
  if (next() != ']') return bad("unclosed array expect ]");
  const std::string_view text = input_.substr(start, pos_ - 2 - start);

  constexpr std::string_view kOperators = "!<>=";
  const size_t op = text.find_first_of(kOperators);
  const size_t right = op == text.npos ? op : text.find_first_not_of(kOperators, op);
  NodePtr node = std::make_unique<Node>(Kind::kFilter, "exists");
  if (op == text.npos || op == 0 || right == text.npos) {
    node->children.push_back(TRY(parse_action(text)));
    node->children.push_back(std::make_unique<Node>(Kind::kList));
  } else {
    node->text = text.substr(op, right - op);
    node->children.push_back(TRY(parse_action(text.substr(0, op))));
    node->children.push_back(TRY(parse_action(text.substr(right))));
  }
  list.children.push_back(std::move(node));
  return ok();
}

}  // namespace

Result<NodePtr> parse_jsonpath(std::string_view text) { return Parser(text, 0).parse(); }

}  // namespace pintle::action
