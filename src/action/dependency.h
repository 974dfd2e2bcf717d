// helm dependency list, update, build (helm pkg/action/dependency.go, pkg/downloader/manager.go).
// Local repositories ("file://...", "") are handled here; anything else goes through Remote, the
// seam that repositories and registries plug into.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "action/context.h"
#include "base/result.h"
#include "chart/chart.h"

namespace pintle::action {

struct DependencyRow {
  std::string name, version, repository;
  std::string status;  // "ok", "unpacked", "missing", "wrong version", "corrupt" ...
};
struct DependencyList {
  bool declared = false;  // the chart says `dependencies:` at all
  std::vector<DependencyRow> rows;
  std::vector<std::string> warnings;  // whole lines, to be printed after the table
};
// `chart_path`: cleaned; a directory or an archive.
Result<DependencyList> dependency_list(Context& context, const std::string& chart_path);

// What dependency update and build need of chart repositories and registries.
class Remote {
 public:
  virtual ~Remote() = default;
  // "@name" and "alias:name" become URLs; refuses names no repository has. Refreshes the indexes
  // unless skip_refresh, printing Helm's progress lines. `build`: every repository must be known.
  virtual Status prepare(Context& context, std::vector<chart::Dependency>& dependencies,
                         bool skip_refresh, bool build) = 0;
  // The versions of a chart, newest first.
  virtual Result<std::vector<std::string>> versions(Context& context,
                                                    const chart::Dependency& dependency) = 0;
  // Downloads the locked dependency's archive into `directory`, printing "Downloading ..." lines.
  virtual Status download(Context& context, const chart::Dependency& locked,
                          const std::string& directory) = 0;
};

struct DependencyOptions {
  bool verify = false;
  std::string keyring;
  bool skip_refresh = false;
  std::optional<int64_t> source_date_epoch;
  Remote* remote = nullptr;  // null: a dependency that needs one is a clear error
};

// Brings charts/ in line with Chart.yaml and writes the lock file when it changed. A failed run
// leaves charts/ as it was.
Status dependency_update(Context& context, const std::string& chart_path,
                         const DependencyOptions& options = {});
// Brings charts/ in line with the lock file, or updates when there is none.
Status dependency_build(Context& context, const std::string& chart_path,
                        const DependencyOptions& options = {});

// "found in Chart.yaml, but missing in charts/ directory: a, b".
Status check_dependencies(const chart::Chart& chart);

}  // namespace pintle::action
