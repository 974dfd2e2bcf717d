// Dependencies brought in line with Chart.yaml or its lock: resolve versions, fetch archives into
// a directory beside charts/, then move them over in one go (helm pkg/downloader/manager.go,
// internal/resolver). Everything is fetched before anything in charts/ changes.
#include <algorithm>
#include <set>

#include "action/dependency.h"
#include "base/gotext.h"
#include "base/path.h"
#include "base/strings.h"
#include "base/url.h"
#include "chart/load.h"
#include "chart/save.h"
#include "chart/timestamp.h"
#include "crypt/crypt.h"
#include "json/json.h"
#include "semver/semver.h"
#include "sys/clock.h"
#include "sys/process.h"

namespace pintle::action {
namespace {

using chart::Dependency;

constexpr std::string_view kFileScheme = "file://";

bool is_local(const Dependency& d) {
  return d.repository.empty() || d.repository.starts_with(kFileScheme);
}

// url.ParseRequestURI: an absolute URL or an absolute path.
bool is_request_uri(const std::string& s) {
  const auto url = parse_url(s);
  return url && (url->absolute() || s.starts_with('/'));
}

// Go's JSON of a dependency list: the struct's order of fields, which the digest depends on.
Status append_json(std::string& out, bool present, const std::vector<Dependency>& dependencies) {
  if (!present) {
    out += "null";
    return ok();
  }
  out += '[';
  for (const Dependency& d : dependencies) {
    if (out.back() == '}') out += ',';
    const auto text = [&out](const char* key, const std::string& value) {
      append(out, {",\"", key, "\":"});
      json::append_string(out, value);
    };
    out += "{\"name\":";
    json::append_string(out, d.name);
    if (!d.version.empty()) text("version", d.version);
    text("repository", d.repository);
    if (!d.condition.empty()) text("condition", d.condition);
    if (!d.tags.empty()) {
      out += ",\"tags\":";
      TRY(json::append(out, value::Value::strings(d.tags)));
    }
    if (d.enabled) out += ",\"enabled\":true";
    if (!d.import_values.empty()) {
      out += ",\"import-values\":";
      TRY(json::append(out, value::Value::list_of(d.import_values)));
    }
    if (!d.alias.empty()) text("alias", d.alias);
    out += '}';
  }
  out += ']';
  return ok();
}

std::string sha256_digest(std::string_view text) {
  return "sha256:" + crypt::hex(crypt::sha256(text));
}

// HashReq. `declared`: the chart says `dependencies:` at all.
Result<std::string> lock_digest(bool declared, const std::vector<Dependency>& wanted,
                                const chart::Lock& lock) {
  std::string text = "[";
  TRY(append_json(text, declared, wanted));
  text += ',';
  TRY(append_json(text, lock.has_dependencies, lock.dependencies));
  return sha256_digest(text + "]");
}

// HashV2Req: what Helm 2 wrote into requirements.lock.
Result<std::string> helm2_digest(bool declared, const std::vector<Dependency>& wanted) {
  std::string text = "{\"dependencies\":";
  TRY(append_json(text, declared, wanted));
  return sha256_digest(text + "}");
}

class Manager {
 public:
  Manager(Context& context, const std::string& path, const DependencyOptions& options)
      : context_(context), path_(path), options_(options) {}

  Status update();
  Status build();

 private:
  Result<std::unique_ptr<chart::Chart>> load_directory(const std::string& directory) const;
  Result<std::unique_ptr<chart::Chart>> load_parent() const;
  Result<std::string> local_path(std::string_view repository) const;
  Status prepare(std::vector<Dependency>& dependencies, bool build);
  Status without_remote(const std::vector<Dependency>& dependencies) const;
  Result<std::vector<Dependency>> resolve(const std::vector<Dependency>& wanted);
  Result<std::optional<std::string>> resolve_one(const Dependency& d,
                                                 const semver::Constraints& constraint);
  Status fetch_all(std::vector<Dependency>& locked);
  Status fetch(Dependency& d, const std::string& directory);
  Status check_unpacked(const Dependency& d) const;
  Status archive_local(Dependency& d, const std::string& directory);
  Status move_over(const std::vector<Dependency>& locked, const std::string& from);
  Status write_lock(const chart::Lock& lock, bool legacy);
  std::string charts() const { return path::join({path_, "charts"}); }

  Context& context_;
  const std::string& path_;
  const DependencyOptions& options_;
};

Result<std::unique_ptr<chart::Chart>> Manager::load_directory(const std::string& directory) const {
  chart::LoadOptions load;
  load.log = context_.log;
  load.helm3 = context_.helm3;
  load.direct = true;
  return chart::load_files(TRY(chart::read_directory(context_.disk, directory, load)), load);
}

Result<std::unique_ptr<chart::Chart>> Manager::load_parent() const {
  const auto info = context_.disk.stat(path_);
  if (!info) return Error::wrap("could not find " + path_, info.error());
  if (!info->is_directory()) {
    return Error(Code::kInvalidArgument, "only unpacked charts can be updated");
  }
  return load_directory(path_);
}

// GetLocalPath.
Result<std::string> Manager::local_path(std::string_view repository) const {
  if (repository.starts_with(kFileScheme)) repository.remove_prefix(kFileScheme.size());
  const std::string path =
      path::is_abs(repository) ? path::clean(repository) : path::join({path_, repository});
  const auto info = context_.disk.stat(path);
  if (info) return path;
  if (info.error().code() != Code::kNotFound) return info.error();
  return Error(Code::kNotFound, cat("directory ", path, " not found"));
}

// What Helm says of repositories nobody has added, and what we say of the rest.
Status Manager::without_remote(const std::vector<Dependency>& dependencies) const {
  std::string missing;
  bool plain_name = false;
  for (const Dependency& d : dependencies) {
    if (is_local(d) || is_request_uri(d.repository)) continue;
    append(missing, {missing.empty() ? "" : ", ", d.repository});
    if (d.repository.find("//") == std::string::npos && !d.repository.starts_with('@') &&
        !d.repository.starts_with("alias:")) {
      plain_name = true;
    }
  }
  if (!missing.empty()) {
    std::string text =
        cat("no repository definition for ", missing, ". Please add them via 'helm repo add'");
    if (plain_name) {
      text +=
          "\nNote that repositories must be URLs or aliases. For example, to refer to the "
          "\"example\"\nrepository, use \"https://charts.example.com/\" or \"@example\" instead "
          "of\n\"example\". Don't forget to add the repo, too ('helm repo add').";
    }
    return Error(Code::kNotFound, std::move(text));
  }
  for (const Dependency& d : dependencies) {
    if (is_local(d)) continue;
    return Error(Code::kUnimplemented,
                 cat("dependency ", quote(d.name), " comes from ", d.repository,
                     ", and this build reaches no chart repositories: unpack it into charts/, or "
                     "use a file:// repository"));
  }
  return ok();
}

Status Manager::prepare(std::vector<Dependency>& dependencies, bool build) {
  for (const Dependency& d : dependencies) {
    if (!d.repository.starts_with(kFileScheme)) continue;
    (void)TRY(local_path(d.repository));
    if (context_.debug) {
      context_.out(cat("Repository from local path: ", d.repository, "\n"));
    }
  }
  if (options_.remote) {
    return options_.remote->prepare(context_, dependencies, options_.skip_refresh, build);
  }
  return without_remote(dependencies);
}

// The version to lock; nullopt: none satisfies the constraint.
Result<std::optional<std::string>> Manager::resolve_one(const Dependency& d,
                                                        const semver::Constraints& constraint) {
  if (d.repository.empty()) {
    (void)TRY(local_path(path::join({"charts", d.name})));
    return std::optional(d.version);
  }
  if (is_local(d)) {
    const auto chart = TRY(load_directory(TRY(local_path(d.repository))));
    const auto version = semver::parse(chart->metadata.version);
    if (!version || !constraint.check(*version)) return std::optional<std::string>();
    return std::optional(chart->metadata.version);
  }
  for (const std::string& text : TRY(options_.remote->versions(context_, d))) {
    const auto version = semver::parse(text);
    if (version && constraint.check(*version)) return std::optional(text);
  }
  return std::optional<std::string>();
}

Result<std::vector<Dependency>> Manager::resolve(const std::vector<Dependency>& wanted) {
  std::vector<Dependency> locked;
  std::vector<std::string> missing;
  for (const Dependency& d : wanted) {
    const auto constraint = semver::Constraints::parse(d.version);
    if (!constraint) {
      return Error::wrap(
          cat("dependency ", quote(d.name), " has an invalid version/constraint format"),
          constraint.error());
    }
    const auto version = TRY(resolve_one(d, *constraint));
    if (!version) {
      missing.push_back(cat(quote(d.name), " (repository ", quote(d.repository), ", version ",
                            quote(d.version), ")"));
      continue;
    }
    Dependency& lock = locked.emplace_back();
    lock.name = d.name;
    lock.repository = d.repository;
    lock.version = *version;
  }
  if (!missing.empty()) {
    return Error(
        Code::kNotFound,
        cat("can't get a valid version for ", missing.size(), " subchart(s): ", join(missing, ", "),
            ". Make sure a matching chart version exists in the repo, or change the "
            "version constraint in Chart.yaml"));
  }
  return locked;
}

Status Manager::check_unpacked(const Dependency& d) const {
  const std::string directory = path::join({charts(), d.name});
  const auto chart = load_directory(directory);
  if (!chart) return Error::wrap(cat("unable to load chart '", directory, "'"), chart.error());
  const auto constraint = semver::Constraints::parse(d.version);
  if (!constraint) {
    return Error::wrap(cat("dependency ", d.name, " has an invalid version/constraint format"),
                       constraint.error());
  }
  const std::string& found = (*chart)->metadata.version;
  const auto version = semver::parse(found);
  if (!version) {
    return Error::wrap(cat("invalid version ", d.version, " for dependency ", d.name),
                       version.error());
  }
  if (constraint->check(*version)) return ok();
  return Error(Code::kFailedPrecondition, cat("dependency ", d.name, " at version ", found,
                                              " does not satisfy the constraint ", d.version));
}

// tarFromLocalDir: the version found becomes the locked one.
Status Manager::archive_local(Dependency& d, const std::string& directory) {
  const auto chart = TRY(load_directory(TRY(local_path(d.repository))));
  if (options_.source_date_epoch) chart::stamp(*chart, *options_.source_date_epoch);
  const auto constraint = semver::Constraints::parse(d.version);
  if (!constraint) {
    return Error::wrap(cat("dependency ", d.name, " has an invalid version/constraint format"),
                       constraint.error());
  }
  if (!constraint->check(TRY(semver::parse(chart->metadata.version)))) {
    return Error(Code::kNotFound, "can't get a valid version for dependency " + d.name);
  }
  (void)TRY(chart::save_archive(context_.disk, *chart, directory, context_.clock.now_ns()));
  d.version = chart->metadata.version;
  return ok();
}

Status Manager::fetch(Dependency& d, const std::string& directory) {
  if (d.repository.empty()) {
    context_.out(cat("Dependency ", d.name,
                     " did not declare a repository. Assuming it exists in the charts "
                     "directory\n"));
    return check_unpacked(d);
  }
  if (is_local(d)) {
    if (context_.debug) context_.out(cat("Archiving ", d.name, " from repo ", d.repository, "\n"));
    return archive_local(d, directory);
  }
  return options_.remote->download(context_, d, directory);
}

Status Manager::fetch_all(std::vector<Dependency>& locked) {
  const auto info = context_.disk.stat(charts());
  if (info && !info->is_directory()) {
    return Error(Code::kFailedPrecondition, quote(charts()) + " is not a directory");
  }
  if (!info && info.error().code() != Code::kNotFound) {
    return Error::wrap(cat("unable to retrieve file info for '", charts(), "'"), info.error());
  }
  TRY(context_.disk.make_dirs(charts()));
  const std::string beside = path::join({path_, cat("tmpcharts-", sys::process_id())});
  TRY(context_.disk.make_dirs(beside));

  context_.out(cat("Saving ", locked.size(), " charts\n"));
  Status result = ok();
  for (Dependency& d : locked) {
    result = fetch(d, beside);
    if (result) continue;
    // Only what lies in charts/ already fails without this line.
    const std::string& text = result.error().text();
    const bool told = !d.repository.empty() || text.starts_with("dependency " + d.name + " at ");
    if (told) context_.out(cat("Save error occurred:  ", text, "\n"));
    break;
  }
  if (result) result = move_over(locked, beside);
  (void)context_.disk.remove_all(beside);
  return result;
}

// safeMoveDeps: what is not among the new archives goes, unless it is a ""-repository dependency.
Status Manager::move_over(const std::vector<Dependency>& locked, const std::string& from) {
  const auto fresh = TRY(context_.disk.read_dir(from));
  const auto before = TRY(context_.disk.read_dir(charts()));
  const auto load = [&](const std::string& file) {
    chart::LoadOptions direct;
    direct.direct = true;
    direct.helm3 = context_.helm3;
    return chart::load(context_.disk, file, direct);
  };
  std::set<std::string> names;
  for (const sys::FileInfo& info : fresh) {
    if (info.is_directory()) continue;
    const std::string source = path::join({from, info.name});
    names.insert(info.name);
    if (const auto chart = load(source); !chart) {
      context_.out(
          cat("Could not verify ", source, " for moving: ", chart.error().text(), " (Skipping)"));
      continue;
    }
    if (const Status moved = context_.disk.rename(source, path::join({charts(), info.name}));
        !moved) {
      context_.out(
          cat("Unable to move ", source, " to charts dir ", moved.error().text(), " (Skipping)"));
    }
  }
  context_.out("Deleting outdated charts\n");
  for (const sys::FileInfo& info : before) {
    if (info.is_directory() || names.contains(info.name)) continue;
    const std::string file = path::join({charts(), info.name});
    const auto chart = load(file);
    if (!chart) {
      context_.out(
          cat("Could not verify ", file, " for deletion: ", chart.error().text(), " (Skipping)\n"));
      continue;
    }
    const bool kept = std::any_of(locked.begin(), locked.end(), [&](const Dependency& d) {
      return d.repository.empty() && d.name == (*chart)->name();
    });
    if (kept) continue;
    if (const Status removed = context_.disk.remove(file); !removed) {
      context_.out(cat("Could not delete ", file, ": ", removed.error().text(), " (Skipping)"));
    }
  }
  return ok();
}

Status Manager::write_lock(const chart::Lock& lock, bool legacy) {
  const std::string name = legacy ? "requirements.lock" : "Chart.lock";
  const std::string file = path::join({path_, name});
  if (const auto info = context_.disk.lstat(file); info && info->type == sys::FileType::kSymlink) {
    return Error(Code::kFailedPrecondition, cat("the ", name, " file is a symlink to ",
                                                quote(TRY(context_.disk.read_link(file)))));
  }
  return context_.disk.write_file(file, TRY(chart::lock_yaml(lock)), 0644);
}

Status Manager::update() {
  const auto chart = TRY(load_parent());
  if (!chart->metadata.has_dependencies) return ok();
  std::vector<Dependency> wanted = chart->metadata.dependencies;
  TRY(prepare(wanted, false));

  chart::Lock lock;
  lock.dependencies = TRY(resolve(wanted));
  const int64_t now = context_.clock.now_ns();
  lock.generated = chart::format_rfc3339(now, sys::local_offset_seconds(now));
  TRY(fetch_all(lock.dependencies));
  lock.digest = TRY(lock_digest(true, wanted, lock));
  if (chart->lock && chart->lock->digest == lock.digest) return ok();
  return write_lock(lock, chart->metadata.api_version == "v1");
}

Status Manager::build() {
  const auto chart = TRY(load_parent());
  if (!chart->lock) return update();
  const bool legacy = chart->metadata.api_version == "v1";
  std::vector<Dependency> wanted = chart->metadata.dependencies;
  const bool declared = chart->metadata.has_dependencies;
  const std::string helm2 = legacy ? TRY(helm2_digest(declared, wanted)) : "";
  std::vector<Dependency> locked = chart->lock->dependencies;
  if (options_.remote) {
    TRY(prepare(wanted, true));
  } else {
    // Helm compares digests before it misses repositories.
    for (const Dependency& d : wanted) {
      if (d.repository.starts_with(kFileScheme)) (void)TRY(local_path(d.repository));
    }
  }
  if (TRY(lock_digest(declared, wanted, *chart->lock)) != chart->lock->digest) {
    if (!legacy) {
      return Error(Code::kFailedPrecondition,
                   cat("the lock file (Chart.lock) is out of sync with the dependencies file "
                       "(Chart.yaml). Please update the dependencies",
                       context_.helm3 ? "" : " with 'helm dependency update'"));
    }
    context_.log("INFO",
                 "warning: a valid Helm v3 hash was not found. Checking against Helm v2 hash...");
    if (helm2 != chart->lock->digest) {
      return Error(Code::kFailedPrecondition,
                   "the lock file (requirements.lock) is out of sync with the dependencies file "
                   "(requirements.yaml). Please update the dependencies");
    }
  }
  if (!options_.remote) {
    std::string missing;
    for (const Dependency& d : locked) {
      if (is_local(d)) continue;
      if (d.repository.starts_with("oci://")) return without_remote(locked);
      append(missing, {missing.empty() ? "" : ", ", d.repository});
    }
    if (!missing.empty()) {
      return Error(Code::kNotFound, cat("no repository definition for ", missing,
                                        ". Please add the missing repos via 'helm repo add'"));
    }
  }
  return fetch_all(locked);
}

}  // namespace

Status dependency_update(Context& context, const std::string& chart_path,
                         const DependencyOptions& options) {
  return Manager(context, chart_path, options).update();
}

Status dependency_build(Context& context, const std::string& chart_path,
                        const DependencyOptions& options) {
  return Manager(context, chart_path, options).build();
}

}  // namespace pintle::action
