// Label and field selectors: their grammar and error texts (apimachinery pkg/labels, pkg/fields).
// Pure; a parsed selector is immutable and may be used by any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace pintle::drydock {

using Pairs = std::vector<std::pair<std::string, std::string>>;  // sorted by key
const std::string* find_pair(const Pairs& pairs, std::string_view key);

struct LabelRequirement {
  enum class Op : uint8_t { kIn, kNotIn, kEquals, kNotEquals, kExists, kAbsent, kGreater, kLess };
  std::string key;
  Op op = Op::kExists;
  std::vector<std::string> values;
};

struct LabelSelector {
  std::vector<LabelRequirement> all;  // every one must hold
  bool empty() const { return all.empty(); }
  bool matches(const Pairs& labels) const;
};
// Error text: "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt" ...
Result<LabelSelector> parse_label_selector(std::string_view text);

struct FieldRequirement {
  std::string field, value;
  bool equals = true;
};
struct FieldSelector {
  std::vector<FieldRequirement> all;
  bool empty() const { return all.empty(); }
  // The value a field must have; null when none is named.
  const std::string* wanted(std::string_view field) const;
  bool matches(std::string_view ns, std::string_view name, const Pairs& fields) const;
};
// Error text: "invalid selector: 'foo'; can't understand 'foo'".
Result<FieldSelector> parse_field_selector(std::string_view text);

}  // namespace pintle::drydock
