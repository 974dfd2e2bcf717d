// Recursive descent over the lexer's tokens with a look-ahead of three, in Go's own order of
// questions, because the order decides which of two errors a text gets. The first error sticks:
// afterwards next() yields EOF and every caller unwinds.
//
// Limits: 10,000 nested parentheses (Go's), nested blocks and parentheses by stack (StackLimit),
// 96 MiB of trees in an arena.
// Cost: linear; nodes go to the source's arena.
#include "tmpl/parser.h"

#include <algorithm>
#include <unordered_map>

#include "base/gotext.h"
#include "base/printable.h"
#include "base/strings.h"
#include "tmpl/builtins.h"
#include "tmpl/lexer.h"
#include "tmpl/numbers.h"
#include "tmpl/tmpl.h"

namespace pintle::tmpl {

namespace {

constexpr int kMaxParens = 10000;
constexpr size_t kMaxBlocks = 3072;  // of 32 KiB of a set, or of a text given to tpl
constexpr size_t kMaxLookedAt = 300'000'000;

class Parser {
 public:
  Parser(Source& source, const FunctionTable& functions, const StackLimit& stack)
      : source_(source),
        arena_(source.arena),
        functions_(functions),
        stack_(stack),
        lexer_(source.text, functions.find("break") == nullptr,
               functions.find("continue") == nullptr) {}

  Result<std::vector<Definition>> run() {
    ListNode* root = top_level();
    if (!failed_) add(source_.name, root, true);
    if (failed_) return std::move(*error_);
    return std::move(definitions_);
  }

 private:
  using K = TokenKind;

  // What belongs to one tree while it is parsed: a define or block starts afresh.
  struct TreeState {
    std::vector<std::string_view> vars{"$"};
    uint32_t action_pos = 0;
    bool in_action = false;
    int range_depth = 0;
    int parens = 0;
  };

  // ---- tokens ----
  Token next() {
    if (peeked_ > 0) {
      --peeked_;
    } else {
      read();
    }
    return tokens_[peeked_];
  }
  Token peek() {
    if (peeked_ > 0) return tokens_[peeked_ - 1];
    peeked_ = 1;
    read();
    return tokens_[0];
  }
  void read() {
    if (failed_) {
      tokens_[0] = Token{};
    } else {
      tokens_[0] = lexer_.next();
    }
  }
  std::string_view text_of(Token token) const { return lexer_.text_of(token); }
  void backup() { ++peeked_; }
  void backup2(Token t1) {
    tokens_[1] = t1;
    peeked_ = 2;
  }
  void backup3(Token t2, Token t1) {
    tokens_[1] = t1;
    tokens_[2] = t2;
    peeked_ = 3;
  }
  Token next_non_space() {
    Token t = next();
    while (t.kind == K::kSpace) t = next();
    return t;
  }
  Token peek_non_space() {
    Token t = next_non_space();
    backup();
    return t;
  }

  // ---- errors ----
  std::nullptr_t fail(std::string_view message) {
    if (failed_) return nullptr;
    int line = line_of(tokens_[0].pos);
    Error e(cat("template: ", source_.name, ":", line, ": ", shortened(message)), Code::kInvalidArgument);
    auto where = std::make_unique<Location>();
    where->stage = Location::Stage::kParse;
    where->name = source_.name;
    where->line = line;
    e.set_detail(std::move(where));
    error_ = std::move(e);
    failed_ = true;
    peeked_ = 0;
    return nullptr;
  }
  int line_of(size_t pos) const { return locate(source_.text, pos).line; }
  std::nullptr_t unexpected(Token token, std::string_view context) {
    if (failed_) return nullptr;
    if (token.kind != K::kError) {
      return fail(cat("unexpected ", lexer_.describe(token), " in ", context));
    }
    std::string text(text_of(token));
    if (tree_.in_action && line_of(tree_.action_pos) != line_of(token.pos)) {
      if (!text.ends_with(" action")) text += " in action";
      append(text, {" started at ", source_.name, ":"});
      text += std::to_string(line_of(tree_.action_pos));
    }
    return fail(text);
  }
  bool too_deep() {
    if (!stack_.exceeded()) return false;
    fail("max expression depth exceeded");
    return true;
  }

  // A byte of text may become sixteen of tree, and each use of a variable goes through those in
  // scope.
  bool too_large() {
    if (source_.arena.blocks() <= kMaxBlocks && looked_at_ <= kMaxLookedAt) return false;
    fail("templates are too large");
    return true;
  }

  // ---- nodes ----
  template <typename T>
  T* make(NodeKind kind, uint32_t pos) {
    T* n = arena_.make<T>();
    n->kind = kind;
    n->pos = pos;
    return n;
  }
  // Collects the children of one node on a stack shared by all nodes being parsed.
  class Children {
   public:
    explicit Children(std::vector<Node*>& stack) : stack_(stack), mark_(stack.size()) {}
    ~Children() { stack_.resize(mark_); }
    void push_back(Node* item) { stack_.push_back(item); }
    std::span<Node* const> items() const { return std::span(stack_).subspan(mark_); }

   private:
    std::vector<Node*>& stack_;
    size_t mark_;
  };
  void adopt(ParentNode& parent, std::span<Node* const> children) {
    if (children.size() > kMaxNodeSize) {
      fail("template is too large");
      return;
    }
    parent.size = static_cast<uint32_t>(children.size());
    if (children.size() == 1) {
      parent.only = children[0];
    } else {
      parent.many = arena_.copy(children.data(), children.size()).data();
    }
  }
  void set_path(PathNode& node, const char* start, const char* end) {
    if (static_cast<size_t>(end - start) > kMaxNodeSize) {
      fail("template is too large");
      return;
    }
    node.start = start;
    node.size = static_cast<uint32_t>(end - start);
  }

  ListNode* top_level();
  void definition();
  void add(std::string_view name, ListNode* root, bool whole);
  ListNode* item_list(Node*& end);
  Node* text_or_action();
  Node* action();
  Node* jump(NodeKind kind, uint32_t pos, std::string_view word);
  PipeNode* pipeline(std::string_view context, K end);
  bool declarations(PipeNode& pipe, Children& children, std::string_view context);
  void check_pipeline(const PipeNode& pipe, std::string_view context);
  Node* control(NodeKind kind, std::string_view word);
  Node* block_control();
  Node* template_control();
  Node* else_control();
  bool template_name(Token token, std::string_view context, std::string_view& name);
  CommandNode* command();
  Node* operand();
  Node* term();
  Node* number(Token token);
  Node* parenthesized();
  VariableNode* variable(uint32_t pos, std::string_view name);
  bool unquoted(std::string_view quoted_text, std::string_view& text);

  Source& source_;
  Arena& arena_;
  const FunctionTable& functions_;
  const StackLimit& stack_;
  Lexer lexer_;
  Token tokens_[3];
  int peeked_ = 0;
  TreeState tree_;
  std::vector<Node*> nodes_;
  std::vector<Definition> definitions_;
  std::unordered_map<std::string_view, size_t> defined_;  // in definitions_, by name
  std::optional<Error> error_;
  size_t looked_at_ = 0;  // variables
  bool failed_ = false;
};

// The text's own tree, with the defines in it taken out.
ListNode* Parser::top_level() {
  Children nodes(nodes_);
  auto* root = make<ListNode>(NodeKind::kList, peek().pos);
  while (!failed_ && peek().kind != K::kEof) {
    if (peek().kind == K::kLeftDelim) {
      Token delim = next();
      if (next_non_space().kind == K::kDefine) {
        definition();
        continue;
      }
      backup2(delim);
    }
    Node* n = text_or_action();
    if (n == nullptr) return nullptr;
    if (n->kind == NodeKind::kEnd || n->kind == NodeKind::kElse) {
      return fail(cat("unexpected ", to_source(*n)));
    }
    nodes.push_back(n);
  }
  adopt(*root, nodes.items());
  return failed_ ? nullptr : root;
}

void Parser::definition() {
  constexpr std::string_view kContext = "define clause";
  TreeState outer = std::exchange(tree_, TreeState());
  Token token = next_non_space();
  std::string_view name;
  if (token.kind != K::kString && token.kind != K::kRawString) {
    unexpected(token, kContext);
  } else if (!unquoted(text_of(token), name)) {
    fail("invalid syntax");
  } else if (Token close = next_non_space(); close.kind != K::kRightDelim) {
    unexpected(close, kContext);
  } else {
    Node* end = nullptr;
    ListNode* root = item_list(end);
    if (root != nullptr && end->kind != NodeKind::kEnd) {
      fail(cat("unexpected ", to_source(*end), " in ", kContext));
    } else if (root != nullptr) {
      add(name, root, false);
    }
  }
  tree_ = std::move(outer);
}

void Parser::add(std::string_view name, ListNode* root, bool whole) {
  bool empty = is_empty_tree(root);
  const auto [it, fresh] = defined_.try_emplace(name, definitions_.size());
  if (fresh) {
    definitions_.push_back({name, root, empty, whole});
  } else if (Definition& known = definitions_[it->second]; known.empty) {
    known = {name, root, empty, whole};
  } else if (!empty) {
    fail(cat("template: multiple definition of template ", quote(name)));
  }
}

ListNode* Parser::item_list(Node*& end) {
  if (too_deep()) return nullptr;
  Children nodes(nodes_);
  auto* list = make<ListNode>(NodeKind::kList, peek_non_space().pos);
  while (!failed_ && peek_non_space().kind != K::kEof) {
    Node* n = text_or_action();
    if (n == nullptr) return nullptr;
    if (n->kind == NodeKind::kEnd || n->kind == NodeKind::kElse) {
      end = n;
      adopt(*list, nodes.items());
      return failed_ ? nullptr : list;
    }
    nodes.push_back(n);
  }
  return fail("unexpected EOF");
}

Node* Parser::text_or_action() {
  Token token = next_non_space();
  if (token.kind == K::kText) {
    auto* n = make<TextNode>(NodeKind::kText, token.pos);
    n->text = text_of(token);
    return n;
  }
  if (token.kind != K::kLeftDelim) return unexpected(token, "input");
  tree_.in_action = true;
  tree_.action_pos = token.pos;
  Node* n = action();
  tree_.in_action = false;
  return failed_ ? nullptr : n;
}

Node* Parser::action() {
  if (too_large()) return nullptr;
  Token token = next_non_space();
  switch (token.kind) {
    case K::kBlock: return block_control();
    case K::kBreak: return jump(NodeKind::kBreak, token.pos, "{{break}}");
    case K::kContinue: return jump(NodeKind::kContinue, token.pos, "{{continue}}");
    case K::kElse: return else_control();
    case K::kEnd: {
      Token close = next_non_space();
      if (close.kind != K::kRightDelim) return unexpected(close, "end");
      return make<Node>(NodeKind::kEnd, close.pos);
    }
    case K::kIf: return control(NodeKind::kIf, "if");
    case K::kRange: return control(NodeKind::kRange, "range");
    case K::kTemplate: return template_control();
    case K::kWith: return control(NodeKind::kWith, "with");
    default: break;
  }
  backup();
  auto* n = make<ActionNode>(NodeKind::kAction, peek().pos);
  n->pipe = pipeline("command", K::kRightDelim);
  return n->pipe == nullptr ? nullptr : n;
}

Node* Parser::jump(NodeKind kind, uint32_t pos, std::string_view word) {
  Token close = next_non_space();
  if (close.kind != K::kRightDelim) return unexpected(close, word);
  if (tree_.range_depth == 0) return fail(cat(word, " outside {{range}}"));
  return make<Node>(kind, pos);
}

// `$x :=`, `$i, $x =` ...; false: failed.
bool Parser::declarations(PipeNode& pipe, Children& children, std::string_view context) {
  uint8_t declared = 0;
  for (;;) {
    Token v = peek_non_space();
    if (v.kind != K::kVariable) break;
    next();
    Token after = peek();
    Token token = peek_non_space();
    if (token.kind == K::kAssign || token.kind == K::kDeclare) {
      if (token.kind == K::kAssign) pipe.bits = PipeNode::kAssigns;
      next_non_space();
      children.push_back(variable(v.pos, text_of(v)));
      ++declared;
      tree_.vars.push_back(text_of(v));
      break;
    }
    if (token.kind == K::kChar && text_of(token) == ",") {
      next_non_space();
      children.push_back(variable(v.pos, text_of(v)));
      ++declared;
      tree_.vars.push_back(text_of(v));
      if (context == "range" && declared < 2) {
        K kind = peek_non_space().kind;
        if (kind == K::kVariable || kind == K::kRightDelim || kind == K::kRightParen) continue;
        fail("range can only initialize variables");
        return false;
      }
      fail(cat("too many declarations in ", context));
      return false;
    }
    if (after.kind == K::kSpace) {
      backup3(v, after);
    } else {
      backup2(v);
    }
    break;
  }
  pipe.bits = pipe.bits | declared;
  return !failed_;
}

PipeNode* Parser::pipeline(std::string_view context, K end) {
  auto* pipe = make<PipeNode>(NodeKind::kPipe, peek_non_space().pos);
  Children children(nodes_);
  if (!declarations(*pipe, children, context)) return nullptr;
  for (;;) {
    Token token = next_non_space();
    if (token.kind == end) {
      adopt(*pipe, children.items());
      check_pipeline(*pipe, context);
      return failed_ ? nullptr : pipe;
    }
    switch (token.kind) {
      case K::kBool:
      case K::kCharConstant:
      case K::kComplex:
      case K::kDot:
      case K::kField:
      case K::kIdentifier:
      case K::kNumber:
      case K::kNil:
      case K::kRawString:
      case K::kString:
      case K::kVariable:
      case K::kLeftParen: break;
      default: return unexpected(token, context);
    }
    backup();
    CommandNode* c = command();
    if (c == nullptr) return nullptr;
    children.push_back(c);
  }
}

void Parser::check_pipeline(const PipeNode& pipe, std::string_view context) {
  if (failed_) return;
  if (pipe.commands() == 0) {
    fail(cat("missing value for ", context));
    return;
  }
  for (size_t i = 1; i < pipe.commands(); ++i) {
    switch (pipe.command(i).args()[0]->kind) {
      case NodeKind::kBool:
      case NodeKind::kDot:
      case NodeKind::kNil:
      case NodeKind::kNumber:
      case NodeKind::kString:
        fail(cat("non executable command in pipeline stage ", i + 1));
        return;
      default: break;
    }
  }
}

// if, with and range, up to their end.
Node* Parser::control(NodeKind kind, std::string_view word) {
  size_t vars = tree_.vars.size();
  PipeNode* pipe = pipeline(word, K::kRightDelim);
  if (pipe == nullptr) return nullptr;
  auto* branch = make<BranchNode>(kind, pipe->pos);
  branch->pipe = pipe;
  if (kind == NodeKind::kRange) ++tree_.range_depth;
  Node* end = nullptr;
  branch->list = item_list(end);
  if (kind == NodeKind::kRange) --tree_.range_depth;
  if (branch->list == nullptr) return nullptr;
  if (end->kind == NodeKind::kElse) {
    // "else if" inside if, "else with" inside with: a nested node that shares the end.
    K again = kind == NodeKind::kIf ? K::kIf : kind == NodeKind::kWith ? K::kWith : K::kEof;
    if (again != K::kEof && peek().kind == again) {
      next();
      Node* nested = control(kind, word);
      if (nested == nullptr) return nullptr;
      branch->else_list = make<ListNode>(NodeKind::kList, end->pos);
      adopt(*branch->else_list, {&nested, 1});
    } else {
      branch->else_list = item_list(end);
      if (branch->else_list == nullptr) return nullptr;
      if (end->kind != NodeKind::kEnd) {
        return fail(cat("expected end; found ", to_source(*end)));
      }
    }
  }
  tree_.vars.resize(vars);
  return branch;
}

Node* Parser::else_control() {
  Token token = peek_non_space();
  if (token.kind == K::kIf || token.kind == K::kWith) {
    return make<Node>(NodeKind::kElse, token.pos);
  }
  token = next_non_space();
  if (token.kind != K::kRightDelim) return unexpected(token, "else");
  return make<Node>(NodeKind::kElse, token.pos);
}

bool Parser::template_name(Token token, std::string_view context, std::string_view& name) {
  if (token.kind != K::kString && token.kind != K::kRawString) {
    unexpected(token, context);
  } else if (!unquoted(text_of(token), name)) {
    fail("invalid syntax");
  }
  return !failed_;
}

// A define and a template call in one.
Node* Parser::block_control() {
  constexpr std::string_view kContext = "block clause";
  Token token = next_non_space();
  std::string_view name;
  if (!template_name(token, kContext, name)) return nullptr;
  PipeNode* pipe = pipeline(kContext, K::kRightDelim);
  if (pipe == nullptr) return nullptr;

  TreeState outer = std::exchange(tree_, TreeState());
  Node* end = nullptr;
  ListNode* root = item_list(end);
  if (root == nullptr) return nullptr;
  if (end->kind != NodeKind::kEnd) {
    return fail(cat("unexpected ", to_source(*end), " in ", kContext));
  }
  add(name, root, false);
  tree_ = std::move(outer);

  auto* n = make<TemplateNode>(NodeKind::kTemplate, token.pos);
  n->name = name;
  n->pipe = pipe;
  return n;
}

Node* Parser::template_control() {
  constexpr std::string_view kContext = "template clause";
  Token token = next_non_space();
  auto* n = make<TemplateNode>(NodeKind::kTemplate, token.pos);
  if (!template_name(token, kContext, n->name)) return nullptr;
  if (next_non_space().kind != K::kRightDelim) {
    backup();
    n->pipe = pipeline(kContext, K::kRightDelim);
    if (n->pipe == nullptr) return nullptr;
  }
  return n;
}

CommandNode* Parser::command() {
  auto* cmd = make<CommandNode>(NodeKind::kCommand, peek_non_space().pos);
  Children args(nodes_);
  for (;;) {
    peek_non_space();
    Node* n = operand();
    if (failed_ || too_large()) return nullptr;
    if (n != nullptr) args.push_back(n);
    Token token = next();
    if (token.kind == K::kSpace) continue;
    if (token.kind == K::kRightDelim || token.kind == K::kRightParen) {
      backup();
    } else if (token.kind != K::kPipe) {
      return unexpected(token, "operand");
    }
    break;
  }
  adopt(*cmd, args.items());
  if (cmd->size == 0) return fail("empty command");
  return failed_ ? nullptr : cmd;
}

// A term and the .fields behind it; null without an error: no operand here.
Node* Parser::operand() {
  Node* node = term();
  if (node == nullptr || peek().kind != K::kField) return node;
  uint32_t pos = peek().pos;
  const char* start = text_of(peek()).data();
  const char* end = start;
  while (peek().kind == K::kField) {
    const std::string_view field = text_of(next());
    end = field.data() + field.size();
  }
  if (node->kind == NodeKind::kField || node->kind == NodeKind::kVariable) {
    node->pos = pos;  // Go makes the node anew, at the second element
    auto& path = static_cast<PathNode&>(*node);
    set_path(path, path.start, end);
    return failed_ ? nullptr : node;
  }
  switch (node->kind) {
    case NodeKind::kBool:
    case NodeKind::kString:
    case NodeKind::kNumber:
    case NodeKind::kNil:
    case NodeKind::kDot:
      return fail(cat("unexpected . after term ", quote(to_source(*node))));
    default: break;
  }
  auto* n = make<ChainNode>(NodeKind::kChain, pos);
  n->base = node;
  set_path(*n, start, end);
  return failed_ ? nullptr : n;
}

Node* Parser::term() {
  Token token = next_non_space();
  switch (token.kind) {
    case K::kIdentifier: {
      auto* n = make<IdentifierNode>(NodeKind::kIdentifier, token.pos);
      n->name = text_of(token);
      n->function = functions_.find(text_of(token));
      if (n->function == nullptr) return fail(cat("function ", quote(text_of(token)), " not defined"));
      return n;
    }
    case K::kDot: return make<Node>(NodeKind::kDot, token.pos);
    case K::kNil: return make<Node>(NodeKind::kNil, token.pos);
    case K::kVariable: {
      looked_at_ += tree_.vars.size();
      bool known = std::find(tree_.vars.begin(), tree_.vars.end(), text_of(token)) != tree_.vars.end();
      if (!known) return fail(cat("undefined variable ", quote(text_of(token))));
      return variable(token.pos, text_of(token));
    }
    case K::kField: {
      auto* n = make<FieldNode>(NodeKind::kField, token.pos);
      set_path(*n, text_of(token).data(), text_of(token).data() + text_of(token).size());
      return n;
    }
    case K::kBool: {
      auto* n = make<BoolNode>(NodeKind::kBool, token.pos);
      n->value = text_of(token) == "true";
      return n;
    }
    case K::kCharConstant:
    case K::kComplex:
    case K::kNumber: return number(token);
    case K::kLeftParen: return parenthesized();
    case K::kString:
    case K::kRawString: {
      auto* n = make<StringNode>(NodeKind::kString, token.pos);
      n->quoted = text_of(token);
      if (!unquoted(text_of(token), n->text)) return fail("invalid syntax");
      return n;
    }
    default: break;
  }
  backup();
  return nullptr;
}

Node* Parser::number(Token token) {
  auto* n = make<NumberNode>(NodeKind::kNumber, token.pos);
  n->text = text_of(token);
  std::string error = token.kind == K::kCharConstant ? read_char_constant(*n, text_of(token))
                      : token.kind == K::kComplex    ? read_complex(*n, text_of(token))
                                                     : read_number(*n, text_of(token));
  if (!error.empty()) return fail(error);
  return n;
}

Node* Parser::parenthesized() {
  if (tree_.parens >= kMaxParens) return fail("max expression depth exceeded");
  if (too_deep()) return nullptr;
  ++tree_.parens;
  Node* n = pipeline("parenthesized pipeline", K::kRightParen);
  --tree_.parens;
  return n;
}

VariableNode* Parser::variable(uint32_t pos, std::string_view name) {
  auto* n = make<VariableNode>(NodeKind::kVariable, pos);
  set_path(*n, name.data(), name.data() + name.size());
  return n;
}

// strconv.Unquote; most strings are a slice of the source.
bool Parser::unquoted(std::string_view quoted_text, std::string_view& text) {
  std::string_view inner = quoted_text.substr(1, quoted_text.size() - 2);
  bool plain = quoted_text[0] == '`' ? inner.find('\r') == inner.npos
                                     : inner.find('\\') == inner.npos && valid_utf8(inner);
  if (plain) {
    text = inner;
    return true;
  }
  auto unescaped = unquote(quoted_text);
  if (!unescaped) return false;
  text = arena_.copy(std::string_view(*unescaped));
  return true;
}

}  // namespace

FunctionTable::FunctionTable(std::span<const value::FuncDef> functions) {
  auto builtin = builtins();
  by_name_.reserve(functions.size() + builtin.size());
  for (const auto& f : functions) by_name_.emplace(f.name, &f);
  for (const auto& f : builtin) by_name_.emplace(f.name, &f);
}

Result<std::vector<Definition>> parse(Source& source, const FunctionTable& functions,
                                      const StackLimit& stack) {
  return Parser(source, functions, stack).run();
}

}  // namespace pintle::tmpl
