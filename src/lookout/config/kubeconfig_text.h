// A kubeconfig given as text, as the API takes it: nothing in it may run a program or name a file
// of lookout's machine, so that who may add a region gains nothing else here. Pure; thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "kube/config.h"

namespace pintle::lookout {

// Errors (kInvalidArgument): broken YAML, no such context, an exec plugin, a file.
Result<kube::ClientConfig> client_config_of_text(std::string_view text, const std::string& context);

}  // namespace pintle::lookout
