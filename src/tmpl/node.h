// The tree of one parsed text, as Go's text/template/parse shapes it.
//
// Nodes live in their Source's arena and point into its text; they keep byte positions, from which
// lines and columns are counted only when an error needs them. The compiler walks the tree once at
// first use; afterwards it serves error messages alone (to_source prints a node as Go's String).
//
// The tree of every template of a chart is held although few of them run, so nodes are small: a
// count shares the word of the kind, a path is the slice of text it was written as, and an only
// child needs no list. `{{ .a.b }}` takes 64 bytes.
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

inline constexpr size_t kMaxNodeSize = (1 << 24) - 1;

struct Node {
  NodeKind kind : 5;
  uint8_t bits : 3;     // PipeNode's
  uint32_t size : 24;   // children, or bytes of a path; at most kMaxNodeSize
  uint32_t pos;         // byte offset in Source::text
};
static_assert(sizeof(Node) == 8);

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
struct PathNode : Node {
  const char* start;
  std::string_view path() const { return {start, size}; }
};
struct FieldNode : PathNode {};     // .a.b
struct VariableNode : PathNode {    // $x.a.b
  std::string_view name() const { return path().substr(0, path().find('.')); }
  std::string_view fields() const { return path().substr(name().size()); }
};
struct ChainNode : PathNode {  // (pipeline).a.b or function.a.b: the path is what follows
  Node* base;
};
struct IdentifierNode : Node {
  std::string_view name;
  const value::FuncDef* function;
};
struct ParentNode : Node {
  union {
    Node* only;    // of one child
    Node** many;
  };
  std::span<Node* const> children() const { return {size == 1 ? &only : many, size}; }
};
struct CommandNode : ParentNode {
  std::span<Node* const> args() const { return children(); }
};
// `$i, $x := command | command`: the variables come first among the children.
struct PipeNode : ParentNode {
  static constexpr uint8_t kAssigns = 4;  // in bits, beside the number of variables
  bool is_assign() const { return (bits & kAssigns) != 0; }
  size_t declared() const { return bits & 3; }
  const VariableNode& variable(size_t i) const {
    return *static_cast<const VariableNode*>(children()[i]);
  }
  size_t commands() const { return size - declared(); }
  const CommandNode& command(size_t i) const {
    return *static_cast<const CommandNode*>(children()[declared() + i]);
  }
};
struct ListNode : ParentNode {
  std::span<Node* const> nodes() const { return children(); }
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
    if (n == 0) return {};
    T* p = room<T>(n);
    std::memcpy(static_cast<void*>(p), items, n * sizeof(T));
    return {p, n};
  }
  template <typename T>
  T* room(size_t n) {  // for the caller to fill
    static_assert(std::is_trivially_copyable_v<T>);
    return static_cast<T*>(take(n * sizeof(T), alignof(T)));
  }
  std::string_view copy(std::string_view s) {
    auto bytes = copy(s.data(), s.size());
    return {bytes.data(), bytes.size()};
  }

  size_t blocks() const { return blocks_.size(); }  // of 32 KiB or more, but for two
  void reset() {
    blocks_.clear();
    at_ = nullptr;
    left_ = 0;
  }

 private:
  void* take(size_t n, size_t align) {
    const size_t skip = -reinterpret_cast<uintptr_t>(at_) & (align - 1);
    if (left_ < n + skip) return begin_block(n);
    char* p = at_ + skip;
    at_ = p + n;
    left_ -= n + skip;
    return p;
  }
  void* begin_block(size_t n);  // and take n from it

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
