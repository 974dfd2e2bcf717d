#include "lookout/region/region.h"

#include <algorithm>

#include "base/strings.h"
#include "crypt/crypt.h"
#include "kube/config.h"
#include "lookout/config/kubeconfig_text.h"
#include "lookout/fields.h"
#include "lookout/region/lost.h"
#include "lookout/region/watch.h"

namespace pintle::lookout {
namespace {

constexpr int64_t kTurnsMs = 15'000;  // how long one kind waits for another's list
constexpr int64_t kRequestMs = 5'000;
constexpr size_t kMaxAnswer = 1 << 20;
constexpr int64_t kCareMs = 1'000;

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

Batch WatchedRegion::blank() const {
  Batch b;
  b.region_id = id_;
  b.region = config_.name;
  b.cluster_uid = cluster_uid_;
  b.epoch = epoch_;
  return b;
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

}  // namespace pintle::lookout
