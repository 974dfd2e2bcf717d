#include "value/value.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "value/counted.h"

namespace pintle::value {

void Value::retain() {
  Type t = type();
  if (t == Type::kString || t == Type::kBytes) {
    const Str& s = str();
    if (s.heap()) ++s.block()->count;
    return;
  }
  void* p = pointer();
  if (p == nullptr) return;
  if (t == Type::kObject) {
    RefAccess::retain(static_cast<Object*>(p));
  } else if (is_map()) {
    RefAccess::retain(static_cast<Map*>(p));
  } else {
    RefAccess::retain(static_cast<List*>(p));
  }
}

namespace {

// A tree is freed by recursion, which is the fast way, down to this depth; what lies deeper goes
// through a work list, so that no nesting can exhaust the stack.
constexpr int kRecursiveFree = 200;
thread_local int free_depth = 0;

void take_children(Value v, std::vector<Value>& work) {
  if (v.is_list() && v.as_list() && v.as_list()->use_count() == 1) {
    auto& items = v.as_list()->items;
    std::move(items.begin(), items.end(), std::back_inserter(work));
    items.clear();
  } else if (v.is_map() && v.as_map() && v.as_map()->use_count() == 1) {
    for (auto& e : v.as_map()->entries()) work.push_back(std::move(e.value));
  }
}

template <typename Container>
void free_container(Container* c, std::vector<Value>&& children) {
  delete c;
  while (!children.empty()) {
    Value v = std::move(children.back());
    children.pop_back();
    take_children(std::move(v), children);
  }
}

void free_list(List* l) {
  if (++free_depth < kRecursiveFree) {
    delete l;
  } else {
    std::vector<Value> children = std::move(l->items);
    free_container(l, std::move(children));
  }
  --free_depth;
}

void free_map(Map* m) {
  if (++free_depth < kRecursiveFree) {
    delete m;
  } else {
    std::vector<Value> children;
    for (auto& e : m->entries()) children.push_back(std::move(e.value));
    free_container(m, std::move(children));
  }
  --free_depth;
}

}  // namespace

void Value::release() {
  Type t = type();
  if (t == Type::kString || t == Type::kBytes) {
    Str& s = *reinterpret_cast<Str*>(raw_);
    if (s.heap()) s.release();
    return;
  }
  void* p = pointer();
  if (p == nullptr) return;
  if (t == Type::kObject) {
    auto* o = static_cast<Object*>(p);
    if (RefAccess::release(o)) delete o;
  } else if (is_map()) {
    auto* m = static_cast<Map*>(p);
    if (RefAccess::release(m)) free_map(m);
  } else {
    auto* l = static_cast<List*>(p);
    if (RefAccess::release(l)) free_list(l);
  }
}

Value Value::list_of(std::vector<Value> items, Type t) {
  return list(Ref<List>::make(std::move(items)), t);
}

Value Value::strings(const std::vector<std::string>& items) {
  std::vector<Value> out;
  out.reserve(items.size());
  for (const auto& s : items) out.push_back(string(Str(s)));
  return list_of(std::move(out), Type::kStringList);
}

size_t Map::lower_bound(std::string_view key) const {
  size_t lo = 0, hi = entries_.size();
  if (hi > 0 && entries_[hi - 1].key.view() < key) return hi;  // keys arriving in order
  while (lo < hi) {
    size_t mid = (lo + hi) / 2;
    if (entries_[mid].key.view() < key) {
      lo = mid + 1;
    } else {
      hi = mid;
    }
  }
  return lo;
}

const Value* Map::find(std::string_view key) const {
  size_t i = lower_bound(key);
  if (i < entries_.size() && entries_[i].key == key) return &entries_[i].value;
  return nullptr;
}

Value& Map::at_or_insert(Str key) {
  size_t i = lower_bound(key);
  if (i == entries_.size() || !(entries_[i].key == key)) {
    entries_.insert(entries_.begin() + static_cast<ptrdiff_t>(i), Entry{std::move(key), Value()});
  }
  return entries_[i].value;
}

void Map::set(Str key, Value value) { at_or_insert(std::move(key)) = std::move(value); }

bool Map::erase(std::string_view key) {
  size_t i = lower_bound(key);
  if (i == entries_.size() || !(entries_[i].key == key)) return false;
  entries_.erase(entries_.begin() + static_cast<ptrdiff_t>(i));
  return true;
}

Ref<Map> MapBuilder::finish() {
  auto less = [](const Map::Entry& a, const Map::Entry& b) { return a.key < b.key; };
  if (!std::is_sorted(entries_.begin(), entries_.end(), less)) {
    std::stable_sort(entries_.begin(), entries_.end(), less);
  }
  size_t n = 0;
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (i + 1 < entries_.size() && entries_[i].key == entries_[i + 1].key) continue;
    if (n != i) entries_[n] = std::move(entries_[i]);
    ++n;
  }
  entries_.resize(n);
  auto m = Ref<Map>::make();
  m->entries_ = std::move(entries_);
  entries_.clear();
  return m;
}

std::string_view go_type(const Value& v) {
  switch (v.type()) {
    case Type::kNil:
    case Type::kInvalid: return "<nil>";
    case Type::kBool: return "bool";
    case Type::kInt: return "int";
    case Type::kInt64: return "int64";
    case Type::kUint8: return "uint8";
    case Type::kUint32: return "uint32";
    case Type::kUint64: return "uint64";
    case Type::kFloat64: return "float64";
    case Type::kString: return "string";
    case Type::kBytes: return "[]uint8";
    case Type::kList: return "[]interface {}";
    case Type::kStringList: return "[]string";
    case Type::kIntList: return "[]int";
    case Type::kListList: return "[][]interface {}";
    case Type::kMap: return "map[string]interface {}";
    case Type::kStringMap: return "map[string]string";
    case Type::kValues: return "common.Values";
    case Type::kFiles: return "engine.files";
    case Type::kObject: return v.as_object()->go_type();
  }
  return "";
}

Kind kind(const Value& v) {
  switch (v.type()) {
    case Type::kNil:
    case Type::kInvalid: return Kind::kInvalid;
    case Type::kBool: return Kind::kBool;
    case Type::kInt:
    case Type::kInt64: return Kind::kInt;
    case Type::kUint8:
    case Type::kUint32:
    case Type::kUint64: return Kind::kUint;
    case Type::kFloat64: return Kind::kFloat;
    case Type::kString: return Kind::kString;
    case Type::kBytes:
    case Type::kList:
    case Type::kStringList:
    case Type::kIntList:
    case Type::kListList: return Kind::kList;
    case Type::kMap:
    case Type::kStringMap:
    case Type::kValues:
    case Type::kFiles: return Kind::kMap;
    case Type::kObject: return v.as_object()->kind();
  }
  return Kind::kInvalid;
}

std::string_view kind_name(const Value& v) {
  if (v.is_object()) return v.as_object()->kind_name();
  switch (kind(v)) {
    case Kind::kInvalid: return "invalid";
    case Kind::kList: return "slice";
    case Kind::kMap: return "map";
    default: return go_type(v);
  }
}

std::optional<Value> deep_copy(const Value& v, size_t max_nodes, size_t max_depth, size_t& nodes) {
  struct Slot {
    Value* value;  // still the original's container
    size_t depth;
  };
  Value out = v;
  std::vector<Slot> work{{&out, 0}};
  nodes = 0;
  while (!work.empty()) {
    auto [slot, depth] = work.back();
    work.pop_back();
    nodes += 1 + slot->length();
    if (nodes > max_nodes || depth > max_depth) return std::nullopt;
    auto visit = [&, depth = depth](Value& child) {
      if (child.is_list() || child.is_map()) work.push_back({&child, depth + 1});
    };
    if (slot->is_list() && slot->as_list()) {
      auto copy = Ref<List>::make(slot->as_list()->items);
      for (Value& child : copy->items) visit(child);
      *slot = Value::list(std::move(copy), slot->type());
    } else if (slot->is_map() && slot->as_map()) {
      auto copy = make_map();
      copy->entries().assign(slot->as_map()->begin(), slot->as_map()->end());
      for (auto& e : copy->entries()) visit(e.value);
      *slot = Value::map(std::move(copy), slot->type());
    }
  }
  return out;
}

std::optional<Value> deep_copy(const Value& v, size_t max_nodes, size_t max_depth) {
  size_t nodes;
  return deep_copy(v, max_nodes, max_depth, nodes);
}

Value deep_copy(const Value& v) { return *deep_copy(v, SIZE_MAX, SIZE_MAX); }

namespace {

using Pair = std::pair<const Value*, const Value*>;

// Compares two values but for their elements, which go to `work`.
bool equal_heads(const Value& a, const Value& b, std::vector<Pair>& work) {
  if (a.type() != b.type()) return false;
  switch (a.type()) {
    case Type::kNil:
    case Type::kInvalid: return true;
    case Type::kFloat64: return a.as_double() == b.as_double();
    case Type::kString:
    case Type::kBytes: return a.as_string() == b.as_string();
    case Type::kObject: return a.as_object()->equals(*b.as_object());
    default: break;
  }
  if (a.is_list()) {
    if ((a.as_list() == nullptr) != (b.as_list() == nullptr)) return false;
    if (a.as_list() == b.as_list()) return true;
    auto x = a.items(), y = b.items();
    if (x.size() != y.size()) return false;
    for (size_t i = 0; i < x.size(); ++i) work.push_back({&x[i], &y[i]});
    return true;
  }
  if (a.is_map()) {
    if ((a.as_map() == nullptr) != (b.as_map() == nullptr)) return false;
    if (a.as_map() == b.as_map()) return true;
    if (a.length() != b.length()) return false;
    auto y = std::as_const(*b.as_map()).begin();
    for (const auto& x : *a.as_map()) {
      if (!(x.key == y->key)) return false;
      work.push_back({&x.value, &y->value});
      ++y;
    }
    return true;
  }
  return a.identical(b);
}

}  // namespace

bool deep_equal(const Value& a, const Value& b, size_t& compared) {
  if (!a.is_list() && !a.is_map()) {  // the common case allocates nothing
    std::vector<Pair> none;
    ++compared;
    return equal_heads(a, b, none);
  }
  constexpr size_t kUnwatched = 1000;  // small trees need no memory of what was seen
  std::set<std::pair<const void*, const void*>> seen;
  std::vector<Pair> work{{&a, &b}};
  for (size_t steps = 0; !work.empty(); ++steps) {
    ++compared;
    auto [x, y] = work.back();
    work.pop_back();
    if (steps > kUnwatched && x->type() == y->type() && (x->is_list() || x->is_map())) {
      auto id = [](const Value* v) {
        return v->is_list() ? static_cast<const void*>(v->as_list()) : v->as_map();
      };
      if (!seen.insert({id(x), id(y)}).second) continue;
    }
    if (!equal_heads(*x, *y, work)) return false;
  }
  return true;
}

bool deep_equal(const Value& a, const Value& b) {
  size_t compared = 0;
  return deep_equal(a, b, compared);
}

bool truth(const Value& v) {
  switch (v.type()) {
    case Type::kNil:
    case Type::kInvalid: return false;
    case Type::kBool: return v.as_bool();
    case Type::kInt:
    case Type::kInt64: return v.as_int() != 0;
    case Type::kUint8:
    case Type::kUint32:
    case Type::kUint64: return v.as_uint() != 0;
    case Type::kFloat64: return v.as_double() != 0;
    case Type::kString:
    case Type::kBytes: return !v.str().empty();
    case Type::kObject: return v.as_object()->truth();
    default: return v.length() != 0;
  }
}

}  // namespace pintle::value
