// Schema: the shape of the data an expression looks at, a structural schema as CEL sees it
// (apiserver/pkg/cel/common). It gives the checker its types and the evaluator its view of the data:
// a number is a double even when written 1, a duration's text is a duration, lists of type set and
// map compare without order. Made once, then read-only and thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pintle::cel {

struct Schema {
  enum class Kind : uint8_t {
    kHidden,  // data without a type: no expression may name it
    kIntOrString,  // typed when it is looked at
    kBool, kInt, kDouble, kString, kBytes, kDuration, kDate, kDateTime,
    kList,    // of `item`
    kMap,     // text to `item`
    kObject,  // of `fields`
  };
  enum class List : uint8_t { kAtomic, kSet, kMap };

  Kind kind = Kind::kHidden;
  List list = List::kAtomic;
  bool nullable = false;
  std::vector<std::string> keys;  // of a list of type map
  std::unique_ptr<Schema> item;
  struct Field {
    std::string name;  // as the data spells it
    std::unique_ptr<Schema> schema;
  };
  std::map<std::string, Field, std::less<>> fields;  // by the name expressions use (escaped)
  std::map<std::string, const Schema*, std::less<>> by_name;  // by the data's own name, all of them

  // Adds a field, under its escaped name too when it has one.
  void add(std::string name, std::unique_ptr<Schema> schema);
  // A reserved word may also stand as it is.
  const Field* field(std::string_view name) const;

 private:
  std::vector<std::unique_ptr<Schema>> x_unnamed;  // of fields that no expression can name
};

// Expressions write `namespace` as __namespace__, "a-b" as a__dash__b. nullopt: no such spelling.
std::optional<std::string> escape_field(std::string_view name);
std::optional<std::string> unescape_field(std::string_view escaped);

}  // namespace pintle::cel
