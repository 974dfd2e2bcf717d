#include "patch/typed_merge.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/gotext.h"
#include "json/json.h"
#include "patch/go_text.h"

namespace pintle::patch {
namespace {

using value::Value;

enum class Form : uint8_t { kMap, kScalar, kList };

bool any(const Type* t) { return !t || t->shape == Shape::kAny; }
bool is_scalar(const Value& v) { return !v.is_nil() && !v.is_map() && !v.is_list(); }

// How a value is walked. Null of any type counts as a map, as it does for any value of a type with
// one form only.
Form form_of(const Type* t, const Value* v) {
  if (any(t)) {
    if (!v || v->is_nil() || v->is_map()) return Form::kMap;
    return v->is_list() ? Form::kList : Form::kScalar;
  }
  if (t->shape == Shape::kScalar) return Form::kScalar;
  return t->shape == Shape::kList ? Form::kList : Form::kMap;
}

bool atomic(const Type* t, Form form) {
  if (form == Form::kList) return any(t) || t->list == ListKind::kAtomic;
  return t && t->atomic;
}

const Type kUntyped = [] {
  Type t;
  t.atomic = true;
  return t;
}();
const Type kDeduced;

// The type of a map's entry; null: not declared.
const Type* entry_type(const Type* t, std::string_view key) {
  if (any(t)) {
    if (t && t->atomic) return &kUntyped;
    if (const Field* field = t ? t->field(key) : nullptr) return field->type;
    return &kDeduced;
  }
  if (t->shape == Shape::kMap) return t->element ? t->element : &kDeduced;
  if (const Field* field = t->field(key)) return field->type;
  if (t->element) return t->element;
  return t->preserve_unknown || t->field_count == 0 ? &kDeduced : nullptr;
}
const Type* entry_type_or_any(const Type* t, std::string_view key) {
  const Type* found = entry_type(t, key);
  return found ? found : &kDeduced;
}
bool declared(const Type* t, std::string_view key) { return t && t->field(key) != nullptr; }
const Type* item_type(const Type* t) {
  return any(t) || !t->element ? &kUntyped : t->element;
}

Value default_of(std::string_view text) {
  // A default is written as in the schema: a number or a word.
  if (auto read = json::read(text, {.numbers = json::Numbers::kExact}); read && !read->is_nil()) {
    return *read;
  }
  return value::str(text);
}

Result<PathElement> element_of(const Type* list, const Value& item) {
  if (list->list == ListKind::kSet || list->key_count == 0) {
    if (item.is_map()) {
      return Error("associative list without keys has an element that's a map type");
    }
    if (item.is_list()) return Error("not supported: associative list with lists as elements");
    if (item.is_nil()) {
      return Error("associative list without keys has an element that's an explicit null");
    }
    return PathElement::of_value(item);
  }
  if (item.is_nil()) return Error("associative list with keys may not have a null element");
  if (!item.is_map()) return Error("associative list with keys may not have non-map elements");
  std::vector<std::pair<std::string, Value>> keys;
  for (uint32_t i = 0; i < list->key_count; ++i) {
    if (const Value* found = item.get(list->keys[i])) {
      keys.emplace_back(list->keys[i], *found);
    } else if (list->key_defaults && !list->key_defaults[i].empty()) {
      keys.emplace_back(list->keys[i], default_of(list->key_defaults[i]));
    }
  }
  if (keys.empty()) {
    std::string names;
    for (uint32_t i = 0; i < list->key_count; ++i) {
      names += (i ? " " : "") + quote(list->keys[i]);
    }
    return Error("associative list with keys has an element that omits all key fields [" + names +
                 "] (and doesn't have default values for any key fields)");
  }
  return PathElement::of_keys(std::move(keys));
}

struct Before {
  bool operator()(const PathElement& a, const PathElement& b) const { return compare(a, b) < 0; }
};

// The union of two maps' keys, in order.
template <typename Visit>
void zip(const Value* a, const Value* b, Visit visit) {
  static const std::vector<value::Map::Entry> kNone;
  auto entries = [](const Value* v) {
    return v && v->is_map() && v->as_map()
               ? std::pair(v->as_map()->begin(), v->as_map()->end())
               : std::pair(kNone.begin(), kNone.end());
  };
  auto [x, x_end] = entries(a);
  auto [y, y_end] = entries(b);
  while (x != x_end || y != y_end) {
    int c = x == x_end ? 1 : y == y_end ? -1 : x->key.view().compare(y->key.view());
    if (c < 0) {
      visit(x->key.view(), &x->value, nullptr);
      ++x;
    } else if (c > 0) {
      visit(y->key.view(), nullptr, &y->value);
      ++y;
    } else {
      visit(x->key.view(), &x->value, &y->value);
      ++x, ++y;
    }
  }
}

bool empty_as(const Value* v, Form form) {
  if (!v) return true;
  return form == Form::kMap ? !v->is_map() || v->length() == 0 : !v->is_list() || v->length() == 0;
}

// Go prints a value that does not fit through its wrapper: &{1}.
std::string wrapped(const Value& v) {
  return "&{" + go_text(v) + "}";
}

// ---- check ----

class Checker {
 public:
  explicit Checker(bool duplicates) : duplicates_(duplicates) {}

  void visit(const Value& v, const Type* t) {
    switch (form_of(t, &v)) {
      case Form::kScalar:
        if (!any(t)) scalar(v, t->scalar);
        return;
      case Form::kMap:
        if (v.is_nil()) return;
        if (!v.is_map()) return fail("expected map, got " + wrapped(v));
        return map(v, t);
      case Form::kList:
        if (v.is_nil()) return;
        if (!v.is_list()) return fail("expected list, got " + wrapped(v));
        return list(v, t);
    }
  }

  Status status() const {
    if (errors_.empty()) return ok();
    if (errors_.size() == 1) return Error(Code::kInvalidArgument, errors_[0]);
    std::string text = "errors:";
    for (const std::string& e : errors_) text += "\n  " + e;
    return Error(Code::kInvalidArgument, text);
  }

 private:
  void fail(const std::string& what) {
    std::string at = text_of(path_);
    errors_.push_back(at.empty() ? what : at + ": " + what);
  }

  void scalar(const Value& v, Scalar kind) {
    if (v.is_nil()) return;
    bool number = v.is_int() || v.is_uint() || v.is(value::Type::kFloat64);
    if (kind == Scalar::kString && !v.is_string()) {
      fail("expected string, got &value.valueUnstructured{Value:" + go_syntax(v) + "}");
    } else if ((kind == Scalar::kInteger || kind == Scalar::kNumber) && !number) {
      fail("expected numeric (int or float), got " + std::string(value::go_type(v)));
    } else if (kind == Scalar::kBoolean && !v.is(value::Type::kBool)) {
      fail("expected boolean, got " + wrapped(v));
    } else if (!is_scalar(v)) {
      fail("expected any scalar, got " + wrapped(v));
    }
  }

  void map(const Value& v, const Type* t) {
    if (!v.as_map()) return;
    for (const auto& entry : *v.as_map()) {
      path_.push_back(PathElement::field(entry.key.view()));
      const Type* below = entry_type(t, entry.key.view());
      if (below) {
        visit(entry.value, below);
      } else {
        fail("field not declared in schema");
      }
      path_.pop_back();
      if (!below) return;
    }
  }

  void list(const Value& v, const Type* t) {
    bool by_item = !atomic(t, Form::kList);
    std::map<PathElement, bool, Before> seen;
    int64_t i = 0;
    for (const Value& item : v.items()) {
      PathElement at = PathElement::index(i);
      if (by_item) {
        auto found = element_of(t, item);
        if (!found) return fail("element " + std::to_string(i) + ": " + found.error().text());
        at = *found;
        if (!seen.emplace(at, true).second && !duplicates_) {
          fail("duplicate entries for key " + at.text());
        }
      }
      path_.push_back(std::move(at));
      visit(item, item_type(t));
      path_.pop_back();
      ++i;
    }
  }

  bool duplicates_;
  Path path_;
  std::vector<std::string> errors_;
};

// ---- compare ----

class Comparer {
 public:
  Comparison out;

  void visit(const Value* a, const Value* b, const Type* t) {
    bool leaf;
    if (!b) {
      leaf = walk(a, b, t, form_of(t, a));
    } else {
      Form form = form_of(t, b);
      if (a && form_of(t, a) != form) walk(a, b, t, form_of(t, a));
      leaf = walk(a, b, t, form);
    }
    if (leaf) return;
    if (!a) out.added.insert(path_);
    if (!b) out.removed.insert(path_);
  }

 private:
  bool walk(const Value* a, const Value* b, const Type* t, Form form) {
    if (form == Form::kScalar || atomic(t, form) || (empty_as(a, form) && empty_as(b, form))) {
      if (!a) {
        out.added.insert(path_);
      } else if (!b) {
        out.removed.insert(path_);
      } else if (!equal_values(*a, *b)) {
        out.modified.insert(path_);
      }
      return true;
    }
    if (form == Form::kList) {
      list(a, b, t);
    } else {
      zip(a, b, [&](std::string_view key, const Value* x, const Value* y) {
        path_.push_back(PathElement::field(key));
        visit(x, y, entry_type_or_any(t, key));
        path_.pop_back();
      });
    }
    return false;
  }

  void list(const Value* a, const Value* b, const Type* t) {
    std::map<PathElement, std::pair<std::vector<const Value*>, std::vector<const Value*>>, Before>
        items;
    auto collect = [&](const Value* v, bool left) {
      if (!v) return;
      for (const Value& item : v->items()) {
        auto at = element_of(t, item);
        if (!at) continue;  // checked before
        auto& both = items[*at];
        (left ? both.first : both.second).push_back(&item);
      }
    };
    collect(a, true);
    collect(b, false);
    for (const auto& [at, both] : items) {
      const auto& [x, y] = both;
      path_.push_back(at);
      if (x.size() <= 1 && y.size() <= 1) {
        visit(x.empty() ? nullptr : x[0], y.empty() ? nullptr : y[0], item_type(t));
      } else if (x.size() > 1 && y.size() > 1) {
        bool same = x.size() == y.size();
        for (size_t i = 0; same && i < x.size(); ++i) same = equal_values(*x[i], *y[i]);
        if (!same) out.modified.insert(path_);
      } else if (x.size() > 1) {
        if (!y.empty()) visit(nullptr, y[0], item_type(t));
        out.removed.insert(path_);
      } else {
        if (!x.empty()) visit(x[0], nullptr, item_type(t));
        out.added.insert(path_);
      }
      path_.pop_back();
    }
  }

  Path path_;
};

// ---- merge ----

std::optional<Value> merge(const Value* a, const Value* b, const Type* t);

// The items of both lists in one order: that of `b` where it says something, else that of `a`.
std::vector<Value> merge_items(const Value* a, const Value* b, const Type* t) {
  struct Item {
    PathElement at;
    const Value* value;
  };
  struct Index {
    std::vector<Item> order;
    std::map<PathElement, const Value*, Before> by_element;  // null: held twice
    bool has(const PathElement& e) const { return by_element.count(e) > 0; }
    const Value* get(const PathElement& e) const {
      auto found = by_element.find(e);
      return found == by_element.end() ? nullptr : found->second;
    }
  };
  auto index = [&](const Value* v) {
    Index out;
    if (!v) return out;
    for (const Value& item : v->items()) {
      auto at = element_of(t, item);
      if (!at) continue;
      auto [found, fresh] = out.by_element.emplace(*at, &item);
      if (!fresh) found->second = nullptr;
      out.order.push_back({std::move(*at), &item});
    }
    return out;
  };
  Index left = index(a), right = index(b);
  std::vector<const PathElement*> shared;  // in right's order
  for (const Item& item : right.order) {
    if (left.has(item.at)) shared.push_back(&item.at);
  }
  size_t next = 0;
  std::map<PathElement, bool, Before> merged;
  std::vector<Value> out;
  auto take = [&](const Value* x, const Value* y) {
    if (!x && !y) return;
    if (auto item = merge(x, y, item_type(t))) out.push_back(std::move(*item));
  };
  size_t l = 0, r = 0;
  while (l < left.order.size() || r < right.order.size()) {
    if (l < left.order.size() && r < right.order.size()) {
      const PathElement& at = left.order[l].at;
      if (compare(at, right.order[r].at) == 0) {
        merged[at] = true;
        take(left.get(at), right.get(at));
        ++l, ++r, ++next;
        continue;
      }
      if (right.has(at) && next < shared.size() && compare(*shared[next], at) != 0) {
        ++l;  // shared, but its turn comes later
        continue;
      }
    }
    if (l < left.order.size()) {
      const PathElement& at = left.order[l].at;
      if (!right.has(at)) {
        take(left.order[l].value, nullptr);
        ++l;
        continue;
      }
      if (merged.count(at)) ++l;
    }
    if (r < right.order.size()) {
      const PathElement& at = right.order[r].at;
      merged[at] = true;
      take(left.get(at), right.get(at));
      ++r;
      if (next < shared.size() && compare(*shared[next], at) == 0) ++next;
    }
  }
  return out;
}

std::optional<Value> merge(const Value* a, const Value* b, const Type* t) {
  Form form = form_of(t, b ? b : a);
  if (form == Form::kScalar || atomic(t, form) || (empty_as(a, form) && empty_as(b, form))) {
    return b ? *b : *a;
  }
  if (form == Form::kList) {
    std::vector<Value> items = merge_items(a, b, t);
    if (items.empty()) return std::nullopt;
    return Value::list_of(std::move(items));
  }
  Ref<value::Map> out = value::make_map();
  zip(a, b, [&](std::string_view key, const Value* x, const Value* y) {
    if (auto entry = merge(x, y, entry_type_or_any(t, key))) {
      out->set(value::Str(key), std::move(*entry));
    }
  });
  if (out->empty()) return std::nullopt;
  return Value::map(std::move(out));
}

// ---- fields ----

class Collector {
 public:
  FieldSet out;

  void visit(const Value& v, const Type* t) {
    Form form = form_of(t, &v);
    if (form == Form::kScalar || atomic(t, form)) return out.insert(path_);
    if (form == Form::kList) return list(v, t);
    if (!v.is_map() || !v.as_map()) return;
    for (const auto& entry : *v.as_map()) {
      std::string_view key = entry.key.view();
      path_.push_back(PathElement::field(key));
      visit(entry.value, entry_type_or_any(t, key));
      bool nothing = entry.value.is_nil() || (entry.value.is_map() && entry.value.length() == 0);
      if (nothing || !declared(t, key)) out.insert(path_);
      path_.pop_back();
    }
  }

 private:
  void list(const Value& v, const Type* t) {
    std::map<PathElement, int, Before> count;
    for (const Value& item : v.items()) {
      if (auto at = element_of(t, item)) ++count[*at];
    }
    for (const Value& item : v.items()) {
      auto at = element_of(t, item);
      if (!at) continue;
      bool once = count[*at] == 1;
      path_.push_back(std::move(*at));
      if (once) visit(item, item_type(t));
      out.insert(path_);
      path_.pop_back();
    }
  }

  Path path_;
};

void reconcile(const FieldSet& set, const Type* t, Path& path, FieldSet& remove, FieldSet& add) {
  for (const FieldSet::Child& child : set.children()) {
    const PathElement& at = child.element;
    const Type* below = at.kind == PathElement::Kind::kField ? entry_type(t, at.name) : item_type(t);
    if (any(below)) continue;
    path.push_back(at);
    if (atomic(below, form_of(below, nullptr)) && below->shape != Shape::kScalar) {
      remove.insert(path);
      add.insert(path);
    } else if (below->shape != Shape::kScalar) {
      reconcile(child.set, below, path, remove, add);
    }
    path.pop_back();
  }
}

}  // namespace

Status check_typed(const Value& v, const Type* type, bool duplicates) {
  Checker checker(duplicates);
  checker.visit(v, type);
  return checker.status();
}

Comparison compare_typed(const Value& before, const Value& after, const Type* type) {
  Comparer comparer;
  comparer.visit(&before, &after, type);
  return std::move(comparer.out);
}

Result<Value> merge_typed(const Value& live, const Value& config, const Type* type) {
  TRY(check_typed(config, type, false));
  auto out = merge(&live, &config, type);
  return out ? *out : Value();
}

FieldSet fields_of(const Value& v, const Type* type) {
  Collector collector;
  collector.visit(v, type);
  return std::move(collector.out);
}

Value remove_items(const Value& v, const FieldSet& items, const Type* t) {
  Form form = form_of(t, &v);
  if (form == Form::kScalar) return v;
  if (atomic(t, form) || empty_as(&v, form)) return {};
  if (form == Form::kMap) {
    Ref<value::Map> out = value::make_map();
    for (const auto& entry : *v.as_map()) {
      PathElement at = PathElement::field(entry.key.view());
      if (items.has_member(at)) continue;
      const FieldSet* below = items.below(at);
      out->set(entry.key, below ? remove_items(entry.value, *below,
                                               entry_type_or_any(t, entry.key.view()))
                                : entry.value);
    }
    return out->empty() ? Value() : Value::map(std::move(out));
  }
  std::vector<Value> out;
  for (const Value& item : v.items()) {
    auto at = element_of(t, item);
    const FieldSet* below = nullptr;
    if (at) {
      if (items.has_member(*at)) continue;
      below = items.below(*at);
    }
    out.push_back(below ? remove_items(item, *below, item_type(t)) : item);
  }
  return out.empty() ? Value() : Value::list_of(std::move(out));
}

FieldSet reconciled(const FieldSet& set, const Type* type) {
  if (!type) return set;
  FieldSet remove, add;
  Path path;
  reconcile(set, type, path, remove, add);
  if (remove.empty()) return set;
  return set.without_deep(remove).united(add);
}

}  // namespace pintle::patch
