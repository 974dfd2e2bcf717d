// What was to be told: look, send again, skip.
#include <climits>
#include <iterator>

#include "base/strings.h"
#include "json/json.h"
#include "lookout/api/handlers.h"
#include "lookout/api/json.h"
#include "lookout/config/section.h"

namespace pintle::lookout {
namespace {

constexpr int64_t kMostAtOnce = 1000;
constexpr int kRowsAtOnce = 5'000;  // a reader of the store is held for some 20 ms

Result<Answer> changed(Backend& b, Status done) {
  TRY(std::move(done));
  b.hooks.wake();
  return Answer{};
}

}  // namespace

Result<DeliveryPage> find_deliveries(Backend& b, DeliveryQuery query, int stretches) {
  DeliveryPage out;
  out.looked = query.after;
  out.more = true;
  const auto most = static_cast<size_t>(query.limit);
  for (; out.more && out.deliveries.size() < most && stretches > 0 && !b.stopped(); --stretches) {
    query.limit = static_cast<int>(most - out.deliveries.size());
    DeliveryPage page = TRY(b.store.look(query, kRowsAtOnce));
    std::move(page.deliveries.begin(), page.deliveries.end(), std::back_inserter(out.deliveries));
    query.after = out.looked = page.looked;
    out.more = page.more;
  }
  return out;
}

// Where few fit, it ends after so many rows with `more`, and `next` goes on behind them.
Result<Answer> list_deliveries(Backend& b, const Call& c) {
  DeliveryQuery query;
  query.subscription_id = c.number("subscription");
  query.event_sequence = c.number("event");
  query.from_ms = c.number("from");
  query.to_ms = c.number("to");
  query.newest_first = c.flag("newest");
  query.after = c.number("after");
  query.limit = c.limit();
  query.state = state_of(c.text("state"));
  const DeliveryPage page = TRY(find_deliveries(b, query));
  const auto& found = page.deliveries;
  std::string out = items_json(found, delivery_json, page.more       ? page.looked
                                                     : found.empty() ? 0
                                                                     : found.back().id);
  const bool full = static_cast<int>(found.size()) == query.limit;
  if (page.more && !full) out.insert(out.size() - 1, ",\"more\":true");
  return Answer{std::move(out)};
}

Result<Answer> show_delivery(Backend& b, const Call& c) {
  const int64_t id = TRY(id_of(c));
  DeliveryQuery query;
  query.after = id - 1;
  query.limit = 1;
  const auto found = TRY(b.store.deliveries(query));
  if (found.empty() || found[0].id != id) {
    return Error(cat("there is no delivery ", id), Code::kNotFound);
  }
  const std::string attempts = items_json(TRY(b.store.attempts(id)), [&](const Attempt& a) {
    return attempt_json(a, c.role);
  });
  const std::string curl = TRY(curl_of(b, found[0]));
  return Answer{cat("{\"delivery\":", delivery_json(found[0]), ",\"curl\":", json::quoted(curl), ",",
                    attempts.substr(1))};
}

Result<Answer> resend_delivery(Backend& b, const Call& c) {
  return changed(b, b.store.resend(TRY(id_of(c))));
}

Result<Answer> skip_delivery(Backend& b, const Call& c) {
  return changed(b, b.store.skip(TRY(id_of(c))));
}

// Those that were sent again before are passed over, so asking twice sends nothing twice.
Result<Answer> resend_deliveries(Backend& b, const Call& c) {
  const SectionText text = TRY(SectionText::json(c.body.empty() ? "{}" : c.body));
  Section top = text.top();
  DeliveryQuery query;
  std::string state = "dead";
  int64_t limit = kMostAtOnce;
  top.number("subscription", query.subscription_id, 1, INT64_MAX);
  top.text("state", state);
  top.number("from", query.from_ms, 0, INT64_MAX);
  top.number("to", query.to_ms, 0, INT64_MAX);
  top.number("limit", limit, 1, kMostAtOnce);
  TRY(top.end());
  query.state = state_of(state);
  if (query.state != DeliveryState::kDead && query.state != DeliveryState::kSucceeded &&
      query.state != DeliveryState::kCancelled) {
    return top.error("state", "want \"dead\", \"succeeded\" or \"cancelled\"");
  }
  query.latest = true;
  query.limit = static_cast<int>(limit);
  const auto found = TRY(find_deliveries(b, query, INT_MAX)).deliveries;
  int64_t resent = 0;
  for (const Delivery& d : found) {
    const Status done = b.store.resend(d.id);
    if (done) ++resent;
    // Its subscription is gone, or someone was faster: the others matter.
    const bool its_own = done || done.error().code() == Code::kNotFound ||
                         done.error().code() == Code::kFailedPrecondition;
    if (!its_own) return done.error();
  }
  b.hooks.wake();
  return Answer{Data()
                    .raw("resent", cat(resent))
                    .raw("more", static_cast<int64_t>(found.size()) == limit ? "true" : "false")
                    .take()};
}

}  // namespace pintle::lookout
