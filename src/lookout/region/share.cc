#include "lookout/region/share.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/strings.h"
#include "crypt/crypt.h"

namespace pintle::lookout {
namespace {

using informer::kMs;
using informer::kSecond;

constexpr int64_t kLeaseNs = 10 * kSecond, kRenewNs = 7 * kSecond, kTryNs = 1500 * kMs;
constexpr int64_t kMeetNs = 3 * kSecond;
constexpr int64_t kOrphanNs = 6 * kSecond;    // so long others may take what is free first
constexpr int64_t kAskedNs = 5 * kSecond;     // tries are closer: somebody had it meanwhile
constexpr int64_t kLookNs = 10 * kMs;
constexpr int64_t kReleaseNs = 2 * kSecond;   // for a request that gives a Lease back
constexpr int64_t kKeepNs = 600 * kSecond;    // what nobody else took is not given back for
constexpr size_t kLongestName = 200;
constexpr size_t kGoAtOnce = 2;  // half of what is too much is given back at a time

}  // namespace

std::string lease_name(std::string_view region) {
  std::string name;
  for (char c : region.substr(0, kLongestName)) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    name += (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : '-';
  }
  const bool same = name == region && !name.ends_with('-');
  return cat("lookout-", name, same ? "" : "-",
             same ? "" : crypt::hex(crypt::sha256(region)).substr(0, 8));
}

Share::Share(sys::Clock& clock, ShareOptions options)
    : clock_(clock), options_(std::move(options)), loop_(clock) {
  if (options_.thread) loop_.start();
}

Share::~Share() { stop(); }

size_t Share::held() const {
  return static_cast<size_t>(std::count_if(entries_.begin(), entries_.end(), [](const auto& e) {
    return e.second->standing.epoch != 0 || e.second->taking;
  }));
}

size_t Share::part() const { return (entries_.size() + processes_ - 1) / processes_; }

Status Share::add(const std::string& region, std::shared_ptr<kube::Rest> cluster, int64_t epoch) {
  remove(region);
  auto entry = std::make_shared<Entry>();
  Entry& e = *entry;  // it outlives its elector
  e.cluster = std::move(cluster);
  informer::ElectorOptions o;
  o.name_space = options_.name_space;
  o.name = lease_name(region);
  o.identity = options_.owner;
  o.lease_ns = kLeaseNs;
  o.renew_deadline_ns = kRenewNs;
  o.retry_ns = kTryNs;
  o.release_on_stop = true;
  o.wants = [this, &e] { return wants(e); };
  o.on_started = [this, &e, region](int64_t n) { started(region, e, n); };
  o.on_holder = [this, &e, region](const std::string& holder) { held_by(region, e, holder); };
  o.on_try = [this, &e](const Status& status) {
    Lock held(mutex_);
    e.taking = false;
    e.asked = true;
    e.standing.failure = status ? std::nullopt : std::optional(status.error());
  };
  e.elector = TRY(informer::Elector::make(
      loop_, *e.cluster, options_.random ? options_.random : informer::system_random(), o));
  e.elector->at_least(epoch + 1);
  {
    Lock held(mutex_);
    if (stopped_) return Error(Code::kFailedPrecondition, "the share has stopped");
    entries_[region] = entry;
  }
  loop_.post([weak = std::weak_ptr(entry)] {
    if (const auto there = weak.lock()) there->elector->start();
  });
  return ok();
}

// On the loop, when nobody holds the Lease.
bool Share::wants(Entry& entry) {
  const int64_t now = clock_.monotonic_ns();
  if (entry.free_since_ns == 0 || now - entry.asked_ns > kAskedNs) entry.free_since_ns = now;
  entry.asked_ns = now;
  Lock held(mutex_);
  entry.asked = true;  // nobody has it: that is known, too
  entry.taking = false;
  entry.taking = this->held() < part() || now - entry.free_since_ns >= kOrphanNs;
  return entry.taking;
}

void Share::started(const std::string& region, Entry& entry, int64_t epoch) {
  {
    Lock held(mutex_);
    const int64_t now = clock_.monotonic_ns();
    entry.keep_until_ns = this->held() >= part() ? now + kKeepNs : 0;
    entry.taken_ns = now;
    entry.standing.epoch = epoch;
  }
  entry.free_since_ns = 0;
  options_.log("INFO", "the region's Lease is ours",
               {{"region", region}, {"epoch", std::to_string(epoch)}});
  if (options_.changed) options_.changed();
}

void Share::held_by(const std::string& region, Entry& entry, const std::string& holder) {
  bool lost = false;
  {
    Lock held(mutex_);
    entry.standing.holder = holder;
    if (holder != options_.owner) lost = std::exchange(entry.standing.epoch, 0) != 0;
  }
  if (!lost) return;
  options_.log("WARN", "the region's Lease is another's", {{"region", region}, {"holder", holder}});
  if (options_.changed) options_.changed();
}

void Share::let_go(std::shared_ptr<Entry> entry) {
  {
    Lock held(mutex_);
    leaving_.push_back(entry);
  }
  loop_.post([this, entry = entry.get(), until = clock_.monotonic_ns() + kReleaseNs] {
    entry->leaving = true;
    entry->elector->stop();
    see_off(*entry, until);
  });
}

// On the loop: the entry lives until the Lease is given back, or that takes too long.
void Share::see_off(Entry& entry, int64_t until_ns) {
  if (entry.elector->busy() && clock_.monotonic_ns() < until_ns) {
    loop_.after(kLookNs, [this, &entry, until_ns] { see_off(entry, until_ns); });
    return;
  }
  std::shared_ptr<Entry> last;  // ends after the lock
  Lock held(mutex_);
  const auto it = std::find_if(leaving_.begin(), leaving_.end(),
                               [&](const auto& e) { return e.get() == &entry; });
  last = std::move(*it);
  leaving_.erase(it);
}

void Share::remove(const std::string& region) {
  std::shared_ptr<Entry> gone;
  {
    Lock held(mutex_);
    const auto it = entries_.find(region);
    if (it == entries_.end()) return;
    gone = std::move(it->second);
    entries_.erase(it);
  }
  let_go(std::move(gone));
}

Share::Standing Share::standing(const std::string& region) const {
  Lock held(mutex_);
  const auto it = entries_.find(region);
  return it == entries_.end() ? Standing() : it->second->standing;
}

void Share::refused(const std::string& region, int64_t epoch) {
  std::shared_ptr<Entry> entry;
  {
    Lock held(mutex_);
    const auto it = entries_.find(region);
    if (it == entries_.end() || it->second->standing.epoch > epoch) return;
    entry = it->second;
    entry->standing.epoch = 0;
  }
  loop_.post([weak = std::weak_ptr(entry), epoch] {
    if (const auto there = weak.lock()) there->elector->at_least(epoch + 1);
  });
  if (options_.changed) options_.changed();
}

void Share::meet() {
  {
    Lock held(mutex_);
    const int64_t now = clock_.monotonic_ns();
    if (stopped_ || (met_ns_ != 0 && now - met_ns_ < kMeetNs)) return;
    met_ns_ = now;
  }
  const auto processes = options_.meet();
  if (!processes) return;  // as many as before: nobody can write now anyway
  {
    Lock held(mutex_);
    processes_ = static_cast<size_t>(std::max(*processes, 1));
    met_ = true;
  }
  balance();
}

int Share::processes() const {
  Lock held(mutex_);
  return static_cast<int>(processes_);
}

std::string Share::unknown() const {
  Lock held(mutex_);
  if (!met_) return "how many lookouts share the database is not known yet";
  for (const auto& [region, e] : entries_) {
    if (!e->asked) return cat("who has region ", region, " is not known yet");
  }
  return "";
}

// Gives back a part of what is too much, what was taken last first.
void Share::balance() {
  std::vector<std::pair<int64_t, std::shared_ptr<Entry>>> ours;
  {
    Lock held(mutex_);
    const int64_t time = clock_.monotonic_ns();
    const size_t now = this->held();
    if (now <= part()) return;
    const size_t much = (now - part() + kGoAtOnce - 1) / kGoAtOnce;
    for (const auto& [name, e] : entries_) {
      if (e->standing.epoch != 0 && e->keep_until_ns < time) ours.emplace_back(-e->taken_ns, e);
    }
    std::sort(ours.begin(), ours.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    ours.resize(std::min(ours.size(), much));
    for (const auto& [taken, e] : ours) e->standing.epoch = 0;
  }
  if (ours.empty()) return;
  if (options_.changed) options_.changed();
  for (const auto& [taken, entry] : ours) {
    const std::weak_ptr<Entry> weak = entry;
    loop_.post([weak] {
      if (const auto there = weak.lock()) there->elector->stop();
    });
    // Then it competes again, as one of those who wait.
    loop_.after(kReleaseNs, [weak] {
      if (const auto there = weak.lock(); there && !there->leaving) there->elector->start();
    });
  }
}

void Share::stop() {
  std::map<std::string, std::shared_ptr<Entry>> all;
  {
    Lock held(mutex_);
    if (std::exchange(stopped_, true)) return;
    all.swap(entries_);
  }
  for (auto& [name, entry] : all) let_go(entry);
  loop_.run_ready();  // without a thread
  if (options_.thread) {
    const auto gone = [this] {
      Lock held(mutex_);
      return leaving_.empty();
    };
    while (!gone()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  loop_.stop();
  std::vector<std::shared_ptr<Entry>> last;  // ends after the lock
  Lock held(mutex_);
  last.swap(leaving_);
}

}  // namespace pintle::lookout
