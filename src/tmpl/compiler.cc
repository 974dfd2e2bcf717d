// One walk over the tree in the order Go's exec evaluates it. `at_` follows exec's "current node",
// so every instruction knows the node its error is reported at; only behind and/or (which may stop
// early) is that decided at run time, by kMark.
//
// Variables become slots. A name is resolved against the declarations executed so far on the way
// here, as exec's variable stack would hold them, not against the parser's scopes. A declaration
// inside an and/or argument or a method argument may not have run: it gets a flag slot, and a use
// falls back to the next older variable of that name.
//
// Limits: recursion follows the parser's, which is bounded by stack use. Cost: linear.
#include "tmpl/compiler.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/strings.h"

namespace pintle::tmpl {

const Node kDynamicNode{NodeKind::kNil, 0, 0, 0};

namespace {

constexpr uint16_t kNoFlag = 0xffff;

// How many variables an argument declares; most declare none.
size_t declarations(const Node& node) {
  if (node.kind == NodeKind::kChain) return declarations(*static_cast<const ChainNode&>(node).base);
  if (node.kind != NodeKind::kPipe) return 0;
  auto& pipe = static_cast<const PipeNode&>(node);
  size_t n = pipe.is_assign() ? 0 : pipe.declared();
  for (size_t i = 0; i < pipe.commands(); ++i) {
    for (const Node* arg : pipe.command(i).args()) n += declarations(*arg);
  }
  return n;
}

// `.` or `$`: then it does not matter whether the template is looked up before or after.
bool cannot_fail(const PipeNode& pipe) {
  if (pipe.declared() > 0 || pipe.commands() != 1 || pipe.command(0).args().size() != 1) {
    return false;
  }
  const Node& only = *pipe.command(0).args()[0];
  return only.kind == NodeKind::kDot ||
         (only.kind == NodeKind::kVariable && static_cast<const VariableNode&>(only).path() == "$");
}

class Compiler {
 public:
  Compiler(const NameId& id, Arena& arena, CompilerTables& tables)
      : id_(id), arena_(arena), made_(tables) {}

  std::unique_ptr<Program> run(const ListNode& root) {
    vars_.push_back({"$", 0, kNoFlag});
    list(root);
    emit(Op::kReturn);
    auto program = std::make_unique<Program>();
    program->code = keep(made_.code);
    program->nodes = keep(made_.nodes);
    program->texts = keep(made_.texts);
    made_.strings.clear();
    program->constants.assign(std::move_iterator(made_.constants.begin()),
                              std::move_iterator(made_.constants.end()));
    made_.constants.clear();
    program->paths = keep(made_.paths);
    program->calls = keep(made_.calls);
    program->ranges = keep(made_.ranges);
    program->messages = std::exchange(made_.messages, {});
    program->slots = slots_;
    program->max_stack = max_depth_ + 1;
    return program;
  }

 private:
  struct Variable {
    std::string_view name;
    uint16_t slot;
    uint16_t flag;  // slot that tells whether it was declared; kNoFlag: it was
  };
  struct Loop {
    uint32_t next;
    std::vector<uint32_t> breaks;
  };

  // ---- emitting ----
  uint32_t here() const { return static_cast<uint32_t>(made_.code.size()); }
  uint32_t emit(Op op, uint32_t a = 0, uint16_t b = 0, uint8_t flags = 0) {
    made_.code.push_back({op, flags, b, a});
    made_.nodes.push_back(at_);
    return here() - 1;
  }
  void land(uint32_t jump) { made_.code[jump].a = here(); }
  void pushed(int n = 1) {
    depth_ += n;
    max_depth_ = std::max(max_depth_, static_cast<uint32_t>(depth_));
  }
  template <typename T>
  std::span<T> keep(std::vector<T>& table) {
    const std::span<T> kept = arena_.copy(table.data(), table.size());
    table.clear();
    return kept;
  }
  template <typename T>
  static uint32_t add(std::vector<T>& table, T item) {
    table.push_back(std::move(item));
    return static_cast<uint32_t>(table.size() - 1);
  }
  void push_const(uint32_t constant) {
    emit(Op::kConst, constant);
    pushed();
  }
  // Nothing behind it runs; the stack depth goes on as if it had pushed a value.
  void fail(std::string message) {
    emit(Op::kFail, add(made_.messages, std::move(message)));
    pushed();
  }
  uint16_t new_slot() { return static_cast<uint16_t>(slots_++); }

  // ---- statements ----
  void list(const ListNode& nodes) {
    for (const Node* n : nodes.nodes()) statement(*n);
  }
  void statement(const Node& node);
  void if_with(const BranchNode& node);
  void range(const BranchNode& node);
  void range_variables(const PipeNode& pipe, RangeSite& site);
  void template_call(const TemplateNode& node);

  // ---- expressions: each leaves one value ----
  void pipeline(const PipeNode& pipe, bool value_needed = true);
  void declare(std::string_view name, bool keep);
  void assign(std::string_view name, uint8_t flags);
  void load(std::string_view name);
  void command(const CommandNode& cmd, bool piped);
  void fields(const PathNode& node, const CommandNode* cmd, bool piped);
  void chain(const ChainNode& node, const CommandNode* cmd, bool piped);
  void chain_base(const Node& base);
  void method(const PathNode& node, const CommandNode& cmd, bool piped, CallSite site);
  void call(const IdentifierNode& name, const Node& node, const CommandNode* cmd, bool piped);
  void and_or(Special which, const CommandNode* cmd, bool piped);
  void begin_conditional(std::span<Node* const> args);
  void end_conditional() { --conditional_; }
  uint32_t constant(value::Value v);
  void argument(const Node& arg, char param);
  void plain_argument(const Node& arg);
  bool not_a_function(const CommandNode& cmd, bool piped);
  uint32_t path(std::string_view names, const Node& node) {
    return add(made_.paths, {names, &node});
  }
  const Variable* find(std::string_view name) const {
    for (auto v = vars_.rbegin(); v != vars_.rend(); ++v) {
      if (v->name == name) return &*v;
    }
    return nullptr;
  }

  const NameId& id_;
  Arena& arena_;
  CompilerTables& made_;
  const Node* at_ = nullptr;
  std::vector<Variable> vars_;
  std::vector<Loop> loops_;
  uint32_t slots_ = 1;
  int depth_ = 0;
  uint32_t max_depth_ = 0;
  int conditional_ = 0;  // inside arguments that may be skipped
  std::vector<uint32_t> clears_;  // kClearFlag instructions waiting for their flag, last first
};

void Compiler::statement(const Node& node) {
  // Slots are numbered in 16 bits; no template that people wrote comes near.
  if (slots_ > 60000) return fail("too many variables");
  at_ = &node;
  switch (node.kind) {
    case NodeKind::kText:
      emit(Op::kText, add(made_.texts, static_cast<const TextNode&>(node).text));
      return;
    case NodeKind::kAction: {
      const PipeNode& pipe = *static_cast<const ActionNode&>(node).pipe;
      bool prints = pipe.declared() == 0;
      pipeline(pipe, prints);
      if (prints) {
        at_ = &node;
        emit(Op::kPrint);
        --depth_;
      }
      return;
    }
    case NodeKind::kIf:
    case NodeKind::kWith: return if_with(static_cast<const BranchNode&>(node));
    case NodeKind::kRange: return range(static_cast<const BranchNode&>(node));
    case NodeKind::kTemplate: return template_call(static_cast<const TemplateNode&>(node));
    case NodeKind::kBreak: loops_.back().breaks.push_back(emit(Op::kJump)); return;
    case NodeKind::kContinue: emit(Op::kJump, loops_.back().next); return;
    default: return;
  }
}

void Compiler::if_with(const BranchNode& node) {
  bool is_with = node.kind == NodeKind::kWith;
  size_t outer = vars_.size();
  pipeline(*node.pipe);
  size_t mark = vars_.size();
  uint16_t saved = is_with ? new_slot() : 0;
  uint32_t otherwise = emit(is_with ? Op::kWith : Op::kJumpFalse, 0, saved);
  --depth_;
  list(*node.list);
  if (is_with) emit(Op::kRestoreDot, 0, saved);
  vars_.resize(mark);
  if (node.else_list != nullptr) {
    uint32_t end = emit(Op::kJump);
    land(otherwise);
    list(*node.else_list);
    land(end);
  } else {
    land(otherwise);
  }
  vars_.resize(outer);
}

// The variables of a range hold the ranged value until the first round, so that else sees it there.
void Compiler::range_variables(const PipeNode& pipe, RangeSite& site) {
  site.variables = static_cast<uint16_t>(pipe.declared());
  site.assign = pipe.is_assign();
  if (site.assign) return;
  for (size_t i = 0; i < site.variables; ++i) {
    site.slots[i] = vars_[vars_.size() - site.variables + i].slot;
  }
}

void Compiler::range(const BranchNode& node) {
  size_t outer = vars_.size();
  const PipeNode& pipe = *node.pipe;
  pipeline(pipe);
  RangeSite site;
  range_variables(pipe, site);
  size_t mark = vars_.size();
  uint32_t index = add(made_.ranges, site);
  emit(Op::kRange, index);
  --depth_;
  loops_.push_back({here(), {}});
  emit(Op::kRangeNext, index);
  if (site.assign) {
    pushed(static_cast<int>(site.variables));
    // The index, when wanted, lies on top of the element.
    for (size_t i = 0; i < site.variables; ++i) assign(pipe.variable(i).name(), kElement);
  }
  list(*node.list);
  emit(Op::kJump, loops_.back().next);
  made_.ranges[index].done = here();
  made_.ranges[index].instructions = here() - loops_.back().next;
  for (uint32_t jump : loops_.back().breaks) land(jump);
  loops_.pop_back();
  emit(Op::kRangeEnd);
  vars_.resize(mark);
  if (node.else_list != nullptr) {
    uint32_t end = emit(Op::kJump);
    made_.ranges[index].otherwise = here();
    list(*node.else_list);
    land(end);
  } else {
    made_.ranges[index].otherwise = here();
  }
  vars_.resize(outer);
}

void Compiler::template_call(const TemplateNode& node) {
  uint32_t id = id_(node.name);
  if (node.pipe == nullptr) {
    emit(Op::kInvalid);
    pushed();
  } else {
    if (!cannot_fail(*node.pipe)) emit(Op::kFindTemplate, id);
    pipeline(*node.pipe);
    at_ = &node;
  }
  emit(Op::kTemplate, id);
  --depth_;
}

void Compiler::pipeline(const PipeNode& pipe, bool value_needed) {
  at_ = &pipe;
  for (size_t i = 0; i < pipe.commands(); ++i) {
    command(pipe.command(i), i > 0);
    made_.code.back().flags |= kEndsCommand;
  }
  for (size_t i = 0; i < pipe.declared(); ++i) {
    bool keep = value_needed || i + 1 < pipe.declared();
    if (pipe.is_assign()) {
      assign(pipe.variable(i).name(), keep ? kKeep : 0);
    } else {
      declare(pipe.variable(i).name(), keep);
    }
  }
}

void Compiler::declare(std::string_view name, bool keep) {
  Variable v{name, new_slot(), kNoFlag};
  emit(Op::kSet, v.slot, 0, keep ? kKeep : 0);
  if (!keep) --depth_;
  if (conditional_ > 0) {
    v.flag = new_slot();
    made_.code[clears_.back()].a = v.flag;
    clears_.pop_back();
    emit(Op::kSetFlag, v.flag);
  }
  vars_.push_back(v);
}

// `$x = ...`: the newest variable of that name that was declared on the way here.
void Compiler::assign(std::string_view name, uint8_t flags) {
  std::vector<uint32_t> ends;
  bool settled = false;
  for (size_t i = vars_.size(); i > 0 && !settled; --i) {
    const Variable& v = vars_[i - 1];
    if (v.name != name) continue;
    if (v.flag == kNoFlag) {
      emit(Op::kSet, v.slot, 0, flags);
      settled = true;
    } else {
      emit(Op::kSetIfSet, v.slot, v.flag, flags);
      ends.push_back(emit(Op::kJump));
    }
  }
  if (!settled) {
    fail(cat("undefined variable: ", name));
    --depth_;
  }
  if ((flags & kKeep) == 0) --depth_;
  for (uint32_t jump : ends) land(jump);
}

void Compiler::load(std::string_view name) {
  std::vector<uint32_t> ends;
  bool settled = false;
  for (size_t i = vars_.size(); i > 0 && !settled; --i) {
    const Variable& v = vars_[i - 1];
    if (v.name != name) continue;
    if (v.flag == kNoFlag) {
      emit(Op::kVar, v.slot);
      settled = true;
    } else {
      emit(Op::kVarIfSet, v.slot, v.flag);
      ends.push_back(emit(Op::kJump));
    }
  }
  if (settled) {
    pushed();
  } else {
    fail(cat("undefined variable: ", name));
  }
  for (uint32_t jump : ends) land(jump);
  if (!ends.empty()) emit(Op::kJoin);
}

// Arguments that may be skipped follow: what they declare is undeclared until they run.
void Compiler::begin_conditional(std::span<Node* const> args) {
  if (conditional_++ > 0) return;
  size_t n = 0;
  for (const Node* arg : args) n += declarations(*arg);
  if (n == 0) return;
  clears_.clear();
  uint16_t unused = new_slot();
  for (size_t i = 0; i < n; ++i) clears_.push_back(emit(Op::kClearFlag, unused));
}

// A value that is not called was given arguments: the message replaces it.
bool Compiler::not_a_function(const CommandNode& cmd, bool piped) {
  if (cmd.args().size() == 1 && !piped) return false;
  fail(cat("can't give argument to non-function ", to_source(*cmd.args()[0])));
  if (piped) --depth_;
  return true;
}

void Compiler::command(const CommandNode& cmd, bool piped) {
  const Node& first = *cmd.args()[0];
  switch (first.kind) {
    case NodeKind::kField: {
      at_ = &first;
      return fields(static_cast<const PathNode&>(first), &cmd, piped);
    }
    case NodeKind::kChain: return chain(static_cast<const ChainNode&>(first), &cmd, piped);
    case NodeKind::kIdentifier:
      return call(static_cast<const IdentifierNode&>(first), cmd, &cmd, piped);
    case NodeKind::kPipe:
      if (not_a_function(cmd, piped)) return;
      return pipeline(static_cast<const PipeNode&>(first));
    case NodeKind::kVariable: {
      at_ = &first;
      auto& v = static_cast<const VariableNode&>(first);
      if (!v.fields().empty()) return fields(v, &cmd, piped);
      load(v.name());
      if (cmd.args().size() > 1 || piped) {
        emit(Op::kPop);
        --depth_;
        not_a_function(cmd, piped);
      }
      return;
    }
    default: break;
  }
  at_ = &first;
  if (not_a_function(cmd, piped)) return;
  if (first.kind == NodeKind::kDot) {
    emit(Op::kDot);
    pushed();
  } else if (first.kind == NodeKind::kNil) {
    fail("nil is not a command");
  } else {
    argument(first, 'v');
  }
}

// .a.b or $x.a.b
void Compiler::fields(const PathNode& node, const CommandNode* cmd, bool piped) {
  bool calls = piped || (cmd != nullptr && cmd->args().size() > 1);
  bool of_dot = node.kind == NodeKind::kField;
  std::string_view owner = of_dot ? "" : static_cast<const VariableNode&>(node).name();
  std::string_view names = node.path().substr(owner.size());
  // A method's receiver is the chain without the method's name.
  std::string_view receiver = calls ? names.substr(0, names.rfind('.')) : names;
  const Variable* variable = of_dot ? nullptr : find(owner);
  bool plain_slot = variable != nullptr && variable->flag == kNoFlag;
  if (of_dot && receiver.empty()) {
    emit(Op::kDot);
    pushed();
  } else if (of_dot) {
    emit(Op::kField, path(receiver, node));
    pushed();
  } else if (plain_slot && !receiver.empty()) {
    emit(Op::kFieldVar, path(receiver, node), variable->slot);
    pushed();
  } else {
    load(owner);
    if (!receiver.empty()) emit(Op::kFieldTop, path(receiver, node));
  }
  if (!calls) return;
  CallSite site{};
  using From = CallSite::From;
  site.from = !receiver.empty() ? From::kPath
              : of_dot          ? From::kDot
              : plain_slot      ? From::kSlot
                                : From::kValue;
  if (plain_slot) site.slot = variable->slot;
  method(node, *cmd, piped, std::move(site));
}

void Compiler::chain_base(const Node& base) {
  if (base.kind == NodeKind::kPipe) {
    at_ = &base;
    pipeline(static_cast<const PipeNode&>(base));
  } else {
    at_ = &base;
    call(static_cast<const IdentifierNode&>(base), base, nullptr, false);
  }
}

void Compiler::chain(const ChainNode& node, const CommandNode* cmd, bool piped) {
  at_ = &node;
  chain_base(*node.base);
  if (!piped && (cmd == nullptr || cmd->args().size() == 1)) {
    emit(Op::kFieldTop, path(node.path(), node));
    return;
  }
  CallSite site{};
  if (std::string_view receiver = node.path().substr(0, node.path().rfind('.')); !receiver.empty()) {
    emit(Op::kFieldTop, path(receiver, node));
    site.from = CallSite::From::kPath;
  }
  method(node, *cmd, piped, std::move(site));
}

// The receiver is on the stack; its last name must be a method, which gets the arguments.
void Compiler::method(const PathNode& node, const CommandNode& cmd, bool piped, CallSite site) {
  site.node = &node;
  site.command = &cmd;
  site.written = static_cast<uint32_t>(cmd.args().size() - 1);
  site.piped = piped;
  uint32_t index = add(made_.calls, std::move(site));
  emit(Op::kMethod, index);
  begin_conditional(cmd.args().subspan(1));
  for (size_t i = 1; i < cmd.args().size(); ++i) {
    const Node& arg = *cmd.args()[i];
    if (is_literal(arg)) {
      at_ = &arg;
      emit(Op::kInvalid);  // the parameter's type, known at run time, decides what it becomes
      pushed();
    } else {
      plain_argument(arg);
    }
    emit(Op::kCheckMethodArg, index, static_cast<uint16_t>(i - 1));
  }
  end_conditional();
  emit(Op::kMark);
  emit(Op::kCallMethod, index);
  depth_ -= static_cast<int>(cmd.args().size() - 1) + (piped ? 1 : 0);
  made_.calls[index].end = here();
  at_ = &kDynamicNode;
  emit(Op::kJoin);
}

void Compiler::call(const IdentifierNode& name, const Node& node, const CommandNode* cmd,
                    bool piped) {
  at_ = &name;
  size_t written = cmd == nullptr ? 0 : cmd->args().size() - 1;
  Signature s = signature(name.function->params);
  std::string error = check_count(s, name.name, written, piped);
  if (!error.empty()) {
    fail(std::move(error));
    if (piped) --depth_;
    return;
  }
  Special which = special(name.function);
  if (which == Special::kAnd || which == Special::kOr) return and_or(which, cmd, piped);

  CallSite site{};
  site.function = name.function;
  site.node = &node;
  site.command = cmd;
  site.written = static_cast<uint32_t>(written);
  site.piped = piped;
  char* params = arena_.room<char>(site.arguments());
  for (size_t i = 0; i < written; ++i) params[i] = written_param(s, i);
  if (piped) params[written] = piped_param(s, written);
  site.params = params;
  const Node** arg_nodes = arena_.room<const Node*>(site.arguments());
  site.arg_nodes = arg_nodes;
  uint32_t index = add(made_.calls, std::move(site));

  for (size_t i = 0; i < written; ++i) {
    const Node& arg = *cmd->args()[i + 1];
    char param = written_param(s, i);
    argument(arg, param);
    arg_nodes[i] = at_;
    // A bad argument stops the call before the next one is evaluated.
    bool typed = param != 'v' && param != 'r' && !is_literal(arg);
    if (typed && (i + 1 < written || at_ == &kDynamicNode)) {
      emit(Op::kCheckArg, index, static_cast<uint16_t>(i));
    }
  }
  if (piped) arg_nodes[written] = at_;
  emit(which == Special::kCall ? Op::kCallValue : Op::kCall, index);
  depth_ -= static_cast<int>(written) + (piped ? 1 : 0);
  pushed();
}

void Compiler::and_or(Special which, const CommandNode* cmd, bool piped) {
  std::span<Node* const> args = cmd == nullptr ? std::span<Node* const>() : cmd->args().subspan(1);
  begin_conditional(args);
  std::vector<uint32_t> jumps;
  for (size_t i = 0; i < args.size(); ++i) {
    argument(*args[i], 'r');
    if (i + 1 < args.size() || piped) {
      jumps.push_back(emit(which == Special::kAnd ? Op::kAnd : Op::kOr));
      --depth_;
    }
  }
  end_conditional();
  emit(Op::kMark);
  if (piped && !args.empty()) {
    // An argument that decided lies on top of the piped value, which is then dropped.
    uint32_t end = emit(Op::kJump);
    for (uint32_t jump : jumps) land(jump);
    emit(Op::kNip);
    land(end);
  } else {
    for (uint32_t jump : jumps) land(jump);
  }
  at_ = &kDynamicNode;
  emit(Op::kJoin);
}

// A template says the same words again and again (the names it includes): each is kept once, where
// it takes memory of its own, which also keeps the view of it in place.
uint32_t Compiler::constant(value::Value v) {
  const bool text = v.is_string() && v.as_string().size() > value::Str::kInline;
  if (text) {
    if (auto known = made_.strings.find(v.as_string()); known != made_.strings.end()) {
      return known->second;
    }
  }
  const uint32_t index = add(made_.constants, std::move(v));
  if (text) made_.strings.emplace(made_.constants[index].as_string(), index);
  return index;
}

void Compiler::argument(const Node& arg, char param) {
  if (!is_literal(arg)) return plain_argument(arg);
  at_ = &arg;
  value::Value v;
  std::string error;
  if (literal_argument(arg, param, v, error)) {
    push_const(constant(std::move(v)));
  } else {
    fail(std::move(error));
  }
}

void Compiler::plain_argument(const Node& arg) {
  at_ = &arg;
  switch (arg.kind) {
    case NodeKind::kDot:
      emit(Op::kDot);
      return pushed();
    case NodeKind::kField: return fields(static_cast<const PathNode&>(arg), nullptr, false);
    case NodeKind::kVariable: {
      auto& v = static_cast<const VariableNode&>(arg);
      if (!v.fields().empty()) return fields(v, nullptr, false);
      return load(v.name());
    }
    case NodeKind::kPipe: return pipeline(static_cast<const PipeNode&>(arg));
    case NodeKind::kIdentifier:
      return call(static_cast<const IdentifierNode&>(arg), arg, nullptr, false);
    default: return chain(static_cast<const ChainNode&>(arg), nullptr, false);
  }
}

}  // namespace

std::unique_ptr<Program> compile(const ListNode& root, const NameId& id, Arena& arena,
                                 CompilerTables& tables) {
  return Compiler(id, arena, tables).run(root);
}

}  // namespace pintle::tmpl
