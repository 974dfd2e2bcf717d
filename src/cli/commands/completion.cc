#include "cli/commands/commands.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
Generate autocompletion scripts for Helm for the specified shell.)";

}  // namespace

constinit const Command kCompletion = {
    .use = "completion",
    .brief = "generate autocompletion scripts for the specified shell",
    .text = kText,
    .args = ArgsRule::none()};

}  // namespace pintle::cli
