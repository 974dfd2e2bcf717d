// Patches of JSON trees as Kubernetes and Helm use them. Pure: no I/O, trees in, trees out. Results
// may share parts with their inputs; inputs are never changed. Numbers are int64 or double
// (json::Numbers::kExact). Depth is bounded by the reader of the trees. A nil tree is an empty
// object. Errors carry the texts of apimachinery and evanphx/json-patch; the code says the answer:
// kInvalidArgument 400, kFailedPrecondition 422, kAborted a conflict, kInternal 500.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "patch/schema.h"
#include "value/value.h"

namespace pintle::patch {

// RFC 6902. kInvalidArgument for a malformed patch, kFailedPrecondition for what does not apply.
Result<value::Value> json_patch(const value::Value& document, const value::Value& operations);

// RFC 7386.
value::Value merge_patch(const value::Value& document, const value::Value& patch);
// The merge patch that turns `from` into `to`; {} when equal.
value::Value create_merge_patch(const value::Value& from, const value::Value& to);
// jsonmergepatch.CreateThreeWayJSONMergePatch: deletions original->modified, additions current->modified.
Result<value::Value> create_three_way_merge_patch(const value::Value& original,
                                                  const value::Value& modified,
                                                  const value::Value& current);

// Strategic merge (apimachinery strategicpatch): merge keys, $patch, $retainKeys,
// $deleteFromPrimitiveList, $setElementOrder. `type` from schema.h, null for a custom resource, which
// has no strategic merge (an error).
Result<value::Value> strategic_merge(const value::Value& document, const value::Value& patch,
                                     const Type* type);
// CreateTwoWayMergePatch.
Result<value::Value> create_two_way_patch(const value::Value& original, const value::Value& modified,
                                          const Type* type);
// CreateThreeWayMergePatch; overwrite: conflicts with `current` are no error.
Result<value::Value> create_three_way_patch(const value::Value& original, const value::Value& modified,
                                            const value::Value& current, const Type* type,
                                            bool overwrite);

}  // namespace pintle::patch
