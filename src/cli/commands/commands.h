// The commands, each defined in its own file of this directory; command_table.cc gives them their
// places.
#pragma once

#include "cli/command.h"

namespace pintle::cli {

extern const Command kRoot, kHelp, kComplete;
extern const Command kCompletion, kCompletionBash, kCompletionFish, kCompletionPowershell,
    kCompletionZsh;
extern const Command kCreate;
extern const Command kDependency, kDependencyBuild, kDependencyList, kDependencyUpdate;
extern const Command kDocs;
extern const Command kEnv;
extern const Command kGet, kGetAll, kGetHooks, kGetManifest, kGetMetadata, kGetNotes, kGetValues;
extern const Command kHistory;
extern const Command kInstall;
extern const Command kLint;
extern const Command kList;
extern const Command kPackage;
extern const Command kPlugin, kPluginInstall, kPluginList, kPluginPackage, kPluginUninstall,
    kPluginUpdate, kPluginVerify;
extern const Command kPull;
extern const Command kPush;
extern const Command kRegistry, kRegistryLogin, kRegistryLogout;
extern const Command kRepo, kRepoAdd, kRepoIndex, kRepoList, kRepoRemove, kRepoUpdate;
extern const Command kRollback;
extern const Command kSearch, kSearchHub, kSearchRepo;
extern const Command kShow, kShowAll, kShowChart, kShowCrds, kShowReadme, kShowValues;
extern const Command kStatus;
extern const Command kTemplate;
extern const Command kTest;
extern const Command kUninstall;
extern const Command kUpgrade;
extern const Command kVerify;
extern const Command kVersion;

}  // namespace pintle::cli
