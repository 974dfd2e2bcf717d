// Machine: the state behind one server, and every write to it. Requests and simulated controllers
// meet here: both go defaults -> strategy -> managed fields -> validation -> store -> watches ->
// controllers' queues, under the one lock.
//
// Most of it is called with the lock held, as REQUIRES says; but the analysis does not see it through
// World, whose other makers have no lock.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "drydock/api_error.h"
#include "drydock/catalog.h"
#include "drydock/controller_runner.h"
#include "drydock/drydock.h"
#include "drydock/go_time.h"
#include "drydock/events.h"
#include "drydock/persistence.h"
#include "drydock/store.h"
#include "drydock/tree.h"
#include "drydock/truth_log.h"
#include "drydock/watch_hub.h"
#include "drydock/world.h"
#include "patch/apply.h"

namespace pintle::drydock {

struct WriteContext {
  std::string manager;      // field manager
  std::string subresource;  // "", "status", "scale" (of the whole object), "finalize", "binding"
  bool dry_run = false;
  bool apply = false;       // managed fields are settled already (patch::apply)
  bool patch = false;       // a uid in the object is a change of it, no precondition
  bool by_update = false;   // a create that was asked for as an update: a uid is a precondition
  std::vector<std::string>* warnings = nullptr;  // what its validation warns of; null: nobody asks
};

struct Preconditions {
  std::string uid, version;
};

struct DeleteOptions {
  Preconditions preconditions;
  int64_t grace_seconds = -1;  // < 0: the object's own
  std::string propagation;     // "", "Background", "Foreground", "Orphan"
  bool dry_run = false;
};

struct Removed {
  ObjectPtr object;  // as it is (or was) now
  bool gone = false;
};

class Machine : public World {
 public:
  explicit Machine(const Options& options);
  ~Machine() override;

  Mutex& lock() RETURN_CAPABILITY(x_lock) { return x_lock; }
  std::shared_ptr<const Catalog> catalog() const { return std::atomic_load(&x_catalog); }
  const Options& options() const { return x_options; }
  Store& store() REQUIRES(x_lock) { return x_store; }
  WatchHub& hub() REQUIRES(x_lock) { return x_hub; }
  const TruthLog& truth() const { return x_truth; }
  int64_t monotonic_ns() { return x_clock->monotonic_ns(); }
  void set_ca(std::string pem) REQUIRES(x_lock) { x_ca = std::move(pem); }

  // Everything `disk` holds; from then on every change goes there too. It must outlive the machine.
  Status load(Persistence& disk) REQUIRES(x_lock);
  Persistence* disk() { return x_disk; }  // null: memory only
  // Namespaces, service account and kin that a fresh server has; then controllers may start.
  void seed() REQUIRES(x_lock);
  void start_runner();
  void stop_runner();
  Status step(int64_t ns);

  // `object` in the stored version, its name and namespace set.
  Result<ObjectPtr> create_object(const ResourcePtr& resource, Value object, const WriteContext& context)
      REQUIRES(x_lock);
  // Null `live`: read here. Object's resourceVersion, where it has one, must be the stored one.
  Result<ObjectPtr> update_object(const ResourcePtr& resource, Value object, const WriteContext& context)
      REQUIRES(x_lock);
  Result<Removed> remove_object(const ResourcePtr& resource, std::string_view ns, std::string_view name,
                                const DeleteOptions& options) REQUIRES(x_lock);
  // Serves what the stored definitions say; every write of a definition does so for that one.
  void load_definitions() REQUIRES(x_lock);

  // World
  int64_t now_ns() override;
  std::string now() override;
  std::string random_suffix(size_t n) override;
  std::string new_uid() override;
  ResourcePtr resource(std::string_view group, std::string_view plural) override;
  std::vector<ResourcePtr> resources() override;
  std::string ca_certificate() override REQUIRES(x_lock) { return x_ca; }
  int64_t pod_start_ms() override { return x_options.pod_start_ms; }
  void act_as(std::string_view manager) override REQUIRES(x_lock) { x_acting = manager; }
  std::vector<Key> dependents(std::string_view uid) override REQUIRES(x_lock) {
    return x_runner.dependents(uid);
  }
  Result<Value> get(const Key& key) override REQUIRES(x_lock);
  std::vector<Value> list(std::string_view group, std::string_view plural, std::string_view ns,
                          std::string_view label_selector) override REQUIRES(x_lock);
  Result<Value> create(std::string_view group, std::string_view plural, Value object) override REQUIRES(x_lock);
  Result<Value> update(std::string_view group, std::string_view plural, Value object,
                       std::string_view subresource) override REQUIRES(x_lock);
  Status remove(const Key& key, std::string_view propagation, int64_t grace_seconds) override REQUIRES(x_lock);
  void event(const Value& about, std::string_view type, std::string_view reason, std::string_view message,
             std::string_view component) override REQUIRES(x_lock);

 private:
  Status check_disk();
  Status check_namespace(const Resource& resource, const Value& object) REQUIRES(x_lock);
  Status check_quota(const Resource& resource, const Value& object) REQUIRES(x_lock);  // machine_quota.cc
  ObjectPtr store_object(const Resource& resource, Value& object, const Value* before) REQUIRES(x_lock);
  ObjectPtr drop_object(const Resource& resource, const Value& last) REQUIRES(x_lock);
  void publish(const StoredChange& change, const Resource& resource, const Value* before, const Value* after)
      REQUIRES(x_lock);
  void define(std::string_view name, const Value* definition) REQUIRES(x_lock);
  void run();
  void note_stored_events() REQUIRES(x_lock);
  size_t expire_events(size_t limit) REQUIRES(x_lock);

  const Options x_options;
  sys::Clock* x_clock;
  std::atomic<int64_t> x_stepped = 0;
  Mutex x_lock;
  std::shared_ptr<const Catalog> x_catalog;  // atomic_load and atomic_store only
  Store x_store GUARDED_BY(x_lock);
  Persistence* x_disk = nullptr;  // set by load(), once, before anybody asks
  WatchHub x_hub GUARDED_BY(x_lock);
  TruthLog x_truth;
  Runner x_runner GUARDED_BY(x_lock);
  // By definition.
  std::map<std::string, std::vector<ResourcePtr>, std::less<>> x_custom GUARDED_BY(x_lock);
  std::string x_ca GUARDED_BY(x_lock);
  std::string x_acting GUARDED_BY(x_lock) = "kube-controller-manager";
  EventMemory x_event_memory GUARDED_BY(x_lock);
  EventAges x_event_ages GUARDED_BY(x_lock);

  std::thread x_thread;
  Condition x_wake;
  bool x_stop GUARDED_BY(x_lock) = false;
};

// What field selectors may ask of an object of this kind.
Pairs selectable_of(const Resource& resource, const Value& object);

}  // namespace pintle::drydock
