// A set of fields of an object: the paths a manager owns, written as FieldsV1 in managedFields.
//
// A tree: `members` are the path elements that are in the set, `children` those with members below
// them; an element may be both. Both stay sorted. Plain value; not for sharing between threads, as
// list keys hold values. Semantics: sigs.k8s.io/structured-merge-diff v6, fieldpath.Set.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "patch/schema.h"
#include "value/value.h"

namespace pintle::patch {

// One step into an object: a field, a list item by its keys, a set's item by its value, an index.
struct PathElement {
  enum class Kind : uint8_t { kField, kKeys, kValue, kIndex };
  Kind kind = Kind::kField;
  std::string name;                                         // kField
  std::vector<std::pair<std::string, value::Value>> keys;  // kKeys: sorted; kValue, kIndex: one

  static PathElement field(std::string_view name);
  static PathElement of_keys(std::vector<std::pair<std::string, value::Value>> keys);
  static PathElement of_value(value::Value v);
  static PathElement index(int64_t i);
  std::string text() const;  // ".spec", [name="x"], [="x"], [3]
};
int compare(const PathElement& a, const PathElement& b);
using Path = std::vector<PathElement>;
std::string text_of(const Path& path);
Path fields_path(std::initializer_list<std::string_view> names);

// The order and equality of structured-merge-diff: 1 and 1.0 are one value.
int compare_values(const value::Value& a, const value::Value& b);
bool equal_values(const value::Value& a, const value::Value& b);

class FieldSet {
 public:
  struct Child;

  bool empty() const { return members_.empty() && children_.empty(); }
  bool has(const Path& path) const;
  bool has_member(const PathElement& element) const;
  const FieldSet* below(const PathElement& element) const;  // null: nothing below
  void insert(const Path& path);  // the empty path is ignored
  const std::vector<PathElement>& members() const { return members_; }
  const std::vector<Child>& children() const { return children_; }
  // Every member's path, members before what is below them.
  void each(const std::function<void(const Path&)>& visit) const;

  FieldSet united(const FieldSet& other) const;
  FieldSet intersected(const FieldSet& other) const;
  FieldSet without(const FieldSet& other) const;
  // Also without what is below the members of `other`.
  FieldSet without_deep(const FieldSet& other) const;
  // With the declared struct fields on the way to members made members.
  FieldSet with_named_fields(const Type* type) const;

  bool operator==(const FieldSet& other) const;

 private:
  FieldSet subtracted(const FieldSet& other, bool deep) const;
  void each(Path& prefix, const std::function<void(const Path&)>& visit) const;
  FieldSet& descend(const PathElement& element);
  void add_child(PathElement element, FieldSet set);
  void insert_member(const PathElement& element);

  std::vector<PathElement> members_;
  std::vector<Child> children_;
  friend Result<FieldSet> read_fields(const value::Value&);
};
struct FieldSet::Child {
  PathElement element;
  FieldSet set;
};

// FieldsV1: {"f:spec": {"f:replicas": {}, "f:ports": {"k:{\"port\":80}": {".": {}}}}}.
value::Value write_fields(const FieldSet& set);
// Errors: "key must be 2 characters long:", "missing colon: x". Unknown kinds of steps are skipped.
Result<FieldSet> read_fields(const value::Value& fields);

}  // namespace pintle::patch
