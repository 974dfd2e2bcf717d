// Every built-in command, once, sorted by path. The number is the order Helm declares its commands
// in, which suggestions keep.
#include <algorithm>

#include "cli/commands/commands.h"
#include "cli/tree.h"

namespace pintle::cli {
namespace {

constexpr Node kTable[] = {
    {"", &kRoot},
    {"__complete", &kComplete, 99},
    {"completion", &kCompletion, 20},
    {"completion bash", &kCompletionBash},
    {"completion fish", &kCompletionFish},
    {"completion powershell", &kCompletionPowershell},
    {"completion zsh", &kCompletionZsh},
    {"create", &kCreate, 1},
    {"dependency", &kDependency, 2},
    {"dependency build", &kDependencyBuild},
    {"dependency list", &kDependencyList},
    {"dependency update", &kDependencyUpdate},
    {"docs", &kDocs, 24},
    {"env", &kEnv, 21},
    {"get", &kGet, 10},
    {"get all", &kGetAll},
    {"get hooks", &kGetHooks},
    {"get manifest", &kGetManifest},
    {"get metadata", &kGetMetadata},
    {"get notes", &kGetNotes},
    {"get values", &kGetValues},
    {"help", &kHelp, 98},
    {"history", &kHistory, 11},
    {"install", &kInstall, 12},
    {"lint", &kLint, 5},
    {"list", &kList, 13},
    {"package", &kPackage, 6},
    {"plugin", &kPlugin, 22},
    {"plugin install", &kPluginInstall},
    {"plugin list", &kPluginList},
    {"plugin package", &kPluginPackage},
    {"plugin uninstall", &kPluginUninstall},
    {"plugin update", &kPluginUpdate},
    {"plugin verify", &kPluginVerify},
    {"pull", &kPull, 3},
    {"push", &kPush, 26},
    {"registry", &kRegistry, 25},
    {"registry login", &kRegistryLogin},
    {"registry logout", &kRegistryLogout},
    {"repo", &kRepo, 7},
    {"repo add", &kRepoAdd},
    {"repo index", &kRepoIndex},
    {"repo list", &kRepoList},
    {"repo remove", &kRepoRemove},
    {"repo update", &kRepoUpdate},
    {"rollback", &kRollback, 15},
    {"search", &kSearch, 8},
    {"search hub", &kSearchHub},
    {"search repo", &kSearchRepo},
    {"show", &kShow, 4},
    {"show all", &kShowAll},
    {"show chart", &kShowChart},
    {"show crds", &kShowCrds},
    {"show readme", &kShowReadme},
    {"show values", &kShowValues},
    {"status", &kStatus, 16},
    {"template", &kTemplate, 17},
    {"test", &kTest, 14},
    {"uninstall", &kUninstall, 18},
    {"upgrade", &kUpgrade, 19},
    {"verify", &kVerify, 9},
    {"version", &kVersion, 23},
};
static_assert(std::ranges::is_sorted(kTable, {}, &Node::path), "look-up is by binary search");
static_assert(std::ranges::adjacent_find(kTable, {}, &Node::path) == std::end(kTable),
              "a path names one command");

}  // namespace

std::span<const Node> builtin_commands() { return kTable; }

}  // namespace pintle::cli
