// Charts back to disk: as an archive or as a directory (helm pkg/chart/v2/util/save.go).
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "chart/chart.h"

namespace pintle::sys {
class Disk;
}

namespace pintle::chart {

// The bytes of NAME-VERSION.tgz: Chart.yaml and Chart.lock written anew, everything else as it was
// loaded, subcharts unpacked under charts/. The same chart gives the same bytes; now_ns stands in
// for times that are not known. Error: "X is not a valid chart name", "invalid JSON in
// values.schema.json".
Result<std::string> archive(const Chart& chart, int64_t now_ns);

// Writes the archive into `directory` (made if need be) and returns its path. Validates first
// ("chart validation: ..."). Nothing is left behind on failure.
Result<std::string> save_archive(sys::Disk& disk, Chart& chart, const std::string& directory,
                                 int64_t now_ns);

// Writes `parent`/NAME with subcharts as archives in charts/.
Status save_directory(sys::Disk& disk, Chart& chart, const std::string& parent, int64_t now_ns);

}  // namespace pintle::chart
