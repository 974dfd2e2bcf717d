// The controllers, one file each.
#pragma once

#include "drydock/controller.h"

namespace pintle::drydock {

extern const Controller kPods, kReplicaSets, kDeployments, kStatefulSets, kDaemonSets, kJobs, kCronJobs,
    kVolumes, kEndpoints, kLoadBalancers, kNamespaces, kServiceAccounts, kGarbage, kAutoscalers,
    kDisruptionBudgets, kQuotas, kDefinitions, kRoles;

}  // namespace pintle::drydock
