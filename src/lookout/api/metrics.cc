#include "lookout/api/metrics.h"

#include <span>

#include "base/strings.h"
#include "json/json.h"

namespace pintle::lookout {
namespace {

struct Count {
  std::string_view name, kind, help;
  uint64_t value;
};

struct RegionCount {
  std::string_view name, kind, help;
  uint64_t (*value)(const RegionStatus& r);
};

constexpr RegionCount kRegionCounts[] = {
    {"lookout_region_live", "gauge", "1: all of it is watched.",
     [](const RegionStatus& r) -> uint64_t { return r.state == "live" ? 1 : 0; }},
    {"lookout_region_healthy", "gauge", "1: it is watched, but for what is refused.",
     [](const RegionStatus& r) -> uint64_t { return is_well(r.state) ? 1 : 0; }},
    {"lookout_region_heard_total", "counter", "Changes heard.",
     [](const RegionStatus& r) { return r.heard; }},
    {"lookout_region_gaps_total", "counter", "Gaps recorded.",
     [](const RegionStatus& r) { return r.gaps; }},
    {"lookout_region_broken_total", "counter", "Objects that could not be read.",
     [](const RegionStatus& r) { return r.broken; }},
    {"lookout_region_lists_total", "counter", "Lists of its watches.",
     [](const RegionStatus& r) {
       uint64_t sum = 0;
       for (const WatchStatus& w : r.watches) sum += w.lists;
       return sum;
     }},
};

constexpr const char* kLagBounds[] = {"0.005", "0.02", "0.05", "0.2", "1", "+Inf"};

void head(std::string& out, std::string_view name, std::string_view kind, std::string_view help) {
  append(out, {"# HELP ", name, " ", help, "\n# TYPE ", name, " ", kind, "\n"});
}

void commit_lag(std::string& out, const Writer::Counters& written) {
  constexpr std::string_view kName = "lookout_commit_lag_seconds";
  head(out, kName, "histogram", "How long a state waited for its commit.");
  uint64_t sum = 0;
  for (size_t i = 0; i < std::size(kLagBounds); ++i) {
    sum += written.waited[i];
    append(out, {kName, "_bucket{le=\"", kLagBounds[i], "\"} ", cat(sum), "\n"});
  }
  append(out, {kName, "_sum ", cat(written.waited_sum_ms / 1000), ".",
               cat(1000 + written.waited_sum_ms % 1000).substr(1), "\n", kName, "_count ", cat(sum),
               "\n"});
}

}  // namespace

std::string metrics_text(const MetricsData& d) {
  const Count counts[] = {
      {"lookout_commits_total", "counter", "Transactions committed.", d.written.commits},
      {"lookout_observations_total", "counter", "Object states stored.", d.written.observations},
      {"lookout_events_total", "counter", "Events stored.", d.written.events},
      {"lookout_deliveries_created_total", "counter", "Deliveries made.", d.written.deliveries},
      {"lookout_commit_failures_total", "counter", "Commits that had to be tried again.",
       d.written.failures},
      {"lookout_pieces_dropped_total", "counter", "Pieces that could not be stored.",
       d.written.dropped},
      {"lookout_commits_refused_total", "counter", "Commits of regions another process has taken.",
       d.written.refused},
      {"lookout_attempts_total", "counter", "Delivery attempts.", d.delivered.attempts},
      {"lookout_delivered_total", "counter", "Deliveries that succeeded.", d.delivered.succeeded},
      {"lookout_retried_total", "counter", "Attempts that will be repeated.", d.delivered.retried},
      {"lookout_dead_total", "counter", "Deliveries given up.", d.delivered.dead},
      {"lookout_statements_total", "counter", "Statements sent to the database.", d.statements},
      {"lookout_open_breakers", "gauge", "Endpoints that are only probed.",
       d.delivered.open_breakers},
      {"lookout_waiting_bytes", "gauge", "What waits for its commit.", d.written.waiting_bytes},
      {"lookout_streams", "gauge", "Event streams that are open.", d.streams},
      {"lookout_restart_wanted", "gauge",
       "Keys of the configuration whose change holds from the next start on.", d.restart_wanted},
  };
  std::string out;
  for (const Count& c : counts) {
    head(out, c.name, c.kind, c.help);
    append(out, {c.name, " ", cat(c.value), "\n"});
  }
  commit_lag(out, d.written);
  if (d.regions.empty()) return out;
  for (const RegionCount& c : kRegionCounts) {
    head(out, c.name, c.kind, c.help);
    for (const RegionStatus& r : d.regions) {
      append(out, {c.name, "{region=", json::quoted(r.config.name), "} ", cat(c.value(r)), "\n"});
    }
  }
  return out;
}

}  // namespace pintle::lookout
