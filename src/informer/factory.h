// Factory: the informers of many resources on many clusters, on few threads.
//
// One work loop for timers, decoding and stores, one delivery loop for handlers (each may be
// several), whatever the number of watches; plus the I/O threads of the connections handed in,
// which may share a few (kube::RestOptions::engine).
// Guarantees: the same resource of the same cluster is one informer. stop() ends all of them, joins
// the loops, and no handler runs afterwards; remove() likewise for one cluster, while the others go
// on. Neither may be called from a handler. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "informer/shared_informer.h"

namespace pintle::informer {

struct FactoryOptions {
  sys::Clock* clock = nullptr;  // null: the real one
  Random random = {};           // empty: the system's
  int work_loops = 1, deliver_loops = 1;
  bool threads = true;          // false: tests step the loops by run_ready()
};

class Factory {
 public:
  explicit Factory(FactoryOptions options = {});
  ~Factory();  // stops

  // Made at the first call; later ones get the same, and their options are not looked at. The
  // connection is shared with the caller because informers may outlive its interest.
  // Error: stopped.
  Result<std::shared_ptr<SharedInformer>> informer(const std::shared_ptr<kube::Rest>& cluster,
                                                   const Resource& resource,
                                                   InformerOptions options = {});
  void start();  // those that have not been
  // False when the time is over first.
  bool wait_for_sync(int64_t timeout_ns);
  void remove(const std::shared_ptr<kube::Rest>& cluster);
  void remove(const std::shared_ptr<kube::Rest>& cluster, const Resource& resource);
  void stop();
  size_t run_ready();  // without threads

 private:
  struct Entry {
    std::shared_ptr<kube::Rest> cluster;
    std::shared_ptr<SharedInformer> informer;  // declared last: it ends before its connection
  };
  sys::Clock& clock_;
  Random random_;
  const bool threads_;
  std::vector<std::unique_ptr<Loop>> work_, deliver_;
  Mutex mutex_;
  std::map<std::pair<kube::Rest*, std::string>, Entry> informers_ GUARDED_BY(mutex_);
  // Weak: they may be removed before they are started.
  std::vector<std::weak_ptr<SharedInformer>> fresh_ GUARDED_BY(mutex_);
  size_t next_ GUARDED_BY(mutex_) = 0;
  bool stopped_ GUARDED_BY(mutex_) = false;
};

}  // namespace pintle::informer
