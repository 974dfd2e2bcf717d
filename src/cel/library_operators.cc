// Arithmetic, order and membership. What overflows is an error.
#include <cmath>

#include "base/strings.h"
#include "cel/function.h"
#include "cel/time.h"

namespace pintle::cel {
namespace {

using Args = std::span<const Val>;
constexpr int64_t kSecond = 1'000'000'000;

Val overflow(Arena& a, Kind k) {
  if (k == Kind::kTimestamp) return a.error("timestamp overflow");
  return a.error(k == Kind::kUint ? "unsigned integer overflow" : "integer overflow");
}

Val add_int(Arena& a, Args v) {
  int64_t out;
  return __builtin_add_overflow(v[0].i, v[1].i, &out) ? overflow(a, Kind::kInt) : Val::integer(out);
}
Val sub_int(Arena& a, Args v) {
  int64_t out;
  return __builtin_sub_overflow(v[0].i, v[1].i, &out) ? overflow(a, Kind::kInt) : Val::integer(out);
}
Val mul_int(Arena& a, Args v) {
  int64_t out;
  return __builtin_mul_overflow(v[0].i, v[1].i, &out) ? overflow(a, Kind::kInt) : Val::integer(out);
}
Val div_int(Arena& a, Args v) {
  if (v[1].i == 0) return a.error("division by zero");
  if (v[0].i == INT64_MIN && v[1].i == -1) return overflow(a, Kind::kInt);
  return Val::integer(v[0].i / v[1].i);
}
Val mod_int(Arena& a, Args v) {
  if (v[1].i == 0) return a.error("modulus by zero");
  if (v[0].i == INT64_MIN && v[1].i == -1) return overflow(a, Kind::kInt);
  return Val::integer(v[0].i % v[1].i);
}
Val neg_int(Arena& a, Args v) { return v[0].i == INT64_MIN ? overflow(a, Kind::kInt) : Val::integer(-v[0].i); }

Val add_uint(Arena& a, Args v) {
  uint64_t out;
  return __builtin_add_overflow(v[0].u, v[1].u, &out) ? overflow(a, Kind::kUint) : Val::uinteger(out);
}
Val sub_uint(Arena& a, Args v) { return v[1].u > v[0].u ? overflow(a, Kind::kUint) : Val::uinteger(v[0].u - v[1].u); }
Val mul_uint(Arena& a, Args v) {
  uint64_t out;
  return __builtin_mul_overflow(v[0].u, v[1].u, &out) ? overflow(a, Kind::kUint) : Val::uinteger(out);
}
Val div_uint(Arena& a, Args v) { return v[1].u == 0 ? a.error("division by zero") : Val::uinteger(v[0].u / v[1].u); }
Val mod_uint(Arena& a, Args v) { return v[1].u == 0 ? a.error("modulus by zero") : Val::uinteger(v[0].u % v[1].u); }

Val add_double(Arena&, Args v) { return Val::real(v[0].d + v[1].d); }
Val sub_double(Arena&, Args v) { return Val::real(v[0].d - v[1].d); }
Val mul_double(Arena&, Args v) { return Val::real(v[0].d * v[1].d); }
Val div_double(Arena&, Args v) { return Val::real(v[0].d / v[1].d); }
Val neg_double(Arena&, Args v) { return Val::real(-v[0].d); }
Val not_bool(Arena&, Args v) { return Val::boolean(!v[0].b); }

Val add_text(Arena& a, Args v) {
  if (v[0].n == 0) return v[1];
  if (v[1].n == 0) return v[0];
  return a.copy(cat(v[0].view(), v[1].view()), v[0].kind);
}

Val later(Arena& a, const Val& t, int64_t ns, bool back) {
  const __int128 at = static_cast<__int128>(t.i) * kSecond + t.n + (back ? -static_cast<__int128>(ns) : ns);
  const __int128 whole = at / kSecond - (at % kSecond < 0 ? 1 : 0);
  if (whole < kFirstTime || whole > kLastTime) return overflow(a, Kind::kTimestamp);
  return Val::timestamp(static_cast<int64_t>(whole), static_cast<uint32_t>(at - whole * kSecond), t.zone);
}
Val add_duration(Arena& a, Args v) {
  int64_t out;
  return __builtin_add_overflow(v[0].i, v[1].i, &out) ? overflow(a, Kind::kDuration) : Val::duration(out);
}
Val sub_duration(Arena& a, Args v) {
  int64_t out;
  return __builtin_sub_overflow(v[0].i, v[1].i, &out) ? overflow(a, Kind::kDuration) : Val::duration(out);
}
Val add_time_duration(Arena& a, Args v) { return later(a, v[0], v[1].i, false); }
Val add_duration_time(Arena& a, Args v) { return later(a, v[1], v[0].i, false); }
Val sub_time_duration(Arena& a, Args v) { return later(a, v[0], v[1].i, true); }
Val sub_times(Arena& a, Args v) {
  const __int128 ns = (static_cast<__int128>(v[0].i) - v[1].i) * kSecond + v[0].n - v[1].n;
  if (ns > INT64_MAX || ns < INT64_MIN) return overflow(a, Kind::kDuration);
  return Val::duration(static_cast<int64_t>(ns));
}

// Lists of type set keep one of each; of lists of type map the later of two with equal keys counts.
Val add_lists(Arena& a, Args v) {
  const List &x = *v[0].list, &y = *v[1].list;
  const Schema* schema = x.schema;
  if (!schema && x.size == 0) return v[1];
  if (!schema && y.size == 0) return v[0];
  Val* out = a.vals(x.size + y.size);
  List sum{.vals = out, .size = x.size, .schema = schema};
  for (size_t i = 0; i < x.size; ++i) out[i] = item(a, x, i);
  auto has_keys_of = [&](const Val& one, const Val& other) {
    for (const std::string& key : schema->keys) {
      Val left, right;
      const bool in_one = one.is(Kind::kMap) && find(a, *one.map, Val::text(key), &left);
      const bool in_other = other.is(Kind::kMap) && find(a, *other.map, Val::text(key), &right);
      if (in_one != in_other || (in_one && !equal(a, left, right).is_true())) return false;
    }
    return true;
  };
  for (size_t i = 0; i < y.size; ++i) {
    const Val next = item(a, y, i);
    if (schema && schema->list == Schema::List::kSet && contains(a, sum, next).is_true()) continue;
    size_t at = sum.size;
    if (schema && schema->list == Schema::List::kMap) {
      for (at = 0; at < sum.size && !has_keys_of(out[at], next);) ++at;
    }
    out[at] = next;
    if (at == sum.size) ++sum.size;
  }
  return Val::of(a.make(sum));
}

template <bool (*Holds)(int64_t)>
Val ordered(Arena& a, Args v) {
  const Val order = compare(a, v[0], v[1]);
  return order.is_error() ? order : Val::boolean(Holds(order.i));
}
bool is_less(int64_t n) { return n < 0; }
bool is_less_or_equal(int64_t n) { return n <= 0; }
bool is_greater(int64_t n) { return n > 0; }
bool is_greater_or_equal(int64_t n) { return n >= 0; }

Val in_list(Arena& a, Args v) { return contains(a, *v[1].list, v[0]); }
Val in_map(Arena& a, Args v) {
  Val found;
  const bool there = find(a, *v[1].map, v[0], &found);
  return there && found.is_error() ? found : Val::boolean(there);
}
Val size(Arena&, Args v) { return Val::integer(static_cast<int64_t>(size_of(v[0]))); }
Val never(Arena& a, Args) { return a.error("no such overload"); }  // the evaluator's own business

#define PINTLE_CEL_ORDER(NAME, RUN)                                                                    \
  {NAME, "bool, bool -> bool", RUN}, {NAME, "int, int -> bool", RUN}, {NAME, "int, double -> bool", RUN}, \
      {NAME, "int, uint -> bool", RUN}, {NAME, "uint, uint -> bool", RUN},                             \
      {NAME, "uint, double -> bool", RUN}, {NAME, "uint, int -> bool", RUN},                           \
      {NAME, "double, double -> bool", RUN}, {NAME, "double, int -> bool", RUN},                       \
      {NAME, "double, uint -> bool", RUN}, {NAME, "string, string -> bool", RUN, Cost::kLesserText},   \
      {NAME, "bytes, bytes -> bool", RUN, Cost::kLesserText},                                          \
      {NAME, "timestamp, timestamp -> bool", RUN}, {NAME, "duration, duration -> bool", RUN}

constexpr Row kRows[] = {
    {"!_", "bool -> bool", not_bool},
    {"-_", "double -> double", neg_double},
    {"-_", "int -> int", neg_int},
    {"_+_", "bytes, bytes -> bytes", add_text, Cost::kTwoTexts},
    {"_+_", "double, double -> double", add_double},
    {"_+_", "duration, duration -> duration", add_duration},
    {"_+_", "duration, timestamp -> timestamp", add_duration_time},
    {"_+_", "timestamp, duration -> timestamp", add_time_duration},
    {"_+_", "int, int -> int", add_int},
    {"_+_", "list(A), list(A) -> list(A)", add_lists},
    {"_+_", "string, string -> string", add_text, Cost::kTwoTexts},
    {"_+_", "uint, uint -> uint", add_uint},
    {"_-_", "double, double -> double", sub_double},
    {"_-_", "duration, duration -> duration", sub_duration},
    {"_-_", "int, int -> int", sub_int},
    {"_-_", "timestamp, duration -> timestamp", sub_time_duration},
    {"_-_", "timestamp, timestamp -> duration", sub_times},
    {"_-_", "uint, uint -> uint", sub_uint},
    {"_*_", "double, double -> double", mul_double},
    {"_*_", "int, int -> int", mul_int},
    {"_*_", "uint, uint -> uint", mul_uint},
    {"_/_", "double, double -> double", div_double},
    {"_/_", "int, int -> int", div_int},
    {"_/_", "uint, uint -> uint", div_uint},
    {"_%_", "int, int -> int", mod_int},
    {"_%_", "uint, uint -> uint", mod_uint},
    PINTLE_CEL_ORDER("_<_", ordered<is_less>),
    PINTLE_CEL_ORDER("_<=_", ordered<is_less_or_equal>),
    PINTLE_CEL_ORDER("_>_", ordered<is_greater>),
    PINTLE_CEL_ORDER("_>=_", ordered<is_greater_or_equal>),
    {"_==_", "A, A -> bool", never, Cost::kLesserText},
    {"_!=_", "A, A -> bool", never, Cost::kLesserText},
    {"_?_:_", "bool, A, A -> A", never},
    {"@in", "A, list(A) -> bool", in_list, Cost::kInList},
    {"@in", "A, map(A, B) -> bool", in_map},
    {"_[_]", "list(A), int -> A", never},
    {"_[_]", "map(A, B), A -> B", never},
    {"_[_]", "optional_type(list(V)), int -> optional_type(V)", never},
    {"_[_]", "optional_type(map(K, V)), K -> optional_type(V)", never},
    {"_[?_]", "list(V), int -> optional_type(V)", never},
    {"_[?_]", "optional_type(list(V)), int -> optional_type(V)", never},
    {"_[?_]", "map(K, V), K -> optional_type(V)", never},
    {"_[?_]", "optional_type(map(K, V)), K -> optional_type(V)", never},
    {"size", "bytes -> int", size},
    {"size", "bytes.() -> int", size},
    {"size", "list(A) -> int", size},
    {"size", "list(A).() -> int", size},
    {"size", "map(A, B) -> int", size},
    {"size", "map(A, B).() -> int", size},
    {"size", "string -> int", size},
    {"size", "string.() -> int", size},
};
#undef PINTLE_CEL_ORDER

}  // namespace

std::span<const Row> operator_rows() { return kRows; }

}  // namespace pintle::cel
