#include <algorithm>
#include <vector>

#include "funcs/families.h"
#include "funcs/funcs.h"

namespace pintle::funcs {

std::span<const value::FuncDef> table() {
  static const std::vector<value::FuncDef> rows = [] {
    std::vector<value::FuncDef> all;
    for (Family f : {crypto_family(), date_family(), dict_family(), encoding_family(),
                     helm_family(), list_family(), logic_family(), math_family(), path_family(),
                     regex_family(), semver_family(), string_family()}) {
      all.insert(all.end(), f.begin(), f.end());
    }
    std::sort(all.begin(), all.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    return all;
  }();
  return rows;
}

}  // namespace pintle::funcs
