#include "lookout/api/metrics.h"

#include <algorithm>
#include <span>

#include "base/strings.h"
#include "lookout/region/share.h"

namespace pintle::lookout {
namespace {

struct Count {
  std::string_view name, kind, help;
  uint64_t value;
};

struct RegionCount {
  std::string_view name, kind, help;
  uint64_t (*value)(const RegionStatus& r);
  bool in_ms = false;  // of a time, which is told in seconds
};

template <auto kMember>
uint64_t of_watches(const RegionStatus& r) {
  uint64_t sum = 0;
  for (const WatchStatus& w : r.watches) sum += static_cast<uint64_t>(w.*kMember);
  return sum;
}

constexpr RegionCount kRegionCounts[] = {
    {"lookout_region_live", "gauge", "1: all of it is watched.",
     [](const RegionStatus& r) -> uint64_t { return r.state == "live" ? 1 : 0; }},
    {"lookout_region_healthy", "gauge", "1: it is watched, but for what is refused.",
     [](const RegionStatus& r) -> uint64_t { return is_well(r.state) ? 1 : 0; }},
    {"lookout_region_held_bytes", "gauge", "Memory that its objects take, roughly.",
     [](const RegionStatus& r) -> uint64_t { return r.held_bytes; }},
    {"lookout_region_heard_total", "counter", "Changes heard.",
     [](const RegionStatus& r) { return r.heard; }},
    {"lookout_region_gaps_total", "counter", "Gaps recorded.",
     [](const RegionStatus& r) { return r.gaps; }},
    {"lookout_region_broken_total", "counter", "Objects that could not be read.",
     [](const RegionStatus& r) { return r.broken; }},
    {"lookout_region_expired_total", "counter", "Watches whose history the server had compacted.",
     of_watches<&WatchStatus::expired>},
    {"lookout_region_skipped_total", "counter",
     "What came and was not heard: of another kind, too long, or not to be read.",
     of_watches<&WatchStatus::skipped>},
    {"lookout_region_lists_total", "counter", "Lists of its watches: what is beyond one is relists.",
     of_watches<&WatchStatus::lists>},
    {"lookout_region_list_seconds_total", "counter", "How long its lists took.",
     of_watches<&WatchStatus::list_ms>, true},
    {"lookout_region_list_items_total", "counter", "Objects that its lists had.",
     of_watches<&WatchStatus::list_items>},
    {"lookout_region_watches_total", "counter", "Watches that were begun, streaming lists too.",
     of_watches<&WatchStatus::watches>},
    {"lookout_region_short_watches_total", "counter", "Those that ended within a second and without a change.",
     of_watches<&WatchStatus::short_watches>},
    {"lookout_region_watch_seconds_total", "counter", "How long those that ended lasted.",
     of_watches<&WatchStatus::watch_ms>, true},
    {"lookout_region_watch_items_total", "counter", "Changes that its watches told.",
     of_watches<&WatchStatus::watch_items>},
    {"lookout_region_queued", "gauge", "Changes that wait to be heard.", of_watches<&WatchStatus::queued>},
};

// What Prometheus' text form escapes: in a label's value, and in a HELP line.
std::string escaped(std::string_view text, bool quotes) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '"' && quotes) {
      out += "\\\"";
    } else {
      out += c;
    }
  }
  return out;
}

// region="eu-1"
std::string label(std::string_view name, std::string_view value) {
  return cat(name, "=\"", escaped(value, true), "\"");
}

std::string seconds(int64_t ms) {
  std::string out = cat(ms / 1000);
  if (ms % 1000 != 0) append(out, {".", cat(1000 + ms % 1000).substr(1)});
  while (ms % 1000 != 0 && out.ends_with('0')) out.pop_back();
  return out;
}

void head(std::string& out, std::string_view name, std::string_view kind, std::string_view help) {
  append(out, {"# HELP ", name, " ", escaped(help, false), "\n# TYPE ", name, " ", kind, "\n"});
}

void sample(std::string& out, std::string_view name, std::string_view labels,
            std::string_view value) {
  append(out, {name, labels.empty() ? "" : "{", labels, labels.empty() ? "" : "}", " ", value, "\n"});
}

// Of one series; the head is the caller's.
void histogram(std::string& out, std::string_view name, std::string_view labels,
               const Histogram& h) {
  const std::string bucket = cat(name, "_bucket"), front = cat(labels, labels.empty() ? "" : ",");
  uint64_t sum = 0;
  for (size_t i = 0; i < h.counts.size(); ++i) {
    sum += h.counts[i];
    const bool last = i == Histogram::kBoundsMs.size();
    sample(out, bucket, cat(front, label("le", last ? "+Inf" : seconds(Histogram::kBoundsMs[i]))),
           cat(sum));
  }
  sample(out, cat(name, "_sum"), labels, seconds(h.sum_ms));
  sample(out, cat(name, "_count"), labels, cat(sum));
}

void lags(std::string& out, const MetricsData& d) {
  constexpr std::string_view kStored = "lookout_event_stored_seconds";
  head(out, "lookout_commit_lag_seconds", "histogram", "How long a state waited for its commit.");
  histogram(out, "lookout_commit_lag_seconds", "", d.written.waited);
  head(out, kStored, "histogram", "From when an event was, as its cluster says, until it is stored.");
  for (const auto& [region, h] : d.written.stored) {
    histogram(out, kStored, label("region", region), h);
  }
  const struct {
    std::string_view name, help;
    Histogram DeliverCounters::Sink::*times;
  } by_sink[] = {{"lookout_first_attempt_seconds",
                  "From when an event is stored until its first attempt.",
                  &DeliverCounters::Sink::first_attempt},
                 {"lookout_delivered_seconds", "From when an event is stored until it is delivered.",
                  &DeliverCounters::Sink::delivered}};
  for (const auto& family : by_sink) {
    head(out, family.name, "histogram", family.help);
    for (const auto& [sink, counts] : d.delivered.sinks) {
      histogram(out, family.name, label("sink", sink), counts.*family.times);
    }
  }
}

// Series that differ in one label, with a word each.
struct Labelled {
  std::string_view value;
  int64_t n;
};
void family(std::string& out, std::string_view name, std::string_view kind, std::string_view help,
            std::string_view by, std::span<const Labelled> series) {
  head(out, name, kind, help);
  for (const Labelled& s : series) sample(out, name, label(by, s.value), cat(s.n));
}

void outbox(std::string& out, const MetricsData& d) {
  if (d.outbox) {
    constexpr std::string_view kName = "lookout_outbox_deliveries";
    head(out, kName, "gauge",
         "Deliveries that wait, are under way, or were given up and not removed.");
    for (const auto& [sink, depth] : *d.outbox) {
      const Labelled states[] = {{"pending", depth.pending},
                                 {"retry", depth.retry},
                                 {"leased", depth.leased},
                                 {"dead", depth.dead}};
      for (const Labelled& s : states) {
        sample(out, kName, cat(label("sink", sink), ",", label("state", s.value)), cat(s.n));
      }
    }
  }
  if (d.delivered.sinks.empty()) return;
  head(out, "lookout_delivery_attempts_total", "counter",
       "Attempts of deliveries; code: of HTTP, else ok or error.");
  for (const auto& [sink, counts] : d.delivered.sinks) {
    for (const auto& [code, n] : counts.attempts) {
      sample(out, "lookout_delivery_attempts_total",
             cat(label("sink", sink), ",", label("code", code)), cat(n));
    }
  }
  head(out, "lookout_dead_letters_total", "counter", "Deliveries given up.");
  for (const auto& [sink, counts] : d.delivered.sinks) {
    sample(out, "lookout_dead_letters_total", label("sink", sink), cat(counts.dead));
  }
}

void database(std::string& out, const MetricsData& d) {
  std::vector<Labelled> errors;
  for (size_t i = 0; i < db::kTroubles; ++i) {
    errors.push_back({db::trouble_name(static_cast<db::Trouble>(i)),
                      static_cast<int64_t>(d.written.errors[i])});
  }
  family(out, "lookout_write_errors_total", "counter", "Commits that the database refused.",
         "class", errors);
  head(out, "lookout_write_trouble_since_seconds", "gauge",
       "Since when nothing can be stored, in seconds since 1970; 0: it can.");
  sample(out, "lookout_write_trouble_since_seconds", "", seconds(d.written.trouble_since_ms));
  const RowCounts& gone = d.cleaned.rows;
  const Labelled rows[] = {{"event", gone.events},
                           {"delivery", gone.deliveries},
                           {"attempt", gone.attempts},
                           {"observation", gone.observations},
                           {"gap", gone.gaps},
                           {"audit", gone.audit}};
  family(out, "lookout_cleaned_rows_total", "counter", "Rows that cleaning removed.", "table",
         rows);
}

// The name and label that client-go's election has.
void leaders(std::string& out, const MetricsData& d) {
  constexpr std::string_view kName = "leader_election_master_status";
  if (std::none_of(d.regions.begin(), d.regions.end(), [](const auto& r) { return r.leader.has_value(); })) return;
  head(out, kName, "gauge", "1: the region's Lease is this process's.");
  for (const RegionStatus& r : d.regions) {
    if (r.leader) sample(out, kName, label("name", lease_name(r.config.name)), *r.leader ? "1" : "0");
  }
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
      {"lookout_cleaning_failures_total", "counter", "Pieces of cleaning that failed.",
       d.cleaned.failures},
      {"lookout_archive_failures_total", "counter", "Files that cleaning could not write.",
       d.cleaned.archive_failures},
      {"lookout_streams", "gauge", "Event streams that are open.", d.streams},
      {"lookout_restart_wanted", "gauge",
       "Keys of the configuration whose change holds from the next start on.", d.restart_wanted},
  };
  std::string out;
  for (const Count& c : counts) {
    head(out, c.name, c.kind, c.help);
    sample(out, c.name, "", cat(c.value));
  }
  lags(out, d);
  outbox(out, d);
  database(out, d);
  if (d.regions.empty()) return out;
  for (const RegionCount& c : kRegionCounts) {
    head(out, c.name, c.kind, c.help);
    for (const RegionStatus& r : d.regions) {
      const uint64_t n = c.value(r);
      sample(out, c.name, label("region", r.config.name), c.in_ms ? seconds(static_cast<int64_t>(n)) : cat(n));
    }
  }
  leaders(out, d);
  return out;
}

}  // namespace pintle::lookout
