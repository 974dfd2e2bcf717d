#include "cli/commands/commands.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
Search provides the ability to search for Helm charts in the various places
they can be stored including the Artifact Hub and repositories you have added.
Use search subcommands to search different locations for charts.)";

}  // namespace

constinit const Command kSearch = {
    .use = "search", .brief = "search for a keyword in charts", .text = kText};

}  // namespace pintle::cli
