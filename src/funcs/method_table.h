// Methods of an object as one sorted array. Inside this room only.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

#include "value/func.h"

namespace pintle::funcs {

// The row of that name in an array sorted by name; null: none.
inline const value::FuncDef* find_method(std::span<const value::FuncDef> rows,
                                         std::string_view name) {
  auto it =
      std::lower_bound(rows.begin(), rows.end(), name,
                       [](const value::FuncDef& f, std::string_view n) { return f.name < n; });
  return it != rows.end() && it->name == name ? &*it : nullptr;
}

}  // namespace pintle::funcs
