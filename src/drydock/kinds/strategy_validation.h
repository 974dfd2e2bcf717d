// How Deployments, DaemonSets and StatefulSets may replace their pods.
#pragma once

#include <vector>

#include "drydock/kinds.h"
#include "drydock/tree.h"

namespace pintle::drydock {

void deployment_strategy(const Value& strategy, std::vector<Cause>& causes);
void daemon_strategy(const Value& strategy, std::vector<Cause>& causes);
void stateful_strategy(const Value& strategy, std::vector<Cause>& causes);

}  // namespace pintle::drydock
