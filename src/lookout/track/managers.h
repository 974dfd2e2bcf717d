// Managers: what metadata.managedFields says of an object: who changed it last and when, and who has
// written to its spec since Helm did. Inside this room only; pure.
//
// A workload has drifted when somebody else than Helm has written to its spec since Helm last wrote
// to it: then it is not what its manifest said, whatever the values. Not counted: subresources (the
// status, an autoscaler's and `kubectl scale`'s replicas), spec.replicas, and annotations of a
// template (`kubectl rollout restart`). An object that Helm never wrote to has not drifted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "value/value.h"

namespace pintle::lookout {

// The elements of managedFields as JSON, each without fieldsV1; those that are not Helm's and write
// to the spec get "owns": up to 8 of its fields, "spec.template.spec.containers[web].image".
std::string trimmed_managers(std::string_view list);

struct Managers {
  std::string who;         // changed it last, not counting subresources
  int64_t changed_ms = 0;  // when somebody did, subresources too; 0: unknown
  int64_t written_ms = 0;  // likewise, subresources (its status) aside
  int64_t helm_ms = 0;     // when Helm wrote to it last
  // Who has written to its spec since; empty: nobody has.
  std::string drifted_by;
  int64_t drifted_ms = 0;
  std::vector<std::string> drifted_fields;
};
// Of an object whose managedFields were trimmed.
Managers managers_of(const value::Value& object);

}  // namespace pintle::lookout
