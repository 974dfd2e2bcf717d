// Optionals; or and orValue are the evaluator's, which looks at their second argument only when needed.
#include "base/strings.h"
#include "cel/function.h"

namespace pintle::cel {
namespace {

using Args = std::span<const Val>;

Val of_value(Arena& a, Args v) { return a.some(v[0]); }
Val of_non_zero(Arena& a, Args v) { return is_zero(v[0]) ? Val::optional(nullptr) : a.some(v[0]); }
Val none(Arena&, Args) { return Val::optional(nullptr); }
Val value(Arena& a, Args v) { return v[0].inner ? *v[0].inner : a.error("optional.none() dereference"); }
Val has_value(Arena&, Args v) { return Val::boolean(v[0].inner != nullptr); }
Val never(Arena& a, Args) { return a.error("no such overload"); }

Val first(Arena& a, Args v) { return v[0].list->size == 0 ? none(a, v) : a.some(item(a, *v[0].list, 0)); }
Val last(Arena& a, Args v) {
  const size_t size = v[0].list->size;
  return size == 0 ? none(a, v) : a.some(item(a, *v[0].list, size - 1));
}

Val unwrap(Arena& a, Args v) {
  std::vector<Val> out;
  for (size_t i = 0; i < v[0].list->size; ++i) {
    const Val one = item(a, *v[0].list, i);
    if (!one.is(Kind::kOptional)) return a.error(cat("value ", shown(a, one), " is not optional"));
    if (one.inner) out.push_back(*one.inner);
  }
  return a.list(out);
}

constexpr Row kRows[] = {
    {"optional.of", "V -> optional_type(V)", of_value},
    {"optional.ofNonZeroValue", "V -> optional_type(V)", of_non_zero},
    {"optional.none", "-> optional_type(V)", none},
    {"value", "optional_type(V).() -> V", value},
    {"hasValue", "optional_type(V).() -> bool", has_value},
    {"or", "optional_type(V).(optional_type(V)) -> optional_type(V)", never},
    {"orValue", "optional_type(V).(V) -> V", never},
    {"first", "list(V).() -> optional_type(V)", first},
    {"last", "list(V).() -> optional_type(V)", last},
    {"optional.unwrap", "list(optional_type(V)) -> list(V)", unwrap},
    {"unwrapOpt", "list(optional_type(V)).() -> list(V)", unwrap},
};

}  // namespace

std::span<const Row> optional_rows() { return kRows; }

}  // namespace pintle::cel
