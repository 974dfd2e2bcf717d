#include "lookout/lookout.h"

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <list>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "base/strings.h"
#include "crypt/crypt.h"
#include "lookout/api/api.h"
#include "lookout/deliver/deliver.h"
#include "lookout/region.h"
#include "lookout/writer.h"
#include "sys/clock.h"

namespace pintle::lookout {
namespace {

constexpr auto kCareEvery = std::chrono::seconds(1);
constexpr int64_t kConnectWaitMs = 1000, kLongestConnectWaitMs = 60'000;
// Longer than the longest request: what a killed process had on its way comes again so soon.
constexpr int64_t kLeaseMs = 35'000;
constexpr int64_t kCleanEveryMs = 300'000;
constexpr int kCleanRows = 1000;
constexpr auto kCleanPause = std::chrono::milliseconds(50);
constexpr size_t kKeyBytes = 32;

// 64 hex digits in a file of our own.
Result<std::string> secret_key(const std::string& path, sys::Disk& disk) {
  auto text = disk.read_file(path, 4096);
  if (!text && text.error().code() == Code::kNotFound) {
    const std::string key = crypt::random_bytes(kKeyBytes);
    TRY(disk.write_file(path, crypt::hex(key) + "\n", 0600));
    return key;
  }
  if (!text) return text.error();
  std::string key;
  const auto digit = [](char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  while (text->ends_with('\n')) text->pop_back();
  for (size_t i = 0; i + 1 < text->size(); i += 2) {
    const int high = digit((*text)[i]), low = digit((*text)[i + 1]);
    if (high < 0 || low < 0) break;
    key += static_cast<char>(high * 16 + low);
  }
  if (key.size() != kKeyBytes || text->size() != 2 * kKeyBytes) {
    return Error(cat(path, ": want a key of 64 hex digits"), Code::kInvalidArgument);
  }
  return key;
}

bool same(const RegionConfig& a, const RegionConfig& b) {
  return a.name == b.name && a.environment == b.environment && a.kubeconfig == b.kubeconfig &&
         a.context == b.context && a.namespaces == b.namespaces;
}

class Service : public Lookout {
 public:
  Service(LookoutOptions options, sys::Disk& disk, const sys::Environ& variables)
      : config_(std::move(options.config)),
        log_(std::move(options.log)),
        disk_(disk),
        environ_(variables),
        clock_(sys::real_clock()) {}
  ~Service() override { stop(0); }

  Status begin();
  std::string url() const override { return api_->url(); }
  Status reload(Config config) override;
  void stop(int64_t grace_ms) override;

 private:
  // shared_ptr: a request that shows a region may outlive its removal.
  struct Slot {
    std::shared_ptr<WatchedRegion> region;
    int64_t try_ms = 0, wait_ms = kConnectWaitMs;
  };
  std::shared_ptr<WatchedRegion> make_region(const RegionConfig& config);
  std::vector<std::shared_ptr<WatchedRegion>> regions() const;
  Status keep_subscriptions(const Config& config, const std::vector<Subscription>& before);
  void care();
  void connect();
  void clean();
  void poke();
  int64_t now_ms() const { return clock_.now_ns() / 1'000'000; }
  ApiHooks hooks();

  Config config_;  // begin's and reload's
  const Log log_;
  sys::Disk& disk_;
  const sys::Environ& environ_;
  sys::Clock& clock_;
  int64_t epoch_ = 0;

  std::unique_ptr<Store> store_;
  std::unique_ptr<Deliverer> deliverer_;
  std::unique_ptr<Writer> writer_;
  std::unique_ptr<informer::Factory> factory_;
  std::unique_ptr<Api> api_;
  std::atomic<Api*> heard_by_{nullptr};

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::list<Slot> slots_;
  std::shared_ptr<const Rules> rules_;
  std::vector<CleaningPolicy> cleaning_;
  bool stop_ = false, poked_ = false;
  bool fresh_ = false;       // there are regions to connect
  std::mutex reload_mutex_;  // one reload or stop at a time
  std::thread carer_, connector_, cleaner_;
};

std::shared_ptr<WatchedRegion> Service::make_region(const RegionConfig& config) {
  return std::make_shared<WatchedRegion>(config,
                                         RegionShared{*store_, *writer_, *factory_, clock_, disk_,
                                                      environ_, log_, epoch_, [this] { poke(); }},
                                         rules_, config_.tracker, config_.raw_events);
}

Status Service::begin() {
  epoch_ = now_ms();  // a later process takes the regions over
  auto rules = TRY(Rules::compile(config_.rules));
  rules_ = std::make_shared<const Rules>(std::move(rules));
  cleaning_ = config_.cleaning;
  const std::string key = TRY(secret_key(config_.secret_key_file, disk_));
  store_ = TRY(Store::open({.url = config_.database, .secret_key = key}, clock_));
  TRY(keep_subscriptions(config_, {}));
  factory_ = std::make_unique<informer::Factory>();
  writer_ = std::make_unique<Writer>([this](const Batch& batch) { return store_->commit(batch); },
                                     clock_, log_,
                                     [this](const Batch&, const Committed& committed) {
                                       if (committed.deliveries > 0) deliverer_->wake();
                                       if (Api* api = heard_by_) api->committed();
                                     });
  for (const RegionConfig& c : config_.regions) {
    slots_.push_back({make_region(c)});
    if (const Status readable = slots_.back().region->check(); !readable) {
      return Error::wrap(cat("region \"", c.name, "\""), readable.error());
    }
  }
  deliverer_ = TRY(Deliverer::start(*store_, clock_, disk_,
                                    {.owner = cat("lookout-", crypt::hex(crypt::random_bytes(8))),
                                     .epoch = epoch_,
                                     .lease_ms = kLeaseMs,
                                     .guard = config_.guard}));
  api_ = TRY(Api::start(config_.listen, config_.tokens, *store_, clock_, hooks()));
  heard_by_ = api_.get();
  writer_->start();
  carer_ = std::thread([this] { care(); });
  connector_ = std::thread([this] { connect(); });
  cleaner_ = std::thread([this] { clean(); });
  return ok();
}

ApiHooks Service::hooks() {
  ApiHooks h;
  h.regions = [this] {
    std::vector<RegionStatus> out;
    for (const auto& r : regions()) out.push_back(r->status());
    return out;
  };
  h.releases = [this] {
    std::vector<ApiHooks::NamedRelease> out;
    for (const auto& r : regions()) {
      for (Tracker::Release& release : r->releases()) {
        out.push_back({r->config().name, std::move(release)});
      }
    }
    return out;
  };
  h.rules = [this] {
    std::lock_guard held(mutex_);
    return rules_;
  };
  h.written = [this] { return writer_->counters(); };
  h.delivered = [this] { return deliverer_->counters(); };
  h.wake = [this] { deliverer_->wake(); };
  return h;
}

std::vector<std::shared_ptr<WatchedRegion>> Service::regions() const {
  std::lock_guard held(mutex_);
  std::vector<std::shared_ptr<WatchedRegion>> out;
  for (const Slot& s : slots_) out.push_back(s.region);
  return out;
}

// Those of the configuration are made or brought up to date; those a configuration had before and
// no longer has are removed. Others, made through the API, are left alone.
Status Service::keep_subscriptions(const Config& config, const std::vector<Subscription>& before) {
  const auto stored = TRY(store_->subscriptions());
  const auto id_of = [&](const std::string& name) -> int64_t {
    for (const Subscription& s : stored) {
      if (s.name == name) return s.id;
    }
    return 0;
  };
  for (Subscription s : config.subscriptions) {
    s.id = id_of(s.name);
    if (s.id == 0) {
      TRY(store_->add_subscription(s));
    } else {
      TRY(store_->update_subscription(s));
    }
  }
  for (const Subscription& old : before) {
    const bool kept = std::any_of(config.subscriptions.begin(), config.subscriptions.end(),
                                  [&](const Subscription& s) { return s.name == old.name; });
    if (!kept && id_of(old.name) != 0) TRY(store_->remove_subscription(id_of(old.name)));
  }
  return ok();
}

void Service::poke() {
  {
    std::lock_guard held(mutex_);
    poked_ = true;
  }
  changed_.notify_all();
}

void Service::care() {
  std::unique_lock held(mutex_);
  while (!stop_) {
    changed_.wait_for(held, kCareEvery, [&] { return stop_ || poked_; });
    if (stop_) return;
    poked_ = false;
    held.unlock();
    bool listed = false;
    for (const auto& r : regions()) listed = r->care() || listed;
    // A list of tens of thousands of objects leaves as many holes.
    if (listed) malloc_trim(0);
    held.lock();
  }
}

void Service::connect() {
  std::unique_lock held(mutex_);
  while (!stop_) {
    std::shared_ptr<WatchedRegion> next;
    int64_t due = INT64_MAX;
    const int64_t now = now_ms();
    for (Slot& s : slots_) {
      if (s.region->connected()) continue;
      due = std::min(due, s.try_ms);
      if (s.try_ms > now) continue;
      next = s.region;
      s.try_ms = now + s.wait_ms;
      s.wait_ms = std::min(s.wait_ms * 2, kLongestConnectWaitMs);
      break;
    }
    if (!next) {
      const int64_t wait = due == INT64_MAX ? kLongestConnectWaitMs : due - now;
      changed_.wait_for(held, std::chrono::milliseconds(std::max<int64_t>(wait, 1)),
                        [&] { return stop_ || fresh_; });
      fresh_ = false;
      continue;
    }
    held.unlock();
    if (const Status connected = next->connect(); !connected) {
      log_("WARN", "a region cannot be reached",
           {{"region", next->config().name}, {"error", connected.error().text()}});
    }
    held.lock();
  }
}

void Service::clean() {
  std::unique_lock held(mutex_);
  while (!stop_) {
    changed_.wait_for(held, std::chrono::milliseconds(kCleanEveryMs), [&] { return stop_; });
    const std::vector<CleaningPolicy> policies = cleaning_;
    for (const CleaningPolicy& p : policies) {
      while (!stop_) {
        held.unlock();
        const auto gone = store_->clean(p.type, now_ms() - p.keep_ms, kCleanRows);
        if (!gone) log_("WARN", "cleaning", {{"type", p.type}, {"error", gone.error().text()}});
        held.lock();
        if (!gone || *gone < kCleanRows) break;
        changed_.wait_for(held, kCleanPause, [&] { return stop_; });
      }
    }
  }
}

Status Service::reload(Config config) {
  std::lock_guard one(reload_mutex_);
  if (config.listen != config_.listen || config.database != config_.database) {
    return Error("listen and database are read at the start only", Code::kFailedPrecondition);
  }
  auto compiled = TRY(Rules::compile(config.rules));
  const auto rules = std::make_shared<const Rules>(std::move(compiled));
  for (const RegionConfig& c : config.regions) {
    const auto region = make_region(c);
    if (const Status readable = region->check(); !readable) {
      return Error::wrap(cat("region \"", c.name, "\""), readable.error());
    }
  }
  TRY(keep_subscriptions(config, config_.subscriptions));

  std::vector<std::shared_ptr<WatchedRegion>> gone;
  {
    std::lock_guard held(mutex_);
    rules_ = rules;
    cleaning_ = config.cleaning;
    config_ = config;
    for (auto it = slots_.begin(); it != slots_.end();) {
      const bool kept =
          std::any_of(config.regions.begin(), config.regions.end(),
                      [&](const RegionConfig& c) { return same(c, it->region->config()); });
      if (kept) {
        ++it;
        continue;
      }
      gone.push_back(it->region);
      it = slots_.erase(it);
    }
  }
  for (const auto& r : gone) {
    r->stop();
    const bool replaced =
        std::any_of(config.regions.begin(), config.regions.end(),
                    [&](const RegionConfig& c) { return c.name == r->config().name; });
    if (!replaced) (void)store_->remove_region(r->config().name);
  }
  {
    std::lock_guard held(mutex_);
    for (const RegionConfig& c : config.regions) {
      const bool there = std::any_of(slots_.begin(), slots_.end(),
                                     [&](const Slot& s) { return same(c, s.region->config()); });
      if (!there) slots_.push_back({make_region(c)});
    }
    fresh_ = true;
  }
  for (const auto& r : regions()) r->set_rules(rules, config.raw_events);
  api_->set_tokens(config.tokens);
  deliverer_->wake();
  poke();
  log_("INFO", "the configuration was read anew");
  return ok();
}

void Service::stop(int64_t grace_ms) {
  std::lock_guard one(reload_mutex_);
  {
    std::lock_guard held(mutex_);
    if (stop_) return;
    stop_ = true;
  }
  changed_.notify_all();
  for (std::thread* t : {&carer_, &connector_, &cleaner_}) {
    if (t->joinable()) t->join();
  }
  // Nothing more is heard, what was heard is stored, what is on its way may arrive.
  for (const auto& r : regions()) r->stop();
  if (factory_) factory_->stop();
  if (writer_) writer_->stop(grace_ms);
  heard_by_ = nullptr;
  if (api_) api_->stop(std::min<int64_t>(grace_ms, 1000));
  if (deliverer_) deliverer_->stop(grace_ms);
  {
    std::lock_guard held(mutex_);
    slots_.clear();
  }
}

}  // namespace

Result<std::unique_ptr<Lookout>> Lookout::start(LookoutOptions options, sys::Disk& disk,
                                                const sys::Environ& environ) {
  auto service = std::make_unique<Service>(std::move(options), disk, environ);
  TRY(service->begin());
  return service;
}

}  // namespace pintle::lookout
