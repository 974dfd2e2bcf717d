#include <algorithm>

#include "base/gotext.h"
#include "base/strings.h"
#include "cli/cluster.h"
#include "cli/commands/commands.h"
#include "cli/completers.h"
#include "cli/flag_groups.h"

namespace pintle::cli {
namespace {

constexpr std::string_view kText = R"(
This command rolls back a release to a previous revision.

The first argument of the rollback command is the name of a release, and the
second is a revision (version) number. If this argument is omitted or set to
0, it will roll back to the previous release.

To see revision numbers, run 'helm history RELEASE'.)";

struct Options {
  bool cleanup_on_fail = false;
  std::string description;
  DryRunFlag dry_run;
  bool simulate = false;  // Helm 3's --dry-run
  bool force_conflicts = false;
  bool force_replace = false;
  int64_t history_max = 0;
  bool no_hooks = false;
  std::string server_side = "auto";
  Duration timeout{300'000'000'000};
  WaitFlag wait;
  bool wait_for_jobs = false;
  bool recreate_pods = false;  // Helm 3
};

void bind(Flags& f, Options& o, const Session& s) {
  f.boolean("cleanup-on-fail", o.cleanup_on_fail,
            "allow deletion of new resources created in this rollback when rollback fails");
  if (!s.helm3()) {
    f.string("description", o.description,
             "add a custom description for the rollback (max 256 characters)");
  }
  if (s.helm3()) {
    f.boolean("dry-run", o.simulate, "simulate a rollback");
  } else {
    bind_dry_run(f, o.dry_run, false, "");
  }
  if (!s.helm3()) {
    f.boolean("force-conflicts", o.force_conflicts,
              "if set server-side apply will force changes against conflicts");
    f.boolean("force-replace", o.force_replace, "force resource updates by replacement");
  }
  o.history_max = s.settings.max_history;
  f.integer("history-max", o.history_max,
            "limit the maximum number of revisions saved per release. Use 0 for no limit");
  f.boolean("no-hooks", o.no_hooks, "prevent hooks from running during rollback");
  if (!s.helm3()) {
    f.string(
        "server-side", o.server_side,
        "must be \"true\", \"false\" or \"auto\". Object updates run in the server instead "
        "of the client (\"auto\" defaults the value from the previous chart release's method)");
  }
  f.duration("timeout", o.timeout,
             "time to wait for any individual Kubernetes operation (like Jobs for hooks)");
  bind_wait(f, o.wait, s,
            "if set, will wait until all Pods, PVCs, Services, and minimum number of Pods of a "
            "Deployment, StatefulSet, or ReplicaSet are in a ready state before marking the "
            "release as successful. It will wait for as long as --timeout");
  f.boolean("wait-for-jobs", o.wait_for_jobs,
            "if set and --wait enabled, will wait until all Jobs have been completed before "
            "marking the release as successful. It will wait for as long as --timeout");
  if (s.helm3()) {
    f.boolean("force", o.force_replace, "force resource update through delete/recreate if needed");
    f.boolean("recreate-pods", o.recreate_pods,
              "performs pods restart for the resource if applicable");
  }
  if (!s.helm3()) {
    f.boolean("force", o.force_replace, "deprecated").deprecate("use --force-replace instead");
    f.exclusive("force-replace force-conflicts");
    f.exclusive("force force-conflicts");
  }
}

constexpr size_t kMaxDescription = 256;  // runes

Status run(Session& s, const Options& o) {
  int64_t revision = 0;
  if (s.args.size() > 1) {
    ParseError error;
    revision = parse_int(s.args[1], 10, 64, &error);
    if (error != ParseError::kNone) {
      return Error(
          Code::kInvalidArgument,
          cat("could not convert revision to a number: strconv.Atoi: parsing ", quote(s.args[1]),
              error == ParseError::kRange ? ": value out of range" : ": invalid syntax"));
    }
  }
  if (const size_t runes = rune_count(o.description); runes > kMaxDescription) {
    return Error(Code::kInvalidArgument,
                 cat("description must be ", kMaxDescription, " characters or less, got ", runes));
  }
  action::RollbackOptions options;
  options.dry_run = to_action(TRY(dry_run(o.dry_run, s, /*of_template=*/false)));
  if (s.helm3() && o.simulate) options.dry_run = action::DryRun::kClient;
  options.revision = static_cast<int>(std::clamp<int64_t>(revision, -1, INT32_MAX));
  options.server_side = o.server_side;
  options.cleanup_on_fail = o.cleanup_on_fail;
  options.history_max = static_cast<int>(std::clamp<int64_t>(o.history_max, 0, INT32_MAX));
  options.force_replace = o.force_replace;
  options.force_conflicts = o.force_conflicts;
  options.no_hooks = o.no_hooks;
  options.wait = wait_strategy(o.wait);
  options.wait_for_jobs = o.wait_for_jobs;
  options.timeout_ms = milliseconds(o.timeout);
  options.description = o.description;
  auto world = TRY(open_cluster(s));
  auto context = release_context(s, *world);
  catch_interrupts(s, context);
  TRY(action::rollback(context, s.args[0], options));
  s.print("Rollback was a success! Happy Helming!\n");
  return ok();
}

Candidates release_then_revision(Session& s, const void*, Args args, std::string_view) {
  if (args.empty()) return complete_releases(s, args);
  return args.size() == 1 ? complete_revisions(s, args[0]) : no_more_args();
}

}  // namespace

constinit const Command kRollback =
    define<Options, bind, run>({.use = "rollback <RELEASE> [REVISION]",
                                .brief = "roll back a release to a previous revision",
                                .text = kText,
                                .args = ArgsRule::at_least(1),
                                .needs = Needs::kCluster,
                                .complete = release_then_revision});

}  // namespace pintle::cli
