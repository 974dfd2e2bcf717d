// Going through whole trees, told how much that was: a value may share parts of itself, and so stand
// for exponentially many nodes, or (changed by a template) hold itself.
#pragma once

#include <cstddef>
#include <optional>

#include "value/value.h"

namespace pintle::value {

// deep_copy within bounds, nullopt beyond them. `copied`: set to the number of nodes.
std::optional<Value> deep_copy(const Value& v, size_t max_nodes, size_t max_depth, size_t& copied);
// deep_equal. `compared` grows by the nodes looked at.
bool deep_equal(const Value& a, const Value& b, size_t& compared);

}  // namespace pintle::value
