// Regions: the clusters that are watched. They come and go with the configuration, are connected
// without one holding up another, and, where several lookouts share a database, are this process's
// as long as their Leases say so (share.h) and the store agrees.
//
// All that are due are asked at once, and taken as they answer; one that cannot be reached is asked
// again after 1 s, 2 s, ... 60 s. A region that was lost to another process is watched no more, and
// a fresh one waits for its turn. Two threads of its own, two for the I/O of all, and those of
// exec plugins while they run. Thread-safe.
#pragma once

#include <array>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "lookout/config/config.h"
#include "lookout/deliver/workers.h"
#include "lookout/region/region.h"
#include "lookout/region/share.h"

namespace pintle::lookout {

// What they need; all outlives them.
struct RegionsOptions {
  Store& store;
  Writer& writer;
  sys::Clock& clock;
  sys::Disk& disk;
  const sys::Environ& environ;
  Log log;
  std::string owner;            // this process, among those that share the database
  std::string lease_namespace;  // "": all regions are ours
};

class Regions {
 public:
  struct Release {
    std::string region;
    Tracker::Release release;
  };

  explicit Regions(RegionsOptions options);
  ~Regions();  // stop(), give_back()

  // Whether their kubeconfigs can be read, or that of this one ("": of none); reads files only.
  Status check(const Config& config, std::optional<std::string_view> only = {});
  // Those of the configuration: what has changed is made anew, what it no longer has goes. One whose
  // kubeconfig alone has changed, and cannot be read, goes on with what it had, and its status says so.
  void set(const Config& config, std::shared_ptr<const Rules> rules);
  void start();
  // The store has refused a batch, because a newer epoch has its region.
  void refused(const Batch& batch);
  void stop();       // nothing more is heard
  void give_back();  // after it, and when all that was heard is stored: the Leases

  std::vector<RegionStatus> statuses() const;
  // Why it is not known yet which regions are ours; "": it is. A cluster that does not answer is no
  // reason: that is the region's trouble.
  std::string leader_unknown() const { return share_ ? share_->unknown() : ""; }
  std::vector<Release> releases() const;
  // How many lookouts share the database.
  int processes() const { return share_ ? share_->processes() : 1; }

 private:
  using Region = std::shared_ptr<WatchedRegion>;  // a request that shows one may outlive its removal
  static constexpr int64_t kWaitMs = 1000, kLongestWaitMs = 60'000, kRenewEveryMs = 5'000;
  enum class Asks : uint8_t { kNot, kSent, kAnswered };
  struct Slot {
    Region region;
    std::string credentials;  // a digest of them
    std::string unreadable = {};  // why its kubeconfig is not the file's; "": it is
    Asks asks = Asks::kNot;
    bool competes = false;  // for its Lease
    bool lost = false;      // another process has taken it
    int64_t try_ms = 0, wait_ms = kWaitMs;
  };
  Region make(const RegionConfig& config) REQUIRES(mutex_);
  Slot slot_for(const RegionConfig& config) REQUIRES(mutex_);
  bool keeps(Slot& slot) const;
  std::vector<Slot> slots() const EXCLUDES(mutex_);
  Slot* slot_of(const WatchedRegion* region) REQUIRES(mutex_);
  std::optional<int64_t> wanted(const Slot& slot) const REQUIRES(mutex_);
  RegionStatus status_of(const Slot& slot) const;
  void poke() EXCLUDES(mutex_);
  void stir() EXCLUDES(mutex_);
  void care();
  void renew();
  void hinder(const Slot& slot) const;
  void give_back_memory(bool listed);
  void connect();
  void compete(const Region& region);
  void ask(WatchedRegion& region);
  void take(WatchedRegion& region, int64_t epoch);
  void note_twin(const WatchedRegion& region) const;
  void let_go_of_lost();
  void overtaken(const std::string& region);
  int64_t now_ms() const { return options_.clock.now_ns() / 1'000'000; }

  const RegionsOptions options_;
  const std::array<std::shared_ptr<http::Engine>, 2> engines_;
  const std::shared_ptr<http::Engine> lease_engine_;  // Leases wait for no watch that is held up
  Workers plugins_;
  informer::Factory factory_;
  std::unique_ptr<Share> share_;  // null: all regions are ours

  mutable Mutex mutex_;
  Condition changed_;
  std::list<Slot> slots_ GUARDED_BY(mutex_);
  std::shared_ptr<const Rules> rules_ GUARDED_BY(mutex_);
  TrackerOptions tracker_ GUARDED_BY(mutex_);
  bool raw_events_ GUARDED_BY(mutex_) = true;
  bool stop_ GUARDED_BY(mutex_) = false;
  bool poked_ GUARDED_BY(mutex_) = false;
  bool fresh_ GUARDED_BY(mutex_) = false;  // there are regions to connect
  std::thread carer_, connector_;
  int64_t looked_ms_ = 0, renewed_ms_ = 0;  // the carer's, as the next
  uint64_t written_ = 0, trimmed_ = 0;  // states: by then, and when memory was given back
};

}  // namespace pintle::lookout
