// Filter: which events a subscription wants. Empty lists and texts match everything. Matching is
// plain comparison, so it can be done for every event of every transaction.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lookout/model.h"

namespace pintle::lookout {

struct Filter {
  std::vector<std::string> types;       // "release.deployed"; "release.*" for all below
  std::vector<std::string> regions, environments, namespaces, kinds, reasons, releases;
  Severity min_severity = Severity::kInfo;
  std::map<std::string, std::string> labels;  // all must be equal
};

bool matches(const Filter& filter, const Event& event, const std::string& region,
             const std::string& environment);

}  // namespace pintle::lookout
