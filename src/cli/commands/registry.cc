#include "cli/commands/commands.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
This command consists of multiple subcommands to interact with registries.)";

}  // namespace

constinit const Command kRegistry = {
    .use = "registry", .brief = "login to or logout from a registry", .text = kText};

}  // namespace pintle::cli
