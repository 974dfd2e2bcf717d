// The metrics: Prometheus' text form of what the API knows. Inside the API only; pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lookout/api/api.h"

namespace pintle::lookout {

struct MetricsData {
  std::vector<RegionStatus> regions;
  Writer::Counters written;
  DeliverCounters delivered;
  CleaningCounters cleaned;
  std::optional<OutboxDepths> outbox;  // nullopt: it could not be counted
  uint64_t statements = 0, streams = 0, restart_wanted = 0;
};
// Series are by region, by kind of sink and by fixed words only.
std::string metrics_text(const MetricsData& data);

}  // namespace pintle::lookout
