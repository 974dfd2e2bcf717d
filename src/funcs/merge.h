// mergo 1.0.1's Merge and MergeWithOverwrite for the values charts have (templates.md 3.7).
#pragma once

#include "base/result.h"
#include "value/value.h"

namespace pintle::funcs {

enum class Overwrite : bool { kNo, kYes };

// Puts the entries of src into dst, map by map. An entry dst lacks is src's value itself (maps
// become shared); where both have one, it is dst's unless that is empty (0, false, "", no
// elements) or `overwrite` holds, when even an empty one of src wins. Lists are replaced.
// Error: "src and dst must be of same type" (a pointer meets a map), or nesting that does not end.
// dst may then be half merged, as in Go.
// `looked` grows by the entries looked at.
Status merge_maps(value::Map& dst, const value::Map& src, Overwrite overwrite, size_t& looked);

}  // namespace pintle::funcs
