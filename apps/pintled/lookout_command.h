// `pintled lookout`: the service, and the checks of its files. Runs on this thread until a signal
// ends it: SIGTERM and SIGINT drain, SIGHUP reads the configuration anew.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pintle::pintled {

// What was said, and the exit code. `args` are those behind "lookout".
int lookout_command(const std::vector<std::string>& args);
extern const std::string_view kLookoutHelp;

}  // namespace pintle::pintled
