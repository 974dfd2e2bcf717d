// install: the steps of spec helm4-cli §2.1 in their order (helm pkg/action/install.go).
#include "action/hint.h"
#include "action/ownership.h"
#include "action/releases.h"
#include "action/storing.h"
#include "base/gotext.h"
#include "base/strings.h"
#include "chart/values.h"
#include "kube/rest.h"
#include "storage/history.h"

namespace pintle::action {

using release::Record;
using value::Value;

namespace {

constexpr int64_t kCrdTimeout = 60'000;

// Logs an error the way Helm 4 does, and gives it its activity.
Error logged(Context& context, std::string_view what, const Error& cause) {
  if (context.helm3) return cause;
  context.log("ERROR", what, {{"error", cause.text()}});
  return Error::wrap(what, cause);
}

class Install {
 public:
  Install(Context& context, chart::Chart& chart, const Value& values, const InstallOptions& options)
      : context_(context), chart_(chart), values_(values), options_(options),
        render_(options.render) {}

  Result<Record> run() {
    if (server()) TRY(reach());
    if (!dry() && options_.render.hide_secret) return refuse_to_hide();
    TRY(check_name());
    TRY(resolve_dependencies());
    if (server() && !options_.skip_crds) TRY(install_crds());
    if (server()) render_.capabilities = TRY(capabilities(context_, render_.capabilities));
    Record record = TRY(render());
    kube::Objects objects, adopted;
    if (server()) {
      TRY(build(record, objects));
      TRY(find_existing(record, objects, adopted));
    }
    if (dry()) {
      record.description = "Dry run complete";
      return record;
    }
    if (options_.create_namespace) TRY(create_namespace());
    if (options_.replace) TRY(replace(record));
    TRY(store(context_, record));
    const Status done = perform(record, objects, adopted);
    if (!done) return fail(record, cancelled(context_) ? cancelled_error() : done.error());
    return record;
  }

 private:
  bool server() const { return options_.dry_run != DryRun::kClient; }
  bool dry() const { return options_.dry_run != DryRun::kNone; }
  const std::string& name() const { return options_.render.release_name; }
  const std::string& ns() const { return options_.render.namespace_; }
  Owner owner() const { return {name(), ns()}; }

  Status reach() {
    const Status reachable = context_.cluster->reachable();
    return reachable ? ok() : Status(not_reachable(context_, reachable.error()));
  }

  Error refuse_to_hide() {
    if (context_.helm3) {
      return {Code::kInvalidArgument, "Hiding Kubernetes secrets requires a dry-run mode"};
    }
    Error error(Code::kInvalidArgument, "hiding Kubernetes secrets requires a dry-run mode");
    context_.log("ERROR", error.text());
    return error;
  }

  Status check_name() {
    Status available = validate_release_name(name());
    if (!available) {
      available = Error::wrap(cat("release name ", quote(name())), available.error());
    } else if (!dry()) {
      available = check_unused();
    }
    if (available) return ok();
    return logged(context_, "release name check failed", available.error());
  }

  Status check_unused() {
    const auto heads = storage::history(*context_.releases, name());
    if (!heads) return ok();  // none, or unreadable: then storing the record will tell
    const std::string& status = heads->back().status;
    if (options_.replace && (status == "uninstalled" || status == "failed")) return ok();
    Error error(Code::kAlreadyExists, context_.helm3
                                          ? "cannot re-use a name that is still in use"
                                          : "cannot reuse a name that is still in use");
    if (release::is_pending(status)) {
      error.set_detail(std::make_unique<Hint>(
          pending_hint(name(), ns(), heads->back().version, status)));
    }
    return error;
  }

  Status resolve_dependencies() {
    const Status done = chart::process_dependencies(
        chart_, values_, {.log = context_.log, .helm3 = context_.helm3});
    if (done) return ok();
    return logged(context_, "chart dependencies processing failed", done.error());
  }

  Status install_crds() {
    const auto crds = chart::crds(chart_);
    if (crds.empty()) return ok();
    if (dry()) {
      context_.log(context_.helm3 ? "DEBUG" : "WARN",
                   "This chart or one of its subcharts contains CRDs. Rendering may fail or "
                   "contain inaccuracies.");
      return ok();
    }
    kube::Objects created;
    for (const chart::Crd& crd : crds) {
      const auto failed = [&](const Error& e) {
        return Error::wrap(cat("failed to install CRD ", crd.name), e);
      };
      auto objects = context_.cluster->build(crd.file->data, false);
      if (!objects) return failed(objects.error());
      if (objects->empty()) return failed(Error("resources are empty"));
      kube::ApplyOptions apply;
      apply.server_side = options_.server_side;
      apply.force_conflicts = options_.force_conflicts;
      const auto made = create(context_, *objects, apply);
      if (made) {
        created.insert(created.end(), objects->begin(), objects->end());
      } else if (!kube::is_already_exists(made.error())) {
        return failed(made.error());
      }
    }
    if (created.empty()) return ok();
    const auto strategy = options_.wait == kube::WaitStrategy::kHookOnly
                              ? kube::WaitStrategy::kWatcher
                              : options_.wait;
    TRY(context_.cluster->wait(created, wait_options(context_, strategy, kCrdTimeout)));
    context_.cluster->invalidate_discovery();
    return ok();
  }

  Result<Record> render() {
    const bool upgrading = render_.is_upgrade && dry();
    const render::ReleaseOptions about{.name = name(),
                                       .namespace_ = ns(),
                                       .is_install = !upgrading,
                                       .is_upgrade = upgrading};
    const Value values = TRY(values_to_render(context_, chart_, values_, about, render_));
    TRY(check_labels(render_.labels));
    Record record = new_record();
    ClientRelease out;
    if (const Status done = render_resources(context_, chart_, values, render_, out); !done) {
      if (options_.rendered_badly) options_.rendered_badly(out);
      return done.error();
    }
    record.manifest = std::move(out.manifest);
    record.hooks = stored_hooks(std::move(out.hooks));
    record.notes = std::move(out.notes);
    record.status = "pending-install";
    record.description = "Initial install underway";
    return record;
  }

  Record new_record() const {
    Record out;
    out.name = name();
    out.namespace_ = ns();
    out.version = 1;
    out.chart = release::stored_chart(chart_, context_.writer());
    out.config = values_;
    out.first_deployed = out.last_deployed = release::time_at(context_.clock.now_ns());
    out.labels = render_.labels;
    if (!context_.helm3) out.apply_method = options_.server_side ? "ssa" : "csa";
    return out;
  }

  Status build(const Record& record, kube::Objects& objects) {
    auto built = context_.cluster->build(record.manifest, options_.validate);
    if (!built) {
      return Error::wrap("unable to build kubernetes objects from release manifest",
                         built.error());
    }
    objects = std::move(*built);
    mark_owned(objects, owner());
    return ok();
  }

  Status find_existing(const Record&, const kube::Objects& objects, kube::Objects& adopted) {
    if (render_.is_upgrade && dry()) return ok();
    auto found = existing(*context_.cluster, objects, owner(), options_.take_ownership);
    if (!found) {
      return Error::wrap(context_.helm3 ? "Unable to continue with install"
                                        : "unable to continue with install",
                         found.error());
    }
    adopted = std::move(*found);
    return ok();
  }

  Status create_namespace() {
    const auto objects = TRY(context_.cluster->build(
        cat("apiVersion: v1\nkind: Namespace\nmetadata:\n  labels:\n    name: ", quote(ns()),
            "\n  name: ", quote(ns()), "\nspec: {}\nstatus: {}\n"),
        true));
    kube::ApplyOptions apply;
    apply.server_side = options_.server_side;
    const auto made = create(context_, objects, apply);
    if (made || kube::is_already_exists(made.error())) return ok();
    return made.error();
  }

  // Takes over the history of a release of that name.
  Status replace(Record& record) {
    const auto heads = storage::history(*context_.releases, name());
    if (!heads) return ok();
    record.version = heads->back().version + 1;
    if (heads->back().status == "failed") return ok();
    Record last = TRY(storage::whole(*context_.releases, heads->back()));
    last.status = "superseded";
    last.description = "superseded by new release";
    return context_.releases->update(last);
  }

  kube::WaitStrategy strategy() const {
    return options_.rollback_on_failure && options_.wait == kube::WaitStrategy::kHookOnly
               ? kube::WaitStrategy::kWatcher
               : options_.wait;
  }
  HookOptions hooks() const {
    return {.wait = strategy(),
            .timeout_ms = options_.timeout_ms,
            .server_side = options_.server_side};
  }

  Status perform(Record& record, const kube::Objects& objects, const kube::Objects& adopted) {
    if (!options_.no_hooks) {
      if (const Status ran = run_hooks(context_, record, "pre-install", hooks()); !ran) {
        return Error::wrap("failed pre-install", ran.error());
      }
    }
    if (cancelled(context_)) return cancelled_error();
    TRY(apply(objects, adopted));
    if (cancelled(context_)) return cancelled_error();
    TRY(context_.cluster->wait(objects, wait_options(context_, strategy(), options_.timeout_ms,
                                                     options_.wait_for_jobs)));
    if (!options_.no_hooks) {
      if (const Status ran = run_hooks(context_, record, "post-install", hooks()); !ran) {
        return Error::wrap("failed post-install", ran.error());
      }
    }
    if (cancelled(context_)) return cancelled_error();
    record.status = "deployed";
    record.description =
        options_.description.empty() ? "Install complete" : options_.description;
    if (const Status stored = context_.releases->update(record); !stored) {
      context_.log("ERROR", "failed to record the release", {{"error", stored.error().text()}});
    }
    return ok();
  }

  Status apply(const kube::Objects& objects, const kube::Objects& adopted) {
    if (objects.empty()) return ok();
    kube::ApplyOptions apply;
    apply.server_side = options_.server_side;
    apply.cancel = context_.cancel;
    if (adopted.empty()) {
      const auto created = create(context_, objects, apply);
      return created ? ok() : Status(created.error());
    }
    apply.force_replace = options_.force_replace;
    apply.force_conflicts = options_.force_conflicts;
    apply.three_way_unstructured = options_.take_ownership && !options_.server_side;
    apply.upgrade_managers = true;
    kube::UpdateReport report;
    return context_.cluster->update(adopted, objects, apply, report);
  }

  Error fail(Record& record, const Error& why) {
    context_.cluster->interrupt_by(context_.give_up);  // one wish to stop does not stop the cleaning up
    record.status = "failed";
    record.description = cat("Release ", quote(name()), " failed: ", why.text());
    if (!options_.rollback_on_failure) {
      return marked_failed(why, context_.releases->update(record), record);
    }
    Context cleaning = context_;
    cleaning.cancel = context_.give_up;
    UninstallOptions undo;
    undo.no_hooks = options_.no_hooks;
    undo.timeout_ms = options_.timeout_ms;
    undo.wait = strategy();
    if (const auto undone = uninstall(cleaning, name(), undo); !undone) {
      return Error::with_cause(
          cat("an error occurred while uninstalling the release. original install error: ",
              why.text(), ": ", undone.error().text()),
          why);
    }
    return Error::with_cause(
        cat("release ", name(), " failed, and has been uninstalled due to ",
            context_.helm3 ? "atomic" : "rollback-on-failure", " being set: ", why.text()),
        why);
  }

  Context& context_;
  chart::Chart& chart_;
  const Value& values_;
  const InstallOptions& options_;
  ClientInstallOptions render_;
};

}  // namespace

Result<Record> install(Context& context, chart::Chart& chart, const Value& values,
                       const InstallOptions& options) {
  return Install(context, chart, values, options).run();
}

}  // namespace pintle::action
