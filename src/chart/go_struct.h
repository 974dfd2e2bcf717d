// Filling structs from YAML as sigs.k8s.io/yaml and encoding/json fill Go structs: keys in any
// case, scalars turned into strings where a string is due, null leaves a field alone, the first
// mismatch is reported (with struct, field path and Go type) but decoding goes on.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "value/value.h"

namespace pintle::chart {

class GoStruct {
 public:
  // package: of the struct types, as Go prints them ("v2"). strict: unknown keys are errors.
  explicit GoStruct(std::string_view package, bool strict = false)
      : package_(package), strict_(strict) {}

  // One field: its JSON name, and what reads it.
  struct Field {
    std::string_view name;
    std::function<void(const value::Value&)> read;
  };
  // v must be a map (or null). `type`: the struct's name without package.
  void object(const value::Value& v, std::string_view type, const std::vector<Field>& fields);
  // The same for a struct type without a name, spelled out in go_type.
  void anonymous(const value::Value& v, std::string_view go_type, const std::vector<Field>& fields);

  void text(const value::Value& v, std::string& out);
  void flag(const value::Value& v, bool& out);
  void texts(const value::Value& v, std::vector<std::string>& out);
  void text_map(const value::Value& v, std::map<std::string, std::string>& out, bool* present);
  // []T: `each` reads the elements, in order.
  void list(const value::Value& v, std::string_view go_type,
            const std::function<void(const value::Value&)>& each);
  void any_list(const value::Value& v, std::vector<value::Value>& out);
  // []*Type: `clear`, then `add` for each element; nulls are dropped, the first remembered.
  // present: set to whether the list is there at all (may be null).
  void objects(const value::Value& v, std::string_view type, std::optional<size_t>* first_null,
               bool* present, const std::function<void()>& clear,
               const std::function<void(const value::Value&)>& add);
  // For a field with its own UnmarshalJSON: its text goes through as the whole error.
  void fail(std::string text);

  // "json: cannot unmarshal number into Go struct field Metadata.keywords of type []string".
  Status status() const;

 private:
  void read_fields(const value::Value& v, std::string_view type, const std::vector<Field>& fields);
  void mismatch(const value::Value& v, std::string_view go_type);

  std::string package_;
  bool strict_;
  std::string_view struct_;             // the innermost one; "" has no name
  std::vector<std::string_view> path_;  // field names from the root
  std::optional<std::string> error_;
};

}  // namespace pintle::chart
