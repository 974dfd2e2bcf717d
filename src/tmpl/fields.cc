// Following .a.b.c: map keys, struct fields, methods (text/template's evalField).
#include "base/gotext.h"
#include "base/strings.h"
#include "tmpl/vm.h"

namespace pintle::tmpl {

using value::FuncDef;
using value::Type;
using value::Value;

namespace {

std::string_view static_type(const Value& v, bool interface) {
  return interface ? "interface {}" : value::go_type(v);
}

// Elements of these maps are interfaces.
bool holds_interfaces(const Value& v) { return v.is(Type::kMap) || v.is(Type::kValues); }

}  // namespace

const FuncDef* Vm::Rep::find_method(const Value& receiver, std::string_view name) const {
  if (receiver.is_object()) return receiver.as_object()->method(name);
  Set::MethodLookup lookup = set.methods[static_cast<size_t>(receiver.type())];
  return lookup == nullptr ? nullptr : lookup(name);
}

bool Vm::Rep::no_field(const Value& receiver, bool interface, std::string_view name,
                       const Node* at) {
  std::string_view type = static_type(receiver, interface);
  if (receiver.is_object() && receiver.as_object()->has_unexported(name)) {
    return fail(at, cat(name, " is an unexported field of struct type ", type));
  }
  return fail(at, cat("can't evaluate field ", name, " in type ", type));
}

// One step, everything but the hit in a map. last_interface is set for the result.
bool Vm::Rep::field(const Value& receiver, bool interface, std::string_view name, const Node* at,
                    const Node* call_node, Value& result) {
  last_interface = false;
  if (receiver.is_invalid()) {
    if (options.missing_key == MissingKey::kError) {
      return fail(at, cat("nil data; no entry for key ", quote(name)));
    }
    result = Value::invalid();
    return true;
  }
  if (receiver.is_nil()) return fail(at, cat("nil pointer evaluating interface {}.", name));
  if (const FuncDef* method = find_method(receiver, name)) {
    std::string problem = check_count(signature(method->params), name, 0, false);
    if (!problem.empty()) return fail(at, problem);
    Value self = receiver;
    return invoke(*method, name, &self, 1, call_node, result);
  }
  if (receiver.is_map()) {
    if (const Value* found = receiver.get(name)) {
      last_interface = holds_interfaces(receiver);
      result = *found;
      return true;
    }
    switch (options.missing_key) {
      case MissingKey::kDefault: result = Value::invalid(); return true;
      case MissingKey::kError: return fail(at, cat("map has no entry for key ", quote(name)));
      case MissingKey::kZero: break;
    }
    if (receiver.is(Type::kStringMap)) {
      result = Value::string(value::Str());
    } else if (receiver.is(Type::kFiles)) {
      result = Value::bytes(value::Str());
    } else {
      last_interface = true;
      result = Value();
    }
    return true;
  }
  if (receiver.is_object()) {
    Value found = receiver.as_object()->field(name);
    if (!found.is_invalid()) {
      result = std::move(found);
      return true;
    }
  }
  return no_field(receiver, interface, name, at);
}

bool Vm::Rep::follow(const Value& from, bool interface, const Path& path, const Node* at,
                     Value& result) {
  const Value* here = &from;
  Value held;  // owns *here once a step has made a value of its own
  for (std::string_view left = path.names; !left.empty();) {
    left.remove_prefix(1);
    const std::string_view name = left.substr(0, left.find('.'));
    left.remove_prefix(name.size());
    // Plain maps borrow their way down; nothing is copied until the end.
    if (here->is(Type::kMap)) {
      if (const Value* found = here->get(name)) {
        here = found;
        interface = true;
        continue;
      }
    }
    Value next;
    if (!field(*here, interface, name, at, path.node, next)) return false;
    interface = last_interface;
    held = std::move(next);
    here = &held;
  }
  last_interface = interface;
  result = *here;
  return true;
}

bool Vm::Rep::resolve_method(const Value& receiver, bool interface, const CallSite& site,
                             const Node* at, bool* nothing) {
  const std::string_view name = site.name();
  *nothing = receiver.is_invalid();
  if (*nothing) {
    if (options.missing_key != MissingKey::kError) return true;
    return fail(at, cat("nil data; no entry for key ", quote(name)));
  }
  if (receiver.is_nil()) return fail(at, cat("nil pointer evaluating interface {}.", name));
  if (const FuncDef* method = find_method(receiver, name)) {
    std::string problem =
        check_count(signature(method->params), name, site.written, site.piped);
    if (!problem.empty()) return fail(at, problem);
    methods.push_back(method);
    return true;
  }
  if (receiver.is_map()) return fail(at, cat(name, " is not a method but has arguments"));
  if (receiver.is_object() && !receiver.as_object()->field(name).is_invalid()) {
    return fail(at, cat(name, " has arguments but cannot be invoked as function"));
  }
  return no_field(receiver, interface, name, at);
}

}  // namespace pintle::tmpl
