// The order go-yaml writes map keys in: letters by code point, digit runs by number, other
// characters before letters. Inside this room only. Pure.
//
// Go's v2 comparison is not transitive (v1 < v10 < v1alpha1, but v1alpha1 < v2 < v10), so for such
// keys Helm's own order depends on chance. Ours is fixed: byte order where neighbours already agree
// with the comparison, else a stable merge sort of the byte order.
#pragma once

#include <string_view>
#include <vector>

#include "value/value.h"

namespace pintle::yaml {

// v3: after a digit that both keys share, a letter sorts before a non-letter (v1alpha1 < v2 < v10).
bool key_less(std::string_view a, std::string_view b, bool v3);

// The entries of map in that order; `sorted` is scratch and may be left empty.
void in_key_order(const value::Map& map, bool v3, std::vector<const value::Map::Entry*>& sorted);

}  // namespace pintle::yaml
