#include "cel/checker.h"

#include <algorithm>
#include <optional>

#include "base/strings.h"
#include "cel/function.h"

namespace pintle::cel {
namespace {

class Checker {
 public:
  Checker(Ast& ast, Types& types, Errors& errors) : x_ast(ast), x_types(types), x_errors(errors) {}

  CheckedNames run(const Schema& self, bool optional_old) {
    TypePtr type = x_types.of(self, "selfType");
    x_scope = {{"self", type}, {"oldSelf", optional_old ? x_types.optional(type) : type}};
    visit(x_ast.root);
    for (Node& n : x_ast.nodes) {
      if (n.type) n.type = x_types.resolve(n.type, true);
    }
    return x_names;
  }

 private:
  struct Variable {
    std::string name;
    TypePtr type;
  };

  Node& at(NodeId id) { return x_ast.nodes[id]; }
  TypePtr error(size_t where, std::string message) {
    x_errors.add(where, std::move(message));
    return scalar(Kind::kError);
  }
  TypePtr undeclared(const Node& n, std::string_view name) {
    return error(n.at, cat("undeclared reference to '", name, "' (in container '')"));
  }
  TypePtr mismatch(size_t where, TypePtr wanted, TypePtr found) {
    return error(where, cat("expected type '", type_text(wanted), "' but found '", type_text(found), "'"));
  }

  TypePtr visit(NodeId id) {
    if (!at(id).type) {
      TypePtr t = of(id);  // the node may be shared: its type is settled once
      at(id).type = t;
    }
    return at(id).type;
  }

  TypePtr of(NodeId id) {
    Node& n = at(id);
    switch (n.op) {
      case Op::kConst: return scalar(n.value.kind);
      case Op::kIdent: return identifier(n);
      case Op::kSelect:
        if (TypePtr t = qualified(id)) return t;
        return field(n, n.kids[0], n.text, false);
      case Op::kHas:
        field(n, n.kids[0], n.text, false);
        return scalar(Kind::kBool);
      case Op::kOptSelect: return field(n, n.kids[0], at(n.kids[1]).text, true);
      case Op::kAnd:
      case Op::kOr:
        for (NodeId k : n.kids) visit(k);
        for (NodeId k : n.kids) wants(k, scalar(Kind::kBool));
        return scalar(Kind::kBool);
      case Op::kList: return list(n);
      case Op::kMap: return map(n);
      case Op::kMessage: return undeclared(n, n.text);
      case Op::kFold: return fold(n);
      case Op::kBind: {
        TypePtr value = visit(n.kids[0]);
        n.slot = enter(n.text, value);
        TypePtr body = visit(n.kids[1]);
        leave(1);
        return body;
      }
      default: return call(id);
    }
  }

  void wants(NodeId id, TypePtr wanted) {
    TypePtr found = at(id).type;
    if (!x_types.unify(found, wanted)) mismatch(at(id).at, wanted, x_types.resolve(found, false));
  }

  // ---- names ----

  uint32_t enter(const std::string& name, TypePtr type) {
    x_scope.push_back({name, type});
    x_names.slots = std::max(x_names.slots, static_cast<uint32_t>(x_scope.size()));
    return static_cast<uint32_t>(x_scope.size() - 1);
  }
  void leave(size_t n) { x_scope.resize(x_scope.size() - n); }

  TypePtr lookup(Node& n, std::string_view name) {
    if (name.starts_with('.')) name.remove_prefix(1);
    for (size_t i = x_scope.size(); i-- > 0;) {
      if (x_scope[i].name != name) continue;
      n.slot = static_cast<uint32_t>(i);
      x_names.old_self = x_names.old_self || i == kOldSelfSlot;
      return x_scope[i].type;
    }
    for (int k = 0; k <= static_cast<int>(Kind::kFormat); ++k) {
      const Kind kind = static_cast<Kind>(k);
      if (value_type_name(kind) != name || name.starts_with("kubernetes.")) continue;  // those have no names
      n.op = Op::kConst;
      n.value = Val::type(kind);
      return x_types.type_of(named(kind));
    }
    return nullptr;
  }
  TypePtr named(Kind kind) {
    if (kind == Kind::kList || kind == Kind::kOptional) return x_types.make(kind, {x_types.variable()});
    if (kind == Kind::kMap) return x_types.map(x_types.variable(), x_types.variable());
    return scalar(kind);
  }

  TypePtr identifier(Node& n) {
    TypePtr t = lookup(n, n.text);
    return t ? t : undeclared(n, n.text);
  }

  // "a.b" of a node that is nothing but names, as few as those of types and functions have.
  std::optional<std::string> path(NodeId id, int most = 4) {
    const Node& n = at(id);
    if (n.op == Op::kIdent) return n.text;
    if (n.op != Op::kSelect || most == 1) return std::nullopt;
    auto left = path(n.kids[0], most - 1);
    return left ? std::optional(*left + "." + n.text) : std::nullopt;
  }
  TypePtr qualified(NodeId id) {
    auto name = path(id);
    return name ? lookup(at(id), *name) : nullptr;
  }

  TypePtr field(Node& n, NodeId operand, const std::string& name, bool optional) {
    const uint32_t where = n.at;
    TypePtr t = x_types.resolve(visit(operand), false);
    const bool unwrapped = t->kind == Kind::kOptional;
    if (unwrapped) t = x_types.resolve(t->params[0], false);
    TypePtr result = scalar(Kind::kDyn);
    if (t->kind == Kind::kMap) {
      result = t->params[1];
    } else if (t->kind == Kind::kObject) {
      const Schema::Field* f = t->schema->field(name);
      result = f ? x_types.of(*f->schema, t->name + "." + name) : error(where, cat("undefined field '", name, "'"));
    } else if (t->kind == Kind::kParam) {
      x_types.unify(scalar(Kind::kDyn), t);
    } else if (t->kind != Kind::kDyn && t->kind != Kind::kError) {
      error(where, cat("type '", type_text(t), "' does not support field selection"));
    }
    return optional || unwrapped ? x_types.optional(result) : result;
  }

  // ---- calls ----

  TypePtr call(NodeId id) {
    std::vector<NodeId> kids = at(id).kids;
    const Function* f = nullptr;
    if (at(id).member) {
      // a.b.c() is c of a.b, or the function a.b.c.
      for (size_t i = 1; i < kids.size(); ++i) visit(kids[i]);
      auto prefix = path(kids[0]);
      f = prefix ? function_named(*prefix + "." + at(id).text) : nullptr;
      if (f) {
        at(id).member = false;
        at(id).op = Op::kCall;
        kids.erase(kids.begin());
        at(id).kids = kids;
      } else {
        visit(kids[0]);
      }
    } else {
      for (NodeId k : kids) visit(k);
    }
    Node& n = at(id);
    if (!f) f = function_named(n.text);
    if (!f) return undeclared(n, n.text);
    return resolve(n, *f);
  }

  TypePtr resolve(Node& n, const Function& f) {
    std::vector<TypePtr> arguments;
    for (NodeId k : n.kids) arguments.push_back(at(k).type);
    TypePtr result = nullptr;
    size_t fitting = 0;
    for (const Overload& o : f.overloads) {
      if (o.member != n.member) continue;
      std::vector<TypePtr> fresh;
      for (size_t i = 0; i < o.variables; ++i) fresh.push_back(x_types.variable());
      std::vector<TypePtr> parameters;
      for (TypePtr p : o.parameters) parameters.push_back(instance(p, fresh));
      if (!x_types.unify(arguments, parameters)) continue;
      TypePtr one = x_types.resolve(instance(o.result, fresh), false);
      if (!result) result = one;
      else if (result->kind != Kind::kDyn && !same_type(result, one)) result = scalar(Kind::kDyn);
      n.overload = ++fitting == 1 ? &o : nullptr;
    }
    n.function = &f;
    if (result) return result;
    std::string shown;
    for (size_t i = n.member ? 1 : 0; i < arguments.size(); ++i) {
      shown += (shown.empty() ? "" : ", ") + type_text(x_types.resolve(arguments[i], true));
    }
    const std::string receiver = n.member ? type_text(x_types.resolve(arguments[0], true)) + "." : "";
    return error(n.at, cat("found no matching overload for '", f.name, "' applied to '", receiver, "(", shown, ")'"));
  }

  // A signature's type with its variables replaced.
  TypePtr instance(TypePtr t, const std::vector<TypePtr>& variables) {
    if (t->kind == Kind::kParam) return variables[t->id];
    if (t->params.empty()) return t;
    std::vector<TypePtr> params;
    for (TypePtr p : t->params) params.push_back(instance(p, variables));
    return x_types.make(t->kind, std::move(params));
  }

  // ---- literals ----

  // Literals of several types are dyn here; compile.cc refuses them where they are not format's.
  TypePtr join(TypePtr before, TypePtr next) {
    if (!before) return next;
    return x_types.unify(before, next) ? x_types.wider(before, next) : scalar(Kind::kDyn);
  }
  TypePtr element(const Node& n, size_t i, NodeId id) {
    TypePtr t = visit(id);
    if (!n.optional[i]) return t;
    TypePtr known = x_types.resolve(t, false);
    if (known->kind == Kind::kOptional) return known->params[0];
    if (known->kind != Kind::kDyn) mismatch(at(id).at, x_types.optional(known), known);
    return known;
  }
  TypePtr list(Node& n) {
    TypePtr of = nullptr;
    for (size_t i = 0; i < n.kids.size(); ++i) of = join(of, element(n, i, n.kids[i]));
    return x_types.list(of ? of : x_types.variable());
  }
  TypePtr map(Node& n) {
    TypePtr key = nullptr, value = nullptr;
    for (size_t i = 0; i + 1 < n.kids.size(); i += 2) {
      key = join(key, visit(n.kids[i]));
      value = join(value, element(n, i / 2, n.kids[i + 1]));
    }
    return key ? x_types.map(key, value) : x_types.map(x_types.variable(), x_types.variable());
  }

  // ---- folds ----

  TypePtr fold(Node& n) {
    const NodeId range = n.kids[0], body = n.kids.back();
    TypePtr t = x_types.resolve(visit(range), false);
    TypePtr first = scalar(Kind::kDyn), second = scalar(Kind::kDyn);
    const bool two = !n.text2.empty();
    if (t->kind == Kind::kList) {
      first = two ? scalar(Kind::kInt) : t->params[0];
      second = t->params[0];
    } else if (t->kind == Kind::kMap) {
      first = t->params[0];
      second = t->params[1];
    } else if (t->kind == Kind::kParam) {
      x_types.unify(scalar(Kind::kDyn), t);
    } else if (t->kind != Kind::kDyn && t->kind != Kind::kError) {
      first = second = error(at(range).at, cat("expression of type '", type_text(t),
                                               "' cannot be range of a comprehension (must be list, map, or dynamic)"));
    }
    n.slot = enter(n.text, first);
    if (two) enter(n.text2, second);
    if (n.filtered) visit(n.kids[1]);
    TypePtr made = visit(body);
    leave(two ? 2 : 1);
    TypePtr result = scalar(Kind::kBool);
    switch (n.fold) {
      case Fold::kAll:
      case Fold::kExists: wants(body, scalar(Kind::kBool)); break;
      case Fold::kExistsOne: chooses(n, body, scalar(Kind::kInt)); break;
      case Fold::kFilter:
        result = x_types.list(first);
        chooses(n, body, result);
        break;
      case Fold::kMap: result = x_types.list(made); break;
      case Fold::kTransformMap: result = x_types.map(first, made); break;
      case Fold::kTransformMapEntry:
        result = x_types.map(x_types.variable(), x_types.variable());
        if (!x_types.unify(made, result)) {
          error(n.at, cat("found no matching overload for 'cel.@mapInsert' applied to '(map(dyn, dyn), ",
                          type_text(x_types.resolve(made, true)), ")'"));
        }
        break;
    }
    if (n.filtered) chooses(n, n.kids[1], result);
    return result;
  }
  // The condition of `condition ? more : as_before`, which is what such folds stand for.
  void chooses(const Node& n, NodeId condition, TypePtr result) {
    TypePtr found = at(condition).type;
    if (x_types.unify(found, scalar(Kind::kBool))) return;
    const std::string shown = type_text(x_types.resolve(result, true));
    error(n.at, cat("found no matching overload for '_?_:_' applied to '(", type_text(x_types.resolve(found, true)),
                    ", ", shown, ", ", shown, ")'"));
  }

  Ast& x_ast;
  Types& x_types;
  Errors& x_errors;
  std::vector<Variable> x_scope;
  CheckedNames x_names;
};

}  // namespace

CheckedNames check(Ast& ast, const Schema& self, bool optional_old, Types& types, Errors& errors) {
  return Checker(ast, types, errors).run(self, optional_old);
}

}  // namespace pintle::cel
