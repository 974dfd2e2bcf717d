// Finding: one line of a validation error, and the findings that caused it. The texts are the
// library's, in English as Helm prints them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/decimal.h"
#include "value/value.h"

namespace pintle::schema {

struct Finding {
  enum class Kind : uint8_t {
    kPlain,
    kGroup,      // several findings of one subschema; given up where causes are listed
    kReference,  // shown only when it has more or fewer than one cause
  };
  Kind kind = Kind::kPlain;
  std::string line;  // "at '/a': got string, want number"
  std::vector<Finding> causes;
};

// The findings a subschema's finding stands for: a group's causes, or itself.
std::vector<Finding> ungroup(Finding finding);

// "- at '/a': ...\n  - at '/a/b': ..." without a last newline.
std::string display(const std::vector<Finding>& findings);

namespace text {
std::string wrong_type(std::string_view got, uint8_t want);
std::string not_constant(const value::Value& want);
std::string not_in_enum(std::span<const value::Value> want);
std::string bad_format(const value::Value& got, std::string_view format, std::string_view why);
std::string bad_pattern(std::string_view got, std::string_view want);
// "minLength: got 1, want 2"
std::string limit(std::string_view keyword, int64_t got, int64_t want);
std::string limit(std::string_view keyword, const Decimal& got, const Decimal& want);
std::string missing(std::span<const std::string_view> names);
std::string missing_for(std::string_view property, std::span<const std::string_view> names);
std::string additional_properties(std::span<const std::string_view> names);
std::string additional_items(size_t count);
std::string property_name(std::string_view name);
std::string equal_items(size_t i, size_t j);
std::string too_few_contained(std::span<const size_t> matched, int64_t want);
std::string too_many_contained(std::span<const size_t> matched, int64_t want);
std::string two_of_one_of(size_t i, size_t j);
std::string cycle(std::string_view keywords1, std::string_view keywords2, std::string_view url);
}  // namespace text

}  // namespace pintle::schema
