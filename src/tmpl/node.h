// The tree of one parsed text, as Go's text/template/parse shapes it.
//
// Nodes live in their Source's arena and point into its text; they keep byte positions, from which
// lines and columns are counted only when an error needs them. The compiler walks the tree once at
// first use; afterwards it serves error messages alone (to_source prints a node as Go's String).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "value/func.h"

namespace pintle::tmpl {

enum class NodeKind : uint8_t {
  kText,
  kAction,
  kBool,
  kBreak,
  kChain,
  kCommand,
  kContinue,
  kDot,
  kElse,  // ends a list; never in the tree
  kEnd,   // likewise
  kField,
  kIdentifier,
  kIf,
  kList,
  kNil,
  kNumber,
  kPipe,
  kRange,
  kString,
  kTemplate,
  kVariable,
  kWith,
};

struct Node {
  NodeKind kind;
  uint32_t pos;  // byte offset in Source::text
};

struct TextNode : Node {
  std::string_view text;
};
struct BoolNode : Node {
  bool value;
};
struct NumberNode : Node {
  bool is_int, is_uint, is_float, is_complex;
  int64_t int_value;
  uint64_t uint_value;
  double float_value;
  double imaginary;  // with float_value as the real part when is_complex
  std::string_view text;
};
struct StringNode : Node {
  std::string_view quoted;  // as written
  std::string_view text;
};
struct NamesNode : Node {
  std::span<std::string_view> names;
};
struct FieldNode : NamesNode {};     // .a.b
struct VariableNode : NamesNode {};  // $x.a.b: names[0] is "$x"
struct ChainNode : Node {  // (pipeline).a.b or function.a.b
  Node* base;
  std::span<std::string_view> names;
};
struct IdentifierNode : Node {
  std::string_view name;
  const value::FuncDef* function;
};
struct CommandNode : Node {
  std::span<Node*> args;
};
struct PipeNode : Node {
  bool is_assign;
  std::span<VariableNode*> decl;
  std::span<CommandNode*> commands;
};
struct ListNode : Node {
  std::span<Node*> nodes;
};
struct ActionNode : Node {
  PipeNode* pipe;
};
struct BranchNode : Node {  // if, with, range
  PipeNode* pipe;
  ListNode* list;
  ListNode* else_list;  // null: none
};
struct TemplateNode : Node {
  std::string_view name;
  PipeNode* pipe;  // null: none
};

// Bump allocation for trivially destructible things; freed as a whole.
class Arena {
 public:
  template <typename T>
  T* make() {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (take(sizeof(T), alignof(T))) T();
  }
  template <typename T>
  std::span<T> copy(const T* items, size_t n) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (n == 0) return {};
    auto* p = static_cast<T*>(take(n * sizeof(T), alignof(T)));
    std::memcpy(static_cast<void*>(p), items, n * sizeof(T));
    return {p, n};
  }
  std::string_view copy(std::string_view s) {
    auto bytes = copy(s.data(), s.size());
    return {bytes.data(), bytes.size()};
  }

 private:
  void* take(size_t n, size_t align);

  std::vector<std::unique_ptr<char[]>> blocks_;
  char* at_ = nullptr;
  size_t left_ = 0;
};

// One text given to parse(). What is made from it lies in `arena`, which many texts may share.
struct Source {
  explicit Source(Arena& a) : arena(a) {}

  std::string name;        // error messages say this (Go's ParseName)
  std::string_view text;   // the caller's, or `owned`
  std::string owned;
  Arena& arena;
};

// A node as Go prints it: what stands in "at <...>".
std::string to_source(const Node& node);
bool is_empty_tree(const Node* node);

// 1-based line and 0-based byte column of a position.
struct LineColumn {
  int line;
  int column;
};
LineColumn locate(std::string_view text, size_t pos);

}  // namespace pintle::tmpl
