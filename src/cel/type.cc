// Unification as cel-go's checker does it: dyn and errors fit anywhere, null where an object,
// duration, timestamp or opaque type is wanted; a variable takes the wider of what it meets.
#include "cel/type.h"

#include <array>
#include <utility>

#include "base/check.h"

namespace pintle::cel {
namespace {

constexpr int kMaxDepth = 300;  // of types in types
constexpr size_t kMaxSize = 1000;

struct Names {
  std::string_view value, type;
};
constexpr Names kNames[] = {
    {"null_type", "null"}, {"bool", "bool"}, {"int", "int"}, {"uint", "uint"}, {"double", "double"},
    {"string", "string"}, {"bytes", "bytes"}, {"google.protobuf.Duration", "duration"},
    {"google.protobuf.Timestamp", "timestamp"}, {"list", "list"}, {"map", "map"}, {"type", "type"},
    {"optional_type", "optional_type"}, {"kubernetes.URL", "kubernetes.URL"},
    {"kubernetes.Quantity", "kubernetes.Quantity"}, {"net.IP", "net.IP"}, {"net.CIDR", "net.CIDR"},
    {"kubernetes.Semver", "kubernetes.Semver"}, {"kubernetes.NamedFormat", "kubernetes.NamedFormat"},
    {"unknown", "unknown"}, {"error", "!error!"}, {"dyn", "dyn"}, {"", ""}, {"map", ""}};

bool is_open(TypePtr t) { return t->kind == Kind::kDyn || t->kind == Kind::kError; }
bool takes_null(Kind k) {
  return k == Kind::kObject || k == Kind::kDuration || k == Kind::kTimestamp || k == Kind::kOptional ||
         (k >= Kind::kUrl && k <= Kind::kFormat);
}
bool is_compound(Kind k) { return k == Kind::kList || k == Kind::kMap || k == Kind::kOptional; }

}  // namespace

TypePtr scalar(Kind kind) {
  static const auto all = [] {
    std::array<Type, std::size(kNames)> out;
    for (size_t i = 0; i < out.size(); ++i) out[i].kind = static_cast<Kind>(i);
    return out;
  }();
  return &all[static_cast<size_t>(kind)];
}

std::string_view value_type_name(Kind kind) { return kNames[static_cast<size_t>(kind)].value; }

std::string type_text(TypePtr t) {
  if (t->kind == Kind::kObject) return t->name;
  if (t->kind == Kind::kParam) return "_var" + std::to_string(t->id);
  std::string out(kNames[static_cast<size_t>(t->kind)].type);
  for (size_t i = 0; i < t->params.size(); ++i) out += (i == 0 ? "(" : ", ") + type_text(t->params[i]);
  return t->params.empty() ? out : out + ")";
}

bool same_type(TypePtr a, TypePtr b) {
  if (a == b) return true;
  if (a->kind != b->kind || a->id != b->id || a->name != b->name || a->params.size() != b->params.size()) {
    return false;
  }
  for (size_t i = 0; i < a->params.size(); ++i) {
    if (!same_type(a->params[i], b->params[i])) return false;
  }
  return true;
}

TypePtr Types::make(Kind kind, std::vector<TypePtr> params) {
  size_t size = 1;
  for (TypePtr p : params) size += p->size;
  if (size > kMaxSize) return scalar(Kind::kDyn);
  return &x_types.emplace_back(Type{kind, std::move(params), {}, nullptr, 0, size});
}

TypePtr Types::variable(size_t id) {
  return &x_types.emplace_back(Type{Kind::kParam, {}, {}, nullptr, id, 1});
}

TypePtr Types::of(const Schema& schema, const std::string& path) {
  switch (schema.kind) {
    case Schema::Kind::kBool: return scalar(Kind::kBool);
    case Schema::Kind::kInt: return scalar(Kind::kInt);
    case Schema::Kind::kDouble: return scalar(Kind::kDouble);
    case Schema::Kind::kString: return scalar(Kind::kString);
    case Schema::Kind::kBytes: return scalar(Kind::kBytes);
    case Schema::Kind::kDuration: return scalar(Kind::kDuration);
    case Schema::Kind::kDate:
    case Schema::Kind::kDateTime: return scalar(Kind::kTimestamp);
    case Schema::Kind::kList: return list(of(*schema.item, path + ".@idx"));
    case Schema::Kind::kMap: return map(scalar(Kind::kString), of(*schema.item, path + ".@elem"));
    case Schema::Kind::kObject: return &x_types.emplace_back(Type{Kind::kObject, {}, path, &schema, 0, 1});
    case Schema::Kind::kIntOrString:
    case Schema::Kind::kHidden: break;
  }
  return scalar(Kind::kDyn);
}

TypePtr Types::bound_to(TypePtr variable) const {
  return variable->kind == Kind::kParam && variable->id < x_bindings.size() ? x_bindings[variable->id] : nullptr;
}
void Types::bind(TypePtr variable, TypePtr to) {
  if (variable->id >= x_bindings.size()) x_bindings.resize(variable->id + 1);
  x_trail.push_back({variable->id, x_bindings[variable->id]});
  x_bindings[variable->id] = to;
}
void Types::undo(size_t mark) {
  for (; x_trail.size() > mark; x_trail.pop_back()) x_bindings[x_trail.back().variable] = x_trail.back().before;
}

bool Types::occurs(TypePtr variable, TypePtr within, int depth) {
  if (tired() || depth > kMaxDepth || same_type(variable, within)) return true;
  if (within->kind == Kind::kParam) {
    TypePtr to = bound_to(within);
    return to && occurs(variable, to, depth + 1);
  }
  for (TypePtr p : within->params) {
    if (occurs(variable, p, depth + 1)) return true;
  }
  return false;
}

// May `variable` stand for t? `bound`: it stood for something before.
bool Types::substitutes(TypePtr t, TypePtr variable, bool* bound, int depth) {
  *bound = true;
  if (same_type(t, variable)) return true;
  if (TypePtr to = bound_to(variable)) {
    if (same_type(t, to)) return true;
    if (!assignable(t, to, depth + 1)) return false;
    TypePtr both = wider(t, to);
    if (!occurs(variable, both, 0)) bind(variable, both);
    return true;
  }
  *bound = false;
  if (occurs(variable, t, 0)) return false;
  bind(variable, t);
  return true;
}

bool Types::assignable(TypePtr a, TypePtr b, int depth) {
  if (tired() || depth > kMaxDepth) return false;
  bool bound = false;
  if (b->kind == Kind::kParam) {
    if (substitutes(a, b, &bound, depth)) return true;
    if (bound) return false;
  }
  if (a->kind == Kind::kParam) return substitutes(b, a, &bound, depth);
  if (is_open(a) || is_open(b)) return true;
  if (a->kind == Kind::kNull) return b->kind == Kind::kNull || takes_null(b->kind);
  if (b->kind == Kind::kNull) return takes_null(a->kind);
  if (a->kind != b->kind) return false;
  if (a->kind == Kind::kType) return true;
  if (a->kind == Kind::kObject) return a->name == b->name;
  if (!is_compound(a->kind)) return true;
  for (size_t i = 0; i < a->params.size(); ++i) {
    if (!assignable(a->params[i], b->params[i], depth + 1)) return false;
  }
  return true;
}

bool Types::unify(TypePtr a, TypePtr b) {
  const size_t mark = x_trail.size();
  if (assignable(a, b, 0)) return true;
  undo(mark);
  return false;
}

bool Types::unify(const std::vector<TypePtr>& a, const std::vector<TypePtr>& b) {
  const size_t mark = x_trail.size();
  bool fits = a.size() == b.size();
  for (size_t i = 0; i < a.size() && fits; ++i) fits = assignable(a[i], b[i], 0);
  if (!fits) undo(mark);
  return fits;
}

TypePtr Types::resolve(TypePtr t, bool open_to_dyn) {
  if (tired()) return scalar(Kind::kDyn);
  if (TypePtr to = bound_to(t)) return resolve(to, open_to_dyn);
  if (t->kind == Kind::kParam) return open_to_dyn ? scalar(Kind::kDyn) : t;
  if (t->params.empty()) return t;
  std::vector<TypePtr> params;
  for (TypePtr p : t->params) params.push_back(resolve(p, open_to_dyn));
  return params == t->params ? t : make(t->kind, std::move(params));
}

TypePtr Types::wider(TypePtr a, TypePtr b) const {
  auto less_specific = [](auto& self, TypePtr x, TypePtr y) -> bool {
    if (x->kind == Kind::kDyn || x->kind == Kind::kParam) return true;
    if (y->kind == Kind::kDyn || y->kind == Kind::kParam || x->kind != y->kind) return false;
    if (x->kind == Kind::kType) return true;
    if (x->params.size() != y->params.size() || x->name != y->name) return false;
    for (size_t i = 0; i < x->params.size(); ++i) {
      if (!self(self, x->params[i], y->params[i])) return false;
    }
    return true;
  };
  return less_specific(less_specific, a, b) ? a : b;
}

}  // namespace pintle::cel
