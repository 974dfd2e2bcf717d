// The command line of `pintled`: a handful of flags, "--name value" or "--name=value".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "drydock/drydock.h"

namespace pintle::pintled {

struct DrydockCommand {
  drydock::Options options;
  std::string kubeconfig;  // where to write it; "": a temporary file
  bool help = false;
};

// Errors are for people: `unknown flag: --x`.
Result<DrydockCommand> parse_drydock(const std::vector<std::string>& args);
extern const std::string_view kDrydockHelp;

}  // namespace pintle::pintled
