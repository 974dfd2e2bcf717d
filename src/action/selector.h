// Label selectors: "a=b,c!=d,e in (f,g),!h" (apimachinery labels.Parse). Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pintle::action {

class Selector {
 public:
  // "" matches everything. Error: what could not be parsed, in Kubernetes' words.
  static Result<Selector> parse(std::string_view text);
  bool matches(const std::map<std::string, std::string>& labels) const;

 private:
  enum class Op : uint8_t { kIn, kNotIn, kExists, kAbsent };
  struct Requirement {
    std::string key;
    Op op = Op::kExists;
    std::vector<std::string> values;
  };
  std::vector<Requirement> requirements_;
};

}  // namespace pintle::action
