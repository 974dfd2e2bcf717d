// Charts from a directory, a .tgz file or bytes (helm pkg/chart/v2/loader, limits of 4.3.1).
// Bounded: 100 MiB of decompressed files; refuses names that leave the chart. Symlinks in directories
// are followed as Helm does, loops refused.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "chart/chart.h"

namespace pintle::sys {
class Disk;
}

namespace pintle::chart {

struct LoadOptions {
  Log log;  // "found symbolic link in path. ...", migration warnings; may be empty
  bool helm3 = false;  // 5 MiB per file limit, first YAML document of values only
};

Result<std::unique_ptr<Chart>> load(sys::Disk& disk, const std::string& path,
                                    const LoadOptions& options = {});
Result<std::unique_ptr<Chart>> load_archive(std::string_view tgz, const LoadOptions& options = {});
Result<std::unique_ptr<Chart>> load_files(std::vector<File> files, const LoadOptions& options = {});

// The files of a chart as load() would see them, without interpreting them (show readme, package).
Result<std::vector<File>> read_directory(sys::Disk& disk, const std::string& path,
                                         const LoadOptions& options = {});
Result<std::vector<File>> read_archive(std::string_view tgz, const LoadOptions& options = {});

// loader.LoadValues: all YAML documents of a values file merged in order.
Result<value::Value> load_values(std::string_view text, bool helm3 = false);

bool is_chart_directory(sys::Disk& disk, const std::string& path, Status* why);

}  // namespace pintle::chart
