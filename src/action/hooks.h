// Hooks: objects that run at events of a release (helm pkg/action/hooks.go). In order of weight,
// then name; each is deleted, created and awaited as its policies say.
#pragma once

#include <functional>
#include <string_view>

#include "action/context.h"
#include "base/result.h"
#include "kube/cluster.h"
#include "release/record.h"

namespace pintle::action {

struct HookOptions {
  kube::WaitStrategy wait = kube::WaitStrategy::kHookOnly;
  int64_t timeout_ms = 300'000;  // of each
  bool server_side = true;
};

// Runs the hooks of an event ("pre-install") and cleans up after them. Their last runs are stored in
// the record, which is written to storage before each. The first failure ends it.
Status run_hooks(Context& context, release::Record& record, std::string_view event,
                 const HookOptions& options);

// The same in two steps, for `helm test`, which reads logs between them: what is left to clean up.
struct HookRunResult {
  Status status;
  std::function<Status()> clean_up = [] { return ok(); };
};
HookRunResult run_hooks_only(Context& context, release::Record& record, std::string_view event,
                             const HookOptions& options);

// How long and by what rule an action waits; carries its cancel flag and progress.
kube::WaitOptions wait_options(const Context& context, kube::WaitStrategy strategy,
                               int64_t timeout_ms, bool jobs = false);

// The cluster's create. Helm 3 lists its errors with their count.
Result<kube::Objects> create(Context& context, const kube::Objects& objects,
                             const kube::ApplyOptions& options);
// As hashicorp/go-multierror prints errors, one a line.
Error counted_error(const Error& error);

// Whether the user wants out; the error that then ends the action ("context canceled").
bool cancelled(const Context& context);
Error cancelled_error();

}  // namespace pintle::action
