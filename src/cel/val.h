// Val: a value while an expression runs. 16 bytes, trivially copyable; whatever it points at lives in
// the Arena of this evaluation, in the Program or in the object looked at, which is never copied:
// lists and maps out of the object are views that turn what is asked for into a Val by its Schema.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "cel/schema.h"
#include "cel/type.h"
#include "value/value.h"

namespace pintle::cel {

struct List;
struct Map;
struct Thing;

struct Val {
  Kind kind = Kind::kNull;
  int16_t zone = 0;  // of a timestamp: minutes east of UTC, for its text
  uint32_t n = 0;    // bytes of a text; nanoseconds of a timestamp; of a type: its kind
  union {
    bool b;
    int64_t i = 0;  // int, duration (nanoseconds), timestamp (unix seconds)
    uint64_t u;
    double d;
    const char* s;
    const List* list;
    const Map* map;
    const Val* inner;            // of an optional; null: none
    const Thing* thing;          // URL and kin
    const value::Value* hidden;
  };

  static Val boolean(bool b);
  static Val integer(int64_t i);
  static Val uinteger(uint64_t u);
  static Val real(double d);
  static Val text(std::string_view s, Kind kind = Kind::kString);  // not copied
  static Val duration(int64_t ns);
  static Val timestamp(int64_t seconds, uint32_t ns, int16_t zone = 0);
  static Val type(Kind kind);
  static Val of(const List* list);
  static Val of(const Map* map);
  static Val optional(const Val* inner);
  static Val of(Kind kind, const Thing* thing);

  std::string_view view() const { return {s, n}; }
  bool is(Kind k) const { return kind == k; }
  bool is_error() const { return kind == Kind::kError; }
  bool is_true() const { return kind == Kind::kBool && b; }
  bool is_false() const { return kind == Kind::kBool && !b; }
};
static_assert(sizeof(Val) == 16 && std::is_trivially_copyable_v<Val>);

// A parsed URL, quantity, address, version: one struct each in the library's files.
struct Thing {
  virtual ~Thing() = default;
};

// What is wrong with a text that claims one of Kubernetes' formats ("dns1123Label"): none, it is good.
using Formats = std::vector<std::string> (*)(std::string_view format, std::string_view text);

// Memory of one evaluation: everything is freed at its end. Texts beyond kMaxBytes are refused.
class Arena {
 public:
  static constexpr size_t kMaxBytes = 64 << 20;

  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  bool full() const { return x_used > kMaxBytes; }
  template <typename T>
  T* make(T v) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (bytes(sizeof(T), alignof(T))) T(std::move(v));
  }
  template <typename T>
  const T* keep(T v) {  // for things that own memory
    x_things.push_back(std::make_unique<T>(std::move(v)));
    return static_cast<const T*>(x_things.back().get());
  }
  template <typename T>
  T* array(size_t n) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (bytes(n * sizeof(T), alignof(T))) T[n];
  }
  Val* vals(size_t n) { return array<Val>(n); }
  Val copy(std::string_view s, Kind kind = Kind::kString);
  Val error(std::string_view text) { return copy(text, Kind::kError); }
  Val list(std::span<const Val> items);
  Val some(Val v) { return Val::optional(make(v)); }

  Formats formats = nullptr;

 private:
  void* bytes(size_t n, size_t align);

  alignas(16) char x_first[2048];
  char* x_next = x_first;
  char* x_end = x_first + sizeof x_first;
  size_t x_used = 0;
  std::vector<std::unique_ptr<char[]>> x_chunks;
  std::vector<std::unique_ptr<Thing>> x_things;
};

// Values made by the expression (`vals`), or a list of the object (`raw`, seen by `item`).
struct List {
  const Val* vals = nullptr;
  const value::Value* raw = nullptr;
  size_t size = 0;
  const Schema* schema = nullptr;  // of the list as a whole: its type and keys; null: plain
};
// Likewise. Made maps keep the order of writing; look-up is linear, their makers pay for it.
struct Map {
  struct Entry {
    Val key, value;
  };
  const Entry* entries = nullptr;
  size_t size = 0;
  const value::Value* raw = nullptr;
  const Schema* schema = nullptr;
};

// The object's value as its schema says; an error when it is not so.
Val view(Arena& arena, const value::Value& v, const Schema& schema);
Val item(Arena& arena, const List& list, size_t i);
// The value at the key; false when there is none. An error comes back as a value.
bool find(Arena& arena, const Map& map, const Val& key, Val* out);
// Every key, in the order of the object (sorted) or of writing.
std::span<const Val> keys_of(Arena& arena, const Map& map);

Val equal(Arena& arena, const Val& a, const Val& b);  // a bool, or an error
// -1, 0, 1, or an error where they have no order.
Val compare(Arena& arena, const Val& a, const Val& b);
int compare_text(std::string_view a, std::string_view b);
Val contains(Arena& arena, const List& list, const Val& v);
bool is_zero(const Val& v);
// As Go prints it in messages: no such key: k, index out of bounds: 3.
std::string shown(Arena& arena, const Val& v);
// What the cost of most calls goes by: characters of a text, elements of a list or map, else 1.
uint64_t size_of(const Val& v);

// ---- inline bodies ----

inline Val Val::boolean(bool b) {
  Val v;
  v.kind = Kind::kBool;
  v.i = 0;
  v.b = b;
  return v;
}
inline Val Val::integer(int64_t i) {
  Val v;
  v.kind = Kind::kInt;
  v.i = i;
  return v;
}
inline Val Val::uinteger(uint64_t u) {
  Val v;
  v.kind = Kind::kUint;
  v.u = u;
  return v;
}
inline Val Val::real(double d) {
  Val v;
  v.kind = Kind::kDouble;
  v.d = d;
  return v;
}
inline Val Val::text(std::string_view s, Kind kind) {
  Val v;
  v.kind = kind;
  v.n = static_cast<uint32_t>(s.size());
  v.s = s.data();
  return v;
}
inline Val Val::duration(int64_t ns) {
  Val v = integer(ns);
  v.kind = Kind::kDuration;
  return v;
}
inline Val Val::timestamp(int64_t seconds, uint32_t ns, int16_t zone) {
  Val v = integer(seconds);
  v.kind = Kind::kTimestamp;
  v.n = ns;
  v.zone = zone;
  return v;
}
inline Val Val::type(Kind kind) {
  Val v;
  v.kind = Kind::kType;
  v.n = static_cast<uint32_t>(kind == Kind::kObject ? Kind::kMap : kind);
  return v;
}
inline Val Val::of(const List* list) {
  Val v;
  v.kind = Kind::kList;
  v.list = list;
  return v;
}
inline Val Val::of(const Map* map) {
  Val v;
  v.kind = Kind::kMap;
  v.map = map;
  return v;
}
inline Val Val::optional(const Val* inner) {
  Val v;
  v.kind = Kind::kOptional;
  v.inner = inner;
  return v;
}
inline Val Val::of(Kind kind, const Thing* thing) {
  Val v;
  v.kind = kind;
  v.thing = thing;
  return v;
}

}  // namespace pintle::cel
