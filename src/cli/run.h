// run: one whole invocation of the program, in-process (cobra's ExecuteC with Helm's root command).
#pragma once

#include <span>
#include <string>

#include "cli/env.h"

namespace pintle::cli {

struct Session;
struct Node;

// `args` without the program's name. Writes to env's sinks only; returns the exit code.
int run(Env& env, std::span<const std::string> args);

// For the commands that act on the command line itself (help, __complete).

// Binds a command's flags, and --help, behind the global ones; returns its options.
const void* bind_command(Session& session, const Node& node);
// The help of any command, flags' defaults as the environment gives them; its usage, where --help
// is not among the flags.
std::string help_of(Session& session, const Node& node);
std::string usage_of(Session& session, const Node& node);

}  // namespace pintle::cli
