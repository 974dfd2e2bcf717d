// SharedInformer: one reflector, one store, many handlers (client-go's SharedIndexInformer).
//
// Guarantees
// - The store holds what the handlers hear of, and is changed before they hear of it.
// - Handlers: see delivery.h. They are independent: each has its own queue and pace; only a full
//   one holds up the informer.
// - A relist tells of deletes first (final_state_unknown), then of adds and updates in list order;
//   an object that was made anew under its name is an update, with `recreated_apart` a delete and an add;
//   of an object whose version has not changed it tells nobody, unless the server's versions went
//   back and its text is another or not kept. With reflector.stream_lists (which wants keep_text off)
//   it tells of adds and updates as they come, in bounded memory, and of the deletes at its end.
// - Resync: every resync period, while watching, a handler that asked for it hears of each object
//   as an update whose `resync` is set. Periods: at least 1 s; the informer checks at the shortest
//   one asked for before start; a later handler's is rounded up to that, or is none if there is no
//   check.
// - synced(): the first list is in the store. A handler is synced when it has heard all of it. Both
//   stay true. With reflector.start_version nothing is listed first: both are so from start() on.
// - start() once; after stop() nothing is called, and it is never started again. Handlers cannot be
//   added then. What waits in queues at a stop is dropped: durability is the consumer's
//   (bookmarks).
// Thread-safe; remove_handler and stop wait for a handler that is running, except called from it.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "informer/delivery.h"
#include "informer/metrics.h"
#include "informer/reflector.h"
#include "informer/store.h"

namespace pintle::informer {

struct InformerOptions {
  ReflectorOptions reflector = {};
  int64_t resync_check_ns = 0;  // a default for the shortest period; 0: none
  // False: the store keeps the heads only (for handlers that store texts themselves); `before` and
  // the object of a delete learnt from a list then have no text.
  bool keep_text = true;
  // What a list shows to have been made anew under its name: told to be gone with all that is, and
  // added then; else as one update. Not with stream_lists.
  bool recreated_apart = false;
  // Hears what the first list has, before any handler hears of it. On the work loop, within the
  // informer: it calls nothing of it. Not with stream_lists.
  std::function<void(const std::vector<ObjectPtr>&)> on_first_list = {};
  // Hears why lists and watches end. On the work loop.
  std::function<void(const Error&)> on_error = {};
};

class SharedInformer : private Sink {
 public:
  // Handlers run on `deliver`, the rest on `work`. All must outlive it.
  SharedInformer(Loop& work, std::vector<Loop*> deliver, kube::Rest& rest, Resource resource,
                 Random random, InformerOptions options = {});
  ~SharedInformer() override;

  void start();
  void stop();
  bool started() const { return started_; }
  bool stopped() const { return stopped_; }

  // A registration: removed by remove_handler, or with the informer.
  using Registration = std::shared_ptr<Delivery>;
  // Error: stopped.
  Result<Registration> add_handler(Handler handler, HandlerOptions options = {});
  // Nothing for one that is not (or no longer) of this informer.
  void remove_handler(const Registration& registration);
  Status add_index(std::string name, IndexFunction function);

  const Store& store() const { return store_; }
  const Resource& resource() const { return resource_; }
  bool synced() const { return synced_; }
  bool watching() const { return watching_; }  // and the server is heard of
  bool lost() const { return lost_; }          // the server has fallen silent
  void retry_now();
  Counters counters() const;

 private:
  struct Listener {
    Registration delivery;
    int64_t resync_ns = 0, due_ns = 0;
  };
  ObjectPtr held(std::string_view key, std::string_view version) override;
  void push(Delta delta) override;
  void flush() override;
  void moved() override;
  bool full() override;
  void on_error(const Error& error) override;

  void process();  // on work: queue -> store -> handlers
  void apply(std::vector<Delta> batch);
  std::shared_ptr<Batch> apply_replace(Delta& delta) REQUIRES(mutex_);
  std::shared_ptr<Batch> apply_plain(std::vector<Delta>& batch) REQUIRES(mutex_);
  void tell_gone(std::vector<ObjectPtr> gone, Batch& batch) REQUIRES(mutex_);
  void resync();
  void arm_resync();
  bool any_full();
  int64_t resync_period(int64_t asked) REQUIRES(mutex_);
  ObjectPtr kept(const ObjectPtr& o) const;

  Loop& work_;
  const std::vector<Loop*> deliver_;
  const Resource resource_;
  const InformerOptions options_;
  // Posted tasks find out by it that the informer is gone.
  std::shared_ptr<SharedInformer*> self_;
  DeltaQueue queue_;     // the work loop's
  Reflector reflector_;  // likewise
  Loop::Timer resync_timer_ = 0;
  bool held_up_ = false;  // likewise, as the next
  uint64_t pauses_ = 0;
  Store store_;

  mutable Mutex mutex_;  // held while a batch goes from the store to the queues
  std::vector<Listener> listeners_ GUARDED_BY(mutex_);
  int64_t check_ns_ GUARDED_BY(mutex_) = 0;
  size_t next_loop_ GUARDED_BY(mutex_) = 0;
  Counters counters_ GUARDED_BY(mutex_);
  Counters reflected_ GUARDED_BY(mutex_);  // the reflector's
  std::atomic<bool> started_{false}, stopped_{false}, synced_{false}, watching_{false},
      lost_{false};
};

}  // namespace pintle::informer
