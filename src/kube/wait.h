// Waiting by watch: one watch per resource type and namespace, never a request per object (helm
// pkg/kube/statuswait.go decides what is waited for and what is said). Inside this room.
#pragma once

#include <string>

#include "base/result.h"
#include "kube/cluster.h"
#include "kube/rest.h"
#include "kube/status.h"
#include "sys/clock.h"

namespace pintle::kube {

enum class WaitFor : uint8_t { kReady, kGone, kHooks };

// Until every object is there, failed (final), or time is over. Error: one line for each object
// that is not (`resource Deployment/ns/x not ready. status: InProgress, message: ...`), then
// `context deadline exceeded` or `context canceled`.
Status wait_for(Rest& rest, sys::Clock& clock, const Objects& objects, WaitFor what,
                const WaitOptions& options);

// Selects the pods that an object's controller makes; "" for what has none.
std::string pod_selector(const Object& object);

}  // namespace pintle::kube
