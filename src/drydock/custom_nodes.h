// The node of a parsed structural schema: shared by the files that parse and apply it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <re2/re2.h>

#include "value/value.h"

namespace pintle::drydock {

// One of x-kubernetes-validations.
struct CustomRule {
  std::string rule, message, message_expression, field_path;
  std::optional<std::string> reason;
  std::optional<bool> optional_old;  // optionalOldSelf
};

// Read-only once made. Values inside are compared in place and never copied: their counts are not
// for several threads. Defaults are therefore kept as JSON text.
struct CustomSchema {
  std::string type, format, pattern, list_type, default_json;
  std::unique_ptr<re2::RE2> regex;
  bool int_or_string = false, preserve_unknown = false, embedded = false, nullable = false;
  bool unique = false, exclusive_maximum = false, exclusive_minimum = false;
  std::optional<double> maximum, minimum, multiple_of;
  std::optional<int64_t> max_length, min_length, max_items, min_items, max_properties,
      min_properties;
  std::vector<value::Value> allowed;  // enum
  std::vector<std::string> required, list_keys;
  std::map<std::string, std::unique_ptr<CustomSchema>, std::less<>> properties;
  std::unique_ptr<CustomSchema> additional, items, negated;
  bool any_additional = false;  // additionalProperties: true
  std::vector<std::unique_ptr<CustomSchema>> all_of, any_of, one_of;
  std::vector<CustomRule> rules;
  bool rules_below = false;  // here or deeper, by properties, items and additionalProperties

  const CustomSchema* property(std::string_view name) const {
    auto found = properties.find(name);
    return found == properties.end() ? nullptr : found->second.get();
  }
};

}  // namespace pintle::drydock
