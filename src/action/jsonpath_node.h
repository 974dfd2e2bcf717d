// The parse tree of a JSONPath template. Internal to action/jsonpath*.cc.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "action/jsonpath.h"

namespace pintle::action {

struct JsonPath::Node {
  enum class Kind : uint8_t {
    kList,  // children, one after the other
    kText,
    kField,
    kArray,   // params: start, end, step
    kFilter,  // children: left, right; text: the operator
    kInt,
    kFloat,
    kBool,
    kWildcard,
    kRecursive,
    kUnion,       // children: one list each
    kIdentifier,  // "range", "end"
  };
  struct Param {
    int64_t value = 0;
    bool known = false, derived = false;
  };

  explicit Node(Kind k) : kind(k) {}
  Node(Kind k, std::string t) : kind(k), text(std::move(t)) {}

  Kind kind;
  std::string text;
  int64_t integer = 0;  // kBool: 0 or 1
  double number = 0;
  std::array<Param, 3> params;
  std::vector<std::unique_ptr<Node>> children;
};

Result<std::unique_ptr<JsonPath::Node>> parse_jsonpath(std::string_view text);

}  // namespace pintle::action
