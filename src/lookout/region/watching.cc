// How a kind is watched, and what becomes of what is heard of it: the observer's word on each change
// goes to the writer, with a checkpoint when all before it has gone there, and a gap where something
// was lost.
#include <algorithm>

#include "base/strings.h"
#include "lookout/region/region.h"
#include "lookout/region/watch.h"
#include "lookout/track/release_payload.h"

namespace pintle::lookout {
namespace {

constexpr int64_t kHourMs = 3'600'000;
// How far clocks of clusters may be from ours. Telling again what has an exact key is harmless.
constexpr int64_t kSlackMs = 60'000, kExactSlackMs = 11 * 60'000;
constexpr int64_t kCheckpointMs = 10'000;  // how often one is stored that brings nothing else
// The state of a checkpoint that cannot be gone on from; why is behind it.
constexpr std::string_view kLost = "lost: ";

}  // namespace

void WatchedRegion::leave_watches() {
  std::vector<std::unique_ptr<Watch>> gone;
  {
    Lock held(mutex_);
    gone.swap(watches_);
  }
  if (const auto cluster = rest()) shared_.factory.remove(cluster);
}

Status WatchedRegion::watch_everywhere(std::string group, std::string version, std::string plural,
                                       std::string kind, std::string labels, std::string fields) {
  if (config_.namespaces.empty())
    return add_watch(group, version, plural, kind, "", labels, fields);
  for (const std::string& space : config_.namespaces) {
    TRY(add_watch(group, version, plural, kind, space, labels, fields));
  }
  return ok();
}

Status WatchedRegion::add_watch(std::string group, std::string version, std::string plural,
                                std::string kind, std::string name_space, std::string labels,
                                std::string fields) {
  auto watch = std::make_unique<Watch>();
  Watch& w = *watch;
  w.name = group.empty() ? plural : cat(plural, '.', group);
  w.checkpoint = cat(w.name, name_space.empty() ? "" : "@", name_space,
                     labels == "OWNER=TILLER" ? "@tiller" : "");
  w.resource.group = std::move(group);
  w.resource.version = std::move(version);
  w.resource.plural = std::move(plural);
  w.resource.kind = std::move(kind);
  w.resource.name_space = std::move(name_space);
  w.resource.label_selector = std::move(labels);
  w.resource.field_selector = std::move(fields);

  informer::InformerOptions options;
  options.keep_text = false;
  options.reflector.stream_lists = true;
  options.reflector.keep_place = true;
  options.reflector.lists_alone = true;  // some wait for others' (watch.h)
  options.on_error = [this, &w](const Error& e) { on_error(w, e); };
  if (w.name == "events") {
    options.reflector.transform = informer::drop_managed_fields();
  } else if (is_release_record(w.name)) {
    options.reflector.transform = condense_release;
    options.reflector.stream_lists = false;
    options.recreated_apart = true;
    options.on_first_list = [&w](const std::vector<informer::ObjectPtr>& list) {
      Lock held(w.first_mutex);
      w.first = list;
    };
    options.reflector.order = [](const informer::Object& a, const informer::Object& b) {
      return comes_before(a.key(), b.key());
    };
  } else {
    options.reflector.transform = trim_managed_fields;
  }
  // What a server that is behind would tell was told.
  std::string cluster_uid;
  {
    Lock held(mutex_);
    cluster_uid = cluster_uid_;
  }
  std::string least = TRY(shared_.store.newest_version(cluster_uid, w.name));
  {
    Lock held(mutex_);
    const auto stored =
        std::find_if(checkpoints_.begin(), checkpoints_.end(),
                     [&](const Checkpoint& c) { return c.resource == w.checkpoint; });
    if (stored != checkpoints_.end()) {
      const bool exact = is_release_record(w.name) || w.name == "jobs.batch" ||
                         w.resource.group == "apps";
      observer_->tracker().set_baseline(
          w.name, stored->observed_ms - (exact ? kExactSlackMs : kSlackMs), false);
      w.version = stored->version;
      w.heard_ms = stored->observed_ms;
      const bool lost = stored->state.starts_with(kLost);
      if (lost) w.lost = Gap{w.name, w.heard_ms, now_ms(), w.version, stored->state.substr(kLost.size())};
      w.follows = w.name == "events" && !stored->version.empty() && !lost;
      if (w.follows) options.reflector.start_version = stored->version;
    } else {
      observer_->tracker().set_baseline(w.name, now_ms() - kHourMs, true);
    }
    options.reflector.least_version = number_of(w.version) > number_of(least) ? w.version : std::move(least);
  }
  w.informer = TRY(shared_.factory.informer(rest(), w.resource, std::move(options)));
  // It hears once the factory starts it, which is after it stands among the others.
  w.registration = TRY(w.informer->add_handler(
      [this, &w](const informer::Change& c) { return hear(w, c); }, {.bookmarks = true}));
  Lock held(mutex_);
  watches_.push_back(std::move(watch));
  return ok();
}

void WatchedRegion::on_error(Watch& w, const Error& error) {
  switch (informer::refusal_of(error)) {
    case informer::Refusal::kDenied:
      w.unknown_user = error.find<kube::ApiStatus>()->code == 401;
      w.denied = true;
      break;
    case informer::Refusal::kAbsent:
      w.absent = true;
      break;
    case informer::Refusal::kTooLarge:
      expect_old_versions(w.informer->counters().last_version);
      break;
    default:
      break;
  }
  if (const auto* back = error.find<informer::WentBack>()) {
    expect_old_versions(back->from);
    w.set_back = true;
    shared_.log("WARN", "the cluster was restored",
                {{"region", config_.name}, {"resource", w.name}, {"error", error.text()}});
  }
  shared_.log("DEBUG", "a list or watch has ended",
              {{"region", config_.name}, {"resource", w.name}, {"error", error.text()}});
}

void WatchedRegion::expect_old_versions(std::string_view below) {
  uint64_t before = reused_below_;
  const uint64_t now = number_of(below);
  while (before < now && !reused_below_.compare_exchange_weak(before, now)) {
  }
}

// The gap is stored with the first checkpoint beyond it, so once, whoever is killed meanwhile. Until then
// the checkpoint before it says why what follows is lost.
void WatchedRegion::note_gap(Watch& w, int64_t now, std::string cause, Batch& batch) {
  if (w.heard_ms != 0) {
    batch.checkpoints.push_back({w.checkpoint, w.version, w.heard_ms, cat(kLost, cause)});
  }
  if (w.lost && !w.follows) {  // the list in place of what was lost is not over
    w.lost->cause = std::move(cause);
    return;
  }
  tell_gap(w, batch);
  w.follows = false;
  w.passed.clear();
  w.lost = Gap{w.name, w.heard_ms, now, w.version, std::move(cause)};
}

// With a checkpoint that lies beyond it.
void WatchedRegion::tell_gap(Watch& w, Batch& batch) {
  if (!w.lost) return;
  ++gaps_;
  batch.gaps.push_back(*std::exchange(w.lost, std::nullopt));
}

// What was between the state that the server was restored to and the last that was heard is gone.
void WatchedRegion::tell_set_back(Watch& w, int64_t now, Batch& batch) {
  note_gap(w, now, "the server was restored from an older state", batch);
  batch.checkpoints.push_back(
      {std::string(kReused), std::to_string(reused_below_.load()), now, "watching"});
}

informer::Take WatchedRegion::hear(Watch& w, const informer::Change& change) {
  Lock held(mutex_);
  if (turn_ != kEventsTurn && turn_of(w.name) > turn_) return informer::Take::kLater;
  if (is_release_record(w.name) && !compared_.contains(w.name)) {
    poke();
    return informer::Take::kLater;
  }
  if (!shared_.writer.has_room(id_)) return informer::Take::kLater;
  const int64_t now = now_ms();
  w.denied = w.absent = w.unknown_user = false;
  Batch batch = blank();
  if (w.set_back.exchange(false)) tell_set_back(w, now, batch);
  // A list in place of the history that the watch wanted: what came and ran out meanwhile is in none.
  if (change.listed || change.kind == informer::Change::Kind::kBookmark) {
    const uint64_t expired = w.informer->counters().expired;
    const bool lost = std::exchange(w.expired, expired) != expired;
    if (lost && w.follows && w.name == "events" && now - w.heard_ms > config_.event_ttl_ms) {
      note_gap(w, now, "the watch could not go on where it ended, and Events have run out since", batch);
    }
  }
  if (change.kind == informer::Change::Kind::kBookmark) {
    if (!std::exchange(w.follows, true) && w.lost) w.lost->to_ms = now;
    w.version = change.version;
    w.heard_ms = now;
    if (turn_ != kEventsTurn) poke();
    (void)observer_->hear(w.name, change, now, batch);
    w.dirty = w.dirty || !batch.events.empty();
    if (!w.dirty && !w.lost && batch.checkpoints.empty() && now - w.stored_ms < kCheckpointMs) {
      return informer::Take::kTaken;
    }
    const int64_t held = w.name == "events" ? observer_->holds_since_ms() : 0;
    if (const std::string safe = w.safe_version(now, held); !safe.empty()) {
      w.dirty = false;
      w.stored_ms = now;
      std::erase_if(batch.checkpoints, [&](const Checkpoint& c) { return c.resource == w.checkpoint; });
      batch.checkpoints.push_back({w.checkpoint, safe, now, "watching"});
      tell_gap(w, batch);
    }
    if (!batch.checkpoints.empty() || !batch.events.empty()) shared_.writer.push(std::move(batch));
    return informer::Take::kTaken;
  }
  ++heard_;
  if (w.follows && change.listed &&
      (change.final_state_unknown || informer::older_version(w.version, change.object->resource_version()))) {
    note_gap(w, now, "the watch could not go on where it ended, as when the server's history is compacted",
             batch);
  }
  if (const Status heard = observer_->hear(w.name, change, now, batch); !heard) {
    ++broken_;
    shared_.log("WARN", "an object cannot be read",
                {{"region", config_.name}, {"resource", w.name}, {"error", heard.error().text()}});
  }
  if (w.name == "events") last_event_ms_ = now;
  for (Observation& o : batch.observations) {
    o.reused = !change.final_state_unknown && number_of(o.version) <= reused_below_;
  }
  if (batch.observations.empty() && batch.events.empty() && batch.checkpoints.empty() && batch.told.empty()) {
    return informer::Take::kTaken;
  }
  w.dirty = true;
  shared_.writer.push(std::move(batch));
  return informer::Take::kTaken;
}

}  // namespace pintle::lookout
