// Text to tree (text/template/parse/parse.go). Inside this room only.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "tmpl/node.h"
#include "tmpl/stack_limit.h"

namespace pintle::tmpl {

// The functions a text may name: the caller's shadow the builtins.
class FunctionTable {
 public:
  explicit FunctionTable(std::span<const value::FuncDef> functions);
  const value::FuncDef* find(std::string_view name) const {
    auto it = by_name_.find(name);
    return it == by_name_.end() ? nullptr : it->second;
  }

 private:
  std::unordered_map<std::string_view, const value::FuncDef*> by_name_;
};

// A named tree found in a text: the text itself or one of its defines and blocks.
struct Definition {
  std::string_view name;
  ListNode* root;
  bool empty;  // nothing but blanks: never replaces another definition
  bool whole;  // the text itself
};

// Parses source.text. The definition named source.name is the text itself, unless it is empty and a
// define in it has that name. Errors: Go's text, with Location.
Result<std::vector<Definition>> parse(Source& source, const FunctionTable& functions,
                                      const StackLimit& stack);

}  // namespace pintle::tmpl
