// FakeWorld: objects in a map, a clock that tests step, and the controllers run on them. Knows the
// rules that controllers lean on (generations, finalizers, graceful deletion of pods, conflicts), none
// of the defaults or validation.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "drydock/controller_runner.h"
#include "drydock/world.h"

namespace pintle::drydock {

class FakeWorld : public World {
 public:
  FakeWorld();  // with a node and the namespace "default"

  struct Event {
    std::string about, type, reason, message, component;
  };
  std::vector<Event> events;
  size_t writes = 0;
  std::string manager;

  // Creates from JSON; the test fails when it cannot.
  value::Value add(std::string_view group, std::string_view plural, std::string_view json);
  // Runs what is due, stepping the clock from one due time to the next for `ns` at most.
  void run(int64_t ns = 60'000'000'000);
  void step(int64_t ns) { x_now += ns; }
  Runner& runner() { return x_runner; }
  bool has_event(std::string_view reason, std::string_view message) const;

  int64_t now_ns() override { return x_now; }
  std::string now() override;
  std::string random_suffix(size_t n) override;
  std::string new_uid() override;
  ResourcePtr resource(std::string_view group, std::string_view plural) override;
  std::vector<ResourcePtr> resources() override { return x_resources; }
  std::string ca_certificate() override { return "CA\n"; }
  int64_t pod_start_ms() override { return 300; }
  void act_as(std::string_view name) override { manager = name; }
  std::vector<Key> dependents(std::string_view uid) override { return x_runner.dependents(uid); }
  Result<value::Value> get(const Key& key) override;
  std::vector<value::Value> list(std::string_view group, std::string_view plural, std::string_view ns,
                                 std::string_view label_selector = "") override;
  Result<value::Value> create(std::string_view group, std::string_view plural,
                              value::Value object) override;
  Result<value::Value> update(std::string_view group, std::string_view plural, value::Value object,
                              std::string_view subresource = "") override;
  Status remove(const Key& key, std::string_view propagation = "Background",
                int64_t grace_seconds = -1) override;
  void event(const value::Value& about, std::string_view type, std::string_view reason,
             std::string_view message, std::string_view component) override;

 private:
  void store(const Key& key, const value::Value* before, value::Value after);
  void erase(const Key& key);

  std::map<Key, value::Value> x_objects;
  std::vector<ResourcePtr> x_resources;
  Runner x_runner;
  int64_t x_now = 1'700'000'000'000'000'000;
  uint64_t x_version = 0, x_uids = 0, x_suffixes = 0;
};

}  // namespace pintle::drydock
