// `pintled dev`: drydock and lookout in one process, for the first five minutes: a cluster to release
// into, and a page that shows what was released.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pintle::pintled {

// Runs until SIGINT or SIGTERM. `args` are those behind "dev"; the exit code.
int dev_command(const std::vector<std::string>& args);
extern const std::string_view kDevHelp;

}  // namespace pintle::pintled
