// The page is one column of tables. On a narrow screen each row is a card, its cells one below the
// other with their heads in front (data-h); colours follow the reader's light or dark. A state is
// told by its word, its colour only helps.
#include "lookout/api/page.h"

#include <algorithm>
#include <span>

#include "base/strings.h"
#include "lookout/api/json.h"
#include "lookout/fields.h"
#include "lookout/observe.h"
#include "lookout/sinks/body.h"

namespace pintle::lookout {
namespace {

constexpr size_t kMostRows = 50;
constexpr size_t kMessageBytes = 300;

std::string ago(int64_t ms, int64_t now_ms) {
  if (ms == 0) return "";
  const int64_t s = std::max<int64_t>(0, now_ms - ms) / 1000;
  if (s < 120) return cat(s, " s ago");
  if (s < 7200) return cat(s / 60, " min ago");
  if (s < 172'800) return cat(s / 3600, " h ago");
  return cat(s / 86'400, " d ago");
}

// ---- states and their colours: "good", "warn", "bad", or none

struct Look {
  std::string_view state, mark;
};
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
constexpr Look kDeliveryLooks[] = {{"dead", "bad"}, {"retry", "warn"}};
constexpr Look kSeverityLooks[] = {{"error", "bad"}, {"warning", "warn"}};

std::string_view mark_of(std::span<const Look> looks, std::string_view state) {
  for (const Look& l : looks) {
    if (l.state == state) return l.mark;
  }
  return "";
}

// ---- cells and tables

std::string plain(std::string_view text) { return html_escaped(text); }

std::string strong(std::string_view text) { return cat("<b>", html_escaped(text), "</b>"); }

std::string pill(std::string_view text, std::string_view mark) {
  return cat("<span class=\"pill ", mark, "\">", html_escaped(text), "</span>");
}

// How long ago; the time itself when pointed at.
std::string time_cell(int64_t ms, int64_t now_ms) {
  if (ms == 0) return "";
  return cat("<time title=\"", time_text(ms), "\">", ago(ms, now_ms), "</time>");
}

class Table {
 public:
  Table(std::string_view title, std::vector<std::string_view> heads) : heads_(std::move(heads)) {
    append(out_, {"<section><h2>", title, "</h2>\n<table><thead><tr>"});
    for (const std::string_view head : heads_) append(out_, {"<th>", head, "</th>"});
    out_ += "</tr></thead><tbody>\n";
  }
  // Cells are HTML; an empty one is left out on a narrow screen.
  void row(std::string_view mark, const std::vector<std::string>& cells) {
    append(out_, {"<tr class=\"", mark, "\">"});
    for (size_t i = 0; i < cells.size(); ++i) {
      append(out_, {"<td data-h=\"", heads_[i], "\">", cells[i], "</td>"});
    }
    out_ += "</tr>\n";
    ++rows_;
  }
  std::string take(std::string_view none) {
    if (rows_ == 0) {
      append(out_, {"<tr><td class=\"none\" colspan=\"", cat(heads_.size()), "\">", none,
                    "</td></tr>\n"});
    }
    return out_ += "</tbody></table></section>\n";
  }

 private:
  std::vector<std::string_view> heads_;
  std::string out_;
  size_t rows_ = 0;
};

constexpr std::string_view kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>lookout</title>
<meta http-equiv="refresh" content="15">
<meta name="viewport" content="width=device-width,initial-scale=1">
<style>
:root{color-scheme:light dark;--back:#f6f7f9;--card:#fff;--text:#1c2430;--dim:#5d6878;--line:#e3e6eb;
--good:#1a7f43;--good-back:#e3f5ea;--warn:#8a5a00;--warn-back:#fff2d6;--bad:#b3261e;--bad-back:#fde8e6}
@media (prefers-color-scheme:dark){:root{--back:#12161c;--card:#1a2028;--text:#e2e7ee;--dim:#96a1b1;
--line:#2b333e;--good:#6fd596;--good-back:#173524;--warn:#f0c060;--warn-back:#3a2d10;--bad:#ff9d94;
--bad-back:#431f1c}}
*{box-sizing:border-box}
body{font:14px/1.45 system-ui,sans-serif;margin:0 auto;max-width:88rem;padding:1.2rem 1rem 3rem;
background:var(--back);color:var(--text)}
h1{font-size:1.4rem;margin:0}h2{font-size:1rem;margin:0;padding:.8rem 1rem .6rem}
header{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;align-items:baseline;margin-bottom:1rem}
header span{color:var(--dim)}header b{color:var(--text);font-size:1.05rem}
.trouble{background:var(--bad-back);color:var(--bad);border-radius:.5rem;padding:.7rem 1rem}
section{background:var(--card);border:1px solid var(--line);border-radius:.6rem;margin:0 0 1rem;
overflow:hidden}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.4rem .6rem;vertical-align:top;border-top:1px solid var(--line)}
th{color:var(--dim);font-weight:500;font-size:.85rem;white-space:nowrap}
td{overflow-wrap:anywhere}th:first-child,td:first-child{padding-left:1rem}
td:last-child,th:last-child{padding-right:1rem}
td[data-h=subject]{min-width:17rem}time{white-space:nowrap;color:var(--dim)}.none{color:var(--dim)}
.pill{display:inline-block;padding:0 .5rem;border-radius:1rem;background:var(--line);
white-space:nowrap;overflow-wrap:normal}
.pill.good{background:var(--good-back);color:var(--good)}
.pill.warn{background:var(--warn-back);color:var(--warn)}
.pill.bad{background:var(--bad-back);color:var(--bad)}
tr.bad td:first-child{box-shadow:inset 3px 0 var(--bad)}
tr.warn td:first-child{box-shadow:inset 3px 0 var(--warn)}
@media (max-width:48rem){thead{display:none}table,tbody,tr,td{display:block;width:100%}
tr{border-top:1px solid var(--line);padding:.5rem 0}
td,td:first-child,td:last-child{border:0;padding:.1rem 1rem .1rem 8.2rem;position:relative}
td[data-h]::before{content:attr(data-h);position:absolute;left:1rem;color:var(--dim);
font-size:.85rem}td[data-h=subject]{min-width:0}td:empty{display:none}td.none{padding:.2rem 1rem}
tr.bad,tr.warn{box-shadow:inset 3px 0 var(--warn)}tr.bad{box-shadow:inset 3px 0 var(--bad)}
tr.bad td:first-child,tr.warn td:first-child{box-shadow:none}}
</style></head><body>
)";

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

std::string deliveries_table(const PageData& d) {
  const auto name_of = [&](int64_t id) {
    for (const Subscription& s : d.subscriptions) {
      if (s.id == id) return s.name;
    }
    return cat(id);
  };
  Table out("Deliveries that wait or are given up",
            {"delivery", "event", "subscription", "state", "attempts", "due", "why"});
  for (const auto* list : {&d.dead, &d.waiting}) {
    for (const Delivery& one : *list) {
      const std::string_view state = state_name(one.state), mark = mark_of(kDeliveryLooks, state);
      const std::string due = one.state == DeliveryState::kDead || one.due_ms == 0
                                  ? ""
                                  : time_text(one.due_ms).substr(0, 19);
      out.row(mark, {cat(one.id), cat(one.event_sequence), plain(name_of(one.subscription_id)),
                     pill(state, mark), cat(one.attempts), due, plain(one.dead_reason)});
    }
  }
  return out.take("None.");
}

}  // namespace

std::string html_escaped(std::string_view text) {
  static constexpr std::pair<char, std::string_view> kEscapes[] = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  std::string out;
  for (const char c : text) {
    const auto* it = std::find_if(std::begin(kEscapes), std::end(kEscapes),
                                  [&](const auto& e) { return e.first == c; });
    if (it == std::end(kEscapes)) {
      out += c;
    } else {
      out += it->second;
    }
  }
  return out;
}

std::string status_page(const PageData& d) {
  std::string out(kHead);
  out += header(d);
  if (!d.error.empty()) {
    append(out, {"<p class=\"trouble\">Database: ", html_escaped(d.error), "</p>\n"});
  }
  if (d.trouble_since_ms != 0) {
    append(out, {"<p class=\"trouble\">Nothing is stored since ", time_text(d.trouble_since_ms), " (",
                 ago(d.trouble_since_ms, d.now_ms), "): ", html_escaped(d.write_error), "</p>\n"});
  }
  append(out, {regions_table(d), releases_table(d), events_table(d), deliveries_table(d),
               "</body></html>\n"});
  return out;
}

}  // namespace pintle::lookout
