// The status page: what is watched, what has happened, who is told.
#include "lookout/api/page.h"

#include <algorithm>

#include "base/strings.h"
#include "lookout/api/json.h"
#include "lookout/api/page_parts.h"
#include "lookout/fields.h"
#include "lookout/observe.h"
#include "lookout/sinks/body.h"

namespace pintle::lookout {
namespace {

constexpr size_t kMostRows = 50;
constexpr size_t kMessageBytes = 300;
constexpr std::string_view kRefresh = "15";

// ---- states and their colours: "good", "warn", "bad", or none

constexpr Look kRegionLooks[] = {{"live", "good"},
                                 {"unreachable", "bad"},
                                 {"stale", "bad"},
                                 {"auth failed", "bad"},
                                 {"denied", "bad"},
                                 {"memory", "bad"},
                                 {"partial", "warn"},
                                 {"connecting", "warn"},
                                 {"syncing", "warn"}};
constexpr Look kReleaseLooks[] = {{"deployed", "good"}, {"Healthy", "good"}, {"available", "good"},
                                  {"failed", "bad"},    {"stuck", "bad"},    {"Degraded", "bad"},
                                  {"degraded", "bad"},  {"Aborted", "bad"},  {"drifted", "warn"},
                                  {"Paused", "warn"},   {"paused", "warn"},  {"Suspended", "warn"}};
constexpr Look kSeverityLooks[] = {{"error", "bad"}, {"warning", "warn"}};

std::string counted(size_t n, std::string_view what) {
  return cat("<span><b>", n, "</b> ", what, "</span>");
}

std::string header(const PageData& d) {
  const auto live = std::count_if(d.regions.begin(), d.regions.end(),
                                  [](const RegionStatus& r) { return is_well(r.state); });
  const auto bad = std::count_if(d.releases.begin(), d.releases.end(), [](const auto& r) {
    return mark_of(kReleaseLooks, r.release.state) == "bad";
  });
  const auto many = [](const auto& list) {
    return cat(list.size(), list.size() >= kMostRows ? "+" : "");
  };
  return cat("<header><h1>lookout</h1><span><b>", live, "</b> of <b>", d.regions.size(),
             "</b> regions live</span>", counted(d.releases.size(), "releases"),
             counted(static_cast<size_t>(bad), "in trouble"), "<span><b>", many(d.waiting),
             "</b> deliveries wait</span><span><b>", many(d.dead),
             "</b> given up</span></header>\n");
}

std::string regions_table(const PageData& d) {
  Table out("Regions", {"region", "environment", "state", "since", "last event", "gaps", "why"});
  for (const RegionStatus& r : d.regions) {
    const std::string_view mark = mark_of(kRegionLooks, r.state);
    out.row(mark, {strong(r.config.name), plain(r.config.environment), pill(r.state, mark),
                   time_cell(r.since_ms, d.now_ms), time_cell(r.last_event_ms, d.now_ms),
                   r.gaps == 0 ? "" : cat(r.gaps), plain(r.error)});
  }
  return out.take("No region is configured.");
}

std::string releases_table(const PageData& d) {
  Table out("Latest releases", {"release", "namespace", "region", "kind", "state", "revision",
                                "chart", "who", "since"});
  std::vector<const ApiHooks::NamedRelease*> latest;
  for (const auto& r : d.releases) latest.push_back(&r);
  const auto shown = std::min(latest.size(), kMostRows);
  std::partial_sort(
      latest.begin(), latest.begin() + static_cast<std::ptrdiff_t>(shown), latest.end(),
      [](const auto* a, const auto* b) { return a->release.since_ms > b->release.since_ms; });
  latest.resize(shown);
  for (const auto* one : latest) {
    const Tracker::Release& r = one->release;
    const std::string_view mark = mark_of(kReleaseLooks, r.state);
    out.row(mark,
            {strong(r.name), plain(r.name_space), plain(one->region), plain(r.kind),
             r.state.empty() ? "" : pill(r.state, mark), r.revision == 0 ? "" : cat(r.revision),
             plain(r.chart), plain(r.who), time_cell(r.since_ms, d.now_ms)});
  }
  return out.take("No release is known yet.");
}

std::string events_table(const PageData& d) {
  Table out("Latest events", {"time", "type", "release", "subject", "region", "message"});
  for (const StoredEvent& e : d.events) {
    const std::string_view mark = mark_of(kSeverityLooks, severity_name(e.event.severity));
    out.row(mark, {time_cell(e.event.time_ms, d.now_ms), pill(e.event.type, mark),
                   plain(e.event.release), plain(subject_text(e.event.subject)), plain(e.region),
                   plain(clean_text(e.event.message, kMessageBytes))});
  }
  return out.take("Nothing has happened yet.");
}

std::string subscriptions_table(const PageData& d) {
  Table out("Who is told", {"subscription", "sink", "of", "state", ""});
  for (const Subscription& s : d.subscriptions) {
    const SubscriptionLook look = look_of(s);
    const std::string path = cat("page/subscriptions/", s.id);
    out.row(look.mark, {link(path, s.name), plain(s.sink_kind), plain(types_text(s)), state_text(s),
                        d.operate ? subscription_buttons(s, path) : ""});
  }
  return out.take("There is no subscription.");
}

std::string deliveries_table(const PageData& d) {
  const auto name_of = [&](int64_t id) {
    for (const Subscription& s : d.subscriptions) {
      if (s.id == id) return s.name;
    }
    return cat(id);
  };
  Table out("Deliveries that wait or are given up",
            {"delivery", "event", "subscription", "state", "attempts", "due", "why", ""});
  for (const auto* list : {&d.dead, &d.waiting}) {
    for (const Delivery& one : *list) {
      const std::string path = cat("page/deliveries/", one.id);
      out.row(delivery_mark(one.state),
              {link(path, cat(one.id)), cat(one.event_sequence), plain(name_of(one.subscription_id)),
               delivery_pill(one.state), cat(one.attempts), due_text(one), plain(one.dead_reason),
               d.operate ? delivery_buttons(one, path) : ""});
    }
  }
  return out.take("None.");
}

}  // namespace

std::string status_page(const PageData& d) {
  std::string out = page_head("lookout", kRefresh);
  out += header(d);
  if (!d.error.empty()) {
    append(out, {"<p class=\"trouble\">Database: ", html_escaped(d.error), "</p>\n"});
  }
  if (d.trouble_since_ms != 0) {
    append(out, {"<p class=\"trouble\">Nothing is stored since ", time_text(d.trouble_since_ms), " (",
                 ago(d.trouble_since_ms, d.now_ms), "): ", html_escaped(d.write_error), "</p>\n"});
  }
  append(out, {regions_table(d), releases_table(d), events_table(d), deliveries_table(d),
               subscriptions_table(d), "</body></html>\n"});
  return out;
}

}  // namespace pintle::lookout
