#include "cel/macros.h"

#include <algorithm>

#include "base/strings.h"
#include "cel/parser.h"

namespace pintle::cel {

// A fold by its name and number of arguments: `variables` names, a filter or none, the body.
struct Maker::Macro {
  std::string_view name;
  size_t arguments, variables;
  Fold fold;
  std::string_view complaint;  // about a variable that is no name
};

namespace {

constexpr int kMaxRealDepth = 4 * kMaxDepth;
constexpr std::string_view kSimple = "argument must be a simple name", kIdentifier = "argument is not an identifier";
constexpr std::string_view kSortInput = "@__sortBy_input__";

}  // namespace

NodeId Maker::node(Op op, uint32_t at, std::vector<NodeId> kids, std::string_view text) {
  Depth depth;
  for (NodeId k : kids) {
    depth.counted = std::max(depth.counted, x_depths[k].counted);
    depth.real = std::max(depth.real, x_depths[k].real);
  }
  ++depth.real;
  constexpr Op kUncounted[] = {Op::kConst, Op::kIdent, Op::kAnd, Op::kOr, Op::kList, Op::kMap, Op::kMessage, Op::kBind};
  if (std::find(std::begin(kUncounted), std::end(kUncounted), op) == std::end(kUncounted)) ++depth.counted;
  if (depth.counted > kMaxDepth || depth.real > kMaxRealDepth) {
    if (!x_too_deep) x_errors.add(Errors::kNowhere, "max recursion depth exceeded");
    x_too_deep = true;
  }
  Node n;
  n.op = op;
  n.at = at;
  n.kids = std::move(kids);
  n.text = text;
  x_ast.nodes.push_back(std::move(n));
  x_depths.push_back(depth);
  return static_cast<NodeId>(x_ast.nodes.size() - 1);
}

NodeId Maker::constant(uint32_t at, Val value) {
  NodeId id = node(Op::kConst, at, {});
  x_ast.nodes[id].value = value;
  return id;
}
NodeId Maker::text_constant(uint32_t at, std::string text, Kind kind) {
  NodeId id = node(Op::kConst, at, {}, text);
  x_ast.nodes[id].value.kind = kind;
  return id;
}

NodeId Maker::plain_call(uint32_t at, std::string_view name, std::optional<NodeId> target, std::vector<NodeId> arguments) {
  if (target) arguments.insert(arguments.begin(), *target);
  Op op = Op::kCall;
  if (target && arguments.size() == 2) {
    if (name == "or") op = Op::kOptOr;
    if (name == "orValue") op = Op::kOptOrValue;
  }
  NodeId id = node(op, at, std::move(arguments), name);
  x_ast.nodes[id].member = target.has_value();
  return id;
}

NodeId Maker::call(uint32_t at, std::string_view name, std::optional<NodeId> target, std::vector<NodeId> arguments) {
  static constexpr Macro kFolds[] = {
      {"all", 2, 1, Fold::kAll, kSimple},
      {"exists", 2, 1, Fold::kExists, kSimple},
      {"exists_one", 2, 1, Fold::kExistsOne, kSimple},
      {"map", 2, 1, Fold::kMap, kIdentifier},
      {"map", 3, 1, Fold::kMap, kIdentifier},
      {"filter", 2, 1, Fold::kFilter, kIdentifier},
      {"all", 3, 2, Fold::kAll, kSimple},
      {"exists", 3, 2, Fold::kExists, kSimple},
      {"exists_one", 3, 2, Fold::kExistsOne, kSimple},
      {"existsOne", 3, 2, Fold::kExistsOne, kSimple},
      {"transformList", 3, 2, Fold::kMap, kSimple},
      {"transformList", 4, 2, Fold::kMap, kSimple},
      {"transformMap", 3, 2, Fold::kTransformMap, kSimple},
      {"transformMap", 4, 2, Fold::kTransformMap, kSimple},
      {"transformMapEntry", 3, 2, Fold::kTransformMapEntry, kSimple},
      {"transformMapEntry", 4, 2, Fold::kTransformMapEntry, kSimple},
  };
  if (!target) {
    if (name != "has" || arguments.size() != 1) return plain_call(at, name, target, std::move(arguments));
    const Node& field = x_ast.nodes[arguments[0]];
    if (field.op != Op::kSelect) {
      x_errors.add(field.at, "invalid argument to has() macro");
      return arguments[0];
    }
    return node(Op::kHas, at, field.kids, std::string(field.text));
  }
  for (const Macro& m : kFolds) {
    if (m.name == name && m.arguments == arguments.size()) return fold(m, at, *target, arguments);
  }
  if (arguments.size() == 2) {
    if (name == "optMap" || name == "optFlatMap") return opt_map(at, *target, arguments, name == "optFlatMap");
    if (name == "sortBy") return sort_by(at, *target, arguments);
  }
  return plain_call(at, name, target, std::move(arguments));
}

NodeId Maker::fold(const Macro& m, uint32_t at, NodeId target, const std::vector<NodeId>& arguments) {
  std::vector<NodeId> kids = {target};
  kids.insert(kids.end(), arguments.begin() + static_cast<ptrdiff_t>(m.variables), arguments.end());
  std::string names[2];
  for (size_t i = 0; i < m.variables; ++i) {
    const Node& v = x_ast.nodes[arguments[i]];
    if (!is_name(arguments[i])) {
      x_errors.add(v.at, std::string(m.complaint));
      return target;
    }
    names[i] = v.text;
  }
  for (size_t i = 0; i < m.variables; ++i) {
    const Node& v = x_ast.nodes[arguments[i]];
    if (i == 1 && names[0] == names[1]) x_errors.add(v.at, cat("duplicate variable name: ", names[1]));
    else if (names[i] == "__result__") x_errors.add(v.at, "iteration variable overwrites accumulator variable");
  }
  NodeId id = node(Op::kFold, at, std::move(kids), names[0]);
  Node& out = x_ast.nodes[id];
  out.fold = m.fold;
  out.text2 = names[1];
  out.filtered = arguments.size() > m.variables + 1;
  return id;
}

// target.hasValue() ? optional.of(body with the name standing for target.value()) : optional.none()
NodeId Maker::opt_map(uint32_t at, NodeId target, const std::vector<NodeId>& arguments, bool flat) {
  if (!is_name(arguments[0])) {
    x_errors.add(x_ast.nodes[arguments[0]].at,
                 cat(flat ? "optFlatMap" : "optMap", "() variable name must be a simple identifier"));
    return target;
  }
  const std::string variable = x_ast.nodes[arguments[0]].text;
  NodeId has = plain_call(at, "hasValue", target, {});
  NodeId value = plain_call(at, "value", target, {});
  NodeId body = node(Op::kBind, at, {value, arguments[1]}, variable);
  if (!flat) body = plain_call(at, "optional.of", std::nullopt, {body});
  return node(Op::kIf, at, {has, body, plain_call(at, "optional.none", std::nullopt, {})}, "_?_:_");
}

NodeId Maker::sort_by(uint32_t at, NodeId target, const std::vector<NodeId>& arguments) {
  const Op kind = x_ast.nodes[target].op;
  if (kind == Op::kConst || kind == Op::kMap || kind == Op::kMessage) {
    x_errors.add(x_ast.nodes[target].at,
                 "sortBy can only be applied to a list, identifier, comprehension, call or select expression");
    return target;
  }
  NodeId input = node(Op::kIdent, at, {}, kSortInput), again = node(Op::kIdent, at, {}, kSortInput);
  NodeId keys = fold({"map", 2, 1, Fold::kMap, kIdentifier}, at, again, arguments);
  NodeId sorted = plain_call(at, "@sortByAssociatedKeys", input, {keys});
  return node(Op::kBind, at, {target, sorted}, kSortInput);
}

}  // namespace pintle::cel
