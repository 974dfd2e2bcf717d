#include "lookout/lookout.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "base/strings.h"
#include "crypt/crypt.h"
#include "lookout/api/api.h"
#include "lookout/clean/archive.h"
#include "lookout/config/changes.h"
#include "lookout/config/settings.h"
#include "lookout/deliver/deliver.h"
#include "lookout/deliver/trial.h"
#include "lookout/region/regions.h"
#include "lookout/writer.h"
#include "sys/clock.h"
#include "sys/create_file.h"

namespace pintle::lookout {
namespace {

// Longer than the longest request: what a killed process had on its way comes again so soon.
constexpr int64_t kLeaseMs = 35'000;
constexpr int64_t kCleanEveryMs = 300'000;
constexpr auto kSettingsEvery = std::chrono::seconds(10);
constexpr int kCleanRows = 1000, kArchiveRows = 5000;  // of one file
constexpr auto kCleanPause = std::chrono::milliseconds(50);
constexpr size_t kKeyBytes = 32;
const Author kFile = {"file", ""};

// 64 hex digits in a file of our own, made by whoever needs it first: several may start at once.
Result<std::string> secret_key(const std::string& path, sys::Disk& disk) {
  auto text = disk.read_file(path, 4096);
  if (!text && text.error().code() == Code::kNotFound) {
    const std::string key = crypt::random_bytes(kKeyBytes);
    if (TRY(sys::create_file(path, crypt::hex(key) + "\n", 0600))) return key;
    text = disk.read_file(path, 4096);
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

class Service : public Lookout {
 public:
  Service(LookoutOptions options, sys::Disk& disk, const sys::Environ& variables)
      : file_(std::move(options.config)),
        log_(std::move(options.log)),
        disk_(disk),
        environ_(variables),
        clock_(sys::real_clock()) {}
  ~Service() override { stop(0); }

  Status begin();
  std::string url() const override { return api_->url(); }
  Status reload(Config file) override {
    Lock one(reload_mutex_);
    return enforce(std::move(file), std::nullopt);
  }
  void stop(int64_t grace_ms) override;

 private:
  Status keep_subscriptions(const Config& config, const std::vector<Subscription>& before);
  void clean();
  bool clean_some(const Config& config);
  int64_t now_ms() const { return clock_.now_ns() / 1'000'000; }
  Status enforce(Config file, std::optional<std::string_view> region) REQUIRES(reload_mutex_);
  Status take_settings(std::string_view region);
  // shared_ptr: of the configuration in force, which it keeps.
  std::shared_ptr<const Directory> directory() const {
    Lock held(mutex_);
    return {in_force_, &in_force_->directory};
  }
  void look_for_settings();
  ApiHooks hooks();

  // One reload at a time, none before begin() has ended; none once stop_ is set, which takes both locks.
  Mutex reload_mutex_;
  Config file_ GUARDED_BY(reload_mutex_);    // as it was read
  Config config_ GUARDED_BY(reload_mutex_);  // what is in force: with the API's settings
  const Log log_;
  sys::Disk& disk_;
  const sys::Environ& environ_;
  sys::Clock& clock_;
  std::string owner_;  // this process, among those that share the database

  std::unique_ptr<Store> store_;
  std::unique_ptr<Deliverer> deliverer_;
  std::unique_ptr<Writer> writer_;
  std::unique_ptr<Regions> regions_;
  std::unique_ptr<Api> api_;
  std::atomic<Api*> heard_by_{nullptr};

  mutable Mutex mutex_;
  Condition changed_;
  std::shared_ptr<const Config> in_force_ GUARDED_BY(mutex_);
  int64_t settings_version_ GUARDED_BY(mutex_) = 0;
  // Keys that changed and are read at the start only.
  std::vector<std::string> restart_wanted_ GUARDED_BY(mutex_);
  bool stop_ GUARDED_BY(mutex_) = false;
  CleaningCounters cleaned_ GUARDED_BY(mutex_);
  std::thread cleaner_;
};

Status Service::begin() {
  Lock one(reload_mutex_);  // what the API is told while the rest is made comes after it
  owner_ = cat("lookout-", environ_.find("HOSTNAME").value_or("local"), "-",
               crypt::hex(crypt::random_bytes(4)));
  const std::string key = TRY(secret_key(file_.secret_key_file, disk_));
  store_ = TRY(Store::open({.url = file_.database, .secret_key = key}, clock_));
  const int64_t version = TRY(store_->settings_version());
  config_ = with_settings(file_, TRY(store_->settings()), log_);
  {
    Lock held(mutex_);
    settings_version_ = version;
    in_force_ = std::make_shared<const Config>(config_);
  }
  auto compiled = TRY(Rules::compile(config_.rules));
  const auto rules = std::make_shared<const Rules>(std::move(compiled));
  TRY(keep_subscriptions(config_, {}));
  writer_ = std::make_unique<Writer>([this](const Batch& batch) { return store_->commit(batch); },
                                     clock_, log_,
                                     [this](const Batch&, const Committed& committed) {
                                       if (committed.deliveries > 0 || committed.again) deliverer_->wake();
                                       if (Api* api = heard_by_) api->committed();
                                     },
                                     [this](const Batch& b) { regions_->refused(b); });
  regions_ = std::make_unique<Regions>(RegionsOptions{*store_, *writer_, clock_, disk_, environ_,
                                                      log_, owner_, config_.share_namespace});
  TRY(regions_->check(config_));
  regions_->set(config_, rules);
  deliverer_ = TRY(Deliverer::start(*store_, clock_, disk_,
                                    {.owner = owner_,
                                     .epoch = now_ms(),
                                     .lease_ms = kLeaseMs,
                                     .guard = config_.guard,
                                     .directory = [this] { return directory(); },
                                     .processes = [this] { return regions_->processes(); },
                                     .told =
                                         [this] {
                                           if (Api* api = heard_by_) api->committed();
                                         },
                                     .log = log_}));
  api_ = TRY(Api::start(config_.listen, config_.tokens, *store_, clock_, hooks()));
  heard_by_ = api_.get();
  writer_->start();
  regions_->start();
  cleaner_ = std::thread([this] { clean(); });
  return ok();
}

ApiHooks Service::hooks() {
  ApiHooks h;
  h.regions = [this] { return regions_->statuses(); };
  h.releases = [this] {
    std::vector<ApiHooks::NamedRelease> out;
    for (Regions::Release& r : regions_->releases()) {
      out.push_back({std::move(r.region), std::move(r.release)});
    }
    return out;
  };
  h.config = [this] {
    Lock held(mutex_);
    return in_force_;
  };
  h.changed = [this](std::string_view region) { return take_settings(region); };
  h.attempt = [this](const Claimed& claimed) {
    TrialOptions options;
    {
      Lock held(mutex_);
      options.guard = in_force_->guard;
    }
    options.directory = directory();
    options.stopped = [this] {
      Api* api = heard_by_;
      return api == nullptr || api->stopping();
    };
    return try_once(claimed, options, clock_, disk_);
  };
  h.written = [this] { return writer_->counters(); };
  h.delivered = [this] { return deliverer_->counters(); };
  h.leader_unknown = [this] { return regions_->leader_unknown(); };
  h.cleaned = [this] {
    Lock held(mutex_);
    return cleaned_;
  };
  h.wake = [this] { deliverer_->wake(); };
  h.restart_wanted = [this] {
    Lock held(mutex_);
    return restart_wanted_;
  };
  return h;
}

// Those of the configuration are made or brought up to date; those a configuration had before and
// no longer has are removed. Others, made through the API, are left alone, and so is what an
// operator has paused.
Status Service::keep_subscriptions(const Config& config, const std::vector<Subscription>& before) {
  const auto stored = TRY(store_->subscriptions());
  const auto known = [&](const std::string& name) -> const Subscription* {
    const auto it = std::find_if(stored.begin(), stored.end(),
                                 [&](const Subscription& s) { return s.name == name; });
    return it == stored.end() ? nullptr : &*it;
  };
  for (Subscription s : config.subscriptions) {
    if (const Subscription* old = known(s.name)) {
      s.id = old->id;
      TRY(store_->update_subscription(s, kFile));
    } else if (auto added = store_->add_subscription(s, kFile);
               !added && added.error().code() != Code::kAlreadyExists) {  // another process's
      return added.error();
    }
  }
  for (const Subscription& old : before) {
    const bool kept = std::any_of(config.subscriptions.begin(), config.subscriptions.end(),
                                  [&](const Subscription& s) { return s.name == old.name; });
    if (kept || known(old.name) == nullptr) continue;
    if (Status gone = store_->remove_subscription(known(old.name)->id, kFile);
        !gone && gone.error().code() != Code::kNotFound) {
      return gone;
    }
  }
  return ok();
}

void Service::clean() {
  Lock held(mutex_);
  int64_t due = now_ms() + kCleanEveryMs;
  std::shared_ptr<const Config> config = in_force_;
  const auto other = [&]() REQUIRES(mutex_) { return config->cleaning != in_force_->cleaning; };
  while (!stop_) {
    for (const Deadline until(kSettingsEvery); !stop_ && !other();) {
      if (!changed_.wait_until(mutex_, until)) break;
    }
    if (stop_) return;
    held.unlock();
    look_for_settings();
    held.lock();
    if (stop_ || (now_ms() < due && !other())) continue;
    due = now_ms() + kCleanEveryMs;
    config = in_force_;
    while (!stop_ && !other()) {
      held.unlock();
      const bool more = clean_some(*config);
      held.lock();
      if (!more) break;
      for (const Deadline until(kCleanPause); !stop_ && changed_.wait_until(mutex_, until);) {
      }
    }
  }
}

// Whether there is more of this round.
bool Service::clean_some(const Config& config) {
  const bool archives = std::any_of(config.cleaning.begin(), config.cleaning.end(),
                                    [](const CleaningPolicy& p) { return p.archive; });
  const auto done = store_->clean(config.cleaning, archives ? kArchiveRows : kCleanRows,
                                  [&](const GoingRows& rows) {
                                    return write_archive(rows, config.archive, disk_, now_ms());
                                  });
  const std::string error = done ? done->archive_error : done.error().text();
  if (!error.empty()) log_("WARN", done ? "archiving: what could not be written stays" : "cleaning",
                           {{"error", error}});
  Lock held(mutex_);
  if (!done) {
    ++cleaned_.failures;
    return false;
  }
  cleaned_.rows.add(done->rows);
  cleaned_.archive_failures += done->archive_error.empty() ? 0 : 1;
  return done->more;
}

// ---- what the configuration and the API say

// `region` ("": none) is what has changed: its kubeconfig must be one.
Status Service::take_settings(std::string_view region) {
  Lock one(reload_mutex_);
  return enforce(file_, region);
}

// Where several lookouts share a database, another one's API may have changed them.
void Service::look_for_settings() {
  {
    Lock held(mutex_);
    if (in_force_->database.starts_with("sqlite:")) return;
  }
  const auto version = store_->settings_version();
  {
    Lock held(mutex_);
    if (!version || *version == settings_version_) return;
  }
  if (const Status taken = take_settings(""); !taken) {
    log_("WARN", "the API's settings stay as they were", {{"error", taken.error().text()}});
  }
}

// `region`: only the settings have changed, and no other region's kubeconfig matters to that; nullopt:
// the file was read anew, and all must hold.
Status Service::enforce(Config file, std::optional<std::string_view> region) {
  const bool anew = !region;
  {
    Lock held(mutex_);
    if (stop_) return Error("lookout is stopping", Code::kUnavailable);
  }
  std::vector<std::string> late;  // what is read at the start only stays as it was
  const auto fixed = [&](std::string_view key, std::string Config::*value) REQUIRES(reload_mutex_) {
    if (file.*value == config_.*value) return;
    late.emplace_back(key);
    file.*value = config_.*value;
  };
  fixed("listen", &Config::listen);
  fixed("database", &Config::database);
  fixed("secret_key_file", &Config::secret_key_file);
  fixed("share.namespace", &Config::share_namespace);
  const int64_t version = TRY(store_->settings_version());
  Config config = with_settings(file, TRY(store_->settings()), log_);
  auto compiled = TRY(Rules::compile(config.rules));
  const auto rules = std::make_shared<const Rules>(std::move(compiled));
  TRY(regions_->check(config, region));
  TRY(check_guard_options(config.guard));
  if (anew) {
    TRY(deliverer_->set_guard(
        config.guard, [&]() REQUIRES(reload_mutex_) {
          return keep_subscriptions(config, config_.subscriptions);
        }));
    if (const Status noted = store_->note_changes(kFile, file_changes(file_, file)); !noted) {
      log_("WARN", "what the file has changed is not in the audit", {{"error", noted.error().text()}});
    }
  }

  {
    Lock held(mutex_);
    settings_version_ = version;
    if (anew) restart_wanted_ = late;
    config_ = config;
    in_force_ = std::make_shared<const Config>(config);
    file_ = std::move(file);
  }
  regions_->set(config, rules);
  api_->set_tokens(config.tokens);
  deliverer_->wake();
  changed_.notify_all();
  log_("INFO", anew ? "the configuration was read anew" : "the API's settings were taken");
  if (!late.empty()) {
    log_("WARN", "a change holds from the next start on", {{"keys", join(late, ", ")}});
  }
  return ok();
}

void Service::stop(int64_t grace_ms) {
  const int64_t began = clock_.monotonic_ns();
  const auto left = [&] { return std::max<int64_t>(grace_ms - (clock_.monotonic_ns() - began) / 1'000'000, 0); };
  heard_by_ = nullptr;
  if (api_) api_->stop(std::min<int64_t>(left(), 1000));  // it may be waiting for the lock
  {
    Lock one(reload_mutex_);
    Lock held(mutex_);
    if (stop_) return;
    stop_ = true;
  }
  changed_.notify_all();
  if (cleaner_.joinable()) cleaner_.join();
  // Nothing more is heard, what was heard is stored, what is on its way may arrive.
  if (regions_) regions_->stop();
  if (writer_) writer_->stop(left());
  // Only now: whoever takes them next goes on where this one ended.
  if (regions_) regions_->give_back();
  if (deliverer_) deliverer_->stop(left());
}

}  // namespace

Result<std::unique_ptr<Lookout>> Lookout::start(LookoutOptions options, sys::Disk& disk,
                                                const sys::Environ& environ) {
  auto service = std::make_unique<Service>(std::move(options), disk, environ);
  TRY(service->begin());
  return service;
}

}  // namespace pintle::lookout
