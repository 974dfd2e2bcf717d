// What the settings say about the cluster, in the kube room's words.
#pragma once

#include "cli/settings.h"
#include "kube/config.h"

namespace pintle::cli {

kube::ConfigFlags config_flags(const Settings& settings);

}  // namespace pintle::cli
