// Delivery: the way of changes to one handler.
//
// Guarantees
// - A handler hears of changes in the informer's order, one at a time, on one loop.
// - A late handler first hears of every object in the store as an initial add, then of what came
//   since; nothing twice, nothing left out.
// - Nothing is dropped while the handler is registered. A handler with `limit` changes waiting is
//   full: the informer applies nothing more until it has caught up, and the server is held up. So
//   at most `limit`, one batch and one list wait in memory.
// - With newest_only, changes of one object that wait are merged to one, so it is never full and at
//   most one change per object waits. An object that came and went meanwhile is not heard of.
// - A handler may answer kLater: it hears the same change again after resume(), nothing in between.
// - A handler that throws loses that change only; it is counted and the others are not disturbed.
// - After remove() has returned, the handler is not called again (called from the handler itself,
//   after this call of it). Removing twice is nothing.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "informer/loop.h"
#include "informer/object.h"

namespace pintle::informer {

struct Change {
  enum class Kind : uint8_t { kAdd, kUpdate, kDelete, kBookmark };
  Kind kind = Kind::kAdd;
  // Of a delete: the last state known. Null for a bookmark.
  ObjectPtr object;
  ObjectPtr before;                // of an update
  bool initial = false;            // an add that is part of the first list, or of a late handler's
  // The delete was learnt from a list: what happened last to the object was not seen
  // (DeletedFinalStateUnknown).
  bool final_state_unknown = false;
  bool listed = false;  // learnt from a list: the states before it may not have been seen
  bool resync = false;             // an update that is none: before and object are the same
  std::string version = {};        // of a bookmark
  // Deleted and made again under the same name, seen as one update.
  bool recreated() const { return before && object && before->uid() != object->uid(); }
};

enum class Take : uint8_t { kTaken, kLater };
using Handler = std::function<Take(const Change& change)>;

// Hears only of objects that pass: an update into the filter is an add, out of it a delete (of the
// state before it), which keep the other flags. Whether an object passed before is remembered by its
// key, as that state may have no text. A delete is told of one that passed, or whose last state does.
// For one registration. Where the informer keeps heads only, `pass` sees no more of what a late
// handler hears first.
Handler filtered(std::function<bool(const Object&)> pass, Handler handler);

struct HandlerOptions {
  int64_t resync_ns = 0;     // 0: never
  size_t limit = 1024;
  bool newest_only = false;
  bool bookmarks = false;  // hears, after each batch, up to which version it has heard everything
};

// Changes that were applied together; shared by all handlers.
struct Batch {
  std::vector<Change> changes;
  std::string version;
  bool ends_initial = false;
};

class Delivery : public std::enable_shared_from_this<Delivery> {
 public:
  // shared_ptr: the loop's tasks hold it while they run. `drained` runs on the delivery's loop when
  // it was full and no longer is.
  Delivery(Loop& loop, Handler handler, HandlerOptions options, std::function<void()> drained);

  // Any thread.
  void replay(std::vector<ObjectPtr> objects, bool complete);  // first, at most once
  void append(std::shared_ptr<const Batch> batch);
  void append_resync(const std::vector<ObjectPtr>& objects);
  void resume();
  void remove();
  bool full() const { return full_; }
  bool synced() const { return synced_; }
  size_t waiting() const { return waiting_; }
  uint64_t failures() const { return failures_; }
  const HandlerOptions& options() const { return options_; }

 private:
  struct Merged {
    Change change;
    bool nothing = false;  // came and went
  };
  void schedule() REQUIRES(mutex_);
  bool next(Change& change) REQUIRES(mutex_);
  void merge(const Change& change) REQUIRES(mutex_);
  size_t queued() const REQUIRES(mutex_);  // without the replay
  void drain();
  bool call(const Change& change);

  Loop& loop_;
  Handler handler_;
  const HandlerOptions options_;
  std::function<void()> drained_;
  std::optional<Change> held_;  // drain's: on its way to the handler

  Mutex mutex_;
  Condition idle_;
  std::vector<ObjectPtr> replay_ GUARDED_BY(mutex_);  // handed out from the front
  size_t replayed_ GUARDED_BY(mutex_) = 0;
  bool replay_completes_ GUARDED_BY(mutex_) = false;
  std::deque<std::shared_ptr<const Batch>> batches_ GUARDED_BY(mutex_);
  size_t at_ GUARDED_BY(mutex_) = 0;  // in the first batch
  // newest_only: keys, in the order they became pending.
  std::deque<std::string> order_ GUARDED_BY(mutex_);
  std::unordered_map<std::string, Merged> merged_ GUARDED_BY(mutex_);
  bool merged_initial_ends_ GUARDED_BY(mutex_) = false;
  std::string merged_version_ GUARDED_BY(mutex_);
  uint64_t resumed_ GUARDED_BY(mutex_) = 0;
  bool scheduled_ GUARDED_BY(mutex_) = false;
  bool later_ GUARDED_BY(mutex_) = false;
  bool removed_ GUARDED_BY(mutex_) = false;
  std::thread::id calling_ GUARDED_BY(mutex_);  // inside the handler
  std::atomic<bool> full_{false}, synced_{false};
  std::atomic<size_t> waiting_{0};     // changes not taken yet
  std::atomic<uint64_t> failures_{0};
};

}  // namespace pintle::informer
