#include "cli/session.h"

#include <algorithm>

#include "action/package.h"
#include "base/gotext.h"
#include "base/path.h"
#include "base/strings.h"
#include "cli/provenance.h"
#include "cli/repositories.h"
#include "cli/world.h"

namespace pintle::cli {
namespace {

// What can be said of a reference without asking anyone (downloader.ResolveChartVersion).
Error remote_chart_error(Session& s, const ChartPathFlags& flags, std::string_view name) {
  const size_t colon = name.find("://");
  if (!flags.repo.empty()) return needs_network(cat("chart ", quote(name), " of --repo"));
  if (colon != std::string_view::npos && colon > 0) {
    const std::string_view scheme = name.substr(0, colon);
    if (scheme == "http" || scheme == "https" || scheme == "oci") {
      return needs_network(cat("chart ", quote(name)));
    }
    if (scheme != "file") {
      return Error(Code::kInvalidArgument, cat("scheme ", quote(scheme), " not supported"));
    }
  }
  const size_t slash = name.find('/');
  if (slash == std::string_view::npos) {
    return Error(
        Code::kInvalidArgument,
        cat("non-absolute URLs should be in form of repo_name/path_to_chart, got: ", name));
  }
  std::string repository(name.substr(0, slash));
  if (repository.ends_with(':')) repository.clear();
  const RepositoryFile known = load_repositories(s.env, s.settings.repository_config);
  if (known.error && !known.missing) return *known.error;
  if (std::ranges::find(known.repositories, repository, &Repository::name) ==
      known.repositories.end()) {
    return Error(Code::kNotFound, cat("repo ", repository, " not found"));
  }
  const std::string index = cached_index_path(s.settings.repository_cache, repository);
  if (const auto info = s.env.disk.stat(index); !info) {
    return Error(Code::kNotFound, cat("no cached repo found. (try 'helm repo update'): open ",
                                      index, ": no such file or directory"));
  }
  return needs_network(cat("chart ", quote(name)));
}

}  // namespace

action::Context action_context(Session& s) {
  return {.disk = s.env.disk,
          .clock = s.env.clock,
          .log = s.log,
          .out = [&s](std::string_view text) { s.print(text); },
          .debug = s.settings.debug,
          .helm3 = s.helm3(),
          .repository_config = s.settings.repository_config,
          .repository_cache = s.settings.repository_cache,
          .content_cache = s.settings.content_cache};
}

Result<value::Value> user_values(Session& s, action::Context& context,
                                 const action::UserValues& user) {
  const action::ValueSources sources{
      .read_stdin = s.env.read_stdin,
      .fetch = [](const std::string& url) -> Result<std::string> { return needs_network(url); }};
  return action::merge_user_values(context, user, sources);
}

std::string chart_version(const ChartPathFlags& flags, bool devel) {
  return flags.version.empty() && devel ? ">0.0.0-0" : flags.version;
}

Result<std::string> locate_chart(Session& s, const ChartPathFlags& flags, std::string_view name) {
  name = trim_space(name);
  if (flags.repo.empty() || s.helm3()) {
    const std::string local(name);
    if (s.env.disk.stat(local)) {
      if (!flags.repo.empty()) {
        s.log("WARN", cat("install.go:759: WARN local chart found in current working directory. "
                          "repository url ignored chart=", name, " repository=", flags.repo));
      }
      const std::string absolute = TRY(sys::absolute(s.env.disk, local));
      if (flags.verify) TRY(verify_chart(s, absolute, flags.keyring));
      return absolute;
    }
    if (path::is_abs(name) || name.starts_with('.')) {
      return Error(Code::kNotFound, cat("path ", quote(name), " not found"));
    }
  }
  return remote_chart_error(s, flags, name);
}

std::string chart_directory(const Strings& args) {
  return args.empty() ? "." : path::clean(args[0]);
}

Result<std::optional<int64_t>> source_date_epoch(const Session& s) {
  if (s.helm3()) return std::nullopt;
  return action::parse_source_date_epoch(s.env.get("SOURCE_DATE_EPOCH"));
}

}  // namespace pintle::cli
