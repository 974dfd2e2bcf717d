#include "cli/commands/commands.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
This command consists of multiple subcommands to interact with chart repositories.

It can be used to add, remove, list, and index chart repositories.)";

}  // namespace

constinit const Command kRepo = {.use = "repo",
                                 .brief = "add, list, remove, update, and index chart repositories",
                                 .text = kText,
                                 .args = ArgsRule::none()};

}  // namespace pintle::cli
