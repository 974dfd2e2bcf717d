// The one place that says what this build cannot reach yet.
#pragma once

#include "cli/command.h"

namespace pintle::cli {

// "helm list needs a connection to a Kubernetes cluster, which this build cannot make yet".
Error needs_world(const Session& session);
Error needs_cluster(std::string_view what);
Error needs_network(std::string_view what);

}  // namespace pintle::cli
