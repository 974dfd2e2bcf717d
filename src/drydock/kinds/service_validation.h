// What a Service may say (k8s.io/kubernetes/pkg/apis/core/validation).
#pragma once

#include <vector>

#include "drydock/kinds.h"
#include "drydock/tree.h"

namespace pintle::drydock {

// Addresses and their families among themselves; allocation looks at these first.
void validate_cluster_ips(const Value& spec, std::vector<Cause>& causes);
void service_validate(const Value& object, const Value* old, std::vector<Cause>& causes);

}  // namespace pintle::drydock
