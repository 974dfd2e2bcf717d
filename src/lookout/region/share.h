// Share: which regions are this process's, where several lookouts use one database: for each region
// one Lease, in the region's own cluster, says whose it is.
//
// - The Lease chooses, the store fences: who has the Lease takes the region in the store with the
//   Lease's transitions as its epoch, and from then on the store refuses what anybody else writes.
//   So a holder that cannot renew goes on until another has taken the Lease, or the store says so.
// - A process takes no more than its part, regions / processes rounded up, but for what nobody
//   takes for some seconds; one that has more gives some back. How many there are the database
//   says.
// - What a dead process had is taken within 17 s: a Lease lasts 10 s, and tries are 3.3 s apart.
// - remove() and stop() give back at once.
// Cost: one thread, a request each 1.5 s to a cluster whose Lease is held, each 1.5 to 3.3 s to one
// whose Lease is another's, a statement each 3 s. Thread-safe; meet() waits for the database.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/mutex.h"
#include "informer/lease.h"
#include "informer/loop.h"
#include "sys/clock.h"

namespace pintle::lookout {

// The Lease's name of a region: DNS labels, and different for different regions.
std::string lease_name(std::string_view region);

struct ShareOptions {
  std::string name_space;         // of the Leases, in each region's cluster
  std::string owner;              // this process, unlike any other
  Log log = {};
  std::function<Result<int>()> meet;  // how many processes there are; may block
  std::function<void()> changed = {};  // whose a region is; called on the Leases' thread
  informer::Random random = {};   // empty: the system's
  bool thread = true;             // false: tests step the loop
};

class Share {
 public:
  struct Standing {
    int64_t epoch = 0;  // to take the region with; 0: it is not ours
    std::string holder;
    std::optional<Error> failure;  // of the last try
  };

  Share(sys::Clock& clock, ShareOptions options);
  ~Share();  // stop()

  // Competes for a region from now on. `epoch`: the store's last of it.
  Status add(const std::string& region, std::shared_ptr<kube::Rest> cluster, int64_t epoch);
  void remove(const std::string& region);
  Standing standing(const std::string& region) const;
  // What is not known yet: how many share the database, or who has a region whose cluster has
  // neither answered nor failed; "": all is.
  std::string unknown() const;
  // The store has refused our epoch, because it has this one.
  void refused(const std::string& region, int64_t epoch);
  void meet();
  int processes() const;  // as many as met lately
  void stop();
  informer::Loop& loop() { return loop_; }

 private:
  struct Entry {
    std::shared_ptr<kube::Rest> cluster;
    // These five are guarded by the share's mutex_, which the analysis cannot name here.
    Standing standing;
    bool taking = false, asked = false;  // asked: its Lease, at least once
    int64_t taken_ns = 0;
    int64_t keep_until_ns = 0;  // nobody else took it
    int64_t free_since_ns = 0, asked_ns = 0;  // the loop's, like what follows
    bool leaving = false;
    std::unique_ptr<informer::Elector> elector;  // ends first
  };
  bool wants(Entry& entry);
  void started(const std::string& region, Entry& entry, int64_t epoch);
  void held_by(const std::string& region, Entry& entry, const std::string& holder);
  void balance();
  void let_go(std::shared_ptr<Entry> entry);
  void see_off(Entry& entry, int64_t until_ns);
  size_t held() const REQUIRES(mutex_);
  size_t part() const REQUIRES(mutex_);

  sys::Clock& clock_;
  const ShareOptions options_;
  informer::Loop loop_;
  mutable Mutex mutex_;
  std::map<std::string, std::shared_ptr<Entry>> entries_ GUARDED_BY(mutex_);
  size_t processes_ GUARDED_BY(mutex_) = 1;
  int64_t met_ns_ GUARDED_BY(mutex_) = 0;
  bool met_ GUARDED_BY(mutex_) = false;
  bool stopped_ GUARDED_BY(mutex_) = false;
  std::vector<std::shared_ptr<Entry>> leaving_ GUARDED_BY(mutex_);  // their Leases are on the way back
};

}  // namespace pintle::lookout
