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

// Prints the table and warnings through context.out. `chart_path` is cleaned by the caller.
Status dependency_list(Context& context, const std::string& chart_path, uint32_t max_col_width = 80);

// What dependency update and build need of chart repositories and registries.
class Remote {
 public:
  virtual ~Remote() = default;
  // "@name" and "alias:name" become URLs; refuses names no repository has. Refreshes the indexes
  // unless skip_refresh, printing Helm's progress lines.
  virtual Status prepare(Context& context, std::vector<chart::Dependency>& dependencies,
                         bool skip_refresh) = 0;
  // The versions of a chart, newest first.
  virtual Result<std::vector<std::string>> versions(Context& context,
                                                    const chart::Dependency& dependency) = 0;
  // Downloads the locked dependency's archive into `directory`.
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

Status dependency_update(Context& context, const std::string& chart_path,
                         const DependencyOptions& options = {});
Status dependency_build(Context& context, const std::string& chart_path,
                        const DependencyOptions& options = {});

// "found in Chart.yaml, but missing in charts/ directory: a, b".
Status check_dependencies(const chart::Chart& chart);

}  // namespace pintle::action
