// Short reading and writing of object trees, for rules and controllers:
//   text(pod, "spec", "nodeName"), number(job, "spec", "parallelism"), items(pod, "spec", "volumes")
//   default_to(container, "imagePullPolicy", "Always"); put(ensure(pod, "status"), "phase", "Running")
//
// Reading never fails: what is absent, null or of another type reads as nothing ("" 0 false empty).
// Writing changes the tree in place; the caller owns it alone (world.h). A path that meets a value
// of another type replaces it with a map. Pointers and views die with the next write to their map.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "value/value.h"

namespace pintle::drydock {

using value::Value;

inline Value make(std::string_view s) { return value::str(s); }
inline Value make(const char* s) { return value::str(s); }
inline Value make(const std::string& s) { return value::str(s); }
inline Value make(bool b) { return Value::boolean(b); }
template <std::integral I>
  requires(!std::same_as<I, bool>)
Value make(I n) {
  return Value::int64(static_cast<int64_t>(n));
}
inline Value make(Value v) { return v; }
inline Value empty_map() { return Value::map(value::make_map()); }
inline Value empty_list() { return Value::list_of({}); }

// ---- reading ----

// The value at the end of the keys; null when absent or JSON null.
inline const Value* at(const Value& v) { return v.is_nil() ? nullptr : &v; }
template <typename... Keys>
const Value* at(const Value& v, std::string_view key, const Keys&... rest) {
  const Value* next = v.get(key);
  return next ? at(*next, rest...) : nullptr;
}
template <typename... Keys>
bool has(const Value& v, const Keys&... keys) {
  return at(v, keys...) != nullptr;
}
template <typename... Keys>
std::string_view text(const Value& v, const Keys&... keys) {
  const Value* found = at(v, keys...);
  return found && found->is_string() ? found->as_string() : std::string_view();
}
// Integers only; a float that is whole counts.
int64_t as_number(const Value* v, int64_t fallback);
template <typename... Keys>
int64_t number(const Value& v, const Keys&... keys) {
  return as_number(at(v, keys...), 0);
}
template <typename... Keys>
int64_t number_or(int64_t fallback, const Value& v, const Keys&... keys) {
  return as_number(at(v, keys...), fallback);
}
template <typename... Keys>
bool flag(const Value& v, const Keys&... keys) {
  const Value* found = at(v, keys...);
  return found && found->is(value::Type::kBool) && found->as_bool();
}
template <typename... Keys>
std::span<const Value> items(const Value& v, const Keys&... keys) {
  const Value* found = at(v, keys...);
  return found ? found->items() : std::span<const Value>();
}
// The map's entries in key order; empty when there is no map.
using Entries = std::span<const value::Map::Entry>;
inline Entries entries_of(const Value* v) {
  if (!v || !v->is_map() || !v->as_map()) return {};
  return {v->as_map()->begin(), v->as_map()->end()};
}
template <typename... Keys>
Entries entries(const Value& v, const Keys&... keys) {
  return entries_of(at(v, keys...));
}

inline std::string_view name_of(const Value& object) { return text(object, "metadata", "name"); }
inline std::string_view namespace_of(const Value& object) {
  return text(object, "metadata", "namespace");
}
inline std::string_view uid_of(const Value& object) { return text(object, "metadata", "uid"); }

// Go's apiequality.Semantic.DeepEqual as far as trees show it: null, absent and empty are one.
bool same(const Value* a, const Value* b);
inline bool same(const Value& a, const Value& b) { return same(&a, &b); }

// ---- writing ----

// The map at the end of the keys, made where it is missing.
Value& ensure_map(Value& v);
inline Value& ensure(Value& v) { return ensure_map(v); }
Value& ensure_child(Value& v, std::string_view key);
template <typename... Keys>
Value& ensure(Value& v, std::string_view key, const Keys&... rest) {
  return ensure(ensure_child(v, key), rest...);
}
// The value itself for changing; null when absent or JSON null.
inline Value* find(Value& v) { return v.is_nil() ? nullptr : &v; }
template <typename... Keys>
Value* find(Value& v, std::string_view key, const Keys&... rest) {
  if (!v.is_map() || !v.as_map()) return nullptr;
  Value* next = v.as_map()->find(key);
  return next ? find(*next, rest...) : nullptr;
}
// A list's elements for changing in place; empty when there is no list.
inline std::span<Value> elements_of(Value* v) {
  if (!v || !v->is_list() || !v->as_list()) return {};
  return v->as_list()->items;
}
template <typename... Keys>
std::span<Value> elements(Value& v, const Keys&... keys) {
  return elements_of(find(v, keys...));
}
void put_value(Value& map, std::string_view key, Value value);
template <typename T>
void put(Value& map, std::string_view key, T&& value) {
  put_value(map, key, make(std::forward<T>(value)));
}
// Writes when the key is absent, null or "".
bool unset(const Value& map, std::string_view key);
template <typename T>
void default_to(Value& map, std::string_view key, T&& value) {
  if (unset(map, key)) put_value(map, key, make(std::forward<T>(value)));
}
void drop(Value& map, std::string_view key);
void push(Value& map, std::string_view key, Value element);  // appends to the list at key
// Makes `to`'s entry equal to `from`'s: a deep copy, or absent.
void copy_entry(Value& to, const Value& from, std::string_view key);

}  // namespace pintle::drydock
