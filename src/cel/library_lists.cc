// Lists and sets: what they hold, their parts, sums and extremes.
#include <algorithm>

#include "base/strings.h"
#include "cel/function.h"

namespace pintle::cel {
namespace {

using Args = std::span<const Val>;

std::vector<Val> items_of(Arena& a, const List& list) {
  std::vector<Val> out(list.size);
  for (size_t i = 0; i < list.size; ++i) out[i] = item(a, list, i);
  return out;
}

// The first error in it, or null: elements of the object may be of another type than its schema says.
const Val* error_in(const std::vector<Val>& items) {
  auto found = std::find_if(items.begin(), items.end(), [](const Val& v) { return v.is_error(); });
  return found == items.end() ? nullptr : &*found;
}

Val is_sorted(Arena& a, Args v) {
  const auto items = items_of(a, *v[0].list);
  for (size_t i = 1; i < items.size(); ++i) {
    const Val order = compare(a, items[i - 1], items[i]);
    if (order.is_error()) return order;
    if (order.i > 0) return Val::boolean(false);
  }
  return Val::boolean(true);
}

template <Kind K>
Val sum(Arena& a, Args v) {
  Val total = K == Kind::kDouble ? Val::real(0) : Val::integer(0);
  total.kind = K;
  for (const Val& next : items_of(a, *v[0].list)) {
    if (next.is_error()) return next;
    if (next.kind != K) return a.error("no such overload");
    if constexpr (K == Kind::kDouble) {
      total.d += next.d;
    } else if constexpr (K == Kind::kUint) {
      if (__builtin_add_overflow(total.u, next.u, &total.u)) return a.error("unsigned integer overflow");
    } else if (__builtin_add_overflow(total.i, next.i, &total.i)) {
      return a.error("integer overflow");
    }
  }
  return total;
}

template <int Wanted>
Val extreme(Arena& a, Args v) {
  const auto items = items_of(a, *v[0].list);
  if (items.empty()) return a.error(cat(Wanted > 0 ? "max" : "min", " called on empty list"));
  Val best = items[0];
  for (size_t i = 1; i < items.size(); ++i) {
    const Val order = compare(a, items[i], best);
    if (order.is_error()) return order;
    if (order.i == Wanted) best = items[i];
  }
  return best;
}

Val index_in_list(Arena& a, Args v) {
  const List& list = *v[0].list;
  for (size_t i = 0; i < list.size; ++i) {
    if (equal(a, item(a, list, i), v[1]).is_true()) return Val::integer(static_cast<int64_t>(i));
  }
  return Val::integer(-1);
}
Val last_index_in_list(Arena& a, Args v) {
  const List& list = *v[0].list;
  for (size_t i = list.size; i-- > 0;) {
    if (equal(a, item(a, list, i), v[1]).is_true()) return Val::integer(static_cast<int64_t>(i));
  }
  return Val::integer(-1);
}

Val slice(Arena& a, Args v) {
  const int64_t start = v[1].i, end = v[2].i, size = static_cast<int64_t>(v[0].list->size);
  const std::string call = cat("cannot slice(", start, ", ", end, "), ");
  if (start < 0 || end < 0) return a.error(call + "negative indexes not supported");
  if (start > end) return a.error(call + "start index must be less than or equal to end index");
  if (size < end) return a.error(cat(call, "list is length ", size));
  const auto items = items_of(a, *v[0].list);
  return a.list(std::span(items).subspan(static_cast<size_t>(start), static_cast<size_t>(end - start)));
}

void flatten_into(Arena& a, const List& list, int64_t depth, std::vector<Val>& out) {
  for (const Val& v : items_of(a, list)) {
    if (v.is(Kind::kList) && depth > 0) flatten_into(a, *v.list, depth - 1, out);
    else out.push_back(v);
  }
}
Val flatten(Arena& a, Args v) {
  const int64_t depth = v.size() > 1 ? v[1].i : 1;
  if (depth < 0) return a.error("level must be non-negative");
  std::vector<Val> out;
  flatten_into(a, *v[0].list, depth, out);
  return a.list(out);
}

Val reverse(Arena& a, Args v) {
  auto items = items_of(a, *v[0].list);
  std::reverse(items.begin(), items.end());
  return a.list(items);
}

Val distinct(Arena& a, Args v) {
  std::vector<Val> out;
  for (const Val& next : items_of(a, *v[0].list)) {
    const bool seen = std::any_of(out.begin(), out.end(), [&](const Val& o) { return equal(a, next, o).is_true(); });
    if (!seen) out.push_back(next);
  }
  return a.list(out);
}

Val range(Arena& a, Args v) {
  constexpr int64_t kMost = Arena::kMaxBytes / sizeof(Val);
  if (v[0].i > kMost) return a.error("the list grows too long");
  std::vector<Val> out;
  for (int64_t i = 0; i < v[0].i; ++i) out.push_back(Val::integer(i));
  return a.list(out);
}

Val contains_all(Arena& a, const List& list, const List& part) {
  for (const Val& v : items_of(a, part)) {
    const Val there = contains(a, list, v);
    if (!there.is_true()) return there;
  }
  return Val::boolean(true);
}
Val sets_contains(Arena& a, Args v) { return contains_all(a, *v[0].list, *v[1].list); }
Val sets_equivalent(Arena& a, Args v) {
  const Val one = contains_all(a, *v[0].list, *v[1].list);
  return one.is_true() ? contains_all(a, *v[1].list, *v[0].list) : one;
}
Val sets_intersects(Arena& a, Args v) {
  const auto items = items_of(a, *v[0].list);
  return Val::boolean(std::any_of(items.begin(), items.end(),
                                  [&](const Val& one) { return contains(a, *v[1].list, one).is_true(); }));
}

Val sort_by_keys(Arena& a, Args v) {
  const auto items = items_of(a, *v[0].list), keys = items_of(a, *v.back().list);
  if (items.size() != keys.size()) {
    return a.error(cat("@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ",
                       items.size(), " and ", keys.size(), " elements respectively"));
  }
  if (const Val* error = error_in(keys)) return *error;
  for (const Val& k : keys) {
    if (k.kind != keys[0].kind) return a.error("list elements must have the same type");
  }
  std::vector<size_t> order(items.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](size_t x, size_t y) {
    const Val c = compare(a, keys[x], keys[y]);
    return !c.is_error() && c.i < 0;
  });
  std::vector<Val> out;
  for (size_t i : order) out.push_back(items[i]);
  return a.list(out);
}

#define PINTLE_CEL_COMPARABLE(NAME, BEFORE, AFTER, RUN, COST)                                                  \
  {NAME, BEFORE "list(int)" AFTER("int"), RUN, COST}, {NAME, BEFORE "list(uint)" AFTER("uint"), RUN, COST},     \
      {NAME, BEFORE "list(double)" AFTER("double"), RUN, COST}, {NAME, BEFORE "list(bool)" AFTER("bool"), RUN, COST}, \
      {NAME, BEFORE "list(duration)" AFTER("duration"), RUN, COST},                                             \
      {NAME, BEFORE "list(timestamp)" AFTER("timestamp"), RUN, COST},                                           \
      {NAME, BEFORE "list(string)" AFTER("string"), RUN, COST}, {NAME, BEFORE "list(bytes)" AFTER("bytes"), RUN, COST}
#define PINTLE_CEL_TO_BOOL(T) ".() -> bool"
#define PINTLE_CEL_TO_ONE(T) ".() -> " T
#define PINTLE_CEL_TO_LIST(T) ".() -> list(" T ")"
#define PINTLE_CEL_TO_SAME(T) ") -> list(T)"

constexpr Row kRows[] = {
    PINTLE_CEL_COMPARABLE("isSorted", "", PINTLE_CEL_TO_BOOL, is_sorted, Cost::kElements),
    {"sum", "list(int).() -> int", sum<Kind::kInt>, Cost::kElements},
    {"sum", "list(uint).() -> uint", sum<Kind::kUint>, Cost::kElements},
    {"sum", "list(double).() -> double", sum<Kind::kDouble>, Cost::kElements},
    {"sum", "list(duration).() -> duration", sum<Kind::kDuration>, Cost::kElements},
    PINTLE_CEL_COMPARABLE("max", "", PINTLE_CEL_TO_ONE, extreme<1>, Cost::kElements),
    PINTLE_CEL_COMPARABLE("min", "", PINTLE_CEL_TO_ONE, extreme<-1>, Cost::kElements),
    {"indexOf", "list(A).(A) -> int", index_in_list, Cost::kElements},
    {"lastIndexOf", "list(A).(A) -> int", last_index_in_list, Cost::kElements},
    {"slice", "list(T).(int, int) -> list(T)", slice, Cost::kNewList},
    {"flatten", "list(list(T)).() -> list(T)", flatten, Cost::kNewList},
    {"flatten", "list(dyn).(int) -> list(dyn)", flatten, Cost::kNewList},
    {"reverse", "list(T).() -> list(T)", reverse, Cost::kNewList},
    {"distinct", "list(T).() -> list(T)", distinct, Cost::kSquare},
    {"lists.range", "int -> list(int)", range, Cost::kNewList},
    {"sets.contains", "list(T), list(T) -> bool", sets_contains, Cost::kSets},
    {"sets.equivalent", "list(T), list(T) -> bool", sets_equivalent, Cost::kTwiceSets},
    {"sets.intersects", "list(T), list(T) -> bool", sets_intersects, Cost::kSets},
    PINTLE_CEL_COMPARABLE("sort", "", PINTLE_CEL_TO_LIST, sort_by_keys, Cost::kSquare),
    PINTLE_CEL_COMPARABLE("@sortByAssociatedKeys", "list(T).(", PINTLE_CEL_TO_SAME, sort_by_keys, Cost::kSquare),
};
#undef PINTLE_CEL_COMPARABLE
#undef PINTLE_CEL_TO_BOOL
#undef PINTLE_CEL_TO_ONE
#undef PINTLE_CEL_TO_LIST
#undef PINTLE_CEL_TO_SAME

}  // namespace

std::span<const Row> list_rows() { return kRows; }

}  // namespace pintle::cel
