// The service itself: the page, its health, its metrics and what the API is.
#include <algorithm>
#include <optional>

#include "base/strings.h"
#include "lookout/api/handlers.h"
#include "lookout/api/metrics.h"
#include "lookout/api/openapi.h"
#include "lookout/api/page.h"

namespace pintle::lookout {
namespace {

constexpr int kPageRows = 50;

}  // namespace

Result<Answer> show_page(Backend& b, const Call& c) {
  PageData d;
  d.operate = c.role >= Role::kOperate;
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
  const Writer::Counters written = b.hooks.written();
  d.write_error = written.last_error;
  d.trouble_since_ms = written.trouble_since_ms;
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

// Ready: the database answers, and it is known which regions are this process's. What a cluster does,
// or a disk that is full, is told here too, and changes nothing about it: another process would be no
// better off.
Result<Answer> show_ready(Backend& b, const Call& c) {
  std::vector<std::string> reasons;
  std::string database = c.silent;
  if (database.empty()) {
    if (const auto last = b.store.last_sequence(); !last) database = last.error().text();
  }
  if (!database.empty()) reasons.push_back("the database does not answer: " + database);
  const std::string leader = b.hooks.leader_unknown();
  if (!leader.empty()) reasons.push_back(leader);
  const Writer::Counters written = b.hooks.written();
  size_t live = 0, regions = 0;
  for (const RegionStatus& r : b.hooks.regions()) {
    ++regions;
    live += is_well(r.state) || r.state == "elsewhere" ? 1 : 0;
  }
  const bool ready = reasons.empty();
  return Answer{Data()
                    .raw("ready", ready ? "true" : "false")
                    .raw("reasons", json_list(reasons))
                    .text("database", database.empty() ? "ok" : database)
                    .text("leader", leader.empty() ? "known" : "unknown")
                    .text("writing", written.trouble_since_ms == 0 ? "ok" : written.last_error)
                    .number("trouble_since_ms", written.trouble_since_ms)
                    .raw("regions", cat(regions))
                    .raw("regions_live", cat(live))
                    .take(),
                ready ? 200 : 503};
}

Result<Answer> show_metrics(Backend& b, const Call& c) {
  MetricsData d{b.hooks.regions(), b.hooks.written(),    b.hooks.delivered(),
                b.hooks.cleaned(), std::nullopt,         b.store.statements(),
                b.streams(),       b.hooks.restart_wanted().size()};
  if (c.silent.empty()) {
    if (auto depth = b.store.outbox_depth()) d.outbox = *depth;
  }
  return Answer{metrics_text(d)};
}

Result<Answer> show_openapi(Backend&, const Call&) { return Answer{openapi_json()}; }

}  // namespace pintle::lookout
