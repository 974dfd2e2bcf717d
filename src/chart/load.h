// Charts from a directory, a .tgz file or bytes (helm pkg/chart/loader and pkg/chart/v2/loader).
//
// Cost: every file is read once and its text never copied; what a File holds is shared by raw,
// templates and files. Bounded: 100 MiB of files per archive or directory as Helm, 128 MiB and 32
// levels with archives inside archives, 500,000 directory entries. Refused in archives though Helm
// takes them: links, devices, names given twice, absolute names, streams cut or damaged behind the
// end of the tar.
// Directories: symlinks are followed as Helm does (INFO line); one that leads back to a directory
// it is in is an error at once. Subcharts are in the order of their names in charts/.
#pragma once

#include <cstdint>
#include <functional>
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
  Log log;             // "found symbolic link in path. ...", migration warnings; may be empty
  bool helm3 = false;  // 5 MiB per file limit, first YAML document of values only
  // pkg/chart/v2/loader itself: no look at apiVersion first, so other error texts (show, lint,
  // dependency list). Otherwise pkg/chart/loader (template, install).
  bool direct = false;
  // Hears of the files, without those of packed subcharts, before they are interpreted. May be empty.
  std::function<void(const std::vector<File>& files)> read = {};
};

// Error: Helm's texts ("unable to detect chart at DIR/Chart.yaml: ...", "Chart.yaml file is
// missing", "validation: ...", "cannot load values.yaml: ...").
Result<std::unique_ptr<Chart>> load(sys::Disk& disk, const std::string& path,
                                    const LoadOptions& options = {});
Result<std::unique_ptr<Chart>> load_archive(std::string_view tgz, const LoadOptions& options = {});
Result<std::unique_ptr<Chart>> load_files(std::vector<File> files, const LoadOptions& options = {});

// The files of a chart as load() would see them, without interpreting them. BOMs are gone.
Result<std::vector<File>> read_directory(sys::Disk& disk, const std::string& path,
                                         const LoadOptions& options = {});
// Names without their first component, cleaned and safe to join to a directory.
// room: bytes of files that may be held besides others.
Result<std::vector<File>> read_archive(std::string_view tgz, const LoadOptions& options = {},
                                       size_t room = SIZE_MAX);

// loader.LoadValues: all YAML documents of a values file merged in order (helm3: the first alone).
// Error: "cannot unmarshal yaml document: ...", "error reading yaml document: ...".
Result<value::Value> load_values(std::string_view text, bool helm3 = false);

// IsChartDir. Error: why not.
Status check_chart_directory(sys::Disk& disk, const std::string& path);

}  // namespace pintle::chart
