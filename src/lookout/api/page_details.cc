// The pages behind the status page: a subscription with what it was told, and a delivery with its
// attempts and a command line that sends it by hand. What their buttons post comes back to them.
#include "base/strings.h"
#include "lookout/api/handlers.h"
#include "lookout/api/json.h"
#include "lookout/api/page_parts.h"
#include "lookout/deliver/request_text.h"
#include "lookout/deliver/trial.h"
#include "lookout/observe.h"
#include "lookout/sinks/body.h"

namespace pintle::lookout {
namespace {

constexpr int kRows = 50;
constexpr size_t kMessageBytes = 300;

bool may_operate(const Call& c) { return c.role >= Role::kOperate; }

std::string crumbs(std::string_view more) {
  return cat("<nav><a href=\"../../\">lookout</a> / ", more, "</nav>\n");
}

std::string section(std::string_view title, std::string_view text) {
  return cat("<section><h2>", title, "</h2>\n<pre>", html_escaped(text), "</pre></section>\n");
}

std::string attempts_table(const std::vector<Attempt>& attempts, bool admin, int64_t now_ms) {
  Table out("Attempts", {"attempt", "when", "took", "status", "answer", "sent to"});
  for (const Attempt& a : attempts) {
    const std::string_view mark = a.error.empty() ? "" : "bad";
    out.row(mark, {cat(a.n), time_cell(a.started_ms, now_ms), cat(a.took_ms, " ms"),
                   a.status == 0 ? "" : cat(a.status),
                   a.error.empty() ? pill("taken", "good") : plain(a.error), plain(a.peer)});
  }
  std::string text = out.take("It was not tried yet.");
  if (admin && !attempts.empty() && !attempts.back().response_head.empty()) {
    text += section("What the last one was answered", attempts.back().response_head);
  }
  return text;
}

Result<Delivery> delivery_of(Backend& b, const Call& c) {
  const int64_t id = TRY(id_of(c));
  DeliveryQuery query;
  query.after = id - 1;
  query.limit = 1;
  auto found = TRY(b.store.deliveries(query));
  if (found.empty() || found[0].id != id) {
    return Error(cat("there is no delivery ", id), Code::kNotFound);
  }
  return std::move(found[0]);
}

Result<Subscription> subscription_by_id(Backend& b, int64_t id) {
  for (Subscription& s : TRY(b.store.subscriptions())) {
    if (s.id == id) return std::move(s);
  }
  return Error("it is gone", Code::kNotFound);
}

// Those of the same event to the same subscription: it, and what it was sent again as.
Result<std::vector<Delivery>> generations(Backend& b, const Delivery& d) {
  DeliveryQuery query;
  query.event_sequence = d.event_sequence;
  query.subscription_id = d.subscription_id;
  query.limit = kRows;
  return b.store.deliveries(query);
}

std::string facts(const Delivery& d, const Result<StoredEvent>& e, const Result<Subscription>& s,
                  const Call& c, int64_t now_ms) {
  Table out("Delivery", {"state", "event", "of", "subscription", "why", ""});
  std::string what = cat(d.event_sequence), of;
  if (e) {
    what = cat(plain(headline(*e)), "<br>", time_cell(e->event.time_ms, now_ms), " ",
               plain(clean_text(e->event.message, kMessageBytes)));
    of = plain(subject_text(e->event.subject));
  }
  out.row(delivery_mark(d.state),
          {cat(delivery_pill(d.state), " ", due_text(d)), what, of,
           s ? link(cat("../subscriptions/", s->id), s->name) : "which is gone", plain(d.dead_reason),
           may_operate(c) && s ? delivery_buttons(d, cat(d.id)) : ""});
  return out.take("");
}

Answer back_to(std::string path) {
  Answer out;
  out.body = "";
  out.location = std::move(path);
  return out;
}

Answer done_with(Backend& b, std::string path) {
  b.hooks.wake();
  return back_to(std::move(path));
}

}  // namespace

Result<std::string> curl_of(Backend& b, const Delivery& d) {
  Claimed claimed;
  claimed.delivery = d;
  auto event = b.store.event(d.event_sequence);
  if (!event) return event.error().code() == Code::kNotFound ? Result<std::string>("") : event.error();
  auto to = b.store.whole_subscription(d.subscription_id);
  if (!to) return to.error().code() == Code::kNotFound ? Result<std::string>("") : to.error();
  claimed.event = std::move(*event);
  claimed.subscription = std::move(*to);
  return curl_text(claimed, b.now_ms());
}

Result<Answer> show_delivery_page(Backend& b, const Call& c) {
  const Delivery d = TRY(delivery_of(b, c));
  const auto event = b.store.event(d.event_sequence);
  const auto subscription = subscription_by_id(b, d.subscription_id);
  const int64_t now = b.now_ms();
  std::string out = page_head(cat("delivery ", d.id, " - lookout"));
  append(out, {crumbs(cat("delivery ", d.id)), facts(d, event, subscription, c, now),
               attempts_table(TRY(b.store.attempts(d.id)), c.role == Role::kAdmin, now)});
  const auto all = TRY(generations(b, d));
  if (all.size() > 1) {
    Table again("Sent again", {"delivery", "state", "attempts", "why"});
    for (const Delivery& other : all) {
      again.row(delivery_mark(other.state), {link(cat(other.id), cat(other.id)), delivery_pill(other.state),
                                             cat(other.attempts), plain(other.dead_reason)});
    }
    out += again.take("");
  }
  const std::string curl = TRY(curl_of(b, d));
  out += curl.empty() ? "<p class=\"more\">Nothing that curl could send.</p>\n"
                      : section("The same request by hand", curl);
  return Answer{out + "</body></html>\n"};
}

Result<Answer> show_subscription_page(Backend& b, const Call& c) {
  const Subscription s = TRY(subscription_of(b, c));
  std::string out = page_head(cat(s.name, " - lookout"));
  const SubscriptionLook look = look_of(s);
  Table head("Subscription", {"subscription", "sink", "of", "in order of", "state", ""});
  head.row(look.mark, {strong(s.name), plain(s.sink_kind), plain(types_text(s)), plain(s.order_by),
                       state_text(s), may_operate(c) ? subscription_buttons(s, cat(s.id)) : ""});
  append(out, {crumbs(plain(s.name)), head.take("")});
  DeliveryQuery query;
  query.subscription_id = s.id;
  query.newest_first = true;
  query.after = c.number("after");
  query.state = state_of(c.text("state"));
  query.limit = kRows;
  const DeliveryPage page = TRY(find_deliveries(b, query));
  Table list("What it was told", {"delivery", "event", "state", "attempts", "due", "why", ""});
  for (const Delivery& d : page.deliveries) {
    const auto e = b.store.event(d.event_sequence);
    list.row(delivery_mark(d.state),
             {link(cat("../deliveries/", d.id), cat(d.id)), e ? plain(headline(*e)) : cat(d.event_sequence),
              delivery_pill(d.state), cat(d.attempts), due_text(d), plain(d.dead_reason),
              may_operate(c) ? delivery_buttons(d, cat("../deliveries/", d.id)) : ""});
  }
  out += list.take(page.more ? "Nothing among those that were looked at." : "Nothing yet.");
  const std::string state = c.text("state");
  const std::string kept = state.empty() ? "" : cat("&amp;state=", html_escaped(state));
  out += "<p class=\"more\">";
  for (const std::string_view one : {"dead", "retry", "pending", "succeeded", "cancelled"}) {
    append(out, {"<a href=\"", cat(s.id), "?state=", one, "\">", one, "</a> "});
  }
  append(out, {"<a href=\"", cat(s.id), "\">all</a>"});
  if (page.more) {
    append(out, {" &middot; <a href=\"", cat(s.id), "?after=", cat(page.looked), kept, "\">older</a>"});
  }
  return Answer{out + "</p></body></html>\n"};
}

Result<Answer> post_test(Backend& b, const Call& c) {
  const Subscription s = TRY(subscription_of(b, c));
  const int64_t now = b.now_ms();
  const Attempt a = b.hooks.attempt(trial_of(TRY(b.store.whole_subscription(s.id)), now));
  std::string out = page_head(cat("a test of ", s.name, " - lookout"));
  // One level deeper than the pages that link here.
  append(out, {"<nav><a href=\"../../../\">lookout</a> / <a href=\"../", cat(s.id), "\">", plain(s.name),
               "</a> / test</nav>\n", "<p class=\"note ", a.error.empty() ? "good" : "bad", "\">",
               a.error.empty() ? "The test was taken." : "The test was not taken.", "</p>\n",
               attempts_table({a}, c.role == Role::kAdmin, now), "</body></html>\n"});
  return Answer{std::move(out), 200};
}

Result<Answer> post_pause(Backend& b, const Call& c) {
  TRY(pause_subscription(b, c));
  return back_to(cat("../", c.names[0]));
}

Result<Answer> post_resume(Backend& b, const Call& c) {
  TRY(resume_subscription(b, c));
  return back_to(cat("../", c.names[0]));
}

Result<Answer> post_resend(Backend& b, const Call& c) {
  const Delivery d = TRY(delivery_of(b, c));
  TRY(b.store.resend(d.id));
  const auto all = TRY(generations(b, d));
  return done_with(b, cat("../", all.empty() ? d.id : all.back().id));
}

Result<Answer> post_skip(Backend& b, const Call& c) {
  const Delivery d = TRY(delivery_of(b, c));
  TRY(b.store.skip(d.id));
  return done_with(b, cat("../", d.id));
}

}  // namespace pintle::lookout
