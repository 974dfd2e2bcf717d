#include "cli/commands/commands.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
This command consists of multiple subcommands which can be used to
get extended information about the release, including:

- The values used to generate the release
- The generated manifest file
- The notes provided by the chart of the release
- The hooks associated with the release
- The metadata of the release)";

}  // namespace

constinit const Command kGet = {.use = "get",
                                .brief = "download extended information of a named release",
                                .text = kText,
                                .args = ArgsRule::none()};

}  // namespace pintle::cli
