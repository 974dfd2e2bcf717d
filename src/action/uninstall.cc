// uninstall: the steps of spec helm4-cli §2.4 in their order, ownership checked as in 4.3 (helm
// pkg/action/uninstall.go).
#include "action/ownership.h"
#include "action/releases.h"
#include "base/gotext.h"
#include "base/strings.h"
#include "storage/history.h"
#include "yaml/yaml.h"

namespace pintle::action {

using release::Record;

namespace {

constexpr std::string_view kKept = "These resources were kept due to the resource policy:\n";

// helm.sh/resource-policy of a document; "" without one.
std::string resource_policy(std::string_view document) {
  static const yaml::Fields kAnnotations = {"metadata.annotations"};
  const auto head = yaml::read_fields(document, kAnnotations);
  const value::Value* at = head ? head->get("metadata") : nullptr;
  if (at != nullptr) at = at->get("annotations");
  if (at != nullptr) at = at->get("helm.sh/resource-policy");
  return at && at->is_string() ? to_lower(trim_space(at->as_string())) : "";
}

bool has_policy(std::string_view document) {
  return document.find("helm.sh/resource-policy") != std::string_view::npos;
}

class Uninstall {
 public:
  Uninstall(Context& context, std::string_view name, const UninstallOptions& options)
      : context_(context), name_(name), options_(options) {}

  Result<std::string> run() {
    TRY(context_.cluster->reachable());
    if (options_.dry_run) return dry_run();
    if (!validate_release_name(name_)) {
      return Error(Code::kInvalidArgument, cat("uninstall: Release name is invalid: ", name_));
    }
    auto heads = storage::history(*context_.releases, name_);
    if (!heads) {
      if (options_.ignore_not_found) return std::string();
      return Error::wrap(cat("uninstall: Release not loaded: ", name_), heads.error());
    }
    heads_ = std::move(*heads);
    auto last = storage::newest(*context_.releases, heads_);
    if (!last) return Error::wrap(cat("uninstall: Release not loaded: ", name_), last.error());
    record_ = std::move(*last);
    if (record_.status == "uninstalled") return forget();
    record_.status = "uninstalling";
    record_.deleted = release::time_at(context_.clock.now_ns());
    record_.description = "Deletion in progress (or silently failed)";
    TRY(hooks("pre-delete"));
    store();

    kube::Objects removed;
    if (const auto errors = remove_objects(removed); !errors.empty()) {
      context_.log("DEBUG", "uninstall: Failed to delete release",
                   {{"error", joined_errors(errors, "; ")}});
      return Error::with_cause(cat("failed to delete release: ", name_), errors[0]);
    }
    std::vector<Error> errors;
    const auto keep = [&](const Status& done) {
      if (!done) errors.push_back(done.error());
    };
    keep(context_.cluster->wait_for_delete(
        removed, wait_options(context_, options_.wait, options_.timeout_ms)));
    keep(hooks("post-delete"));
    record_.status = "uninstalled";
    record_.description =
        options_.description.empty() ? "Uninstallation complete" : options_.description;
    if (!options_.keep_history) {
      keep(purge());
    } else {
      store();
      TRY(supersede_deployed());
    }
    if (errors.empty()) return info_;
    return Error::with_cause(cat("uninstallation completed with ", errors.size(), " error(s): ",
                                 joined_errors(errors, "; ")),
                             errors[0]);
  }

 private:
  Result<std::string> forget() {
    if (options_.keep_history) {
      return Error(Code::kFailedPrecondition,
                   cat("the release named ", quote(name_), " is already deleted"));
    }
    TRY(purge());
    return std::string();
  }

  Status purge() {
    for (const storage::Head& head : heads_) {
      if (const Status gone = context_.releases->remove(head.name, head.version); !gone) {
        return Error::wrap("uninstall: Failed to purge the release", gone.error());
      }
    }
    return ok();
  }

  Status supersede_deployed() {
    for (Record& record : TRY(storage::deployed(*context_.releases, name_))) {
      record.status = "superseded";
      if (const Status stored = context_.releases->update(record); !stored) log_unstored(stored);
    }
    return ok();
  }

  void store() {
    if (const Status stored = context_.releases->update(record_); !stored) log_unstored(stored);
  }
  void log_unstored(const Status& stored) {
    context_.log("DEBUG", "uninstall: Failed to store updated release",
                 {{"error", stored.error().text()}});
  }

  Status hooks(std::string_view event) {
    if (options_.no_hooks) return ok();
    return run_hooks(context_, record_, event,
                     {.wait = options_.wait,
                      .timeout_ms = options_.timeout_ms,
                      .server_side = !context_.helm3});
  }

  // The manifest's documents in the order of deletion, those to keep listed in info_.
  Result<std::string> documents_to_delete(const Record& record) {
    std::vector<release::RenderedFile> files;
    for (std::string_view document : release::split_manifests(record.manifest, context_.helm3)) {
      // Names that sort as the documents stand.
      std::string number = std::to_string(files.size());
      files.push_back({cat("manifest-", std::string(10 - number.size(), '0'), number),
                       std::string(document)});
    }
    const auto sorted = TRY(release::sort_manifests(files, release::Order::kUninstall,
                                                    context_.helm3, context_.log));
    std::string stream;
    for (const release::Manifest& m : sorted.manifests) {
      // A policy of another name is neither kept nor deleted, as in Helm.
      const bool policed = has_policy(m.content);
      const std::string policy = policed ? resource_policy(m.content) : "";
      if (policy == "keep") {
        if (info_.empty()) info_ = kKept;
        append(info_, {"[", m.kind, "] ", m.object_name, "\n"});
      } else if (policy.empty()) {
        append(stream, {"\n---\n", m.content});
      }
    }
    return stream;
  }

  std::vector<Error> remove_objects(kube::Objects& removed) {
    const auto stream = documents_to_delete(record_);
    if (!stream) {
      return {Error::wrap("corrupted release record. You must manually delete the resources",
                          stream.error())};
    }
    if (trim_space(*stream).empty()) return {};
    auto objects = context_.cluster->build(*stream, false);
    if (!objects) {
      return {Error::wrap("unable to build kubernetes objects for delete", objects.error())};
    }
    if (objects->empty()) return {};
    if (!context_.helm3) *objects = owned_of(*objects);
    return objects->empty()
               ? std::vector<Error>()
               : context_.cluster->remove(*objects, options_.propagation, removed);
  }

  // Leaves out what is not this release's, and says so.
  kube::Objects owned_of(const kube::Objects& objects) {
    Ownership sorted =
        sort_by_owner(*context_.cluster, objects, {record_.name, record_.namespace_});
    const auto block = [&](size_t n, std::string_view why) {
      if (!info_.empty()) info_ += '\n';
      append(info_, {std::to_string(n), " resource(s) were not deleted because ", why, ":\n"});
    };
    const auto attributes = [&](const kube::Object& o) {
      return LogAttrs{{"kind", o.kind}, {"name", o.name}, {"namespace", o.ns},
                      {"release", record_.name}};
    };
    if (!sorted.foreign.empty()) {
      block(sorted.foreign.size(), "they are not owned by this release");
      for (const kube::Object& o : sorted.foreign) {
        context_.log("WARN", "skipping delete of resource not owned by this release",
                     attributes(o));
        append(info_, {"[", o.kind, "] ", o.name, "\n"});
      }
    }
    if (!sorted.unknown.empty()) {
      block(sorted.unknown.size(), "their ownership could not be verified");
      for (const auto& [o, error] : sorted.unknown) {
        LogAttrs attrs = attributes(o);
        attrs.push_back({"error", error});
        context_.log("WARN",
                     "skipping delete of resource because ownership could not be verified", attrs);
        append(info_, {"[", o.kind, "] ", o.name, ": ", error, "\n"});
      }
    }
    return std::move(sorted.owned);
  }

  Result<std::string> dry_run() {
    auto found = content(context_, name_, 0);
    if (!found) {
      if (options_.ignore_not_found && storage::is_not_found(found.error())) return std::string();
      return found.error();
    }
    record_ = std::move(*found);
    const auto stream = documents_to_delete(record_);
    if (!stream || context_.helm3) return std::string();
    if (const auto objects = context_.cluster->build(*stream, false); objects) {
      say_what_would_stay(*objects);
    }
    return info_;
  }

  void say_what_would_stay(const kube::Objects& objects) {
    const Ownership sorted =
        sort_by_owner(*context_.cluster, objects, {record_.name, record_.namespace_});
    const auto about = [](const kube::Object& o) {
      return LogAttrs{{"kind", o.kind}, {"name", o.name}, {"namespace", o.ns}};
    };
    const auto headline = [&](std::string_view text, size_t n) {
      context_.log("WARN", text, {{"release", record_.name}, {"count", std::to_string(n)}});
    };
    if (!sorted.foreign.empty()) {
      headline("dry-run: resources would be skipped because they are not owned by this release",
               sorted.foreign.size());
      for (const kube::Object& o : sorted.foreign) {
        context_.log("WARN", "dry-run: would skip resource", about(o));
      }
    }
    if (sorted.unknown.empty()) return;
    headline(
        "dry-run: resources would be skipped because their ownership could not be verified",
        sorted.unknown.size());
    for (const auto& [o, error] : sorted.unknown) {
      LogAttrs attrs = about(o);
      attrs.push_back({"error", error});
      context_.log("WARN", "dry-run: would skip resource (ownership could not be verified)",
                   attrs);
    }
  }

  Context& context_;
  std::string name_;
  const UninstallOptions& options_;
  std::vector<storage::Head> heads_;
  Record record_;
  std::string info_;
};

}  // namespace

Result<std::string> uninstall(Context& context, std::string_view name,
                              const UninstallOptions& options) {
  return Uninstall(context, name, options).run();
}

}  // namespace pintle::action
