// New charts: the scaffold of `helm create`, or a starter chart under another name
// (helm pkg/chart/v2/util/create.go).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "chart/chart.h"
#include "chart/load.h"

namespace pintle::sys {
class Disk;
}

namespace pintle::chart {

// Whose scaffold: they differ in the comments of values.yaml, chart v3 in its apiVersion too.
enum class Scaffold : uint8_t { kHelm4, kHelm3, kChartV3 };

// Writes the scaffold into `parent`/`name`, over what is there. `overwriting` is called with the
// full path of each file that exists already. Error: "chart name must ...", "no such directory X",
// "file X already exists and is not a directory", or the disk's.
Status create(sys::Disk& disk, const std::string& name, const std::string& parent,
              const std::function<void(const std::string& path)>& overwriting,
              Scaffold scaffold = Scaffold::kHelm4);

// A copy of the chart at `starter` in `parent`/metadata.name, with this metadata, <CHARTNAME>
// replaced in templates and values. Error: "could not load STARTER: ...".
Status create_from(sys::Disk& disk, const Metadata& metadata, const std::string& parent,
                   const std::string& starter, int64_t now_ns, const LoadOptions& options = {});

}  // namespace pintle::chart
