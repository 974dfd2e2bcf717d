#include "lookout/api/page.h"

#include <algorithm>

#include "base/strings.h"
#include "json/json.h"
#include "lookout/api/json.h"
#include "lookout/sinks/body.h"

namespace pintle::lookout {
namespace {

constexpr size_t kMostRows = 50;
constexpr size_t kMessageBytes = 300;

std::string ago(int64_t ms, int64_t now_ms) {
  if (ms == 0) return "-";
  const int64_t s = std::max<int64_t>(0, now_ms - ms) / 1000;
  if (s < 120) return cat(s, " s ago");
  if (s < 7200) return cat(s / 60, " min ago");
  if (s < 172'800) return cat(s / 3600, " h ago");
  return cat(s / 86'400, " d ago");
}

class Table {
 public:
  Table(std::string_view title, std::initializer_list<std::string_view> heads) {
    append(out_, {"<h2>", title, "</h2>\n<div class=\"wide\"><table><tr>"});
    for (const std::string_view head : heads) append(out_, {"<th>", head, "</th>"});
    out_ += "</tr>\n";
  }
  // `mark` colours the row: "error", "warning", "good" or nothing.
  void row(std::string_view mark, std::initializer_list<std::string> cells) {
    append(out_, {"<tr class=\"", mark, "\">"});
    for (const std::string& cell : cells) append(out_, {"<td>", html_escaped(cell), "</td>"});
    out_ += "</tr>\n";
    ++rows_;
  }
  std::string take(std::string_view none) {
    out_ += "</table></div>\n";
    if (rows_ == 0) append(out_, {"<p>", none, "</p>\n"});
    return std::move(out_);
  }

 private:
  std::string out_;
  size_t rows_ = 0;
};

constexpr std::string_view kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>lookout</title>
<meta http-equiv="refresh" content="15"><meta name="viewport" content="width=device-width">
<style>
body{font:15px/1.4 system-ui,sans-serif;margin:2em auto;max-width:90em;padding:0 1em;color:#222}
h1{font-size:1.5em}h2{font-size:1.15em;margin-top:1.8em}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%}th,td{text-align:left;
padding:.25em .6em;border-bottom:1px solid #ddd;vertical-align:top;white-space:nowrap}
td:last-child{white-space:normal;overflow-wrap:anywhere;min-width:14em}
th{font-weight:600;color:#555}.error td{background:#fdeaea}.warning td{background:#fff6e0}
.good td:first-child{border-left:3px solid #3a3}p{color:#666}
</style></head><body><h1>lookout</h1>
)";

void metric(std::string& out, std::string_view name, std::string_view kind, std::string_view help,
            std::string_view labels, uint64_t value) {
  const std::string type = cat("# TYPE ", name, ' ');
  if (out.find(type) == std::string::npos) {
    append(out, {"# HELP ", name, " ", help, "\n", type, kind, "\n"});
  }
  append(out, {name, labels, " ", cat(value), "\n"});
}

}  // namespace

std::string html_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string status_page(const PageData& d) {
  std::string out(kHead);
  if (!d.error.empty()) append(out, {"<p><b>Database: ", html_escaped(d.error), "</b></p>\n"});

  Table regions("Regions",
                {"region", "environment", "state", "since", "last event", "gaps", "why"});
  for (const RegionStatus& r : d.regions) {
    regions.row(r.state == "live"          ? "good"
                : r.state == "unreachable" ? "error"
                                           : "warning",
                {r.config.name, r.config.environment, r.state, ago(r.since_ms, d.now_ms),
                 ago(r.last_event_ms, d.now_ms), cat(r.gaps), r.error});
  }
  out += regions.take("No region is configured.");

  auto releases = d.releases;
  std::sort(releases.begin(), releases.end(),
            [](const auto& a, const auto& b) { return a.release.since_ms > b.release.since_ms; });
  if (releases.size() > kMostRows) releases.resize(kMostRows);
  Table latest("Latest releases", {"release", "namespace", "region", "kind", "state", "revision",
                                   "chart", "who", "since"});
  for (const auto& [region, r] : releases) {
    const bool bad =
        r.state == "failed" || r.state == "stuck" || r.state == "Degraded" || r.state == "Aborted";
    latest.row(bad ? "error" : "", {r.name, r.name_space, region, r.kind, r.state, cat(r.revision),
                                    r.chart, r.who, ago(r.since_ms, d.now_ms)});
  }
  out += latest.take("No release is known yet.");

  Table events("Latest events", {"time", "type", "release", "subject", "region", "message"});
  for (const StoredEvent& e : d.events) {
    const Subject& s = e.event.subject;
    events.row(e.event.severity == Severity::kInfo ? "" : severity_name(e.event.severity),
               {time_text(e.event.time_ms), e.event.type, e.event.release,
                cat(s.kind, ' ', s.name_space, s.name_space.empty() ? "" : "/", s.name), e.region,
                clean_text(e.event.message, kMessageBytes)});
  }
  out += events.take("Nothing has happened yet.");

  const auto name_of = [&](int64_t id) {
    for (const Subscription& s : d.subscriptions) {
      if (s.id == id) return s.name;
    }
    return cat(id);
  };
  Table deliveries("Deliveries that wait or are given up",
                   {"delivery", "event", "subscription", "state", "attempts", "due", "why"});
  for (const auto* list : {&d.dead, &d.waiting}) {
    for (const Delivery& one : *list) {
      deliveries.row(one.state == DeliveryState::kDead ? "error" : "",
                     {cat(one.id), cat(one.event_sequence), name_of(one.subscription_id),
                      std::string(state_name(one.state)), cat(one.attempts),
                      one.due_ms == 0 ? "" : time_text(one.due_ms), one.dead_reason});
    }
  }
  out += deliveries.take("None.");
  return out + "</body></html>\n";
}

std::string metrics_text(const MetricsData& d) {
  std::string out;
  const auto count = [&](std::string_view name, std::string_view help, uint64_t value) {
    metric(out, name, "counter", help, "", value);
  };
  count("lookout_commits_total", "Transactions committed.", d.written.commits);
  count("lookout_observations_total", "Object states stored.", d.written.observations);
  count("lookout_events_total", "Events stored.", d.written.events);
  count("lookout_deliveries_created_total", "Deliveries made.", d.written.deliveries);
  count("lookout_commit_failures_total", "Commits that had to be tried again.", d.written.failures);
  count("lookout_pieces_dropped_total", "Pieces that could not be stored.", d.written.dropped);
  count("lookout_commits_refused_total", "Commits of regions another process has taken.",
        d.written.refused);
  count("lookout_attempts_total", "Delivery attempts.", d.delivered.attempts);
  count("lookout_delivered_total", "Deliveries that succeeded.", d.delivered.succeeded);
  count("lookout_retried_total", "Attempts that will be repeated.", d.delivered.retried);
  count("lookout_dead_total", "Deliveries given up.", d.delivered.dead);
  count("lookout_statements_total", "Statements sent to the database.", d.statements);
  metric(out, "lookout_open_breakers", "gauge", "Endpoints that are only probed.", "",
         d.delivered.open_breakers);
  metric(out, "lookout_waiting_bytes", "gauge", "What waits for its commit.", "",
         d.written.waiting_bytes);
  metric(out, "lookout_streams", "gauge", "Event streams that are open.", "", d.streams);

  static constexpr const char* kBounds[] = {"0.005", "0.02", "0.05", "0.2", "1", "+Inf"};
  uint64_t sum = 0;
  for (size_t i = 0; i < std::size(kBounds); ++i) {
    sum += d.written.waited[i];
    const std::string labels = cat("{le=\"", kBounds[i], "\"}");
    if (i == 0) out += "# TYPE lookout_commit_lag_seconds histogram\n";
    append(out, {"lookout_commit_lag_seconds_bucket", labels, " ", cat(sum), "\n"});
  }
  append(out, {"lookout_commit_lag_seconds_sum ", cat(d.written.waited_sum_ms / 1000), ".",
               cat(1000 + d.written.waited_sum_ms % 1000).substr(1), "\n",
               "lookout_commit_lag_seconds_count ", cat(sum), "\n"});

  for (const RegionStatus& r : d.regions) {
    const std::string name = cat("{region=", json::quoted(r.config.name), "}");
    metric(out, "lookout_region_live", "gauge", "1: all of it is watched.", name,
           r.state == "live" ? 1 : 0);
  }
  for (const RegionStatus& r : d.regions) {
    const std::string name = cat("{region=", json::quoted(r.config.name), "}");
    metric(out, "lookout_region_heard_total", "counter", "Changes heard.", name, r.heard);
  }
  for (const RegionStatus& r : d.regions) {
    const std::string name = cat("{region=", json::quoted(r.config.name), "}");
    metric(out, "lookout_region_gaps_total", "counter", "Gaps recorded.", name, r.gaps);
  }
  for (const RegionStatus& r : d.regions) {
    const std::string name = cat("{region=", json::quoted(r.config.name), "}");
    metric(out, "lookout_region_broken_total", "counter", "Objects that could not be read.", name,
           r.broken);
  }
  return out;
}

}  // namespace pintle::lookout
