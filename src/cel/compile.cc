// Text to Program: parsed, checked, and its constants tried out as cel-go's validators and optimizer
// do: patterns compile, durations and timestamps can be read, literals hold one type.
#include <algorithm>

#include "base/strings.h"
#include "cel/checker.h"
#include "cel/function.h"
#include "cel/library_regex.h"
#include "cel/parser.h"
#include "cel/program.h"
#include "cel/text_format.h"

namespace pintle::cel {
namespace {

bool is_text(const Node& n) { return n.op == Op::kConst && n.value.is(Kind::kString); }

bool is_conversion(const Node& n) {
  constexpr std::string_view kNames[] = {"bool", "bytes",  "double",    "duration", "dyn",
                                         "int",  "string", "timestamp", "type",     "uint"};
  const bool unary = n.op == Op::kCall && !n.member && n.kids.size() == 1;
  return unary && std::find(std::begin(kNames), std::end(kNames), n.text) != std::end(kNames);
}

class Constants {
 public:
  Constants(Program::Rep& rep, Errors& errors) : x_rep(rep), x_nodes(rep.ast.nodes), x_errors(errors) {}

  // What makes the text wrong.
  void validate() {
    mark_format_arguments();
    for (NodeId id = 0; id < x_nodes.size(); ++id) {
      const Node& n = x_nodes[id];
      if (!n.type) continue;  // written, but no part of the program
      if (n.op == Op::kList || n.op == Op::kMap) one_type(n, id);
      if (n.op == Op::kCall && n.text == "matches") pattern(n);
      if (is_conversion(n) && (n.text == "duration" || n.text == "timestamp")) moment(n, id);
      if (n.op == Op::kCall && n.member && n.text == "format") format(n);
    }
  }

  // What cannot be run though it is well written.
  Status instantiate() {
    for (NodeId id = 0; id < x_nodes.size(); ++id) {
      Node& n = x_nodes[id];
      if (!n.type) continue;
      if (is_constant_conversion(n)) TRY(check_constant(x_rep, id));
      if (n.op != Op::kCall || n.kids.size() < 2 || !takes_regex(n.text) || !is_text(x_nodes[n.kids[1]])) continue;
      auto regex = regex::Regex::compile(x_nodes[n.kids[1]].text);
      if (!regex) return Error(Code::kFailedPrecondition, regex.error().text());
      n.regex = *regex;
    }
    return ok();
  }

 private:
  bool is_constant_conversion(const Node& n) const {
    if (!is_conversion(n)) return false;
    const Node& argument = x_nodes[n.kids[0]];
    return argument.op == Op::kConst || is_constant_conversion(argument) || is_constant_list(argument);
  }
  bool is_constant_list(const Node& n) const {
    return (n.op == Op::kList || n.op == Op::kMap) &&
           std::all_of(n.kids.begin(), n.kids.end(), [&](NodeId k) { return x_nodes[k].op == Op::kConst; });
  }

  void mismatch(NodeId id, TypePtr wanted, TypePtr found) {
    x_errors.add(x_nodes[id].at, cat("expected type '", type_text(wanted), "' but found '", type_text(found), "'"));
  }
  // Of a list's elements, a map's keys and a map's values; format takes any.
  void one_type(const Node& n, NodeId id) {
    if (std::binary_search(x_formatted.begin(), x_formatted.end(), id)) return;
    const size_t kinds = n.op == Op::kMap ? 2 : 1;
    for (size_t i = kinds; i < n.kids.size(); ++i) {
      TypePtr wanted = x_nodes[n.kids[i % kinds]].type, found = x_nodes[n.kids[i]].type;
      const bool value = kinds == 1 || i % 2 == 1;
      if (value && n.optional[0] && wanted->kind == Kind::kOptional) wanted = wanted->params[0];
      if (value && n.optional[i / kinds] && found->kind == Kind::kOptional) found = found->params[0];
      if (same_type(wanted, found)) continue;
      mismatch(n.kids[i], wanted, found);
      if (kinds == 1) return;
    }
  }
  void mark_format_arguments() {
    std::vector<NodeId> open;
    for (const Node& n : x_nodes) {
      if (n.op == Op::kCall && n.member && n.text == "format") open.insert(open.end(), n.kids.begin(), n.kids.end());
    }
    std::vector<bool> seen(x_nodes.size());
    while (!open.empty()) {
      const NodeId id = open.back();
      open.pop_back();
      if (seen[id]) continue;
      seen[id] = true;
      x_formatted.push_back(id);
      open.insert(open.end(), x_nodes[id].kids.begin(), x_nodes[id].kids.end());
    }
    std::sort(x_formatted.begin(), x_formatted.end());
  }

  void pattern(const Node& n) {
    const NodeId first = n.kids[n.member ? 1 : 0];
    if (is_text(x_nodes[first]) && !regex::Regex::compile(x_nodes[first].text)) {
      x_errors.add(x_nodes[first].at, "invalid matches argument");
    }
  }
  void moment(const Node& n, NodeId id) {
    const Node& argument = x_nodes[n.kids[0]];
    if (argument.op == Op::kConst && !check_constant(x_rep, id)) {
      x_errors.add(argument.at, cat("invalid ", n.text, " argument"));
    }
  }

  void format(const Node& n) {
    const Node &text = x_nodes[n.kids[0]], &list = x_nodes[n.kids[1]];
    if (!is_text(text) || list.op != Op::kList) return;
    auto clauses = parse_clauses(text.text, list.kids.size());
    if (!clauses) return x_errors.add(n.at, clauses.error().text());
    const size_t wanted = clauses->size() - 1;
    for (size_t i = 0; i < wanted; ++i) {
      const Node* bad = unprintable((*clauses)[i].verb, list.kids[i]);
      if (bad) return x_errors.add(bad->at, clause_error((*clauses)[i].verb, named(bad->type)));
    }
    if (list.kids.size() > wanted) {
      x_errors.add(n.at, cat("too many arguments supplied to string.format (expected ", wanted, ", got ",
                             list.kids.size(), ")"));
    }
  }
  static std::string named(TypePtr t) {
    return t->kind == Kind::kObject ? t->name : std::string(value_type_name(t->kind));
  }
  const Node* unprintable(char verb, NodeId id) const {
    const Node& n = x_nodes[id];
    if (!prints(verb, n.type->kind)) return &n;
    if (verb != 's' || (n.op != Op::kList && n.op != Op::kMap)) return nullptr;
    for (NodeId k : n.kids) {
      if (const Node* bad = unprintable(verb, k)) return bad;
    }
    return nullptr;
  }

  Program::Rep& x_rep;
  std::vector<Node>& x_nodes;
  Errors& x_errors;
  std::vector<NodeId> x_formatted;  // inside the arguments of format
};

}  // namespace

Program::Program(std::unique_ptr<Rep> rep) : x_rep(std::move(rep)) {}
Program::Program(Program&&) noexcept = default;
Program& Program::operator=(Program&&) noexcept = default;
Program::~Program() = default;
const std::string& Program::result_type() const { return x_rep->result_type; }
bool Program::uses_old_self() const { return x_rep->uses_old_self; }

Result<Program> compile(std::string_view text, const Schema& schema, bool optional_old) {
  Errors errors(text);
  auto wrong = [&] { return Error(Code::kInvalidArgument, errors.text()); };
  auto rep = std::make_unique<Program::Rep>();
  rep->ast = parse(text, errors);
  if (!errors.empty()) return wrong();
  Types types;
  const CheckedNames names = check(rep->ast, schema, optional_old, types, errors);
  if (!errors.empty()) return wrong();
  rep->schema = &schema;
  rep->optional_old = optional_old;
  rep->uses_old_self = names.old_self;
  rep->slots = names.slots;
  rep->result_type = type_text(rep->ast.nodes[rep->ast.root].type);
  Constants constants(*rep, errors);
  constants.validate();
  if (!errors.empty()) return wrong();
  TRY(constants.instantiate());
  for (Node& n : rep->ast.nodes) n.type = nullptr;  // they go with `types`
  return Program(std::move(rep));
}

}  // namespace pintle::cel
