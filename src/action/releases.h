// The verbs on releases: install, upgrade, rollback, uninstall, test, and the questions about them
// (helm pkg/action). Each is the list of its steps over a Context that has a cluster and a place
// for records. Error texts are Helm's. What fails after a record was stored leaves it as failed.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "action/context.h"
#include "action/hooks.h"
#include "action/template.h"
#include "chart/chart.h"
#include "release/record.h"

namespace pintle::action {

enum class DryRun : uint8_t { kNone, kClient, kServer };

// What install, upgrade and rollback share.
struct ApplyFlags {
  DryRun dry_run = DryRun::kNone;
  bool force_replace = false, force_conflicts = false;
  bool no_hooks = false;
  kube::WaitStrategy wait = kube::WaitStrategy::kHookOnly;
  bool wait_for_jobs = false;
  int64_t timeout_ms = 300'000;
  std::string description;
};

struct InstallOptions : ApplyFlags {
  // Name, namespace, labels, notes, schema, post-renderer; capabilities where there is no cluster.
  ClientInstallOptions render;
  bool server_side = true;
  bool create_namespace = false;
  bool replace = false;
  bool skip_crds = false;
  bool validate = true;  // against the server's schemas
  bool rollback_on_failure = false;
  bool take_ownership = false;
  // Told what there is to look at when rendering fails.
  std::function<void(const ClientRelease&)> rendered_badly = {};
};
// A dry run by the client asks neither cluster nor storage. Changes the chart.
Result<release::Record> install(Context& context, chart::Chart& chart, const value::Value& values,
                                const InstallOptions& options);

struct UpgradeOptions : ApplyFlags {
  ClientInstallOptions render;      // namespace_ is the current release's
  std::string server_side = "auto";  // or "true", "false"
  bool validate = true;
  bool reset_values = false, reuse_values = false, reset_then_reuse_values = false;
  bool rollback_on_failure = false, cleanup_on_fail = false;
  bool take_ownership = false;
  int history_max = 0;
};
// Changes the chart.
Result<release::Record> upgrade(Context& context, chart::Chart& chart, const value::Value& values,
                                const UpgradeOptions& options);

struct RollbackOptions : ApplyFlags {
  int revision = 0;  // 0: the one before the last
  std::string server_side = "auto";
  bool cleanup_on_fail = false;
  int history_max = 0;
};
Status rollback(Context& context, std::string_view name, const RollbackOptions& options);

struct UninstallOptions {
  bool dry_run = false, no_hooks = false, keep_history = false, ignore_not_found = false;
  kube::Propagation propagation = kube::Propagation::kBackground;
  kube::WaitStrategy wait = kube::WaitStrategy::kHookOnly;
  int64_t timeout_ms = 300'000;
  std::string description;
};
// What was kept, as text for the user; "" when nothing was.
Result<std::string> uninstall(Context& context, std::string_view name,
                              const UninstallOptions& options);

struct TestOptions {
  std::vector<std::string> include, exclude;  // names of tests; empty: all, none
  int64_t timeout_ms = 300'000;
};
struct TestReport {
  release::Record record;
  HookRunResult run;
};
Result<TestReport> test(Context& context, std::string_view name, const TestOptions& options);
// The logs of the tests' pods, each container's behind "POD LOGS: POD (CONTAINER)". `out` gets what
// was read, also when it fails.
Status test_logs(Context& context, const release::Record& record, std::string_view ns,
                 const TestOptions& options, std::string& out);

// ---- questions ----

// One revision, whole; 0: the last.
Result<release::Record> content(Context& context, std::string_view name, int revision);
// With the live objects in `resources`: as the server's tables, or as they are.
Result<release::Record> status(Context& context, std::string_view name, int revision, bool tables);
// The newest `max` revisions, oldest first; max < 0: all.
Result<std::vector<release::Record>> history(Context& context, std::string_view name, int max);
// Whether a release can be installed under the name: there is none, or it was uninstalled.
enum class Presence : uint8_t { kNone, kUninstalled, kPresent };
Result<Presence> presence(Context& context, std::string_view name);

enum class ListOrder : uint8_t { kName, kNameDescending, kDate, kDateDescending };
struct ListOptions {
  std::vector<std::string> states;  // wanted; empty: all but "unknown"
  std::function<bool(std::string_view name)> filter = {};
  std::string selector;
  ListOrder order = ListOrder::kName;
  int64_t offset = 0, limit = 0;  // limit 0: none
};
Result<std::vector<release::Record>> list(Context& context, const ListOptions& options);

// ---- shared by the verbs ----

// What install says, and logs, of a cluster that `why` tells cannot be reached.
Error not_reachable(const Context& context, const Error& why);
// The cluster's own word on why it cannot be reached, where that is why `error` happened.
Error explained(Context& context, const Error& error);
// Version and APIs of the cluster, over what `defaults` says of Helm.
Result<render::Capabilities> capabilities(Context& context, render::Capabilities defaults);
// Rendered hooks as a record keeps them.
std::vector<release::StoredHook> stored_hooks(std::vector<release::Hook> hooks);
// "auto", "true", "false" and what the revision before was applied with.
Result<bool> server_side_apply(std::string_view asked, std::string_view before);
std::string joined_errors(const std::vector<Error>& errors, std::string_view separator);

}  // namespace pintle::action
