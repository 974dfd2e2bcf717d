// WatchedRegion: one watched cluster: its connection, its informers and its observer. What they
// hear goes to the writer; while that has no room the informers wait.
//
// Starting is: ask for the cluster's uid (that of namespace kube-system), take the region in the
// store, list all the tracker knows, and only then the Events. All is listed at once but heard by
// turns (watch.h), so that what belongs to a release finds it and its owners: also after a restart.
// Release records are heard once what ended meanwhile is told (lost.h).
// Events are watched from the stored checkpoint on. The kinds of Argo are watched while their
// definitions exist; where definitions may not be read they are simply tried.
//
// Nothing here waits for a cluster: ask() sends and returns, what may block besides (exec plugins,
// token files) is left to `aside`; so hundreds start at once, and a dead one holds up no other.
//
// ask(), take() and care() run on threads of lookout's, one call at a time; the handlers on the
// factory's delivery loop; status() and the others on any. No thread of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/mutex.h"
#include "http/http.h"
#include "informer/factory.h"
#include "kube/rest.h"
#include "lookout/config/config.h"
#include "lookout/observe.h"
#include "lookout/store.h"
#include "lookout/writer.h"
#include "sys/clock.h"
#include "sys/disk.h"
#include "sys/environ.h"

namespace pintle::lookout {

// What regions share; all outlive them.
struct RegionShared {
  Store& store;
  Writer& writer;
  informer::Factory& factory;
  sys::Clock& clock;
  sys::Disk& disk;
  const sys::Environ& environ;
  Log log;
  std::string owner;  // this process
  std::function<void()> poke;  // care() is wanted soon
  std::shared_ptr<http::Engine> engine, lease_engine;  // the I/O threads of its connections
  std::function<void(std::function<void()> task)> aside;  // for what may block
  // Makes its connection; empty: kube::connect. Tests put a scripted server here.
  std::function<Result<std::shared_ptr<kube::Rest>>(const kube::ClientConfig& config)> connect = {};
};

struct WatchStatus {
  std::string resource, state;  // "live", "syncing", "absent", "denied", "waiting", "stale"
  std::string version, error;
  int64_t heard_ms = 0;
  uint64_t lists = 0, expired = 0, objects = 0;
  uint64_t skipped = 0;  // not heard: frames of another kind, objects too long, what a transform or handler failed at
  int64_t list_ms = 0;  // that its lists took in all
  uint64_t list_items = 0, watches = 0, short_watches = 0, watch_items = 0;
  int64_t watch_ms = 0;  // that its watches which ended lasted in all
  uint64_t queued = 0;   // changes that wait to be heard
};

bool is_well(std::string_view region_state);

struct RegionStatus {
  RegionConfig config;
  std::string cluster_uid, server;
  // Well: "live"; "partial": some kinds are refused (403), the rest is live. On the way: "connecting",
  // "syncing"; "disabled". Unwell: "unreachable"; "auth failed": its credentials are (401), at the start or since;
  // "denied": all is refused (403); "memory": it held more than it may, so some kinds are not
  // watched, until they fit again (memory.cc) or it is configured anew; "stale": it was live, its API server has fallen silent
  // (reflector.h), and what is shown of it may be old.
  std::string state;
  std::string error;
  int64_t since_ms = 0;  // in this state
  int64_t last_event_ms = 0;
  uint64_t heard = 0, broken = 0, gaps = 0;
  size_t tracked = 0;
  size_t held_bytes = 0;  // roughly: the heads of objects, and what the tracker knows
  std::optional<bool> leader;  // whether its Lease is this process's; nullopt: it has none
  std::vector<WatchStatus> watches;
};

class WatchedRegion {
 public:
  WatchedRegion(RegionConfig config, RegionShared shared, std::shared_ptr<const Rules> rules,
                TrackerOptions tracker, bool raw_events);
  ~WatchedRegion();  // stop()

  // Whether its kubeconfig can be read; reads files only.
  Status check() const;
  // A digest of what it connects with: its kubeconfig and the certificates that names, read anew. Tokens
  // of a file and of a plugin are not in it: the connection looks after those itself.
  std::string credentials() const;
  // Asks the cluster who it is. `answered` runs once, perhaps at once, or on a thread that must not
  // be held up; then take() says how it went.
  void ask(std::function<void()> answered);
  // Takes the region in the store with this epoch (0: the next one) and starts its watches. Error:
  // the cluster cannot be reached, ask again; kFailedPrecondition: a newer epoch has it.
  Status take(int64_t epoch);
  // Why it cannot even be asked: its Lease, which is in its cluster. nullopt: nothing hinders.
  void hindered(std::optional<Error> why);
  // To its API server; made at the first call, which sends nothing.
  Result<std::shared_ptr<kube::Rest>> connection();
  // Another one, that no watch holds up: for its Lease.
  Result<std::shared_ptr<kube::Rest>> lease_connection() const { return connect(shared_.lease_engine); }
  bool connected() const { return connected_; }
  int64_t epoch() const { return epoch_; }  // 0: not taken yet
  // Everything that is due: Events once the rest is there, kinds that came or went, stuck releases,
  // its health. Short. True when it has just become live: all was listed.
  bool care();
  void stop();

  // shared_ptr: the observer uses them until the next are set.
  void set_rules(std::shared_ptr<const Rules> rules, bool raw_events);
  const RegionConfig& config() const { return config_; }
  RegionStatus status() const;
  std::vector<Tracker::Release> releases() const;

 private:
  struct Watch;
  struct Answer;
  Result<std::shared_ptr<kube::Rest>> connect(const std::shared_ptr<http::Engine>& engine) const;
  Status take_answer(int64_t epoch) REQUIRES(connect_mutex_);
  void tell_lost(int64_t now_ms);
  bool watches_events() const REQUIRES(mutex_);
  void next_turns(int64_t now_ms) REQUIRES(mutex_);
  void poke();
  // watching.cc
  void leave_watches() REQUIRES(connect_mutex_);
  Status watch_everywhere(std::string group, std::string version, std::string plural,
                          std::string kind, std::string labels, std::string fields);
  Status add_watch(std::string group, std::string version, std::string plural, std::string kind,
                   std::string name_space, std::string labels, std::string fields);
  void on_error(Watch& watch, const Error& error);
  void expect_old_versions(std::string_view below);
  void note_gap(Watch& watch, int64_t now_ms, std::string cause, Batch& batch) REQUIRES(mutex_);
  void tell_gap(Watch& watch, Batch& batch) REQUIRES(mutex_);
  void tell_set_back(Watch& watch, int64_t now_ms, Batch& batch) REQUIRES(mutex_);
  informer::Take hear(Watch& watch, const informer::Change& change);
  // kinds.cc
  Status watch_definition(std::string_view name);
  void care_for_argo();
  void drop_watch(std::string_view resource);
  // memory.cc
  void keep_within_memory();
  void give_up(std::string_view kind, int64_t now_ms) REQUIRES(mutex_);
  std::vector<std::string> unwatched() const REQUIRES(mutex_);
  size_t held_bytes() const REQUIRES(mutex_);
  // health.cc
  bool check_health(int64_t now_ms);
  Status tell_health(bool well, int64_t now_ms);
  bool watched_elsewhere(int64_t region_id, int64_t now_ms) const;
  std::string state_now(std::string& error) const REQUIRES(mutex_);

  Batch blank() const REQUIRES(mutex_);
  std::shared_ptr<kube::Rest> rest() const EXCLUDES(mutex_);
  int64_t now_ms() const { return shared_.clock.now_ns() / 1'000'000; }

  const RegionConfig config_;
  RegionShared shared_;
  const TrackerOptions tracker_options_;
  std::atomic<int64_t> epoch_{0};
  std::atomic<bool> connected_{false}, stopped_{false};
  std::atomic<bool> poked_{false};
  // The server was restored: a version up to this one may be another state's than the one stored.
  std::atomic<uint64_t> reused_below_{0};

  // care()'s.
  int64_t cared_ms_ = 0, argo_tried_ms_ = 0;
  // Whether the last word on its health was bad; nullopt: the store knows.
  std::optional<bool> told_unhealthy_;
  int64_t unwell_since_ms_ = 0;  // 0: it is well
  int64_t tell_try_ms_ = 0;

  Mutex connect_mutex_;  // held by ask, take and stop
  std::shared_ptr<Answer> answer_ GUARDED_BY(connect_mutex_);  // shared with the request that fills it
  std::unique_ptr<kube::Rest::Pending> asking_ GUARDED_BY(connect_mutex_);
  mutable Mutex mutex_;
  std::shared_ptr<kube::Rest> rest_ GUARDED_BY(mutex_);  // shared with the factory
  std::shared_ptr<const Rules> rules_ GUARDED_BY(mutex_);
  bool raw_events_ GUARDED_BY(mutex_);
  int64_t id_ GUARDED_BY(mutex_) = 0;
  std::string cluster_uid_ GUARDED_BY(mutex_);
  std::optional<Error> failure_ GUARDED_BY(mutex_);  // why it is not connected
  std::vector<Checkpoint> checkpoints_ GUARDED_BY(mutex_);  // as they were at the start
  std::unique_ptr<Observer> observer_ GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Watch>> watches_ GUARDED_BY(mutex_);
  int64_t connected_ms_ GUARDED_BY(mutex_) = 0;
  int64_t last_event_ms_ GUARDED_BY(mutex_) = 0;
  // The versions that Argo's kinds are to be watched in; "": they are not there.
  std::string rollouts_version_ GUARDED_BY(mutex_);
  std::string applications_version_ GUARDED_BY(mutex_);
  // Kinds that were given up for want of memory, the last one last.
  struct Shed {
    enum State : uint8_t { kGone, kTried, kBack };  // kTried: it is listed, to see whether it fits
    std::string_view kind;
    State state = kGone;
    int64_t since_ms = 0;  // gone, or back
    int64_t wait_ms = 0;   // after it was given up last
  };
  std::vector<Shed> shed_ GUARDED_BY(mutex_);
  int turn_ GUARDED_BY(mutex_) = 0;  // whose is heard; it only grows
  std::set<std::string_view> compared_ GUARDED_BY(mutex_);  // of kReleaseRecords, with the store: heard
  std::string state_ GUARDED_BY(mutex_) = "connecting";
  int64_t state_since_ms_ GUARDED_BY(mutex_) = 0;
  uint64_t heard_ GUARDED_BY(mutex_) = 0;
  uint64_t broken_ GUARDED_BY(mutex_) = 0;
  uint64_t gaps_ GUARDED_BY(mutex_) = 0;
};

}  // namespace pintle::lookout
