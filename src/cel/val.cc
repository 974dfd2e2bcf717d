// Equality and order of values, their printed form, and the arena they live in.
#include "cel/val.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/gotext.h"
#include "base/strings.h"
#include "cel/things.h"
#include "cel/time.h"

namespace pintle::cel {
namespace {

constexpr double kTwoTo63 = 9223372036854775808.0, kTwoTo64 = 18446744073709551616.0;

bool is_number(Kind k) { return k == Kind::kInt || k == Kind::kUint || k == Kind::kDouble; }

template <typename T>
int order(T a, T b) {
  return a < b ? -1 : a > b ? 1 : 0;
}
int int_to_uint(int64_t i, uint64_t u) { return i < 0 ? -1 : order(static_cast<uint64_t>(i), u); }
int double_to_int(double d, int64_t i) {
  if (d < -kTwoTo63) return -1;
  if (d >= kTwoTo63) return 1;
  return order(d, static_cast<double>(i));
}
int double_to_uint(double d, uint64_t u) {
  if (d < 0) return -1;
  if (d >= kTwoTo64) return 1;
  return order(d, static_cast<double>(u));
}

int compare_numbers(const Val& a, const Val& b) {
  if (a.is(Kind::kDouble)) {
    if (b.is(Kind::kDouble)) return order(a.d, b.d);
    return b.is(Kind::kInt) ? double_to_int(a.d, b.i) : double_to_uint(a.d, b.u);
  }
  if (b.is(Kind::kDouble)) return -compare_numbers(b, a);
  if (a.is(Kind::kInt)) return b.is(Kind::kInt) ? order(a.i, b.i) : int_to_uint(a.i, b.u);
  return b.is(Kind::kUint) ? order(a.u, b.u) : -int_to_uint(b.i, a.u);
}
bool is_nan(const Val& v) { return v.is(Kind::kDouble) && std::isnan(v.d); }

// Lists of type set and map have no order: by which text their elements are told apart.
std::string identity(Arena& arena, const Val& v, const Schema& schema) {
  if (schema.list == Schema::List::kSet || !v.is(Kind::kMap)) return shown(arena, v);
  std::string out;
  for (const std::string& key : schema.keys) {
    Val part;
    if (find(arena, *v.map, Val::text(key), &part)) out += shown(arena, part);
    out += '\0';
  }
  return out;
}
std::vector<std::pair<std::string, Val>> in_order(Arena& arena, const List& list, const Schema& schema) {
  std::vector<std::pair<std::string, Val>> out;
  for (size_t i = 0; i < list.size; ++i) {
    const Val v = item(arena, list, i);
    out.emplace_back(identity(arena, v, schema), v);
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return out;
}

Val lists_equal(Arena& arena, const List& a, const List& b) {
  if (a.size != b.size) return Val::boolean(false);
  if (a.schema && a.schema->list != Schema::List::kAtomic) {
    const auto left = in_order(arena, a, *a.schema), right = in_order(arena, b, *a.schema);
    for (size_t i = 0; i < left.size(); ++i) {
      if (left[i].first != right[i].first) return Val::boolean(false);
      const Val same = equal(arena, left[i].second, right[i].second);
      if (!same.is_true()) return same;
    }
    return Val::boolean(true);
  }
  for (size_t i = 0; i < a.size; ++i) {
    const Val same = equal(arena, item(arena, a, i), item(arena, b, i));
    if (!same.is_true()) return same;
  }
  return Val::boolean(true);
}

Val maps_equal(Arena& arena, const Map& a, const Map& b) {
  if (a.size != b.size) return Val::boolean(false);
  for (const Val& key : keys_of(arena, a)) {
    Val left, right;
    const bool has_left = find(arena, a, key, &left), has_right = find(arena, b, key, &right);
    if (has_left != has_right) return Val::boolean(false);
    if (!has_left) continue;
    Val same = equal(arena, left, right);
    if (!same.is_true()) return same;
  }
  return Val::boolean(true);
}

}  // namespace

// ---- arena ----

void* Arena::bytes(size_t n, size_t align) {
  auto at = (reinterpret_cast<uintptr_t>(x_next) + align - 1) & ~(align - 1);
  if (at + n > reinterpret_cast<uintptr_t>(x_end)) {
    const size_t size = std::max<size_t>(n + align, 16384);
    x_chunks.push_back(std::make_unique_for_overwrite<char[]>(size));
    x_next = x_chunks.back().get();
    x_end = x_next + size;
    x_used += size;
    at = (reinterpret_cast<uintptr_t>(x_next) + align - 1) & ~(align - 1);
  }
  x_next = reinterpret_cast<char*>(at + n);
  return reinterpret_cast<void*>(at);
}

Val Arena::copy(std::string_view s, Kind kind) {
  if (s.size() > kMaxBytes) s = s.substr(0, 0), kind = Kind::kError;
  char* to = static_cast<char*>(bytes(s.size(), 1));
  if (!s.empty()) std::memcpy(to, s.data(), s.size());
  return Val::text({to, s.size()}, kind);
}

Val Arena::list(std::span<const Val> items) {
  Val* to = vals(items.size());
  std::copy(items.begin(), items.end(), to);
  return Val::of(make(List{.vals = to, .size = items.size()}));
}

// ---- comparing ----

int compare_text(std::string_view a, std::string_view b) { return order(a.compare(b), 0); }

Val equal(Arena& arena, const Val& a, const Val& b) {
  if (a.is_error()) return a;
  if (b.is_error()) return b;
  if (is_number(a.kind) && is_number(b.kind)) {
    return Val::boolean(!is_nan(a) && !is_nan(b) && compare_numbers(a, b) == 0);
  }
  if (a.kind != b.kind) return Val::boolean(false);
  switch (a.kind) {
    case Kind::kNull: return Val::boolean(true);
    case Kind::kBool: return Val::boolean(a.b == b.b);
    case Kind::kString:
    case Kind::kBytes: return Val::boolean(a.view() == b.view());
    case Kind::kDuration: return Val::boolean(a.i == b.i);
    case Kind::kTimestamp: return Val::boolean(a.i == b.i && a.n == b.n);
    case Kind::kType: return Val::boolean(a.n == b.n);
    case Kind::kList: return lists_equal(arena, *a.list, *b.list);
    case Kind::kMap: return maps_equal(arena, *a.map, *b.map);
    case Kind::kOptional:
      if (!a.inner || !b.inner) return Val::boolean(a.inner == b.inner);
      return equal(arena, *a.inner, *b.inner);
    case Kind::kHidden: return Val::boolean(value::deep_equal(*a.hidden, *b.hidden));
    case Kind::kQuantity:
      // The API server's own oddity: a sum may stand on the left of == only.
      if (thing<QuantityThing>(b).computed) return arena.error("no such overload");
      [[fallthrough]];
    default: return Val::boolean(same_thing(a, b));
  }
}

Val compare(Arena& arena, const Val& a, const Val& b) {
  if (is_number(a.kind) && is_number(b.kind)) {
    if (is_nan(a) || is_nan(b)) return arena.error("NaN values cannot be ordered");
    return Val::integer(compare_numbers(a, b));
  }
  if (a.kind != b.kind) return arena.error("no such overload");
  switch (a.kind) {
    case Kind::kBool: return Val::integer(order<int>(a.b, b.b));
    case Kind::kString:
    case Kind::kBytes: return Val::integer(compare_text(a.view(), b.view()));
    case Kind::kDuration: return Val::integer(order(a.i, b.i));
    case Kind::kTimestamp: return Val::integer(a.i == b.i ? order(a.n, b.n) : order(a.i, b.i));
    default: return arena.error("no such overload");
  }
}

Val contains(Arena& arena, const List& list, const Val& v) {
  Val wrong = Val::boolean(false);
  for (size_t i = 0; i < list.size; ++i) {
    const Val same = equal(arena, item(arena, list, i), v);
    if (same.is_true()) return same;
    if (same.is_error() && !wrong.is_error()) wrong = same;
  }
  return wrong;
}

bool is_zero(const Val& v) {
  switch (v.kind) {
    case Kind::kNull: return true;
    case Kind::kBool: return !v.b;
    case Kind::kInt:
    case Kind::kUint:
    case Kind::kDuration: return v.i == 0;
    case Kind::kDouble: return v.d == 0;
    case Kind::kString:
    case Kind::kBytes: return v.n == 0;
    case Kind::kTimestamp: return v.i == kZeroTime && v.n == 0;
    case Kind::kList: return !v.list->raw && v.list->size == 0;
    case Kind::kMap: return !v.map->raw && v.map->size == 0;
    default: return false;
  }
}

std::string shown(Arena& arena, const Val& v) {
  std::string out;
  switch (v.kind) {
    case Kind::kNull: return "null";
    case Kind::kBool: return v.b ? "true" : "false";
    case Kind::kInt: return cat(v.i);
    case Kind::kUint: return cat(v.u);
    case Kind::kDouble: append_float_v(out, v.d); return out;
    case Kind::kString: return std::string(v.view());
    case Kind::kDuration: return duration_text(v.i);
    case Kind::kTimestamp: return timestamp_text(v);
    case Kind::kType: return std::string(value_type_name(static_cast<Kind>(v.n)));
    case Kind::kList:
      for (size_t i = 0; i < v.list->size; ++i) out += (i ? ", " : "") + shown(arena, item(arena, *v.list, i));
      return "[" + out + "]";
    default: return std::string(value_type_name(v.kind));
  }
}

uint64_t size_of(const Val& v) {
  switch (v.kind) {
    case Kind::kString: return rune_count(v.view());
    case Kind::kBytes: return v.n;
    case Kind::kList: return v.list->size;
    case Kind::kMap: return v.map->size;
    case Kind::kOptional: return v.inner ? size_of(*v.inner) : 1;
    case Kind::kIp:
    case Kind::kCidr: return size_of_thing(v);
    default: return 1;
  }
}

}  // namespace pintle::cel
