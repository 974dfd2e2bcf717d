#include "cli/commands/commands.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
Manage client-side Helm plugins.)";

}  // namespace

constinit const Command kPlugin = {
    .use = "plugin", .brief = "install, list, or uninstall Helm plugins", .text = kText};

}  // namespace pintle::cli
