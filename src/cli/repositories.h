// What is known of chart repositories without asking any: repositories.yaml and the cached indexes
// (helm pkg/repo/v1).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "cli/env.h"
#include "semver/semver.h"

namespace pintle::cli {

struct Repository {
  std::string name, url;
};

// repositories.yaml as far as it can be read, which is what Helm lists and searches, and why no
// further ("couldn't load repositories file (F): ...").
struct RepositoryFile {
  std::vector<Repository> repositories;
  std::optional<Error> error;
  bool missing = false;    // there is no such file: `error` says so
  bool null_row = false;   // `error` names it; Helm crashes on one
};
RepositoryFile load_repositories(const Env& env, const std::string& path);

// Helm warns on every start while the long-gone "stable" and "incubator" URLs are configured.
void warn_of_expired_repositories(Env& env, const std::string& repositories_file);

struct ChartVersion {
  std::string name = {}, version = {}, app_version = {}, description = {};
  std::string created = {};  // as in the file
  std::vector<std::string> keywords = {};
  bool deprecated = false;
};

struct IndexedChart {
  std::string name;                    // the entry's key
  std::vector<ChartVersion> versions;  // newest first
};

// The entries of an index.yaml (or JSON), by name. Entries Helm would skip are left out, with its
// warning.
Result<std::vector<IndexedChart>> load_index(const Env& env, const std::string& path,
                                             const Log& log);

std::string cached_index_path(const std::string& cache, std::string_view repository);
std::string cached_charts_path(const std::string& cache, std::string_view repository);

}  // namespace pintle::cli
