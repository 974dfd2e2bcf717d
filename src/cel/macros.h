// Makes nodes for the parser; calls that are macros become folds, bindings and presence tests.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cel/node.h"

namespace pintle::cel {

class Maker {
 public:
  Maker(Ast& ast, Errors& errors) : x_ast(ast), x_errors(errors) {}

  NodeId node(Op op, uint32_t at, std::vector<NodeId> kids, std::string_view text = {});
  NodeId constant(uint32_t at, Val value);
  NodeId text_constant(uint32_t at, std::string text, Kind kind = Kind::kString);
  // `at`: where the opening parenthesis stands.
  NodeId call(uint32_t at, std::string_view name, std::optional<NodeId> target, std::vector<NodeId> arguments);

 private:
  struct Macro;
  NodeId fold(const Macro& macro, uint32_t at, NodeId target, const std::vector<NodeId>& arguments);
  NodeId opt_map(uint32_t at, NodeId target, const std::vector<NodeId>& arguments, bool flat);
  NodeId sort_by(uint32_t at, NodeId target, const std::vector<NodeId>& arguments);
  NodeId plain_call(uint32_t at, std::string_view name, std::optional<NodeId> target, std::vector<NodeId> arguments);
  bool is_name(NodeId id) const { return x_ast.nodes[id].op == Op::kIdent; }

  Ast& x_ast;
  Errors& x_errors;
  struct Depth {
    int counted = 0, real = 0;  // cel-go does not count literals, logic and global calls
  };
  std::vector<Depth> x_depths;  // of the tree below each node
  bool x_too_deep = false;
};

}  // namespace pintle::cel
