#include "cel/cost.h"

#include <algorithm>

#include "cel/things.h"

namespace pintle::cel {
namespace {

uint64_t tenth(uint64_t n) { return (n + 9) / 10; }
uint64_t quarter(uint64_t n) { return (n + 3) / 4; }
uint64_t times(uint64_t a, uint64_t b) {
  uint64_t out;
  return __builtin_mul_overflow(a, b, &out) ? UINT64_MAX / 2 : out;
}

}  // namespace

uint64_t price(Cost cost, std::span<const Val> args, const Val& out) {
  auto size = [&](size_t i) { return i < args.size() ? size_of(args[i]) : 0; };
  switch (cost) {
    case Cost::kOne: return 1;
    case Cost::kText: return tenth(size(0));
    case Cost::kTwoTexts: return tenth(size(0) + size(1));
    case Cost::kTwiceText: return tenth(2 * size(0));
    case Cost::kTwiceResult: return tenth(2 * size_of(out));
    case Cost::kLesserText: return tenth(std::min(size(0), size(1)));
    case Cost::kRegex: return times(tenth(size(0) + 1), quarter(size(1)));
    case Cost::kContains: return times(tenth(size(0)), tenth(size(1)));
    case Cost::kElements: return args[0].is(Kind::kString) ? tenth(size(0)) : size(0);
    case Cost::kInList: return size(1);
    case Cost::kNewList: return 1 + kListCost + size_of(out);
    case Cost::kSquare: return 1 + kListCost + times(2 * size(0), size(0));
    case Cost::kSets: return 1 + times(size(0), size(1));
    case Cost::kTwiceSets: return 1 + times(2 * size(0), size(1));
    case Cost::kCidr: return tenth(2 * size(0)) + (args[1].is(Kind::kString) ? tenth(size(1)) : 0);
    case Cost::kFormat:
      return times(tenth(size(1) + 1), quarter(thing<FormatThing>(args[0]).format->expression_size));
  }
  return 1;
}

uint64_t price_of_equality(const Val& a, const Val& b) {
  const bool special = a.kind >= Kind::kUrl && a.kind <= Kind::kFormat;
  return std::max<uint64_t>(special ? 1 : 0, tenth(std::min(size_of(a), size_of(b))));
}

}  // namespace pintle::cel
