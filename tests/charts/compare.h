// How one run is held against its recording: which differences chance allows.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pintle::charts {

struct Recording {
  int exit = 0;
  std::string out, err;
  bool deterministic = true, err_deterministic = true;
  // Only where not deterministic: 1-based ranges of lines that differ from run to run.
  std::optional<std::vector<std::pair<size_t, size_t>>> volatile_lines;
  bool unordered = false;  // the same lines in any order
};

struct Run {
  int exit = 0;
  std::string out, err;
};

// "" when the run equals the recording as far as that is decided; else the first difference.
std::string difference(const Recording& want, const Run& got);

}  // namespace pintle::charts
