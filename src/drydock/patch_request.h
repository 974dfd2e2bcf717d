// A PATCH request's body: which kind of patch it is, and the object it makes of another one. Pure,
// thread-safe. (apiserver pkg/endpoints/handlers/patch.go)
#pragma once

#include <string>
#include <vector>

#include "drydock/decode.h"
#include "drydock/request.h"
#include "patch/schema.h"

namespace pintle::drydock {

enum class PatchKind : uint8_t { kJson, kMerge, kStrategic, kApply };

// By the Content-Type; 415.
Result<PatchKind> patch_kind(const ApiRequest& request, const Resource& resource);

// What a patch in JSON says, and what strict reading complains of.
struct Patch {
  value::Value body;
  std::vector<std::string> complaints;
};
// Not of kApply. Error: 400.
Result<Patch> read_patch(const ApiRequest& request, PatchKind kind, FieldValidation validation);
// Shares parts with its inputs. Errors: 400, 422, 500.
Result<value::Value> apply_patch(const value::Value& live, const value::Value& body, PatchKind kind, const patch::Type* type);

}  // namespace pintle::drydock
