// Value: one dynamically typed value with Go's type kept, 16 bytes. The currency of every room.
//
// Charts can see Go's types (typeOf, kindOf, %T, "wrong type for value"), so int, int64 and float64
// stay apart, as do []interface {}, []string, map[string]interface {}, map[string]string and the
// named types. Scalars and short strings live inside; long strings, lists, maps and objects are
// shared by count. As in Go: strings are immutable; maps are references (a change is seen through
// every copy of the Value; deep_copy to separate); lists are treated as immutable once shared.
//
// A tree belongs to one thread at a time (counts are not atomic, base/ref.h). Deep nesting is the
// reader's to bound (json/yaml stop at 10,000). Cycles made with `set` leak and end at depth limits.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/ref.h"
#include "value/str.h"

namespace pintle::value {

class Value;
struct List;
class Map;
struct Object;

enum class Type : uint8_t {
  kNil = 0,     // nil interface: YAML null, a missing map entry's zero value
  kInvalid,     // Go's zero reflect.Value, printed "<no value>"; lives inside the template VM only
  kBool,
  kInt,         // int
  kInt64,
  kUint8,
  kUint32,
  kUint64,
  kFloat64,
  kString,
  kBytes,       // []byte ([]uint8), held as a string
  kList,        // []interface {}
  kStringList,  // []string
  kIntList,     // []int
  kListList,    // [][]interface {}
  kMap,         // map[string]interface {}
  kStringMap,   // map[string]string
  kValues,      // common.Values (underlying map[string]interface {})
  kFiles,       // engine.files (map[string][]byte)
  kObject,      // any other Go type: see Object
};

// reflect.Kind as charts see it through kindOf.
enum class Kind : uint8_t { kInvalid, kBool, kInt, kUint, kFloat, kComplex, kString, kList, kMap, kStruct, kPtr, kFunc };

class Value {
 public:
  Value() { std::memset(raw_, 0, sizeof raw_); }  // nil
  Value(const Value& o) {
    std::memcpy(raw_, o.raw_, sizeof raw_);
    if (counted()) retain();
  }
  Value(Value&& o) noexcept {
    std::memcpy(raw_, o.raw_, sizeof raw_);
    std::memset(o.raw_, 0, sizeof raw_);
  }
  Value& operator=(const Value& o) {
    Value t(o);
    swap(t);
    return *this;
  }
  Value& operator=(Value&& o) noexcept {
    Value t(std::move(o));
    swap(t);
    return *this;
  }
  ~Value() {
    if (counted()) release();
  }
  void swap(Value& o) noexcept {
    char t[16];
    std::memcpy(t, raw_, 16);
    std::memcpy(raw_, o.raw_, 16);
    std::memcpy(o.raw_, t, 16);
  }

  static Value nil() { return {}; }
  static Value invalid() { return scalar(Type::kInvalid, 0); }
  static Value boolean(bool b) { return scalar(Type::kBool, b ? 1 : 0); }
  static Value integer(int64_t i) { return scalar(Type::kInt, static_cast<uint64_t>(i)); }
  static Value int64(int64_t i) { return scalar(Type::kInt64, static_cast<uint64_t>(i)); }
  static Value uint8(uint8_t u) { return scalar(Type::kUint8, u); }
  static Value uint32(uint32_t u) { return scalar(Type::kUint32, u); }
  static Value uint64(uint64_t u) { return scalar(Type::kUint64, u); }
  static Value number(double d) {
    uint64_t bits;
    std::memcpy(&bits, &d, sizeof bits);
    return scalar(Type::kFloat64, bits);
  }
  static Value string(Str s) { return from_str(Type::kString, std::move(s)); }
  static Value bytes(Str s) { return from_str(Type::kBytes, std::move(s)); }
  // A null list or map is Go's nil slice or nil map of that type.
  static Value list(Ref<List> l, Type t = Type::kList);
  static Value map(Ref<Map> m, Type t = Type::kMap);
  static Value object(Ref<Object> o);
  static Value list_of(std::vector<Value> items, Type t = Type::kList);
  static Value strings(const std::vector<std::string>& items);  // []string

  Type type() const { return static_cast<Type>(raw_[15]); }
  bool is(Type t) const { return type() == t; }
  bool is_nil() const { return is(Type::kNil); }
  bool is_invalid() const { return is(Type::kInvalid); }
  bool is_string() const { return is(Type::kString); }
  bool is_map() const { return type() >= Type::kMap && type() <= Type::kFiles; }
  bool is_list() const { return type() >= Type::kList && type() <= Type::kListList; }
  bool is_int() const { return is(Type::kInt) || is(Type::kInt64); }
  bool is_uint() const { return type() >= Type::kUint8 && type() <= Type::kUint64; }
  bool is_object() const { return is(Type::kObject); }

  // Unchecked reads: the caller has looked at type().
  bool as_bool() const { return bits() != 0; }
  int64_t as_int() const { return static_cast<int64_t>(bits()); }      // kInt kInt64
  uint64_t as_uint() const { return bits(); }                          // kUint*
  double as_double() const {
    uint64_t b = bits();
    double d;
    std::memcpy(&d, &b, sizeof d);
    return d;
  }
  std::string_view as_string() const { return str().view(); }           // kString kBytes
  const Str& str() const { return *reinterpret_cast<const Str*>(raw_); }
  List* as_list() const { return static_cast<List*>(pointer()); }       // null: nil slice
  Map* as_map() const { return static_cast<Map*>(pointer()); }          // null: nil map
  Object* as_object() const;
  Ref<List> list_ref() const;
  Ref<Map> map_ref() const;

  // Elements of a list type / entries of a map type; 0 for nil ones.
  size_t length() const;
  std::span<const Value> items() const;

  // The entry of a map (any map type), null when absent or not a map.
  const Value* get(std::string_view key) const;

  bool identical(const Value& o) const { return std::memcmp(raw_, o.raw_, sizeof raw_) == 0; }

 private:
  static Value scalar(Type t, uint64_t bits) {
    Value v;
    std::memcpy(v.raw_, &bits, sizeof bits);
    v.raw_[15] = static_cast<char>(t);
    return v;
  }
  static Value from_str(Type t, Str s) {
    Value v;
    std::memcpy(v.raw_, s.raw_, 16);
    std::memset(s.raw_, 0, 16);
    v.raw_[15] = static_cast<char>(t);
    return v;
  }
  static Value from_ref(Type t, const RefCounted* counted, void* p);
  uint64_t bits() const {
    uint64_t b;
    std::memcpy(&b, raw_, sizeof b);
    return b;
  }
  void* pointer() const {
    void* p;
    std::memcpy(&p, raw_, sizeof p);
    return p;
  }
  bool counted() const { return type() >= Type::kString; }
  void retain();
  void release();

  alignas(8) char raw_[16];  // Str's layout; byte 15 is the Type
};

static_assert(sizeof(Value) == 16);

struct List : RefCounted {
  std::vector<Value> items;
  List() = default;
  explicit List(std::vector<Value> v) : items(std::move(v)) {}
};

// Map with string keys, iterated in byte order of the keys (Go's range order). Entries are one sorted
// array: look-up O(log n); insertion in key order O(1) amortised, elsewhere O(n) moves of 32 bytes.
// Readers of text use MapBuilder, which sorts once.
class Map : public RefCounted {
 public:
  struct Entry {
    Str key;
    Value value;
  };

  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  const Value* find(std::string_view key) const;
  Value* find(std::string_view key) {
    return const_cast<Value*>(static_cast<const Map*>(this)->find(key));
  }
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  void set(Str key, Value value);        // inserts or replaces
  Value& at_or_insert(Str key);          // nil when new
  bool erase(std::string_view key);
  void clear() { entries_.clear(); }
  void reserve(size_t n) { entries_.reserve(n); }

  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  std::vector<Entry>& entries() { return entries_; }  // keys must stay sorted and unique

 private:
  friend class MapBuilder;
  size_t lower_bound(std::string_view key) const;
  std::vector<Entry> entries_;
};

// Collects entries in any order, then sorts once; of equal keys the last added wins.
class MapBuilder {
 public:
  void add(Str key, Value value) { entries_.push_back({std::move(key), std::move(value)}); }
  void reserve(size_t n) { entries_.reserve(n); }
  size_t size() const { return entries_.size(); }
  Ref<Map> finish();

 private:
  std::vector<Map::Entry> entries_;
};

// A Go value of a type of its own: struct, pointer, named scalar, function. Immutable.
struct FuncDef;  // value/func.h
struct StructField {
  std::string_view name;
  Value value;
};
struct Object : RefCounted {
  virtual ~Object() = default;
  virtual std::string_view go_type() const = 0;  // as %T: "time.Time", "*semver.Version"
  virtual Kind kind() const = 0;
  virtual std::string_view kind_name() const = 0;  // as kindOf: "struct", "ptr", "int64"
  virtual bool truth() const { return true; }      // text/template's truth
  // A struct's field by its exact name; kInvalid when there is none.
  virtual Value field(std::string_view) const { return Value::invalid(); }
  virtual bool has_unexported(std::string_view) const { return false; }
  // A method, called with the receiver as args[0]; null when there is none. FuncDef::params lists
  // only what the template writes: the receiver has no letter in it.
  virtual const FuncDef* method(std::string_view) const { return nullptr; }
  // Elements, for named list types (common.VersionSet); null otherwise.
  virtual const List* elements() const { return nullptr; }
  // What fmt prints for %v. `pointer`: printed through an action, where Go takes the address and
  // so finds String methods on pointer receivers (KubeVersion).
  virtual void print(std::string& out, bool pointer) const = 0;
  // Does Go find a String method on the value itself? And its fields in order, unexported ones too:
  // what fmt walks for the verbs that no String method serves (%d, %#v, %+v). Empty: not known.
  virtual bool has_string() const { return true; }
  virtual std::vector<StructField> struct_fields() const { return {}; }
  // What a function that returned it leaves: a copy without an address, which has lost the methods
  // on pointer receivers. Null: the object itself.
  virtual Ref<Object> detached() const { return nullptr; }
  // What encoding/json sees: a plain tree; kInvalid when it cannot be marshalled.
  virtual Value plain() const { return Value::invalid(); }
  // The same of a struct, its members in the order of its fields. Empty: plain() says it all.
  virtual std::vector<StructField> json_members() const { return {}; }
  virtual bool equals(const Object& o) const { return this == &o; }
  // For kinds kInt/kUint/kFloat: the number, so that arithmetic and comparisons can see it.
  virtual Value basic() const { return Value::invalid(); }
};

// Go's type name, as %T prints: "<nil>", "float64", "map[string]interface {}", "common.Values".
std::string_view go_type(const Value& v);
Kind kind(const Value& v);
std::string_view kind_name(const Value& v);  // "invalid", "float64", "slice", "map", "ptr" ...

Value deep_copy(const Value& v);  // maps and lists are copied, types kept; objects shared
// The same within bounds; nullopt beyond them. A value may share parts of itself, and so stand for
// exponentially many nodes, or (changed by a template) hold itself.
std::optional<Value> deep_copy(const Value& v, size_t max_nodes, size_t max_depth);
// reflect.DeepEqual: types must match; nil list differs from the empty one; NaN differs from NaN;
// a pair of containers met again counts as equal, so it ends for any value.
bool deep_equal(const Value& a, const Value& b);
// text/template's truth: false, 0, "", empty or nil container, nil, invalid are false.
bool truth(const Value& v);

inline Value str(std::string_view s) { return Value::string(Str(s)); }
inline Ref<Map> make_map() { return Ref<Map>::make(); }

// ---- inline bodies that need complete types ----

inline Value Value::from_ref(Type t, const RefCounted* counted, void* p) {
  Value v;
  if (counted) RefAccess::retain(counted);
  std::memcpy(v.raw_, &p, sizeof p);
  v.raw_[15] = static_cast<char>(t);
  return v;
}
inline Value Value::list(Ref<List> l, Type t) { return from_ref(t, l.get(), l.get()); }
inline Value Value::map(Ref<Map> m, Type t) { return from_ref(t, m.get(), m.get()); }
inline Value Value::object(Ref<Object> o) { return from_ref(Type::kObject, o.get(), o.get()); }
inline Object* Value::as_object() const { return static_cast<Object*>(pointer()); }
inline Ref<List> Value::list_ref() const { return Ref<List>(as_list()); }
inline Ref<Map> Value::map_ref() const { return Ref<Map>(as_map()); }
inline size_t Value::length() const {
  if (is_list()) return as_list() ? as_list()->items.size() : 0;
  if (is_map()) return as_map() ? as_map()->size() : 0;
  return 0;
}
inline std::span<const Value> Value::items() const {
  if (!is_list() || !as_list()) return {};
  return as_list()->items;
}
inline const Value* Value::get(std::string_view key) const {
  if (!is_map() || !as_map()) return nullptr;
  return as_map()->find(key);
}

}  // namespace pintle::value
