// A large index.yaml as its rows, one at a time: a tree of all of it would take twenty times its
// bytes. What Helm and kin write is block YAML, whose rows can be told by their indentation.
// Inside this room only.
#pragma once

#include <functional>
#include <string_view>

#include "base/result.h"
#include "value/value.h"

namespace pintle::cli {

struct IndexParts {
  std::function<Status(std::string_view chart)> begin;  // a key of `entries`, once each
  std::function<Status(const value::Value& row)> row;   // of that chart
};

// Calls parts for the rows in their order and returns the top level without `entries`. Each row, and
// that top level, may have 4 MiB. Errors name the chart. Text in another form (flow style, JSON) is
// one such part.
Result<value::Value> read_index_parts(std::string_view text, const IndexParts& parts);

}  // namespace pintle::cli
