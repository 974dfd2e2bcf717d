#include "drydock/controllers/controllers.h"

namespace pintle::drydock {

const std::vector<const Controller*>& all_controllers() {
  static const std::vector<const Controller*> all = {
      &kDefinitions, &kServiceAccounts, &kDeployments, &kReplicaSets, &kStatefulSets, &kDaemonSets,  &kJobs,
      &kCronJobs,        &kPods,        &kVolumes,     &kEndpoints,    &kLoadBalancers, &kNamespaces,
      &kGarbage,         &kAutoscalers, &kDisruptionBudgets, &kQuotas, &kRoles};
  return all;
}

}  // namespace pintle::drydock
