#include "drydock/tree.h"

#include <cmath>

namespace pintle::drydock {

int64_t as_number(const Value* v, int64_t fallback) {
  if (!v) return fallback;
  if (v->is_int()) return v->as_int();
  if (v->is_uint()) return static_cast<int64_t>(v->as_uint());
  if (v->is(value::Type::kFloat64)) {
    double d = v->as_double();
    if (std::trunc(d) == d && std::fabs(d) < 9e15) return static_cast<int64_t>(d);
  }
  return fallback;
}

namespace {

bool nothing(const Value* v) {
  if (!v || v->is_nil()) return true;
  return (v->is_map() || v->is_list()) && v->length() == 0;
}

bool same_maps(const Value& a, const Value& b) {
  Entries x = entries_of(&a), y = entries_of(&b);
  size_t i = 0, j = 0;
  while (i < x.size() || j < y.size()) {
    if (j == y.size() || (i < x.size() && x[i].key < y[j].key)) {
      if (!nothing(&x[i++].value)) return false;
    } else if (i == x.size() || y[j].key < x[i].key) {
      if (!nothing(&y[j++].value)) return false;
    } else if (!same(&x[i++].value, &y[j++].value)) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool same(const Value* a, const Value* b) {
  if (nothing(a) || nothing(b)) return nothing(a) == nothing(b);
  if (a->is_map() && b->is_map()) return same_maps(*a, *b);
  if (a->is_list() && b->is_list()) {
    auto x = a->items(), y = b->items();
    if (x.size() != y.size()) return false;
    for (size_t i = 0; i < x.size(); ++i) {
      if (!same(&x[i], &y[i])) return false;
    }
    return true;
  }
  if ((a->is_int() || a->is_uint()) && (b->is_int() || b->is_uint())) {
    return a->as_uint() == b->as_uint();
  }
  return value::deep_equal(*a, *b);
}

Value& ensure_map(Value& v) {
  if (!v.is_map() || !v.as_map()) v = empty_map();
  return v;
}

Value& ensure_child(Value& v, std::string_view key) {
  return ensure_map(ensure_map(v).as_map()->at_or_insert(key));
}

void put_value(Value& map, std::string_view key, Value value) {
  ensure_map(map).as_map()->set(key, std::move(value));
}

bool unset(const Value& map, std::string_view key) {
  const Value* found = map.get(key);
  return !found || found->is_nil() || (found->is_string() && found->as_string().empty());
}

void drop(Value& map, std::string_view key) {
  if (map.is_map() && map.as_map()) map.as_map()->erase(key);
}

void push(Value& map, std::string_view key, Value element) {
  Value* list = find(map, key);
  if (!list || !list->is_list() || !list->as_list()) {
    put_value(map, key, Value::list_of({std::move(element)}));
    return;
  }
  list->as_list()->items.push_back(std::move(element));
}

void copy_entry(Value& to, const Value& from, std::string_view key) {
  if (const Value* found = from.get(key)) {
    put_value(to, key, value::deep_copy(*found));
  } else {
    drop(to, key);
  }
}

}  // namespace pintle::drydock
