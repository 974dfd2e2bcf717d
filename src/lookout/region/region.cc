#include "lookout/region/region.h"

#include <algorithm>

#include "base/strings.h"
#include "crypt/crypt.h"
#include "kube/config.h"
#include "lookout/config/kubeconfig_text.h"
#include "lookout/fields.h"
#include "lookout/region/lost.h"
#include "lookout/region/watch.h"
#include "lookout/track/release_payload.h"

namespace pintle::lookout {
namespace {

constexpr int64_t kHourMs = 3'600'000;
// How far clocks of clusters may be from ours. Telling again what has an exact key is harmless.
constexpr int64_t kSlackMs = 60'000, kExactSlackMs = 11 * 60'000;
constexpr int64_t kCheckpointMs = 10'000;  // how often one is stored that brings nothing else
constexpr int64_t kTurnsMs = 15'000;  // how long one kind waits for another's list
constexpr int64_t kRequestMs = 5'000;
constexpr size_t kMaxAnswer = 1 << 20;
constexpr int64_t kCareMs = 1'000;

// The checkpoint that keeps reused_below_.
constexpr std::string_view kReused = "@reused";
// The state of a checkpoint that cannot be gone on from; why is behind it.
constexpr std::string_view kLost = "lost: ";

uint64_t number_of(std::string_view version) {
  return informer::version_number(version).value_or(0);
}

kube::ConfigFlags flags_of(const RegionConfig& c) {
  kube::ConfigFlags flags;
  if (c.kubeconfig != "in-cluster") flags.kubeconfig = c.kubeconfig;
  flags.context = c.context;
  return flags;
}

// The pod's own account wants no kubeconfig of the environment's.
class InCluster : public sys::Environ {
 public:
  explicit InCluster(const sys::Environ& real) : real_(real) {}
  std::optional<std::string> find(const std::string& name) const override {
    return name == "KUBECONFIG" || name == "HOME" ? std::nullopt : real_.find(name);
  }
  std::vector<std::pair<std::string, std::string>> all() const override { return real_.all(); }

 private:
  const sys::Environ& real_;
};

Result<kube::ClientConfig> client_config(const RegionConfig& c, sys::Disk& disk,
                                         const sys::Environ& environ) {
  if (!c.kubeconfig_text.empty()) return client_config_of_text(c.kubeconfig_text, c.context);
  if (c.kubeconfig != "in-cluster") return kube::client_config(flags_of(c), disk, environ);
  return kube::client_config(flags_of(c), disk, InCluster(environ));
}

}  // namespace

// What the cluster said of itself.
struct WatchedRegion::Answer {
  Mutex mutex;
  std::string text GUARDED_BY(mutex);
  std::optional<Status> end GUARDED_BY(mutex);
};

WatchedRegion::WatchedRegion(RegionConfig config, RegionShared shared,
                             std::shared_ptr<const Rules> rules, TrackerOptions tracker,
                             bool raw_events)
    : config_(std::move(config)),
      shared_(std::move(shared)),
      tracker_options_(tracker),
      rules_(std::move(rules)),
      raw_events_(raw_events) {
  state_since_ms_ = now_ms();
}

WatchedRegion::~WatchedRegion() { stop(); }

Status WatchedRegion::check() const {
  TRY(client_config(config_, shared_.disk, shared_.environ));
  return ok();
}

std::string WatchedRegion::credentials() const {
  const auto c = client_config(config_, shared_.disk, shared_.environ);
  if (!c) return crypt::sha256(c.error().text());
  std::string all;
  for (const std::string_view part :
       {std::string_view(c->server), std::string_view(c->ca_pem), std::string_view(c->certificate_pem),
        std::string_view(c->key_pem), std::string_view(c->tls_server_name), std::string_view(c->proxy),
        std::string_view(c->token_file.empty() ? c->token : c->token_file), std::string_view(c->username),
        std::string_view(c->password), std::string_view(c->as_user)}) {
    append(all, {std::to_string(part.size()), ":", part});
  }
  if (c->exec) append(all, {c->exec->command, "\n", join(c->exec->args, "\n")});
  return crypt::sha256(all);
}

Result<std::shared_ptr<kube::Rest>> WatchedRegion::connection() {
  Lock held(mutex_);
  if (!rest_) rest_ = TRY(connect(shared_.engine));
  return rest_;
}

Result<std::shared_ptr<kube::Rest>> WatchedRegion::connect(const std::shared_ptr<http::Engine>& engine) const {
  const auto config = TRY(client_config(config_, shared_.disk, shared_.environ));
  if (shared_.connect) return shared_.connect(config);
  std::shared_ptr<kube::Rest> made = TRY(kube::connect(config, {.user_agent = "pintled-lookout",
                                                                .environ = &shared_.environ,
                                                                .engine = engine,
                                                                .aside = shared_.aside}));
  return made;
}

std::shared_ptr<kube::Rest> WatchedRegion::rest() const {
  Lock held(mutex_);
  return rest_;
}

void WatchedRegion::ask(std::function<void()> answered) {
  Lock connecting(connect_mutex_);
  asking_.reset();
  auto answer = std::make_shared<Answer>();
  std::shared_ptr<kube::Rest> before;  // ends behind the lock
  if (std::exchange(answer_, answer)) {
    Lock held(mutex_);  // it failed: its configuration may have changed since
    before = std::move(rest_);
  }
  const auto cluster = stopped_ ? Result<std::shared_ptr<kube::Rest>>(Error("stopped")) : connection();
  if (!cluster) {
    {
      Lock held(answer->mutex);
      answer->end = cluster.error();
    }
    return answered();
  }
  kube::Call call;
  call.path = "/api/v1/namespaces/kube-system";
  call.timeout_ms = kRequestMs;
  asking_ = (*cluster)->open(
      call,
      [answer](std::string_view piece) {
        Lock held(answer->mutex);
        answer->text.append(piece);
        return answer->text.size() > kMaxAnswer ? kube::Rest::Flow::kStop : kube::Rest::Flow::kContinue;
      },
      [answer, answered = std::move(answered)](Status end) {
        {
          Lock held(answer->mutex);
          answer->end.emplace(std::move(end));
        }
        answered();
      });
}

Status WatchedRegion::take(int64_t epoch) {
  Lock connecting(connect_mutex_);
  if (stopped_ || !answer_) return ok();
  const Status taken = take_answer(epoch);
  if (!taken) leave_watches();  // some may stand already, and would stand twice
  hindered(taken ? std::nullopt : std::optional(taken.error()));
  return taken;
}

void WatchedRegion::hindered(std::optional<Error> why) {
  Lock held(mutex_);
  failure_ = std::move(why);
}

Status WatchedRegion::take_answer(int64_t epoch) {
  http::Response answer;
  {
    Lock held(answer_->mutex);
    if (!answer_->end) return Error(Code::kUnavailable, "the cluster has not answered");
    TRY(*answer_->end);
    answer.body = std::move(answer_->text);
  }
  asking_.reset();
  const auto space = TRY(kube::decode(answer));
  const std::string uid(text_at(space, {"metadata", "uid"}));
  if (uid.empty()) return Error("namespace kube-system has no uid", Code::kDataLoss);

  const auto region =
      TRY(shared_.store.put_region({0, config_.name, uid, config_.environment, true, 0}));
  epoch_ = TRY(shared_.store.take_region(region.id, shared_.owner, epoch));
  auto checkpoints = TRY(shared_.store.checkpoints(region.id));
  const auto counts = TRY(shared_.store.counts(uid, "events"));

  {
    Lock held(mutex_);
    id_ = region.id;
    cluster_uid_ = uid;
    checkpoints_ = std::move(checkpoints);
    for (const Checkpoint& c : checkpoints_) {
      if (c.resource == kReused) reused_below_ = number_of(c.version);
    }
    observer_ = std::make_unique<Observer>(config_.name, uid, *rules_, tracker_options_);
    observer_->set_raw_events(raw_events_);
    observer_->know_counts(counts);
    connected_ms_ = now_ms();
  }
  shared_.writer.attach(region.id, [this] {
    Lock held(mutex_);
    for (const auto& w : watches_) w->registration->resume();
  });
  TRY(watch_everywhere("", "v1", "secrets", "Secret", "owner=helm", "type=helm.sh/release.v1"));
  TRY(watch_everywhere("", "v1", "configmaps", "ConfigMap", "owner=helm", ""));
  for (const auto& [plural, kind] : {std::pair{"secrets", "Secret"}, {"configmaps", "ConfigMap"}}) {
    TRY(watch_everywhere("", "v1", plural, kind, "OWNER=TILLER", ""));
  }
  TRY(watch_everywhere("apps", "v1", "deployments", "Deployment", "", ""));
  TRY(watch_everywhere("apps", "v1", "statefulsets", "StatefulSet", "", ""));
  TRY(watch_everywhere("apps", "v1", "daemonsets", "DaemonSet", "", ""));
  TRY(watch_everywhere("batch", "v1", "jobs", "Job", "", ""));
  TRY(watch_everywhere("", "v1", "pods", "Pod", "", ""));
  TRY(watch_definition(kRollouts));
  TRY(watch_definition(kApplications));
  shared_.factory.start();
  connected_ = true;
  shared_.log("INFO", "region connected",
              {{"region", config_.name},
               {"server", rest()->server()},
               {"epoch", std::to_string(epoch_)}});
  return ok();
}

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

Batch WatchedRegion::blank() const {
  Batch b;
  b.region_id = id_;
  b.region = config_.name;
  b.cluster_uid = cluster_uid_;
  b.epoch = epoch_;
  return b;
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

bool WatchedRegion::watches_events() const {
  return std::any_of(watches_.begin(), watches_.end(), [](const auto& w) { return w->name == "events"; });
}

void WatchedRegion::poke() {
  poked_ = true;
  shared_.poke();
}

// True: there is one, and it is heard from now on.
void WatchedRegion::next_turns(int64_t now) {
  if (turn_ == kEventsTurn) return;
  int turn = kEventsTurn;
  for (const auto& w : watches_) {
    const bool listed = w->registration->synced() || w->denied || w->absent;
    if (!listed && now - connected_ms_ <= kTurnsMs) turn = std::min<int>(turn, turn_of(w->name));
  }
  if (turn <= turn_) return;
  turn_ = turn;
  for (const auto& w : watches_) w->registration->resume();
}

bool WatchedRegion::care() {
  const int64_t now = now_ms();
  if (!poked_.exchange(false) && now - cared_ms_ < kCareMs) return false;
  cared_ms_ = now;
  if (!connected_ || stopped_) return check_health(now);
  care_for_argo();
  keep_within_memory();
  tell_lost(now);
  bool start_events = false;
  {
    Lock held(mutex_);
    next_turns(now);
    start_events = turn_ == kEventsTurn && !watches_events();
  }
  if (start_events) {
    if (watch_everywhere("", "v1", "events", "Event", "", "")) {
      shared_.factory.start();
    } else {
      drop_watch("events");  // the store is away, and some of its namespaces may stand: at the next look
    }
  }
  {
    Lock held(mutex_);
    const int64_t due = observer_->next_tick_ms();
    Batch batch = blank();
    if (due != 0 && due <= now) observer_->tick(now, batch);
    if (!batch.events.empty()) shared_.writer.push(std::move(batch));
  }
  return check_health(now);
}

// Once for each kind of records, when all of it is listed; what is heard of others meanwhile does not
// wait for the database. Of a kind that cannot be listed, or not in time, nothing is told.
void WatchedRegion::tell_lost(int64_t now) {
  for (const std::string_view resource : kReleaseRecords) {
    Batch batch;
    std::vector<informer::ObjectPtr> listed;
    bool all = true, awaited = false;
    {
      Lock held(mutex_);
      if (compared_.contains(resource)) continue;
      for (const auto& w : watches_) {
        if (w->name != resource) continue;
        Lock one(w->first_mutex);
        all = all && w->first;
        awaited = awaited || !(w->first || w->denied || w->absent);
        if (w->first) listed.insert(listed.end(), w->first->begin(), w->first->end());
      }
      if (awaited && now - connected_ms_ <= kTurnsMs) continue;
      batch = blank();
    }
    if (all) {
      const Status found =
          find_lost(shared_.store, listed, resource, config_.namespaces, now, batch);
      if (!found && found.error().code() == Code::kUnavailable) continue;  // asked again soon
      if (!found) {
        shared_.log("WARN", "what was uninstalled meanwhile is not known",
                    {{"region", config_.name}, {"error", found.error().text()}});
      }
      if (found && !batch.observations.empty()) shared_.writer.push(std::move(batch));
    }
    Lock held(mutex_);
    compared_.insert(resource);
    for (const auto& w : watches_) {
      if (w->name != resource) continue;
      {
        Lock one(w->first_mutex);
        w->first.reset();
      }
      w->registration->resume();
    }
  }
}

void WatchedRegion::stop() {
  if (stopped_.exchange(true)) return;
  Lock connecting(connect_mutex_);
  asking_.reset();
  if (const auto cluster = rest()) shared_.factory.remove(cluster);
  int64_t id = 0;
  {
    Lock held(mutex_);
    id = id_;
    if (observer_) {
      Batch batch = blank();
      observer_->flush(batch);
      if (!batch.events.empty()) shared_.writer.push(std::move(batch));
    }
  }
  if (id != 0) shared_.writer.detach(id);
}

void WatchedRegion::set_rules(std::shared_ptr<const Rules> rules, bool raw_events) {
  Lock held(mutex_);
  rules_ = std::move(rules);
  raw_events_ = raw_events;
  if (!observer_) return;
  observer_->set_rules(*rules_);
  observer_->set_raw_events(raw_events);
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
