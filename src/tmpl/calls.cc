// Arguments against parameters at run time, and the calls themselves (text/template's evalCall and
// validateType). Values move, they are not copied: arguments lie where the program left them.
#include <algorithm>

#include "base/strings.h"
#include "tmpl/print_verbs.h"
#include "tmpl/vm.h"

namespace pintle::tmpl {

using value::Call;
using value::FuncDef;
using value::Type;
using value::Value;

namespace {

void drop(Value* from, Value*& sp) {
  while (sp > from) (--sp)->~Value();
}

void push(Value*& sp, Value v) { new (sp++) Value(std::move(v)); }

bool is_object_of(const Value& v, std::string_view type) {
  return v.is_object() && v.as_object()->go_type() == type;
}

// Is v assignable to the parameter? May change v to the parameter's own type.
bool assignable(Value& v, char param) {
  switch (param) {
    case 's': return v.is_string();
    case 'i': return v.is(Type::kInt);
    case 'l': return v.is(Type::kInt64);
    case 'u': return v.is(Type::kUint32);
    case 'f': return v.is(Type::kFloat64);
    case 'b': return v.is(Type::kBool);
    case 'L': return v.is(Type::kList);
    case 'W': return v.is(Type::kStringList);
    case 'm':
      if (v.is(Type::kValues)) v = Value::map(v.map_ref());
      return v.is(Type::kMap);
    default: return is_object_of(v, param_type(param));
  }
}

Value nil_of(char param) {
  switch (param) {
    case 'L': return Value::list(nullptr);
    case 'W': return Value::list(nullptr, Type::kStringList);
    case 'm': return Value::map(nullptr);
    default: return Value();
  }
}

}  // namespace

bool Vm::Rep::check_arg(Value& v, char param, const Node* at) {
  if (param == 'r') return true;
  if (v.is_invalid()) {
    if (!can_be_nil(param)) return fail(at, cat("invalid value; expected ", param_type(param)));
    v = nil_of(param);
    return true;
  }
  if (param == 'v' || assignable(v, param)) return true;
  std::string_view got = v.is_nil() ? "interface {}" : value::go_type(v);
  return fail(at, cat("wrong type for value; expected ", param_type(param), "; got ", got));
}

// Of long text and lists; what lies deeper in a list or map its reader has to count.
uint64_t Vm::Rep::steps_to_read(const Value& v) {
  if (v.is_string()) return v.as_string().size() / kBytesReadInAStep;
  return v.is_list() ? v.length() / kItemsReadInAStep : 0;
}

uint64_t Vm::Rep::steps_of(const Call& call, const Value& result) {
  uint64_t steps = 1 + call.count + call.steps;
  if (call.copied) return steps + result.length() / kItemsCopiedInAStep;
  for (const Value& v : call.all()) steps += steps_to_read(v);
  if (result.is_string()) return steps + result.as_string().size() / kBytesInAStep;
  return result.is_list() ? steps + result.length() / kItemsInAStep : steps;
}

bool Vm::Rep::invoke(const FuncDef& f, std::string_view name, const Value* args, size_t n,
                     const Node* at, Value& result) {
  Call call{args, static_cast<uint32_t>(n), &vm, Value(), nullptr};
  if (f.fn(call)) {
    result = std::move(call.ret);
    if (result.is_string() && result.as_string().size() > kMaxPrinted) {
      return limit(at, "output is too large");
    }
    if (!take_steps(steps_of(call, result))) return limit(at, exhausted());
    if (result.is_object()) {
      if (auto detached = result.as_object()->detached()) result = Value::object(detached);
    }
    return true;
  }
  return fail_calling(at, name, call.error ? std::move(*call.error) : Error("unknown error"));
}

bool Vm::Rep::call(const CallSite& site, Value*& sp) {
  size_t n = site.arguments();
  Value* args = sp - n;
  // The piped value was computed first but is the last argument.
  if (site.piped && n > 1) std::rotate(args, args + 1, args + n);
  for (size_t i = 0; i < n; ++i) {
    char param = site.params[i];
    if (param == 'v' && !args[i].is_invalid()) continue;
    // A literal already has the parameter's type (a Duration's travels as an int64).
    if (param != 'v' && i < site.written && is_literal(*site.command->args()[i + 1])) continue;
    if (!check_arg(args[i], param, site.arg_nodes[i])) return false;
  }
  Value result;
  if (!invoke(*site.function, site.name(), args, n, site.node, result)) return false;
  drop(args, sp);
  push(sp, std::move(result));
  return true;
}

bool Vm::Rep::call_value(const CallSite& site, Value*& sp, const Node*) {
  size_t n = site.arguments();
  Value* args = sp - n;
  if (site.piped && n > 1) std::rotate(args, args + 1, args + n);
  std::string name;
  if (site.written > 0) {
    name = to_source(*site.command->args()[1]);
  } else {
    name = args[0].is_string() ? std::string(args[0].as_string())
                               : cat("<", value::go_type(args[0]), " Value>");
  }
  return fail_calling(site.node, site.name(), Error(not_callable(name, args[0])));
}

bool Vm::Rep::check_method_arg(const CallSite& site, size_t index, Value& v, const Node* at) {
  char param = written_param(signature(methods.back()->params), index);
  const Node& written = *site.command->args()[index + 1];
  if (!is_literal(written)) return check_arg(v, param, at);
  std::string message;
  Value constant;
  if (!literal_argument(written, param, constant, message)) return fail(at, message);
  v = std::move(constant);
  return true;
}

bool Vm::Rep::call_method(const CallSite& site, Value*& sp, const Node* at) {
  const FuncDef& method = *methods.back();
  methods.pop_back();
  size_t n = site.arguments() + 1;
  Value* args = sp - n;
  if (site.piped) {
    std::rotate(args, args + 1, args + n);
    if (!check_arg(args[n - 1], piped_param(signature(method.params), site.written), at)) {
      return false;
    }
  }
  Value result;
  if (!invoke(method, site.name(), args, n, site.node, result)) return false;
  drop(args, sp);
  push(sp, std::move(result));
  return true;
}

}  // namespace pintle::tmpl
