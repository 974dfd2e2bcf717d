// Streams: server-sent events from a sequence on. One thread for all of them: when something was
// committed it reads the store for each stream from where that one is, some thousand rows of each by
// turns, so a reader that was away or is slow misses nothing, and no row is looked at twice; one that
// takes nothing is passed over until it has caught up (its peer is cut by the server's write timeout).
// Where others write to the store, too, it is asked each second for its last sequence while a stream
// is open. Every 15 s of silence a comment keeps proxies from closing. Thread-safe.
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
  // What a reader has not taken yet: up to so much, and one page beyond.
  static constexpr size_t kMostQueued = 1 << 20;

  // shared: other processes commit to the store.
  Streams(Store& store, bool shared);
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
  // How a turn has left one: over; with all there is; with more to read; behind what it cannot have.
  enum class Fed : uint8_t { kOver, kAll, kMore, kStuck };
  void work();
  bool wanted() const REQUIRES(mutex_);
  Fed feed(One& one);

  Store& store_;
  const bool shared_;
  mutable Mutex mutex_;
  Condition changed_;
  std::list<One> streams_ GUARDED_BY(mutex_);
  std::list<One> fresh_ GUARDED_BY(mutex_);
  bool news_ GUARDED_BY(mutex_) = false;
  bool stop_ GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace pintle::lookout
