#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/world.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
Update gets the latest information about charts from the respective chart repositories.
Information is cached locally, where it is used by commands like 'helm search'.

You can optionally specify a list of repositories you want to update.
	$ helm repo update <repo_name> ...
To update all the repositories, use 'helm repo update'.)";

struct Options {
  Duration timeout{120'000'000'000};
  bool fail_on_repo_update_fail = false;  // Helm 3
};

void bind(Flags& f, Options& o, const Session& s) {
  f.duration("timeout", o.timeout, "time to wait for the index file download to complete");
  if (s.helm3()) {
    f.boolean("fail-on-repo-update-fail", o.fail_on_repo_update_fail,
              "update fails if any of the repository updates fail");
  }
}

Status run(Session& s, const Options&) { return needs_world(s); }

Candidates repositories(Session& s, const void*, Args args, std::string_view) {
  return complete_repositories(s, args);
}

}  // namespace

constinit const Command kRepoUpdate = define<Options, bind, run>(
    {.use = "update [REPO1 [REPO2 ...]]",
     .brief = "update information of available charts locally from chart repositories",
     .text = kText,
     .aliases = {"up"},
     .args = ArgsRule::at_least(0),
     .needs = Needs::kNetwork,
     .complete = repositories});

}  // namespace pintle::cli
