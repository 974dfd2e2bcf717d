#include "action/hooks.h"

#include <algorithm>

#include "action/releases.h"
#include "base/strings.h"
#include "yaml/yaml.h"

namespace pintle::action {

using release::StoredHook;
using value::Value;

namespace {

constexpr std::string_view kBeforeCreation = "before-hook-creation";
constexpr std::string_view kSucceeded = "hook-succeeded";
constexpr std::string_view kFailed = "hook-failed";

bool has(const std::vector<std::string>& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

// Positions of the event's hooks, in the order they run.
std::vector<size_t> hooks_of(const release::Record& record, std::string_view event) {
  std::vector<size_t> out;
  for (size_t i = 0; i < record.hooks.size(); ++i) {
    if (has(record.hooks[i].events, event)) out.push_back(i);
  }
  std::ranges::stable_sort(out, [&](size_t a, size_t b) {
    const StoredHook &x = record.hooks[a], &y = record.hooks[b];
    return x.weight == y.weight ? x.name < y.name : x.weight < y.weight;
  });
  return out;
}

class HookRunner {
 public:
  HookRunner(Context& context, release::Record& record, const HookOptions& options)
      : context_(context), record_(record), namespace_(record.namespace_), options_(options) {}

  HookRunResult run(std::string_view event) {
    const std::vector<size_t> order = hooks_of(record_, event);
    for (size_t i = 0; i < order.size(); ++i) {
      StoredHook& hook = record_.hooks[order[i]];
      bool started = false;
      const Status done = run_one(hook, event, started);
      if (done) continue;
      if (!started) return {done};
      log_output(hook, kFailed);
      return {done, [after = *this, ran = ran_until(order, i)]() mutable {
                return after.after_failure(ran);
              }};
    }
    return {ok(), [after = *this, ran = ran_until(order, order.size() - 1)]() mutable {
              return after.after_success(ran);
            }};
  }

 private:
  // `started`: it was created, and may have left something behind.
  Status run_one(StoredHook& hook, std::string_view event, bool& started) {
    if (hook.delete_policies.empty()) hook.delete_policies = {std::string(kBeforeCreation)};
    TRY(remove_by(hook, kBeforeCreation));
    auto objects = context_.cluster->build(hook.manifest, true);
    if (!objects) {
      return Error::wrap(
          cat("unable to build kubernetes object for ", event, " hook ", hook.path),
          objects.error());
    }
    hook.last_run = {.started_at = now(), .completed_at = {}, .phase = "Running"};
    (void)context_.releases->update(record_);  // as in Helm: a record that cannot be written must
                                               // not stop the hook
    hook.last_run.phase = "Unknown";
    kube::ApplyOptions apply;
    apply.server_side = options_.server_side;
    apply.cancel = context_.cancel;
    if (const auto created = create(context_, *objects, apply); !created) {
      hook.last_run.completed_at = now();
      hook.last_run.phase = "Failed";
      return Error::wrap(cat("warning: Hook ", event, " ", hook.path, " failed"),
                         created.error());
    }
    started = true;
    Status ready = context_.cluster->watch_until_ready(*objects, waiting());
    hook.last_run.completed_at = now();
    hook.last_run.phase = ready ? "Succeeded" : "Failed";
    if (!ready && cancelled(context_)) return cancelled_error();
    if (!ready && context_.helm3) return counted_error(ready.error());
    return ready;
  }

  // Helm 3 knows one way to wait for hooks, and for their end.
  kube::WaitOptions waiting() const {
    return wait_options(context_, context_.helm3 ? kube::WaitStrategy::kLegacy : options_.wait,
                        options_.timeout_ms);
  }

  // The hooks that ran, to clean up after them when the record is elsewhere.
  std::vector<StoredHook> ran_until(const std::vector<size_t>& order, size_t last) const {
    std::vector<StoredHook> out;
    for (size_t i = 0; i < order.size() && i <= last; ++i) out.push_back(record_.hooks[order[i]]);
    return out;
  }

  Status after_failure(const std::vector<StoredHook>& ran) {
    if (const Status gone = remove_by(ran.back(), kFailed); !gone) {
      context_.log("INFO", cat(place(105), "error deleting the hook resource on hook failure: ",
                               gone.error().text()));
    }
    for (size_t i = 0; i + 1 < ran.size(); ++i) TRY(remove_by(ran[i], kSucceeded));
    return ok();
  }

  Status after_success(const std::vector<StoredHook>& ran) {
    for (auto hook = ran.rbegin(); hook != ran.rend(); ++hook) {
      log_output(*hook, kSucceeded);
      TRY(remove_by(*hook, kSucceeded));
    }
    return ok();
  }

  Status remove_by(const StoredHook& hook, std::string_view policy) {
    // Deleting a definition would delete everything defined by it.
    if (hook.kind == "CustomResourceDefinition" || !has(hook.delete_policies, policy)) return ok();
    auto objects = context_.cluster->build(hook.manifest, false);
    if (!objects) {
      return Error::wrap(cat("unable to build kubernetes object for deleting hook ", hook.path),
                         objects.error());
    }
    kube::Objects removed;
    const auto errors =
        context_.cluster->remove(*objects, kube::Propagation::kBackground, removed);
    if (!errors.empty()) return Error::with_cause(joined_errors(errors, "; "), errors[0]);
    return context_.cluster->wait_for_delete(*objects, waiting());
  }

  void log_output(const StoredHook& hook, std::string_view policy) {
    if (!has(hook.output_log_policies, policy)) return;
    if (hook.kind != "Job" && hook.kind != "Pod") return;
    const Status logged = write_logs(hook);
    if (logged) return;
    context_.log("INFO", cat(place(policy == kFailed ? 99 : 125),
                             "error outputting logs for hook failure: ", logged.error().text()));
  }

  // Helm 3 says where in its source it complains.
  std::string place(int line) const {
    return context_.helm3 ? cat("hooks.go:", line, ": ") : "";
  }

  Status write_logs(const StoredHook& hook) {
    const std::string ns = hook_namespace(hook);
    std::vector<Value> pods;
    if (hook.kind == "Pod") {
      pods.push_back(TRY(context_.cluster->lookup("v1", "Pod", ns, hook.name)));
    } else {
      pods = TRY(context_.cluster->pods(ns, "job-name=" + hook.name));
    }
    for (const Value& pod : pods) {
      const Value* metadata = pod.get("metadata");
      const Value* name = metadata ? metadata->get("name") : nullptr;
      const Value* spec = pod.get("spec");
      const Value* containers = spec ? spec->get("containers") : nullptr;
      if (name == nullptr || !name->is_string() || containers == nullptr) continue;
      for (const Value& container : containers->items()) {
        const Value* called = container.get("name");
        if (called == nullptr || !called->is_string()) continue;
        const Status read = context_.cluster->pod_log(
            ns, name->as_string(), called->as_string(), [&](std::string_view piece) {
              context_.log("INFO", without_suffix(piece, "\n"));
              return true;
            });
        if (read) continue;
        return Error::with_cause(cat(context_.helm3 ? "Failed" : "failed",
                                     " to stream pod logs for pod: ", name->as_string(),
                                     ", container: ", called->as_string()),
                                 read.error());
      }
    }
    return ok();
  }

  std::string hook_namespace(const StoredHook& hook) const {
    static const yaml::Fields kNamespace = {"metadata.namespace"};
    const auto head = yaml::read_fields(hook.manifest, kNamespace);
    const Value* metadata = head ? head->get("metadata") : nullptr;
    const Value* ns = metadata ? metadata->get("namespace") : nullptr;
    const bool own = ns && ns->is_string() && !ns->as_string().empty();
    return own ? std::string(ns->as_string()) : namespace_;
  }

  release::Time now() const { return release::time_at(context_.clock.now_ns()); }

  Context& context_;
  release::Record& record_;  // while the hooks run; cleaning up comes without it
  std::string namespace_;
  HookOptions options_;
};

}  // namespace

HookRunResult run_hooks_only(Context& context, release::Record& record, std::string_view event,
                             const HookOptions& options) {
  return HookRunner(context, record, options).run(event);
}

Status run_hooks(Context& context, release::Record& record, std::string_view event,
                 const HookOptions& options) {
  HookRunResult result = run_hooks_only(context, record, event, options);
  const Status cleaned = result.clean_up();
  if (!cleaned) return cleaned;
  return result.status;
}

kube::WaitOptions wait_options(const Context& context, kube::WaitStrategy strategy,
                               int64_t timeout_ms, bool jobs) {
  return {.strategy = strategy,
          .timeout_ms = timeout_ms,
          .jobs = jobs,
          .cancel = context.cancel,
          .progress = context.progress};
}

bool cancelled(const Context& context) {
  return context.cancel != nullptr && context.cancel->cancelled();
}

Error cancelled_error() { return {Code::kCancelled, "context canceled"}; }

}  // namespace pintle::action
