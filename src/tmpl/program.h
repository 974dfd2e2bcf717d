// What the VM runs: one template as a flat list of 8-byte instructions with tables beside it.
// Inside this room only. README.md tells how it is made and run.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tmpl/builtins.h"
#include "tmpl/node.h"
#include "value/func.h"

namespace pintle::tmpl {

// a, b: operands as named. "push"/"pop": the value stack. Results marked kEndsCommand turn a nil
// interface into "no value", as Go does between the commands of a pipeline.
enum class Op : uint8_t {
  kText,          // write texts[a]
  kConst,         // push constants[a]
  kDot,           // push dot
  kVar,           // push slot a
  kVarIfSet,      // slot a set (flag in slot b): push it, else skip the next instruction
  kInvalid,       // push "no value"
  kField,         // push dot.paths[a]
  kFieldVar,      // push slot b .paths[a]
  kFieldTop,      // pop x, push x.paths[a]
  kMethod,        // look at the receiver on top: resolve calls[a]'s method, or jump to its `end`
  kCallMethod,    // pop arguments and receiver, push the result of the resolved method
  kCall,          // pop arguments, push the result of calls[a]
  kCheckArg,      // check the top against parameter b of calls[a]
  kCheckMethodArg,  // same for the resolved method
  kAnd,           // top false: jump to a, else pop
  kOr,            // top true: jump to a, else pop
  kNip,           // remove the value under the top
  kPop,
  kCallValue,     // as kCall for the builtin `call`, which never finds a function
  kMark,          // remember this instruction's node as the one visited last
  kJoin,          // nothing: ways that leave one value meet here
  kSet,           // slot a = pop (kKeep: leave it on the stack)
  kSetIfSet,      // as kSet when flag slot b is set, else skip the next instruction
  kSetFlag,       // slot a = true
  kClearFlag,     // slot a = false
  kPrint,         // pop and print
  kJump,          // to a
  kJumpFalse,     // pop; false: jump to a
  kWith,          // pop; true: save dot in slot b, dot = it; false: jump to a
  kRestoreDot,    // dot = slot b
  kRange,         // pop; start ranges[a] or jump to its `otherwise`
  kRangeNext,     // next round of ranges[a] or jump to its `done`
  kRangeEnd,      // drop the innermost iterator, restore dot
  kFindTemplate,  // fail unless template a exists
  kTemplate,      // pop data, run template a
  kFail,          // error messages[a]
  kReturn,
};

inline constexpr uint8_t kEndsCommand = 1;  // Instr::flags
inline constexpr uint8_t kKeep = 2;
inline constexpr uint8_t kElement = 4;  // kSet: the value is an element of the range going on

struct Instr {
  Op op;
  uint8_t flags = 0;
  uint16_t b = 0;
  uint32_t a = 0;
};
static_assert(sizeof(Instr) == 8);

// .a.b.c: keys to follow, and the node a failing method of the chain is reported at.
struct Path {
  std::string_view names;  // as written: ".a.b.c"
  const Node* node;
};

struct CallSite {
  const value::FuncDef* function;  // null: a method, resolved at run time
  const Node* node;                // "error calling" is reported here
  const CommandNode* command;      // as written; null when called without arguments
  const char* params;              // one letter for each argument given, the piped one last
  const Node* const* arg_nodes;    // where a bad argument is reported
  uint32_t written = 0;            // arguments in the text
  uint32_t end = 0;                // kMethod: where a receiver of no value goes
  bool piped = false;
  // kMethod: where the receiver came from, which knows whether it is an interface.
  enum class From : uint8_t { kValue, kDot, kSlot, kPath } from = From::kValue;
  uint16_t slot = 0;

  size_t arguments() const { return written + (piped ? 1 : 0); }
  std::string_view name() const {
    if (function != nullptr) return function->name;
    std::string_view path = static_cast<const PathNode*>(node)->path();
    return path.substr(path.rfind('.') + 1);
  }
};
static_assert(sizeof(CallSite) <= 56);

struct RangeSite {
  uint32_t otherwise = 0, done = 0;
  uint32_t instructions = 0;       // of the body
  uint16_t variables = 0;          // 0, 1, 2
  bool assign = false;             // push index and element for the kSet behind, no slots
  uint16_t slots[2] = {0, 0};
};

// The tables lie in the arena of the template's source, each exactly as long as it must be.
struct Program {
  std::span<Instr> code;
  std::span<const Node*> nodes;  // code[i]'s, for its error; &kDynamicNode: the VM knows
  std::span<std::string_view> texts;
  std::vector<value::Value> constants;
  std::span<Path> paths;
  std::span<CallSite> calls;
  std::span<RangeSite> ranges;
  std::vector<std::string> messages;
  uint32_t slots = 1;      // variables and saved dots; slot 0 is $
  uint32_t max_stack = 0;
};

extern const Node kDynamicNode;

// A template of a set or of a tpl text.
struct Template {
  std::string_view name;
  Source* source = nullptr;
  const ListNode* root = nullptr;
  bool empty = false;
  std::unique_ptr<Program> program;  // made at first use
  Template* twin = nullptr;          // of an equal text: its program serves both
  bool has_twins = false;
};

// Argument kinds: Go's name of the parameter's type; may it be nil?
std::string_view param_type(char param);
bool can_be_nil(char param);
// The letter of parameter i (variadic tails repeat theirs), given as FuncDef::params.
struct Signature {
  std::string_view letters;  // without '*'
  bool variadic = false;
  size_t fixed = 0;
};
Signature signature(std::string_view params);
// "" or the error of giving that many arguments.
std::string check_count(const Signature& s, std::string_view name, size_t written, bool piped);
char written_param(const Signature& s, size_t i);
char piped_param(const Signature& s, size_t written);
// A literal argument as parameter `param` takes it; else false and the error.
bool literal_argument(const Node& node, char param, value::Value& out, std::string& error);
bool is_literal(const Node& node);

}  // namespace pintle::tmpl
