// Completion: the protocol behind `__complete`, and the answer most commands end with.
#pragma once

#include "cli/command.h"

namespace pintle::cli {

// Answers the request in session.args (the words after `__complete`).
Status run_complete(Session& session);

// The active help that says so, and no files.
Candidates no_more_args();

}  // namespace pintle::cli
