// Machine: the state behind one server, and every write to it. Requests and simulated controllers
// meet here: both go defaults -> strategy -> managed fields -> validation -> store -> watches ->
// controllers' queues, under the one lock.
//
// Everything but lock(), catalog(), clock reads and step() is called with the lock held.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

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

  std::mutex& lock() { return x_lock; }
  std::shared_ptr<const Catalog> catalog() const { return std::atomic_load(&x_catalog); }
  const Options& options() const { return x_options; }
  Store& store() { return x_store; }
  WatchHub& hub() { return x_hub; }
  const TruthLog& truth() const { return x_truth; }
  int64_t monotonic_ns() { return x_clock->monotonic_ns(); }
  void set_ca(std::string pem) { x_ca = std::move(pem); }

  // Everything `disk` holds; from then on every change goes there too. It must outlive the machine.
  Status load(Persistence& disk);
  Persistence* disk() { return x_disk; }  // null: memory only
  // Namespaces, service account and kin that a fresh server has; then controllers may start.
  void seed();
  void start_runner();
  void stop_runner();
  Status step(int64_t ns);

  // `object` in the stored version, its name and namespace set.
  Result<ObjectPtr> create_object(const ResourcePtr& resource, Value object, const WriteContext& context);
  // Null `live`: read here. Object's resourceVersion, where it has one, must be the stored one.
  Result<ObjectPtr> update_object(const ResourcePtr& resource, Value object, const WriteContext& context);
  Result<Removed> remove_object(const ResourcePtr& resource, std::string_view ns, std::string_view name,
                                const DeleteOptions& options);
  // Serves what the stored definitions say; every write of a definition does so for that one.
  void load_definitions();

  // World
  int64_t now_ns() override;
  std::string now() override;
  std::string random_suffix(size_t n) override;
  std::string new_uid() override;
  ResourcePtr resource(std::string_view group, std::string_view plural) override;
  std::vector<ResourcePtr> resources() override;
  std::string ca_certificate() override { return x_ca; }
  int64_t pod_start_ms() override { return x_options.pod_start_ms; }
  void act_as(std::string_view manager) override { x_acting = manager; }
  std::vector<Key> dependents(std::string_view uid) override { return x_runner.dependents(uid); }
  Result<Value> get(const Key& key) override;
  std::vector<Value> list(std::string_view group, std::string_view plural, std::string_view ns,
                          std::string_view label_selector) override;
  Result<Value> create(std::string_view group, std::string_view plural, Value object) override;
  Result<Value> update(std::string_view group, std::string_view plural, Value object,
                       std::string_view subresource) override;
  Status remove(const Key& key, std::string_view propagation, int64_t grace_seconds) override;
  void event(const Value& about, std::string_view type, std::string_view reason, std::string_view message,
             std::string_view component) override;

 private:
  Status check_disk();
  Status check_namespace(const Resource& resource, const Value& object);
  Status check_quota(const Resource& resource, const Value& object);  // machine_quota.cc
  ObjectPtr store_object(const Resource& resource, Value& object, const Value* before);
  ObjectPtr drop_object(const Resource& resource, const Value& last);
  void publish(const StoredChange& change, const Resource& resource, const Value* before, const Value* after);
  void define(std::string_view name, const Value* definition);
  void run();
  void note_stored_events();
  size_t expire_events(size_t limit);

  const Options x_options;
  sys::Clock* x_clock;
  std::atomic<int64_t> x_stepped = 0;
  std::mutex x_lock;
  std::shared_ptr<const Catalog> x_catalog;  // atomic_load and atomic_store only
  Store x_store;
  Persistence* x_disk = nullptr;
  WatchHub x_hub;
  TruthLog x_truth;
  Runner x_runner;
  std::map<std::string, std::vector<ResourcePtr>, std::less<>> x_custom;  // by definition
  std::string x_ca;
  std::string x_acting = "kube-controller-manager";
  EventMemory x_event_memory;
  EventAges x_event_ages;

  std::thread x_thread;
  std::condition_variable x_wake;
  bool x_stop = false;
};

// What field selectors may ask of an object of this kind.
Pairs selectable_of(const Resource& resource, const Value& object);

}  // namespace pintle::drydock
