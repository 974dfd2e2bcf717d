// Writer: one thread that brings what regions heard into the database: all of a region that waits
// is one transaction, so that a burst costs few of them, and a lone event waits a few milliseconds.
//
// Guarantees
// - What was pushed is committed in its order, or still here: while the database is away the same
//   batch is tried again (doing a commit twice is harmless), and has_room() turns false, which
//   holds up the region's informers. A batch that cannot be stored for another reason is stored
//   piece by piece; a piece that cannot be stored is dropped, counted, logged and a gap: nothing
//   blocks the rest. A batch of a region that another process has taken is left out: it hears the same.
// - stop(grace) commits what waits if it can be done in that time. What is lost then was not beyond
//   the checkpoint and is heard again.
// Memory: kRoom bytes for each region and kRoomOfAll for all together, as much again for what is
// being committed, and what one handler call adds. Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <thread>

#include "base/log.h"
#include "base/mutex.h"
#include "db/trouble.h"
#include "lookout/histogram.h"
#include "lookout/store.h"
#include "sys/clock.h"

namespace pintle::lookout {

class Writer {
 public:
  static constexpr size_t kRoom = 2 << 20, kRoomOfAll = 24 << 20;

  struct Counters {
    uint64_t commits = 0, observations = 0, events = 0, deliveries = 0;
    uint64_t failures = 0;  // commits that had to be tried again
    uint64_t dropped = 0;   // pieces that could not be stored
    uint64_t refused = 0;   // batches of a region that another process has taken
    size_t waiting_bytes = 0;
    int64_t last_commit_ms = 0;
    // Of the database: "" after a commit. Since when nothing can be stored; 0: it can.
    std::string last_error;
    int64_t trouble_since_ms = 0;
    std::array<uint64_t, db::kTroubles> errors{};  // commits that failed, by db::Trouble
    Histogram waited;                        // an observation, for its commit
    std::map<std::string, Histogram> stored;  // by region: from when an event was until its commit
  };
  using Commit = std::function<Result<Committed>(const Batch& batch)>;  // Store::commit
  using Done = std::function<void(const Batch& batch, const Committed& committed)>;

  using Refused = std::function<void(const Batch& batch)>;

  // `done` runs on the writer's thread after each commit, `refused` when a newer epoch has the
  // batch's region; both must be short.
  Writer(Commit commit, sys::Clock& clock, Log log, Done done, Refused refused = {});
  ~Writer();  // stop(0)

  void start();
  void stop(int64_t grace_ms);

  // A region's queue; `room` is called (on the writer's thread) when it was full and no longer is.
  void attach(int64_t region_id, std::function<void()> room);
  void detach(int64_t region_id);  // what waits is still stored; room is not called any more
  bool has_room(int64_t region_id);
  void push(Batch batch);

  Counters counters() const;

 private:
  struct Queue {
    Batch batch;
    size_t bytes = 0;
    bool was_full = false;
    std::function<void()> room;
  };
  bool fits(const Queue& q) const REQUIRES(mutex_);
  void work();
  struct Taken {
    Batch batch;
    bool is_piece = false;  // of a batch that cannot be stored whole
  };
  static std::vector<Batch> pieces_of(const Batch& batch);
  void drop(std::deque<Taken>& left, const Error& why);
  bool commit(std::deque<Taken>& left, bool& away);
  void note(const Batch& batch, const Committed& committed);

  const Commit store_;
  sys::Clock& clock_;
  const Log log_;
  const Done done_;
  const Refused refused_;
  mutable Mutex mutex_;
  Condition changed_;
  std::map<int64_t, Queue> queues_ GUARDED_BY(mutex_);
  bool stop_ GUARDED_BY(mutex_) = false;
  int64_t stop_by_ms_ GUARDED_BY(mutex_) = 0;
  Counters counters_ GUARDED_BY(mutex_);
  Mutex room_mutex_;  // held while `room` functions run, so that detach waits for them
  std::thread thread_;
};

}  // namespace pintle::lookout
