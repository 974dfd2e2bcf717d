// Streams: server-sent events from a sequence on. One thread for all of them: when something was
// committed it reads the store for each stream from where that one is, so a reader that was away or
// is slow misses nothing; one that takes nothing is passed over until it has caught up (its peer is
// cut by the server's write timeout). Every 15 s of silence a comment keeps proxies from closing.
// Thread-safe.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <thread>

#include "base/mutex.h"
#include "httpd/httpd.h"
#include "lookout/store.h"

namespace pintle::lookout {

class Streams {
 public:
  explicit Streams(Store& store);
  ~Streams();  // stop()

  // Answers the exchange. `query.after` is where it begins.
  void add(std::shared_ptr<httpd::Exchange> exchange, EventQuery query);
  void committed();
  void stop();
  size_t size() const;

 private:
  struct One {
    std::shared_ptr<httpd::Exchange> exchange;  // shared with the connection
    EventQuery query;
    int64_t said_ns = 0;
    bool behind = true;
  };
  void work();
  bool wanted() const REQUIRES(mutex_);
  bool feed(One& one);  // false: it is over

  Store& store_;
  mutable Mutex mutex_;
  Condition changed_;
  std::list<One> streams_ GUARDED_BY(mutex_);
  std::list<One> fresh_ GUARDED_BY(mutex_);
  bool news_ GUARDED_BY(mutex_) = false;
  bool stop_ GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace pintle::lookout
