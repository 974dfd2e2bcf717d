// Runner: the queues of all controllers, driven by one thread that holds the machinery's lock.
//
//   on every write:  runner.changed(world, {group, plural, before, after})   (also for each stored
//                    object at start, as created)
//   in the thread:   wait until next_due_ns() on the World's clock or a change; then run_due(world)
//
// Equal keys of a controller wait once, at the earliest of their times. A failed reconcile returns
// after 5 ms, doubled each time up to 10 s (client-go's rate limiter up to 1,000 s is no use to a
// trial). Cost: a map entry per waiting key, and per owned object (dependents).
// Not thread-safe. `changed` may be called from within a reconcile.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "drydock/controller.h"

namespace pintle::drydock {

class Runner {
 public:
  explicit Runner(std::vector<const Controller*> controllers = all_controllers());

  void changed(World& world, const Change& change);
  // Reconciles what is due by the World's clock, at most `limit` keys; returns how many it did. More
  // may be due then: the caller may let others have the lock between calls.
  size_t run_due(World& world, size_t limit = 100);
  // When the next key is due, in World time; may be past. None: nothing waits.
  std::optional<int64_t> next_due_ns() const;

  std::vector<Key> dependents(std::string_view uid) const;

 private:
  struct Item {
    size_t controller;
    Key key;
    auto operator<=>(const Item&) const = default;
  };
  struct Waiting {
    int64_t due;
    uint64_t turn;  // equal times: first come, first served
  };
  void add(Item item, int64_t due);
  void index_owners(const Change& change);

  std::vector<const Controller*> x_controllers;
  std::map<Item, Waiting> x_waiting;
  std::set<std::pair<std::pair<int64_t, uint64_t>, const Item*>> x_queue;  // points into x_waiting
  std::map<Item, int> x_failures;
  std::unordered_map<std::string, std::set<Key>> x_dependents;  // by owner's uid
  uint64_t x_turn = 0;
};

}  // namespace pintle::drydock
