#include "lookout/region/regions.h"

#include <malloc.h>

#include <algorithm>
#include <chrono>

#include "base/strings.h"

namespace pintle::lookout {
namespace {

constexpr auto kCareEvery = std::chrono::seconds(1);
constexpr int64_t kPresentMs = 8'000;  // a process not heard of for so long is gone
constexpr int kPlugins = 4;            // that run at a time
// States that were stored since memory was given back: so many in all, or before it became quiet.
constexpr uint64_t kMany = 20'000, kBurst = 1'000, kQuiet = 50;

}  // namespace

Regions::Regions(RegionsOptions options)
    : options_(std::move(options)),
      engines_{http::make_engine(), http::make_engine()},
      lease_engine_(http::make_engine()),
      plugins_(kPlugins) {
  if (options_.lease_namespace.empty()) return;
  share_ = std::make_unique<Share>(
      options_.clock,
      ShareOptions{.name_space = options_.lease_namespace,
                   .owner = options_.owner,
                   .log = options_.log,
                   .meet = [this] { return options_.store.meet(options_.owner, kPresentMs); },
                   .changed = [this] { stir(); }});
}

Regions::~Regions() {
  stop();
  give_back();
}

Regions::Region Regions::make(const RegionConfig& config) {
  const auto aside = [this](std::function<void()> task) { plugins_.run(std::move(task)); };
  const auto& engine = engines_[std::hash<std::string>()(config.name) % engines_.size()];
  return std::make_shared<WatchedRegion>(
      config,
      RegionShared{options_.store, options_.writer, factory_, options_.clock, options_.disk,
                   options_.environ, options_.log, options_.owner, [this] { poke(); }, engine,
                   lease_engine_, aside},
      rules_, tracker_, raw_events_);
}

Regions::Slot Regions::slot_for(const RegionConfig& config) {
  Slot slot;
  slot.region = make(config);
  slot.credentials = slot.region->credentials();
  return slot;
}

Status Regions::check(const Config& config, std::optional<std::string_view> only) {
  for (const RegionConfig& c : config.regions) {
    if (only && c.name != *only) continue;
    Region tried;
    {
      Lock held(mutex_);
      tried = make(c);
    }
    if (const Status readable = tried->check(); !readable) {
      return Error::wrap(cat("region \"", c.name, "\""), readable.error());
    }
  }
  return ok();
}

// Whether its credentials, which are configured as they were, are the same, or cannot be told.
bool Regions::keeps(Slot& slot) const {
  const RegionConfig& config = slot.region->config();
  slot.unreadable.clear();
  if (slot.region->credentials() == slot.credentials) return true;
  const Status readable = slot.region->check();
  if (readable) return false;
  slot.unreadable = readable.error().text();
  options_.log("WARN", "a region's kubeconfig cannot be read: it goes on with the one it had",
               {{"region", config.name}, {"error", slot.unreadable}});
  return true;
}

void Regions::set(const Config& config, std::shared_ptr<const Rules> rules) {
  const auto in = [&](const auto& same) {
    return std::any_of(config.regions.begin(), config.regions.end(), same);
  };
  std::vector<Region> gone;
  {
    Lock held(mutex_);
    const bool tracks_anew = !(config.tracker == tracker_);
    rules_ = rules;
    tracker_ = config.tracker;
    raw_events_ = config.raw_events;
    for (auto it = slots_.begin(); it != slots_.end();) {
      const bool kept = !tracks_anew && in([&](const RegionConfig& c) {
        return c == it->region->config() && keeps(*it);
      });
      if (kept) {
        ++it;
        continue;
      }
      gone.push_back(it->region);
      it = slots_.erase(it);
    }
  }
  for (const Region& r : gone) {
    if (share_) share_->remove(r->config().name);
    r->stop();
  }
  // Those that are gone, also while nothing ran: one of the same cluster may go on from there.
  const auto rows = options_.store.regions();
  for (const lookout::Region& row : rows ? *rows : std::vector<lookout::Region>()) {
    const bool kept = in([&](const RegionConfig& c) { return c.name == row.name; });
    if (!kept) (void)options_.store.remove_region(row.name);
  }
  {
    Lock held(mutex_);
    for (const RegionConfig& c : config.regions) {
      const bool there = std::any_of(slots_.begin(), slots_.end(),
                                     [&](const Slot& s) { return c == s.region->config(); });
      if (!there) slots_.push_back(slot_for(c));
    }
  }
  for (const Slot& s : slots()) s.region->set_rules(rules, config.raw_events);
  stir();
  poke();
}

void Regions::start() {
  if (share_) share_->meet();
  carer_ = std::thread([this] { care(); });
  connector_ = std::thread([this] { connect(); });
}

void Regions::stop() {
  {
    Lock held(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  for (std::thread* t : {&carer_, &connector_}) {
    if (t->joinable()) t->join();
  }
  factory_.stop();
  for (const Slot& s : slots()) s.region->stop();
}

void Regions::give_back() {
  if (!share_) return;
  share_->stop();
  (void)options_.store.leave(options_.owner);
}

std::vector<RegionStatus> Regions::statuses() const {
  std::vector<RegionStatus> out;
  for (const Slot& s : slots()) out.push_back(status_of(s));
  return out;
}

std::vector<Regions::Release> Regions::releases() const {
  std::vector<Release> out;
  for (const Slot& s : slots()) {
    for (Tracker::Release& release : s.region->releases()) {
      out.push_back({s.region->config().name, std::move(release)});
    }
  }
  return out;
}

// Regions call poke() with their own lock held: none is asked anything under ours.
std::vector<Regions::Slot> Regions::slots() const {
  Lock held(mutex_);
  return {slots_.begin(), slots_.end()};
}

void Regions::poke() {
  {
    Lock held(mutex_);
    poked_ = true;
  }
  changed_.notify_all();
}

void Regions::care() {
  Lock held(mutex_);
  while (!stop_) {
    for (const Deadline until(kCareEvery); !stop_ && !poked_;) {
      if (!changed_.wait_until(mutex_, until)) break;
    }
    if (stop_) return;
    poked_ = false;
    held.unlock();
    if (share_) share_->meet();
    renew();
    bool listed = false;
    for (const Slot& s : slots()) {
      if (s.competes && !s.region->connected()) hinder(s);
      listed = s.region->care() || listed;
    }
    give_back_memory(listed);
    held.lock();
  }
}

// A region that fails, and has other certificates or another kubeconfig now, is made anew with them.
void Regions::renew() {
  const int64_t now = now_ms();
  if (now - renewed_ms_ < kRenewEveryMs && now >= renewed_ms_) return;
  renewed_ms_ = now;
  for (const Slot& s : slots()) {
    if (!s.region->config().enabled || is_well(s.region->status().state)) continue;
    if (s.region->credentials() == s.credentials || !s.region->check()) continue;
    options_.log("INFO", "the region has other credentials", {{"region", s.region->config().name}});
    if (share_) share_->remove(s.region->config().name);
    {
      Lock held(mutex_);
      Slot* slot = slot_of(s.region.get());
      if (slot == nullptr) continue;  // gone meanwhile
      *slot = slot_for(s.region->config());
    }
    s.region->stop();
    stir();
  }
}

// Where its Lease cannot be read it is not asked, so nothing else would say why.
void Regions::hinder(const Slot& slot) const {
  const Share::Standing standing = share_->standing(slot.region->config().name);
  if (standing.epoch == 0) slot.region->hindered(standing.failure);
}

// A list of tens of thousands of objects, or a burst of Events, leaves as many holes.
void Regions::give_back_memory(bool listed) {
  const int64_t now = now_ms();
  if (!listed && now - looked_ms_ < 1000) return;
  looked_ms_ = now;
  const uint64_t written = options_.writer.counters().observations;
  const uint64_t lately = written - std::exchange(written_, written);
  const uint64_t since = written - trimmed_;
  if (!listed && since < kMany && (since < kBurst || lately > kQuiet)) return;
  trimmed_ = written;
  malloc_trim(0);
}

// ---- whose a region is

void Regions::stir() {
  {
    Lock held(mutex_);
    fresh_ = true;
  }
  changed_.notify_all();
}

// Whether this process is to have it, and the epoch to take it with.
std::optional<int64_t> Regions::wanted(const Slot& slot) const {
  if (slot.lost || !slot.region->config().enabled) return std::nullopt;
  if (!slot.competes) return 0;
  const int64_t epoch = share_->standing(slot.region->config().name).epoch;
  return epoch != 0 ? std::optional(epoch) : std::nullopt;
}

Regions::Slot* Regions::slot_of(const WatchedRegion* region) {
  for (Slot& s : slots_) {
    if (s.region.get() == region) return &s;
  }
  return nullptr;
}

RegionStatus Regions::status_of(const Slot& slot) const {
  RegionStatus status = slot.region->status();
  if (!slot.unreadable.empty()) {
    append(status.error, {status.error.empty() ? "" : "; ",
                          "it goes on with the kubeconfig it had: ", slot.unreadable});
  }
  if (slot.lost && !share_) {
    status.state = "elsewhere";
    status.error = "another lookout has taken it; without [share] there may be one only";
  }
  if (!slot.competes) return status;
  const Share::Standing standing = share_->standing(slot.region->config().name);
  status.leader = standing.epoch != 0;
  if (standing.epoch != 0) return status;
  if (standing.failure) {
    status.error = cat("its Lease: ", standing.failure->text());
  } else if (!standing.holder.empty() && standing.holder != options_.owner) {
    status.state = "elsewhere";
    status.error = cat("held by ", standing.holder);
  }
  return status;
}

// From now on the region's Lease says whether it is ours.
void Regions::compete(const Region& region) {
  const std::string& name = region->config().name;
  const auto competes = [&]() -> Status {
    lookout::Region row;
    row.name = name;
    row.environment = region->config().environment;
    row = TRY(options_.store.put_region(row));
    auto cluster = TRY(region->lease_connection());
    Lock held(mutex_);
    Slot* slot = slot_of(region.get());
    if (slot == nullptr) return ok();  // gone meanwhile
    slot->try_ms = 0;
    slot->wait_ms = kWaitMs;
    slot->competes = true;
    return share_->add(name, std::move(cluster), row.epoch);
  };
  if (const Status done = competes(); !done) {
    options_.log("WARN", "no Lease for a region",
                 {{"region", name}, {"error", done.error().text()}});
  }
}

void Regions::refused(const Batch& batch) {
  {
    Lock held(mutex_);
    for (Slot& s : slots_) {
      const bool that = s.region->config().name == batch.region;
      s.lost = s.lost || (that && s.region->epoch() == batch.epoch);
    }
  }
  stir();
}

// The epoch of our Lease is no longer the store's newest.
void Regions::overtaken(const std::string& region) {
  const auto rows = options_.store.regions();
  if (!rows) return;
  for (const lookout::Region& row : *rows) {
    if (row.name == region) share_->refused(region, row.epoch);
  }
}

// What another process has is not watched any more; a fresh one waits for its turn.
void Regions::let_go_of_lost() {
  std::vector<Region> gone;
  std::vector<std::string> refused;
  {
    Lock held(mutex_);
    for (Slot& s : slots_) {
      const RegionConfig& config = s.region->config();
      const int64_t ours = share_ ? share_->standing(config.name).epoch : s.region->epoch();
      if (s.region->epoch() == 0 || (!s.lost && s.region->epoch() == ours)) continue;
      if (share_ && std::exchange(s.lost, false)) refused.push_back(config.name);
      gone.push_back(std::exchange(s.region, make(config)));
      s.asks = Asks::kNot;
      s.try_ms = 0;
      s.wait_ms = kWaitMs;
    }
  }
  for (const auto& r : gone) {
    options_.log("WARN", "the region is another lookout's", {{"region", r->config().name}});
    r->stop();
  }
  for (const std::string& name : refused) overtaken(name);
}

void Regions::ask(WatchedRegion& region) {
  region.ask([this, region = &region] {
    {
      Lock held(mutex_);
      if (Slot* slot = slot_of(region)) slot->asks = Asks::kAnswered;
    }
    stir();
  });
}

// What two regions of one cluster both watch is told once, by the one that hears of it first.
void Regions::note_twin(const WatchedRegion& region) const {
  const std::string uid = region.status().cluster_uid;
  for (const Slot& s : slots()) {
    if (uid.empty() || s.region.get() == &region || s.region->status().cluster_uid != uid) continue;
    options_.log("WARN", "two regions are of one cluster: what both watch is told by one of them",
                 {{"region", region.config().name}, {"other", s.region->config().name}});
  }
}

void Regions::take(WatchedRegion& region, int64_t epoch) {
  const Status taken = region.take(epoch);
  if (taken) return note_twin(region);
  options_.log("WARN", "a region cannot be reached",
       {{"region", region.config().name}, {"error", taken.error().text()}});
  if (share_ && taken.error().code() == Code::kFailedPrecondition) overtaken(region.config().name);
}

// All that are due are asked at once; who has answered is taken.
void Regions::connect() {
  Lock held(mutex_);
  while (!stop_) {
    held.unlock();
    let_go_of_lost();
    held.lock();
    if (stop_) return;
    Region next;
    bool competes = true;
    int64_t epoch = 0;
    int64_t due = INT64_MAX;
    const int64_t now = now_ms();
    bool answered = false;
    for (Slot& s : slots_) {
      if (s.region->connected() || s.asks == Asks::kSent) continue;
      const std::optional<int64_t> ours = wanted(s);
      if (!ours) continue;
      answered = s.asks == Asks::kAnswered;
      if (!answered) {
        due = std::min(due, s.try_ms);
        if (s.try_ms > now) continue;
        s.try_ms = now + s.wait_ms;
        s.wait_ms = std::min(s.wait_ms * 2, kLongestWaitMs);
      }
      next = s.region;
      competes = s.competes || !share_;
      epoch = *ours;
      s.asks = answered || !competes ? Asks::kNot : Asks::kSent;
      break;
    }
    if (!next) {
      const int64_t wait = due == INT64_MAX ? kLongestWaitMs : due - now;
      const Deadline until{std::chrono::milliseconds(std::max<int64_t>(wait, 1))};
      while (!stop_ && !fresh_ && changed_.wait_until(mutex_, until)) {
      }
      fresh_ = false;
      continue;
    }
    held.unlock();
    if (!competes) {
      compete(next);
    } else if (answered) {
      take(*next, epoch);
    } else {
      ask(*next);
    }
    held.lock();
  }
}

}  // namespace pintle::lookout
