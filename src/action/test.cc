// test: runs a release's test hooks (helm pkg/action/release_testing.go).
#include <algorithm>

#include "action/releases.h"
#include "base/strings.h"
#include "storage/history.h"

namespace pintle::action {

using release::StoredHook;
using value::Value;

namespace {

bool among(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

bool chosen(const TestOptions& options, const StoredHook& hook) {
  return !among(options.exclude, hook.name) &&
         (options.include.empty() || among(options.include, hook.name));
}

bool is_test(const StoredHook& hook) { return among(hook.events, "test"); }

Status container_logs(Context& context, std::string_view ns, const std::string& pod,
                      std::string& out) {
  const auto found = context.cluster->lookup("v1", "Pod", ns, pod);
  if (!found) return Error::wrap(cat("unable to get pod ", pod), found.error());
  const Value* spec = found->get("spec");
  if (spec == nullptr) return Error(cat("unable to get pod ", pod, ": pods ", pod, " not found"));
  std::vector<Error> errors;
  for (std::string_view list : {"initContainers", "containers"}) {
    const Value* containers = spec->get(list);
    if (containers == nullptr) continue;
    for (const Value& container : containers->items()) {
      const Value* name = container.get("name");
      if (name == nullptr || !name->is_string()) continue;
      std::string text;
      const Status read = context.cluster->pod_log(ns, pod, name->as_string(),
                                                   [&](std::string_view piece) {
                                                     text += piece;
                                                     return true;
                                                   });
      if (!read) {
        errors.push_back(Error::wrap(cat("unable to get logs for pod ", pod, ", container ",
                                         name->as_string()),
                                     read.error()));
        continue;
      }
      append(out, {"POD LOGS: ", pod, " (", name->as_string(), ")\n", text, "\n"});
    }
  }
  if (errors.empty()) return ok();
  return Error::with_cause(joined_errors(errors, "\n"), errors[0]);
}

// Helm 3 asks for one log, whatever the hook is.
Status whole_log(Context& context, std::string_view ns, const std::string& pod, std::string& out) {
  std::string text;
  const Status read = context.cluster->pod_log(ns, pod, "", [&](std::string_view piece) {
    text += piece;
    return true;
  });
  if (!read) return Error::wrap(cat("unable to get pod logs for ", pod), read.error());
  append(out, {"POD LOGS: ", pod, "\n", text, "\n"});
  return ok();
}

}  // namespace

Result<TestReport> test(Context& context, std::string_view name, const TestOptions& options) {
  TRY(context.cluster->reachable());
  if (!validate_release_name(name)) {
    return Error(Code::kInvalidArgument, cat("releaseTest: Release name is invalid: ", name));
  }
  auto found = storage::last(*context.releases, name);
  if (!found) return found.error();
  release::Record record = std::move(*found);
  // What is passed over stands first afterwards, as Helm leaves it.
  std::vector<StoredHook> skipped;
  std::erase_if(record.hooks, [&](const StoredHook& hook) {
    if (chosen(options, hook)) return false;
    skipped.push_back(hook);
    return true;
  });
  const bool server_side = record.apply_method == "ssa";
  HookRunResult run = run_hooks_only(context, record, "test",
                                     {.wait = kube::WaitStrategy::kWatcher,
                                      .timeout_ms = options.timeout_ms,
                                      .server_side = server_side});
  release::Record whole = record;
  whole.hooks.insert(whole.hooks.begin(), skipped.begin(), skipped.end());
  const Status stored = context.releases->update(whole);
  if (run.status && !stored) run.status = stored;
  return TestReport{std::move(whole), std::move(run)};
}

Status test_logs(Context& context, const release::Record& record, std::string_view ns,
                 const TestOptions& options, std::string& out) {
  std::vector<const StoredHook*> hooks;
  for (const StoredHook& hook : record.hooks) hooks.push_back(&hook);
  std::ranges::stable_sort(hooks, [](const StoredHook* a, const StoredHook* b) {
    return a->weight == b->weight ? a->name < b->name : a->weight < b->weight;
  });
  for (const StoredHook* hook : hooks) {
    if (!is_test(*hook) || !chosen(options, *hook)) continue;
    if (context.helm3) {
      TRY(whole_log(context, ns, hook->name, out));
    } else if (hook->kind == "Pod") {
      TRY(container_logs(context, ns, hook->name, out));
    }
  }
  return ok();
}

}  // namespace pintle::action
