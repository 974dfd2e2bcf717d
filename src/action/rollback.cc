// rollback: the steps of spec helm4-cli §2.3 in their order (helm pkg/action/rollback.go). Nothing
// is rendered again: the manifest and hooks are the target revision's.
#include <algorithm>

#include "action/ownership.h"
#include "action/releases.h"
#include "action/storing.h"
#include "base/gotext.h"
#include "base/strings.h"
#include "storage/history.h"

namespace pintle::action {

using release::Record;

namespace {

class Rollback {
 public:
  Rollback(Context& context, std::string_view name, const RollbackOptions& options)
      : context_(context), name_(name), options_(options) {}

  Status run() {
    TRY(context_.cluster->reachable());
    TRY(prepare());
    if (options_.dry_run != DryRun::kNone) return ok();
    TRY(storage::prune(*context_.releases, heads_, options_.history_max, context_.log));
    TRY(store(context_, target_));
    if (const Status done = perform(); !done) {
      if (cancelled(context_) && target_.status != "failed") {
        store_failure(cat("Rollback ", quote(target_.name), " failed: ", cancelled_error().text()));
        return marked_failed(cancelled_error(), stored_, target_);
      }
      return marked_failed(done.error(), stored_, target_);
    }
    return context_.releases->update(target_);
  }

 private:
  Status prepare() {
    if (!validate_release_name(name_)) {
      return Error(Code::kInvalidArgument,
                   cat("prepareRollback: Release name is invalid: ", name_));
    }
    if (options_.revision < 0) return Error(Code::kInvalidArgument, "invalid release revision");
    heads_ = TRY(storage::history(*context_.releases, name_));
    current_ = TRY(storage::newest(*context_.releases, heads_));
    const int last = heads_.back().version;
    const int wanted = options_.revision == 0 ? last - 1 : options_.revision;
    const auto head = std::ranges::find(heads_, wanted, &storage::Head::version);
    if (head == heads_.end()) {
      return Error(Code::kNotFound, cat("release has no ", wanted, " version"));
    }
    // As Helm's Get does, without the system's labels: the new record starts with times of its own.
    Record previous = wanted == last ? current_ : TRY(storage::whole(*context_.releases, *head));
    server_side_ = TRY(server_side_apply(options_.server_side, previous.apply_method));
    if (context_.helm3) server_side_ = false;

    target_.name = name_;
    target_.namespace_ = current_.namespace_;
    target_.version = last + 1;
    target_.chart = previous.chart;
    target_.config = previous.config;
    target_.manifest = previous.manifest;
    target_.hooks = previous.hooks;
    target_.notes = previous.notes;
    target_.labels = storage::without_system_labels(previous.labels);
    target_.first_deployed = current_.first_deployed;
    target_.last_deployed = release::time_at(context_.clock.now_ns());
    target_.status = "pending-rollback";
    target_.description =
        options_.description.empty() ? cat("Rollback to ", wanted) : options_.description;
    if (context_.helm3) return ok();
    target_.rollback_revision = wanted;
    target_.apply_method = server_side_ ? "ssa" : "csa";
    return ok();
  }

  Status perform() {
    auto current = context_.cluster->build(current_.manifest, false);
    if (!current) {
      return Error::wrap("unable to build kubernetes objects from current release manifest",
                         current.error());
    }
    auto target = context_.cluster->build(target_.manifest, false);
    if (!target) {
      return Error::wrap("unable to build kubernetes objects from new release manifest",
                         target.error());
    }
    TRY(hooks("pre-rollback"));
    mark_owned(*target, {target_.name, target_.namespace_});
    TRY(change(*current, *target));
    if (const Status ready = context_.cluster->wait(
            *target, wait_options(context_, options_.wait, options_.timeout_ms,
                                  options_.wait_for_jobs));
        !ready) {
      const Error why = cancelled(context_) ? cancelled_error() : ready.error();
      store_failure(cat("Release ", quote(target_.name), " failed: ", why.text()));
      return Error::with_cause(cat("release ", target_.name, " failed: ", why.text()), why);
    }
    TRY(hooks("post-rollback"));
    for (Record& record : TRY(storage::deployed(*context_.releases, name_))) {
      record.status = "superseded";
      (void)context_.releases->update(record);  // as in Helm: the new revision counts
    }
    target_.status = "deployed";
    return ok();
  }

  Status hooks(std::string_view event) {
    if (options_.no_hooks) return ok();
    return run_hooks(context_, target_, event,
                     {.wait = options_.wait,
                      .timeout_ms = options_.timeout_ms,
                      .server_side = server_side_});
  }

  Status change(const kube::Objects& current, const kube::Objects& target) {
    kube::ApplyOptions apply;
    apply.server_side = server_side_;
    apply.force_replace = options_.force_replace;
    apply.force_conflicts = options_.force_conflicts;
    apply.upgrade_managers = true;
    apply.cancel = context_.cancel;
    kube::UpdateReport report;
    const Status done = context_.cluster->update(current, target, apply, report);
    if (done) return ok();
    const Error why = cancelled(context_) ? cancelled_error() : done.error();
    const std::string text = cat("Rollback ", quote(target_.name), " failed: ", why.text());
    if (!context_.helm3) context_.log("WARN", text);
    current_.status = "superseded";
    store_failure(text);
    if (options_.cleanup_on_fail && !report.created.empty()) {
      kube::Objects removed;
      const auto errors =
          context_.cluster->remove(report.created, kube::Propagation::kBackground, removed);
      if (!errors.empty()) {
        return Error(cat("an error occurred while cleaning up resources. original rollback error: "
                         "unable to cleanup resources: ",
                         joined_errors(errors, ", ")));
      }
    }
    return why;
  }

  void store_failure(std::string text) {
    context_.cluster->interrupt_by(context_.give_up);  // one wish to stop does not stop the record
    target_.status = "failed";
    target_.description = std::move(text);
    (void)context_.releases->update(current_);  // the first error is the one to tell
    stored_ = context_.releases->update(target_);
  }

  Context& context_;
  std::string name_;
  const RollbackOptions& options_;
  std::vector<storage::Head> heads_;
  Record current_, target_;
  Status stored_ = ok();  // how it went to mark target_ as failed
  bool server_side_ = false;
};

}  // namespace

Status rollback(Context& context, std::string_view name, const RollbackOptions& options) {
  return Rollback(context, name, options).run();
}

}  // namespace pintle::action
