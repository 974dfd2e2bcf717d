// How well a region is watched, as it is shown, and who is told: region.unhealthy when it has been
// unwell for a minute, region.healthy when it is well again, each once an episode. The store remembers
// which was told last, so an episode goes on over restarts, and several lookouts that cannot reach one
// cluster tell it once.
#include <algorithm>

#include "base/strings.h"
#include "lookout/fields.h"
#include "lookout/region/region.h"
#include "lookout/region/watch.h"

namespace pintle::lookout {
namespace {

constexpr int64_t kUnhealthyMs = 60'000;
constexpr int64_t kAgainMs = 10'000;  // between looks into the store
constexpr int64_t kHourMs = 3'600'000;
// A checkpoint this young: somebody watches. Bookmarks come each minute, or it is stale there.
constexpr int64_t kWatchedMs = 180'000;

std::string_view refused_state(const Error& e) {
  const auto* status = e.find<kube::ApiStatus>();
  const int code = status != nullptr ? status->code : 0;
  return code == 401 ? "auth failed" : code == 403 ? "denied" : "unreachable";
}

bool is_unwell(std::string_view state) {
  return state == "unreachable" || state == "auth failed" || state == "denied" || state == "stale" ||
         state == "memory";
}

Result<int64_t> last_told(Store& store, std::string_view region, std::string_view type) {
  EventQuery query;
  query.type = type;
  query.region = region;
  query.newest_first = true;
  query.limit = 1;
  const auto events = TRY(store.events(query));
  return events.empty() ? 0 : events[0].sequence;
}

}  // namespace

bool is_well(std::string_view state) { return state == "live" || state == "partial"; }

std::string WatchedRegion::state_now(std::string& error) const {
  if (!config_.enabled) return "disabled";
  error = failure_ ? failure_->text() : "";
  if (!connected_) return std::string(failure_ ? refused_state(*failure_) : "connecting");
  bool watching = true, synced = watches_events(), trying = false, silent = false, unknown = false;
  size_t denied = 0, all = 0;
  // Where definitions may not be read nobody knows whether these exist.
  const bool sure = std::none_of(watches_.begin(), watches_.end(), [](const auto& w) {
    return w->name == kDefinitions && w->denied;
  });
  std::string refused;
  for (const auto& w : watches_) {
    const bool maybe = w->name == kRollouts || w->name == kApplications;
    unknown = unknown || w->unknown_user;
    if (w->denied && refused.empty()) refused = w->informer->counters().last_error;
    if (w->absent || w->name == kDefinitions || (w->denied && maybe && !sure)) continue;
    ++all;
    if (w->denied) {
      ++denied;
      continue;
    }
    const bool live = w->informer->watching();
    synced = synced && w->registration->synced();
    if (live) continue;
    watching = false;
    const std::string why = w->informer->counters().last_error;
    const bool lost = w->informer->lost();
    silent = silent || lost;
    trying = trying || (!lost && !why.empty());
    if (!why.empty()) error = why;
  }
  const bool none = all > 0 && denied == all;
  if (unknown || none) error = refused;
  if (unknown) return "auth failed";
  if (none) return "denied";
  if (!watching && trying) return "unreachable";
  if (silent) return "stale";
  if (const auto kinds = unwatched(); !kinds.empty()) {
    error = cat("it may hold ", config_.memory_mb, " MiB: ", join(kinds, ", "), " not watched");
    return "memory";
  }
  if (!synced || !watching) return "syncing";
  if (denied > 0) error = refused;
  return denied > 0 ? "partial" : "live";
}

bool WatchedRegion::check_health(int64_t now) {
  bool live_now = false, tell = false, well = false;
  {
    Lock held(mutex_);
    std::string error;
    const std::string state = state_now(error);
    well = is_well(state);
    live_now = state != state_ && well;
    if (state != state_) {
      state_ = state;
      state_since_ms_ = now;
      const bool trouble = is_unwell(state) || !error.empty();
      shared_.log(trouble ? "WARN" : "INFO", "region is " + state,
                  {{"region", config_.name}, {"error", error}});
    }
    if (well) {
      unwell_since_ms_ = 0;
    } else if (unwell_since_ms_ == 0 && is_unwell(state)) {
      unwell_since_ms_ = now;
    }
    tell = well ? told_unhealthy_.value_or(true)
                : is_unwell(state) && !told_unhealthy_.value_or(false) &&
                      now - unwell_since_ms_ > kUnhealthyMs;
  }
  if (!tell || now < tell_try_ms_) return live_now;
  tell_try_ms_ = now + kAgainMs;
  if (const Status told = tell_health(well, now); !told) {
    shared_.log("WARN", "a region's health cannot be told",
                {{"region", config_.name}, {"error", told.error().text()}});
  }
  return live_now;
}

// Whether another lookout, which reaches the cluster, has it.
bool WatchedRegion::watched_elsewhere(int64_t region_id, int64_t now) const {
  const auto known = shared_.store.checkpoints(region_id);
  return known && std::any_of(known->begin(), known->end(), [&](const Checkpoint& c) {
           return now - c.observed_ms < kWatchedMs;
         });
}

// Reads the store, so it holds nothing up. Error: try again.
Status WatchedRegion::tell_health(bool well, int64_t now) {
  const std::string_view type = well ? "region.healthy" : "region.unhealthy";
  const int64_t bad = TRY(last_told(shared_.store, config_.name, "region.unhealthy"));
  const int64_t good = TRY(last_told(shared_.store, config_.name, "region.healthy"));
  if (!told_unhealthy_) told_unhealthy_ = bad > good;
  if (*told_unhealthy_ != well) return ok();
  Batch batch;
  bool reached = false;
  {
    Lock held(mutex_);
    batch = blank();
    reached = id_ != 0;
  }
  if (!reached) {
    const Region row =
        TRY(shared_.store.put_region({0, config_.name, "", config_.environment, true, 0}));
    if (watched_elsewhere(row.id, now)) return ok();
    batch.region_id = row.id;
    batch.cluster_uid = row.cluster_uid;
    batch.epoch = row.epoch;
  }
  Lock held(mutex_);
  std::string error;
  Event e;
  e.type = type;
  e.severity = well ? Severity::kInfo : Severity::kError;
  e.subject.kind = "Region";
  e.subject.name = config_.name;
  e.reason = state_now(error);
  e.message = clean_text(error);
  e.time_ms = well ? state_since_ms_ : unwell_since_ms_;
  e.data = Data().text("state", e.reason).text("error", e.message).take();
  // One after the last word that was the other, whoever says it.
  const int64_t other = well ? bad : good;
  e.dedup_key = cat("region/", config_.name, '/', type, '/',
                    other != 0 ? cat(other) : cat('h', e.time_ms / kHourMs));
  batch.events.push_back(std::move(e));
  shared_.writer.push(std::move(batch));
  told_unhealthy_ = !well;
  tell_try_ms_ = 0;
  return ok();
}

RegionStatus WatchedRegion::status() const {
  Lock held(mutex_);
  RegionStatus s;
  s.config = config_;
  s.cluster_uid = cluster_uid_;
  s.server = rest_ ? rest_->server() : "";
  s.state = state_now(s.error);
  s.since_ms = state_since_ms_;
  s.last_event_ms = last_event_ms_;
  s.heard = heard_;
  s.gaps = gaps_;
  s.broken = broken_;
  if (observer_) {
    s.broken += observer_->tracker().broken_payloads();
    s.tracked = observer_->tracker().size();
    s.held_bytes = held_bytes();
  }
  for (const auto& w : watches_) {
    const informer::Counters c = w->informer->counters();
    WatchStatus out;
    out.resource = w->checkpoint.empty() ? w->name : w->checkpoint;
    out.state = w->denied                ? "denied"
                : w->absent              ? "absent"
                : w->informer->watching() ? "live"
                : w->informer->lost()    ? "stale"
                : c.last_error.empty()   ? "syncing"
                                         : "waiting";
    out.version = c.last_version;
    out.error = c.last_error;
    out.heard_ms = w->heard_ms;
    out.lists = c.lists;
    out.expired = c.expired;
    out.skipped = c.skipped_frames + c.transform_failures + c.handler_failures;
    out.objects = c.objects;
    out.list_ms = static_cast<int64_t>(c.list_ns / 1'000'000);
    out.list_items = c.list_items;
    out.watches = c.watches;
    out.short_watches = c.short_watches;
    out.watch_items = c.watch_items;
    out.watch_ms = c.watch_ns / 1'000'000;
    out.queued = c.queued;
    s.watches.push_back(std::move(out));
  }
  return s;
}

std::vector<Tracker::Release> WatchedRegion::releases() const {
  Lock held(mutex_);
  return observer_ ? observer_->tracker().releases() : std::vector<Tracker::Release>();
}

}  // namespace pintle::lookout
