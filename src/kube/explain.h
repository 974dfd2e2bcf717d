// Why an object is not ready, asked of the server: what its pods' containers wait for, the latest
// warning event, a condition that says so, the last lines a container wrote.
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

// What a failed wait's error carries: why, of the first few objects that were not ready.
struct Causes : ErrorDetail {
  std::vector<Cause> list;
};

struct ExplainOptions {
  size_t most = 5;                       // objects looked at
  bool log = true;                       // read the last lines too
  const http::Cancel* cancel = nullptr;  // ends it early
};

// One cause for each object, in their order. What cannot be asked is left out; never fails, and
// gives up when the server does not answer. Some three requests for each object.
std::vector<Cause> explain(Rest& rest, const std::vector<NotReady>& not_ready,
                           const ExplainOptions& options = {});

// "ImagePullBackOff: Back-off pulling image ... (pod web-1, container main)", on one line.
std::string short_text(const Cause& cause);

// Lines for after Helm's own error line. Each begins with "Cause: " or, a container's output,
// "  | ":
//   Cause: Deployment shop/web: ImagePullBackOff: Back-off pulling image ... (pod web-1, container main)
//     | the last lines it wrote
std::string text(const Causes& causes);

}  // namespace pintle::kube
