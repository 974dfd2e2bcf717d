// Why an object is not ready, asked of the server after a wait has failed: what its pods' containers
// wait for, the last warning event, the last lines a container wrote.
#pragma once

#include <string>
#include <vector>

#include "kube/cluster.h"
#include "kube/rest.h"

namespace pintle::kube {

struct Cause {
  std::string kind, ns, name;
  std::string reason;              // "ImagePullBackOff", "Unhealthy", "FailedScheduling"; "" unknown
  std::string message;
  std::string pod, container;      // where, for a controller of pods
  std::vector<std::string> log;    // the last lines, oldest first
};

// One cause for each object, in their order. What cannot be asked is left out; never fails. At most
// `most` objects are looked at: some four requests each.
std::vector<Cause> explain(Rest& rest, const Objects& objects, const std::vector<NotReady>& not_ready,
                           size_t most = 5);

}  // namespace pintle::kube
