// What a step costs, as cel-go's and Kubernetes' cost trackers count. Pure.
#pragma once

#include <cstdint>
#include <span>

#include "cel/function.h"
#include "cel/val.h"

namespace pintle::cel {

inline constexpr uint64_t kListCost = 10, kMapCost = 30;  // of making one

// Of a call; `out` counts only where the cost goes by the result.
uint64_t price(Cost cost, std::span<const Val> args, const Val& out);
// Of comparing two values for equality.
uint64_t price_of_equality(const Val& a, const Val& b);

}  // namespace pintle::cel
