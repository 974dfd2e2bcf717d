// The clusters that are watched. Those of the configuration's file are changed there.
#include <algorithm>

#include "base/strings.h"
#include "lookout/api/handlers.h"
#include "lookout/api/json.h"
#include "lookout/config/settings.h"

namespace pintle::lookout {
namespace {

Result<RegionStatus> region_of(Backend& b, std::string_view name) {
  for (RegionStatus& r : b.hooks.regions()) {
    if (r.config.name == name) return std::move(r);
  }
  return Error(cat("there is no region \"", name, "\""), Code::kNotFound);
}

Result<RegionConfig> own_region(Backend& b, std::string_view name) {
  const auto config = b.hooks.config();
  for (const RegionConfig& r : config->regions) {
    if (r.name != name) continue;
    if (r.of_api) return r;
    return Error(cat("the configuration's file has the region \"", name, "\": change it there"),
                 Code::kFailedPrecondition);
  }
  return Error(cat("there is no region \"", name, "\""), Code::kNotFound);
}

}  // namespace

Result<Answer> list_regions(Backend& b, const Call& c) {
  return named_page(c, b.hooks.regions(), [](const RegionStatus& r) { return r.config.name; },
                    region_json);
}

Result<Answer> show_region(Backend& b, const Call& c) {
  return Answer{region_json(TRY(region_of(b, c.names[0])))};
}

Result<Answer> add_region(Backend& b, const Call& c) {
  const Setting made = TRY(region_setting(c.body, *b.hooks.config()));
  TRY(take_setting(b, c, made));
  return Answer{region_json(TRY(region_of(b, made.name)))};
}

Result<Answer> change_region(Backend& b, const Call& c) {
  const RegionConfig before = TRY(own_region(b, c.names[0]));
  TRY(take_setting(b, c, TRY(region_setting(c.body, *b.hooks.config(), &before))));
  return Answer{region_json(TRY(region_of(b, before.name)))};
}

Result<Answer> remove_region(Backend& b, const Call& c) {
  TRY(own_region(b, c.names[0]));
  return remove_setting(b, c, kRegionSetting, c.names[0]);
}

Result<Answer> show_region_health(Backend& b, const Call& c) {
  const RegionStatus r = TRY(region_of(b, c.names[0]));
  int64_t lists = 0, expired = 0, oldest_ms = 0;
  for (const WatchStatus& w : r.watches) {
    lists += static_cast<int64_t>(w.lists);
    expired += static_cast<int64_t>(w.expired);
    if (w.heard_ms != 0) oldest_ms = oldest_ms == 0 ? w.heard_ms : std::min(oldest_ms, w.heard_ms);
  }
  return Answer{Data()
                    .text("name", r.config.name)
                    .raw("healthy", is_well(r.state) ? "true" : "false")
                    .text("state", r.state)
                    .text("error", r.error)
                    .number("since_ms", r.since_ms)
                    .number("last_event_ms", r.last_event_ms)
                    .number("checkpoint_age_ms", oldest_ms == 0 ? 0 : b.now_ms() - oldest_ms)
                    .number("lists", lists)
                    .number("expired", expired)
                    .number("broken", static_cast<int64_t>(r.broken))
                    .number("gaps", static_cast<int64_t>(r.gaps))
                    .number("held_bytes", static_cast<int64_t>(r.held_bytes))
                    .raw("watches", watches_json(r))
                    .take()};
}

Result<Answer> list_gaps(Backend& b, const Call& c) {
  const auto gaps = TRY(b.store.gaps(c.number("after"), c.limit()));
  return Answer{items_json(gaps, gap_json, gaps.empty() ? 0 : gaps.back().id)};
}

}  // namespace pintle::lookout
