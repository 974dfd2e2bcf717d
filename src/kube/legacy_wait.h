// Helm 3's wait: look at every object in rounds two seconds apart (helm pkg/kube/wait.go, ready.go).
// Inside this room.
#pragma once

#include "base/result.h"
#include "kube/cluster.h"
#include "kube/rest.h"
#include "sys/clock.h"

namespace pintle::kube {

// Error: `context deadline exceeded`, `job is failed: ns/name`, the server's.
Status legacy_wait(Rest& rest, sys::Clock& clock, const Objects& objects, const WaitOptions& options);

// Whether one object, as the server has it, is ready; what needs no other object to say. Pure.
Result<bool> legacy_ready(const Object& object, const value::Value& live, bool jobs);

}  // namespace pintle::kube
