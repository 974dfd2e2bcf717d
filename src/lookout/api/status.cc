// The service itself: the page, its health, its metrics and what the API is.
#include <algorithm>

#include "lookout/api/handlers.h"
#include "lookout/api/metrics.h"
#include "lookout/api/openapi.h"
#include "lookout/api/page.h"

namespace pintle::lookout {
namespace {

constexpr int kPageRows = 50;

}  // namespace

Result<Answer> show_page(Backend& b, const Call&) {
  PageData d;
  d.now_ms = b.now_ms();
  d.regions = b.hooks.regions();
  d.releases = b.hooks.releases();
  const auto take = [&](auto result, auto& to) {
    if (result) {
      to = std::move(*result);
    } else {
      d.error = result.error().text();
    }
  };
  EventQuery query;
  query.newest_first = true;
  query.limit = 10 * kPageRows;
  take(b.store.events(query), d.events);
  std::erase_if(d.events, [](const auto& e) { return e.event.type == "kubernetes.event"; });
  if (d.events.size() > kPageRows) d.events.resize(kPageRows);
  take(b.store.subscriptions(), d.subscriptions);
  DeliveryQuery some;
  some.limit = kPageRows;
  some.newest_first = true;
  some.latest = true;
  some.state = DeliveryState::kDead;
  take(b.store.deliveries(some), d.dead);
  some.state = DeliveryState::kRetry;
  take(b.store.deliveries(some), d.waiting);
  return Answer{status_page(d)};
}

Result<Answer> show_health(Backend&, const Call&) { return Answer{"ok\n"}; }

Result<Answer> show_ready(Backend& b, const Call&) {
  if (const auto last = b.store.last_sequence(); !last) {
    return Error(last.error().text(), Code::kUnavailable);
  }
  return Answer{"ok\n"};
}

Result<Answer> show_metrics(Backend& b, const Call&) {
  return Answer{metrics_text({b.hooks.regions(), b.hooks.written(), b.hooks.delivered(),
                              b.store.statements(), b.streams(), b.hooks.restart_wanted().size()})};
}

Result<Answer> show_openapi(Backend&, const Call&) { return Answer{openapi_json()}; }

}  // namespace pintle::lookout
