// Objects seen through their types: check, compare, merge, and take fields out, as
// structured-merge-diff v6 (typed.TypedValue) does. Pure. A null type deduces everything from the
// value: maps are granular, lists atomic. Recursion is as deep as the trees, which readers bound.
#pragma once

#include <optional>

#include "patch/field_set.h"

namespace pintle::patch {

// Does the value fit the type? Error: ".spec.foo: field not declared in schema"; several are listed
// under "errors:". `duplicates`: sets and lists by keys may hold an item twice.
Status check_typed(const value::Value& v, const Type* type, bool duplicates);

struct Comparison {
  FieldSet removed, modified, added;
};
Comparison compare_typed(const value::Value& before, const value::Value& after, const Type* type);

// Every field of `config` over `live`; nothing is removed. Error: duplicates in `config`.
Result<value::Value> merge_typed(const value::Value& live, const value::Value& config,
                                 const Type* type);

// Every leaf field and every item the value mentions.
FieldSet fields_of(const value::Value& v, const Type* type);

value::Value remove_items(const value::Value& v, const FieldSet& items, const Type* type);

// A set written when what is now atomic was granular: the atomic field instead of what is below it.
FieldSet reconciled(const FieldSet& set, const Type* type);

}  // namespace pintle::patch
