#include "cli/commands/commands.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
This command consists of multiple subcommands to display information about a chart)";

}  // namespace

constinit const Command kShow = {.use = "show",
                                 .brief = "show information of a chart",
                                 .text = kText,
                                 .aliases = {"inspect"},
                                 .args = ArgsRule::none()};

}  // namespace pintle::cli
