// Quantities: "1Gi", "500m".
#include <algorithm>

#include "base/gotext.h"
#include "cel/function.h"
#include "cel/things.h"

namespace pintle::cel {
namespace {

using Args = std::span<const Val>;
constexpr __int128 kNano = 1'000'000'000;

const Quantity& quantity_of(const Val& v) { return thing<QuantityThing>(v).quantity; }
Val made(Arena& a, Quantity q, bool whole, bool computed) {
  QuantityThing out;
  out.quantity = q;
  out.whole = whole;
  out.computed = computed;
  return Val::of(Kind::kQuantity, a.keep(std::move(out)));
}

// Is the smallest digit written one of whole units? "1.5k" is, "1.0" is not.
bool is_written_whole(std::string_view s, Quantity::Format format) {
  const size_t end = std::min(s.find_last_of("0123456789.") + 1, s.size());
  const size_t suffix = std::min(s.find_first_not_of("+-.0123456789"), s.size());
  const size_t point = std::min(s.find('.'), suffix);
  const int64_t fraction = point == suffix ? 0 : static_cast<int64_t>(suffix - point) - 1;
  if (format == Quantity::Format::kBinarySI || suffix == s.size()) return fraction == 0;
  if (format == Quantity::Format::kDecimalExponent) {
    return fraction <= parse_int(s.substr(suffix + 1, end - suffix - 1), 10, 32, nullptr);
  }
  return fraction <= (static_cast<int64_t>(std::string_view("num_kMGTPE").find(s[suffix])) - 3) * 3;
}

Val to_quantity(Arena& a, Args v) {
  const std::string_view s = v[0].view();
  auto q = parse_quantity(s);
  return q ? made(a, *q, q->nano == 0 || is_written_whole(s, q->format), false) : a.error(quantity_error());
}
Val is_quantity(Arena&, Args v) { return Val::boolean(parse_quantity(v[0].view()).has_value()); }

int compare(Args v) {
  const auto x = quantity_of(v[0]).nano, y = quantity_of(v[1]).nano;
  return x < y ? -1 : x > y ? 1 : 0;
}
Val compare_to(Arena&, Args v) { return Val::integer(compare(v)); }
Val is_less(Arena&, Args v) { return Val::boolean(compare(v) < 0); }
Val is_greater(Arena&, Args v) { return Val::boolean(compare(v) > 0); }
Val sign(Arena&, Args v) {
  const auto n = quantity_of(v[0]).nano;
  return Val::integer(n < 0 ? -1 : n > 0 ? 1 : 0);
}

bool is_whole(const Val& v) { return thing<QuantityThing>(v).whole && quantity_of(v).nano % kNano == 0; }
Val is_integer(Arena&, Args v) { return Val::boolean(is_whole(v[0])); }
Val as_integer(Arena& a, Args v) {
  if (!is_whole(v[0])) return a.error("cannot convert value to integer");
  return Val::integer(static_cast<int64_t>(quantity_of(v[0]).nano / kNano));
}
Val as_float(Arena&, Args v) {
  const auto nano = quantity_of(v[0]).nano;
  if (nano % kNano == 0) return Val::real(static_cast<double>(nano / kNano));
  return Val::real(static_cast<double>(nano) / 1e9);
}

template <int Sign>
Val add(Arena& a, Args v) {
  Quantity sum = quantity_of(v[0]);
  const bool whole_number = v[1].is(Kind::kInt);
  sum.nano += Sign * (whole_number ? v[1].i * kNano : quantity_of(v[1]).nano);
  return made(a, sum, is_whole(v[0]) && (whole_number || is_whole(v[1])), true);
}

constexpr Row kRows[] = {
    {"quantity", "string -> kubernetes.Quantity", to_quantity, Cost::kText},
    {"isQuantity", "string -> bool", is_quantity, Cost::kText},
    {"sign", "kubernetes.Quantity -> int", sign},
    {"isGreaterThan", "kubernetes.Quantity.(kubernetes.Quantity) -> bool", is_greater},
    {"isLessThan", "kubernetes.Quantity.(kubernetes.Quantity) -> bool", is_less},
    {"compareTo", "kubernetes.Quantity.(kubernetes.Quantity) -> int", compare_to},
    {"asApproximateFloat", "kubernetes.Quantity.() -> double", as_float},
    {"asInteger", "kubernetes.Quantity.() -> int", as_integer},
    {"isInteger", "kubernetes.Quantity.() -> bool", is_integer},
    {"add", "kubernetes.Quantity.(kubernetes.Quantity) -> kubernetes.Quantity", add<1>},
    {"add", "kubernetes.Quantity.(int) -> kubernetes.Quantity", add<1>},
    {"sub", "kubernetes.Quantity.(kubernetes.Quantity) -> kubernetes.Quantity", add<-1>},
    {"sub", "kubernetes.Quantity.(int) -> kubernetes.Quantity", add<-1>},
};

}  // namespace

std::span<const Row> quantity_rows() { return kRows; }

}  // namespace pintle::cel
