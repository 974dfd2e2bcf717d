// The pages are one column of tables. On a narrow screen each row is a card, its cells one below the
// other with their heads in front (data-h); colours follow the reader's light or dark. A state is
// told by its word, its colour only helps.
#include "lookout/api/page_parts.h"

#include <algorithm>

#include "base/strings.h"
#include "lookout/api/json.h"
#include "lookout/sinks/body.h"

namespace pintle::lookout {
namespace {

constexpr Look kDeliveryLooks[] = {{"dead", "bad"}, {"retry", "warn"}, {"succeeded", "good"}};

constexpr std::string_view kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8">
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
a{color:inherit;text-underline-offset:.15em}
nav{margin-bottom:1rem;color:var(--dim)}
form{display:inline-block;margin:0 .3rem .2rem 0}
button{font:inherit;font-size:.85rem;padding:.1rem .7rem;border:1px solid var(--line);
border-radius:.4rem;background:var(--back);color:var(--text);cursor:pointer}
button:hover,button:focus-visible{border-color:var(--dim)}
pre{margin:0;padding:.2rem 1rem 1rem;white-space:pre-wrap;overflow-wrap:anywhere;
font:12px/1.5 ui-monospace,monospace}
.more{margin:0;padding:.6rem 1rem}.note{margin:0 0 1rem;padding:.7rem 1rem;border-radius:.5rem}
.note.good{background:var(--good-back);color:var(--good)}
.note.bad{background:var(--bad-back);color:var(--bad)}
.pill.good{background:var(--good-back);color:var(--good)}
.pill.warn{background:var(--warn-back);color:var(--warn)}
.pill.bad{background:var(--bad-back);color:var(--bad)}
tr.bad td:first-child{box-shadow:inset 3px 0 var(--bad)}
tr.warn td:first-child{box-shadow:inset 3px 0 var(--warn)}
@media (max-width:48rem){thead{display:none}table,tbody,tr,td{display:block;width:100%}
tr{border-top:1px solid var(--line);padding:.5rem 0}
td,td:first-child,td:last-child{border:0;padding:.1rem 1rem .1rem 8.2rem;position:relative}
td[data-h]::before{content:attr(data-h);position:absolute;left:1rem;color:var(--dim);
font-size:.85rem}td[data-h=subject]{min-width:0}td:empty{display:none}
td[data-h=""]{padding-left:1rem}td.none{padding:.2rem 1rem}
tr.bad,tr.warn{box-shadow:inset 3px 0 var(--warn)}tr.bad{box-shadow:inset 3px 0 var(--bad)}
tr.bad td:first-child,tr.warn td:first-child{box-shadow:none}}
</style></head><body>
)";

// A form that only posts: its address says what it does.
std::string button(std::string_view path, std::string_view what) {
  return cat("<form method=\"post\" action=\"", path, "/", what, "\"><button>", what, "</button></form>");
}

}  // namespace

std::string ago(int64_t ms, int64_t now_ms) {
  if (ms == 0) return "";
  const int64_t s = std::max<int64_t>(0, now_ms - ms) / 1000;
  if (s < 120) return cat(s, " s ago");
  if (s < 7200) return cat(s / 60, " min ago");
  if (s < 172'800) return cat(s / 3600, " h ago");
  return cat(s / 86'400, " d ago");
}

std::string_view mark_of(std::span<const Look> looks, std::string_view state) {
  for (const Look& l : looks) {
    if (l.state == state) return l.mark;
  }
  return "";
}

std::string plain(std::string_view text) { return html_escaped(text); }

std::string strong(std::string_view text) { return cat("<b>", html_escaped(text), "</b>"); }

std::string pill(std::string_view text, std::string_view mark) {
  return cat("<span class=\"pill ", mark, "\">", html_escaped(text), "</span>");
}

std::string time_cell(int64_t ms, int64_t now_ms) {
  if (ms == 0) return "";
  return cat("<time title=\"", time_text(ms), "\">", ago(ms, now_ms), "</time>");
}

std::string link(std::string_view path, std::string_view text) {
  return cat("<a href=\"", path, "\"><b>", html_escaped(text), "</b></a>");
}

std::string_view delivery_mark(DeliveryState state) {
  const std::string_view mark = mark_of(kDeliveryLooks, state_name(state));
  return mark == "good" ? "" : mark;
}

std::string delivery_pill(DeliveryState state) {
  return pill(state_name(state), mark_of(kDeliveryLooks, state_name(state)));
}

std::string due_text(const Delivery& d) {
  const bool waits = d.state == DeliveryState::kPending || d.state == DeliveryState::kRetry;
  return waits && d.due_ms != 0 ? time_text(d.due_ms).substr(0, 19) : "";
}

std::string types_text(const Subscription& s) {
  return s.filter.types.empty() ? "everything" : join(s.filter.types, ", ");
}

SubscriptionLook look_of(const Subscription& s) {
  if (!s.enabled) return {"disabled", "warn"};
  return s.paused ? SubscriptionLook{"paused", "warn"} : SubscriptionLook{"active", "good"};
}

std::string state_text(const Subscription& s) {
  const SubscriptionLook look = look_of(s);
  const std::string why = plain(s.paused_why);
  return cat(pill(look.word, look.mark), why.empty() ? "" : " ", why);
}

std::string subscription_buttons(const Subscription& s, std::string_view path) {
  return cat(button(path, "test"), button(path, s.paused ? "resume" : "pause"));
}

std::string delivery_buttons(const Delivery& d, std::string_view path) {
  if (d.state == DeliveryState::kLeased) return "";
  const bool waits = d.state == DeliveryState::kPending || d.state == DeliveryState::kRetry;
  return button(path, waits ? "skip" : "resend");
}

Table::Table(std::string_view title, std::vector<std::string_view> heads) : heads_(std::move(heads)) {
  append(out_, {"<section><h2>", title, "</h2>\n<table><thead><tr>"});
  for (const std::string_view head : heads_) append(out_, {"<th>", head, "</th>"});
  out_ += "</tr></thead><tbody>\n";
}

void Table::row(std::string_view mark, const std::vector<std::string>& cells) {
  append(out_, {"<tr class=\"", mark, "\">"});
  for (size_t i = 0; i < cells.size(); ++i) {
    append(out_, {"<td data-h=\"", heads_[i], "\">", cells[i], "</td>"});
  }
  out_ += "</tr>\n";
  ++rows_;
}

std::string Table::take(std::string_view none) {
  if (rows_ == 0) {
    append(out_, {"<tr><td class=\"none\" colspan=\"", cat(heads_.size()), "\">", none,
                  "</td></tr>\n"});
  }
  return out_ += "</tbody></table></section>\n";
}

std::string page_head(std::string_view title, std::string_view refresh) {
  const std::string again =
      refresh.empty() ? "" : cat("<meta http-equiv=\"refresh\" content=\"", refresh, "\">\n");
  return replace_all(kHead, "<style>", cat("<title>", html_escaped(title), "</title>\n", again, "<style>"));
}

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

}  // namespace pintle::lookout
