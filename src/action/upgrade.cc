// upgrade: the steps of spec helm4-cli §2.2 in their order (helm pkg/action/upgrade.go).
#include <set>

#include "action/hint.h"
#include "action/ownership.h"
#include "action/releases.h"
#include "action/storing.h"
#include "base/gotext.h"
#include "base/strings.h"
#include "chart/values.h"
#include "storage/history.h"

namespace pintle::action {

using release::Record;
using value::Value;

namespace {

std::string key_of(const kube::Object& o) {
  return cat(o.api_version(), "/", o.kind, "/", o.ns, "/", o.name);
}

class Upgrade {
 public:
  Upgrade(Context& context, chart::Chart& chart, const Value& values, const UpgradeOptions& options)
      : context_(context), chart_(chart), values_(values), options_(options),
        render_(options.render) {}

  Result<Record> run() {
    TRY(context_.cluster->reachable());
    if (!validate_release_name(name())) {
      return Error(Code::kInvalidArgument, cat("release name is invalid: ", name()));
    }
    if (!dry() && options_.render.hide_secret) {
      return Error(Code::kInvalidArgument,
                   context_.helm3 ? "Hiding Kubernetes secrets requires a dry-run mode"
                                  : "hiding Kubernetes secrets requires a dry-run mode");
    }
    TRY(find_current());
    Record record = TRY(render());
    kube::Objects current, target;
    TRY(build(record, current, target));
    if (dry()) {
      record.description =
          options_.description.empty() ? "Dry run complete" : options_.description;
      return record;
    }
    TRY(storage::prune(*context_.releases, heads_, options_.history_max, context_.log));
    TRY(store(context_, record));
    kube::UpdateReport report;
    const Status done = perform(record, current, target, report);
    if (!done) {
      return fail(record, report.created, cancelled(context_) ? cancelled_error() : done.error());
    }
    TRY(context_.releases->update(record));
    return record;
  }

 private:
  bool dry() const { return options_.dry_run != DryRun::kNone; }
  const std::string& name() const { return options_.render.release_name; }

  Error no_deployed() const {
    return {Code::kNotFound, cat(quote(name()), " has no deployed releases")};
  }

  Status find_current() {
    auto heads = storage::history(*context_.releases, name());
    if (!heads) {
      return storage::is_not_found(heads.error()) ? no_deployed() : heads.error();
    }
    heads_ = std::move(*heads);
    auto last = storage::newest(*context_.releases, heads_);
    if (!last) return storage::is_not_found(last.error()) ? no_deployed() : last.error();
    last_ = std::move(*last);
    if (release::is_pending(last_.status)) {
      Error error(Code::kFailedPrecondition,
                  "another operation (install/upgrade/rollback) is in progress");
      error.set_detail(std::make_unique<Hint>(
          pending_hint(name(), last_.namespace_, last_.version, last_.status)));
      return error;
    }
    current_ = last_;
    if (last_.status == "deployed") return ok();
    if (const storage::Head* deployed = storage::newest_deployed(heads_)) {
      current_ = TRY(storage::whole(*context_.releases, *deployed));
      return ok();
    }
    const bool usable = last_.status == "failed" || last_.status == "superseded";
    return usable ? ok() : Status(no_deployed());
  }

  Result<Value> reused_values() {
    if (options_.reset_values) return values_;
    if (options_.reuse_values) {
      const chart::Chart old = release::loaded_chart(current_.chart);
      auto old_values = chart::coalesce_values(old, current_.config, coalescing());
      if (!old_values) return Error::wrap("failed to rebuild old values", old_values.error());
      chart_.values = std::move(*old_values);
    }
    if (options_.reuse_values || options_.reset_then_reuse_values) {
      return chart::coalesce_tables(values_, current_.config, coalescing());
    }
    if (values_.length() == 0 && current_.config.length() > 0) return current_.config;
    return values_;
  }

  chart::ValuesOptions coalescing() const {
    return {.log = context_.log, .helm3 = context_.helm3};
  }

  Result<Record> render() {
    const Value config = TRY(reused_values());
    TRY(chart::process_dependencies(chart_, config, coalescing()));
    render_.namespace_ = current_.namespace_;
    render_.capabilities = TRY(capabilities(context_, render_.capabilities));
    const render::ReleaseOptions about{.name = name(),
                                       .namespace_ = current_.namespace_,
                                       .revision = last_.version + 1,
                                       .is_install = false,
                                       .is_upgrade = true};
    const Value values = TRY(values_to_render(context_, chart_, config, about, render_));
    Record record = new_record(config);
    ClientRelease out;
    TRY(render_resources(context_, chart_, values, render_, out));
    TRY(check_labels(render_.labels));
    server_side_ = TRY(server_side_apply(options_.server_side, last_.apply_method));
    if (context_.helm3) server_side_ = false;
    record.manifest = std::move(out.manifest);
    record.hooks = stored_hooks(std::move(out.hooks));
    record.notes = std::move(out.notes);
    if (!context_.helm3) record.apply_method = server_side_ ? "ssa" : "csa";
    return record;
  }

  Record new_record(const Value& config) const {
    Record out;
    out.name = name();
    out.namespace_ = current_.namespace_;
    out.version = last_.version + 1;
    out.chart = release::stored_chart(chart_, context_.writer());
    out.config = config;
    out.first_deployed = current_.first_deployed;
    out.last_deployed = release::time_at(context_.clock.now_ns());
    out.status = "pending-upgrade";
    out.description = "Preparing upgrade";
    out.labels = last_.labels;
    for (const auto& [key, v] : render_.labels) out.labels[key] = v;
    std::erase_if(out.labels, [](const auto& label) { return label.second == "null"; });
    return out;
  }

  Status build(const Record& record, kube::Objects& current, kube::Objects& target) {
    // The new manifest first, as Helm does: of two that cannot be built it is the one named.
    target = TRY(context_.cluster->build(record.manifest, options_.validate));
    auto before = context_.cluster->build(current_.manifest, false);
    if (!before) {
      const bool removed =
          before.error().text().find("unable to recognize \"\": no matches for kind") !=
          std::string::npos;
      return Error::wrap(
          removed ? "current release manifest contains removed kubernetes api(s) for this "
                    "kubernetes version and it is therefore unable to build the kubernetes "
                    "objects for performing the diff. error from kubernetes"
                  : "unable to build kubernetes objects from current release manifest",
          before.error());
    }
    current = std::move(*before);
    const Owner owner{record.name, record.namespace_};
    mark_owned(target, owner);

    std::set<std::string> known;
    for (const kube::Object& object : current) known.insert(key_of(object));
    kube::Objects added;
    for (const kube::Object& object : target) {
      if (!known.contains(key_of(object))) added.push_back(object);
    }
    auto found = existing(*context_.cluster, added, owner, options_.take_ownership);
    if (!found) {
      return Error::wrap(context_.helm3 ? "Unable to continue with update"
                                        : "unable to continue with update",
                         found.error());
    }
    current.insert(current.end(), found->begin(), found->end());
    return ok();
  }

  kube::WaitStrategy strategy() const {
    return options_.rollback_on_failure && options_.wait == kube::WaitStrategy::kHookOnly
               ? kube::WaitStrategy::kWatcher
               : options_.wait;
  }

  Status perform(Record& record, const kube::Objects& current, const kube::Objects& target,
                 kube::UpdateReport& report) {
    const HookOptions hooks{.wait = strategy(),
                            .timeout_ms = options_.timeout_ms,
                            .server_side = server_side_};
    if (!options_.no_hooks) {
      if (const Status ran = run_hooks(context_, record, "pre-upgrade", hooks); !ran) {
        return Error::wrap("pre-upgrade hooks failed", ran.error());
      }
    }
    if (cancelled(context_)) return cancelled_error();
    TRY(change(current, target, report));
    if (!options_.no_hooks) {
      if (const Status ran = run_hooks(context_, record, "post-upgrade", hooks); !ran) {
        return Error::wrap("post-upgrade hooks failed", ran.error());
      }
    }
    if (cancelled(context_)) return cancelled_error();
    current_.status = "superseded";
    record_current();
    record.status = "deployed";
    record.description =
        options_.description.empty() ? "Upgrade complete" : options_.description;
    return ok();
  }

  Status change(const kube::Objects& current, const kube::Objects& target,
                kube::UpdateReport& report) {
    kube::ApplyOptions apply;
    apply.server_side = server_side_;
    apply.force_replace = options_.force_replace;
    apply.force_conflicts = options_.force_conflicts;
    apply.upgrade_managers = server_side_ && current_.apply_method != "ssa";
    apply.cancel = context_.cancel;
    Status done = context_.cluster->update(current, target, apply, report);
    if (done && cancelled(context_)) done = cancelled_error();
    if (done) {
      done = context_.cluster->wait(target, wait_options(context_, strategy(), options_.timeout_ms,
                                                         options_.wait_for_jobs));
    }
    if (!done) record_current();
    return done;
  }

  void record_current() {
    if (const Status stored = context_.releases->update(current_); !stored) {
      context_.log("WARN", "failed to update release",
                   {{"name", current_.name}, {"error", stored.error().text()}});
    }
  }

  Error fail(Record& record, const kube::Objects& created, const Error& why) {
    context_.cluster->interrupt_by(context_.give_up);  // one wish to stop does not stop what follows
    if (!context_.helm3) {
      context_.log("WARN", "upgrade failed", {{"name", record.name}, {"error", why.text()}});
    }
    record.status = "failed";
    record.description = cat("Upgrade ", quote(record.name), " failed: ", why.text());
    const Status stored = context_.releases->update(record);
    if (options_.cleanup_on_fail && !created.empty()) {
      kube::Objects removed;
      const auto errors =
          context_.cluster->remove(created, kube::Propagation::kBackground, removed);
      if (!errors.empty()) {
        return Error::with_cause(
            cat("an error occurred while cleaning up resources. original upgrade error: ",
                why.text(), ": unable to cleanup resources: ", joined_errors(errors, ", ")),
            why);
      }
    }
    return options_.rollback_on_failure ? roll_back(why) : marked_failed(why, stored, record);
  }

  Error roll_back(const Error& why) {
    const auto heads = storage::history(*context_.releases, name());
    if (!heads) {
      return Error::with_cause(
          cat("an error occurred while finding last successful release. original upgrade error: ",
              why.text(), ": ", heads.error().text()),
          why);
    }
    RollbackOptions back;
    for (const storage::Head& head : *heads) {
      if (head.status == "superseded" || head.status == "deployed") back.revision = head.version;
    }
    if (back.revision == 0) {
      return Error::with_cause(
          cat("unable to find a previously successful release when attempting to rollback. "
              "original upgrade error: ",
              why.text()),
          why);
    }
    back.wait = strategy();
    back.wait_for_jobs = options_.wait_for_jobs;
    back.no_hooks = options_.no_hooks;
    back.force_replace = options_.force_replace;
    back.force_conflicts = options_.force_conflicts;
    back.server_side = options_.server_side;
    back.timeout_ms = options_.timeout_ms;
    Context undoing = context_;
    undoing.cancel = context_.give_up;
    if (const Status done = rollback(undoing, name(), back); !done) {
      return Error::with_cause(
          cat("an error occurred while rolling back the release. original upgrade error: ",
              why.text(), ": ", done.error().text()),
          why);
    }
    return Error::with_cause(
        cat("release ", name(), " failed, and has been rolled back due to ",
            context_.helm3 ? "atomic" : "rollback-on-failure", " being set: ", why.text()),
        why);
  }

  Context& context_;
  chart::Chart& chart_;
  const Value& values_;
  const UpgradeOptions& options_;
  ClientInstallOptions render_;
  std::vector<storage::Head> heads_;
  Record last_, current_;
  bool server_side_ = false;
};

}  // namespace

Result<Record> upgrade(Context& context, chart::Chart& chart, const Value& values,
                       const UpgradeOptions& options) {
  return Upgrade(context, chart, values, options).run();
}

}  // namespace pintle::action
