// Structured merge: who owns which field, and server-side apply (sigs.k8s.io/structured-merge-diff
// v6 and the API server's fieldmanager). Pure; inputs are never changed.
//
// An object's managers stand in metadata.managedFields as FieldsV1. Every function takes the live
// object (null on create) and gives the object to store, managedFields updated and sorted as the API
// server leaves them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "patch/schema.h"
#include "value/value.h"

namespace pintle::patch {

struct Manager {
  std::string name;         // fieldManager, or the prefix of the user agent
  std::string api_version;  // of the request: "apps/v1"
  std::string time;         // RFC 3339, seconds
  std::string subresource;  // "status", "scale"; "" main
  bool custom_status = false;  // the kind is custom and has a status subresource
};

struct Conflict {
  std::string manager;  // "kubectl-client-side-apply" using apps/v1 ...: as the Status cause says it
  std::string message;  // `conflict with "x" using apps/v1`
  std::string field;    // ".spec.replicas"
};
// Detail of a kAborted error: the causes, sorted as the API server sorts them. The error's text is
// the Status message ("Apply failed with 1 conflict: conflict with ...").
struct Conflicts : ErrorDetail {
  std::vector<Conflict> list;
};

// PATCH application/apply-patch+yaml. `config` is what the client sent; `live` may be nil (create).
// Errors: Conflicts; kInvalidArgument for what the typed converter refuses ("failed to create typed
// patch object (...): .spec.foo: field not declared in schema").
Result<value::Value> apply(const value::Value& live, const value::Value& config, const Type* type,
                           const Manager& manager, bool force);

// POST, PUT and the other patches: `next` is the object about to be stored (defaults done); changes
// against `live` become manager's in an Update entry. Never conflicts.
Result<value::Value> update(const value::Value& live, const value::Value& next, const Type* type,
                            const Manager& manager);

}  // namespace pintle::patch
