// The metrics: Prometheus' text form of what the API knows. Inside the API only; pure.
#pragma once

#include <string>
#include <vector>

#include "lookout/api/api.h"

namespace pintle::lookout {

struct MetricsData {
  std::vector<RegionStatus> regions;
  Writer::Counters written;
  DeliverCounters delivered;
  uint64_t statements = 0, streams = 0, restart_wanted = 0;
};
std::string metrics_text(const MetricsData& data);

}  // namespace pintle::lookout
