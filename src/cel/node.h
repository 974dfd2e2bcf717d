// The program: nodes in one array, children by index. The parser writes it with macros expanded, the
// checker adds types, functions and variables' slots, the evaluator walks it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cel/type.h"
#include "cel/val.h"
#include "regex/regex.h"

namespace pintle::cel {

struct Function;
struct Overload;

enum class Op : uint8_t {
  kConst,    // `value`; of texts `text`
  kIdent,    // `text`; a variable's `slot`, or a type's name
  kSelect,   // kids[0].text
  kHas,      // has(kids[0].text)
  kCall,     // text(kids...); the receiver first when `member`
  kAnd, kOr, // of all kids
  kIf,       // kids: condition, then, else
  kEqual, kUnequal,
  kIndex, kOptIndex, kOptSelect,  // kids: operand, index
  kOptOr, kOptOrValue,            // the second is only looked at when the first has no value
  kList,     // kids; optional ones by `optional`
  kMap,      // kids: key, value, key, value ...; optional entries by `optional`
  kMessage,  // text{...}: no message type is known
  kFold,     // kids: range, [filter,] body; see Fold
  kBind,     // kids: value, body: `text` stands for the value in the body
};

enum class Fold : uint8_t {
  kAll, kExists, kExistsOne, kMap, kFilter, kTransformMap, kTransformMapEntry
};

using NodeId = uint32_t;

struct Node {
  Op op = Op::kConst;
  Fold fold = Fold::kAll;
  bool member = false;
  bool filtered = false;  // a fold with a filter between range and body
  uint32_t at = 0;        // where it stands in the text, in bytes
  std::vector<NodeId> kids;
  std::vector<bool> optional;
  std::string text, text2;  // the fold's variables
  Val value;

  // The checker's part.
  TypePtr type = nullptr;
  uint32_t slot = 0;
  const Function* function = nullptr;
  const Overload* overload = nullptr;  // when it is the only one that fits
  regex::RegexPtr regex;               // of a pattern known beforehand
};

inline constexpr uint32_t kSelfSlot = 0, kOldSelfSlot = 1, kFirstLocalSlot = 2;

struct Ast {
  std::vector<Node> nodes;
  NodeId root = 0;
};

// Errors against the text, as cel-go prints them, in the order of the text, 100 at most.
class Errors {
 public:
  static constexpr size_t kNowhere = static_cast<size_t>(-1);  // of the text as a whole

  explicit Errors(std::string_view source) : x_source(source) {}
  void add(size_t at, std::string message);
  bool empty() const { return x_errors.empty(); }
  std::string text() const;

 private:
  struct One {
    size_t at;
    std::string message;
  };
  std::string shown(const One& e) const;
  std::string_view x_source;
  std::vector<One> x_errors;
};

}  // namespace pintle::cel
