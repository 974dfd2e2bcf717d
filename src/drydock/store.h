// Store: all objects, the counter that orders their changes, and the recent changes that watches may
// start from. Persistence is beside it (persistence.h); who may do what is above it.
//
// Not thread-safe: every call under the machinery's lock. What it hands out (ObjectPtr, Change) is
// immutable and outlives the lock. Cost: a map look-up per call; a list copies pointers.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "drydock/object.h"

namespace pintle::drydock {

enum class ChangeType : uint8_t { kAdded, kModified, kDeleted };

struct StoredChange {
  uint64_t version = 0;
  ChangeType type = ChangeType::kAdded;
  std::string_view shelf;  // "group/plural"; lives as long as the store
  ObjectPtr object;        // after; of a deletion, the last state
  ObjectPtr before;        // null for additions
};

class Store {
 public:
  explicit Store(size_t history) : x_limit(history) {}

  uint64_t version() const { return x_version; }
  uint64_t next_version() const { return x_version + 1; }
  // The oldest version a watch may start from (exclusive of what it has seen).
  uint64_t compacted() const { return x_compacted; }

  ObjectPtr find(std::string_view group, std::string_view plural, std::string_view ns,
                 std::string_view name) const;
  // In key order; ns "": all namespaces. `after`: keys beyond that one only.
  void each(std::string_view group, std::string_view plural, std::string_view ns, std::string_view after,
            const std::function<bool(const ObjectPtr&)>& visit) const;
  // As each, of the state at that version, which must not be compacted. Costs a walk over the history
  // since then.
  void each_at(uint64_t version, std::string_view group, std::string_view plural, std::string_view ns,
               std::string_view after, const std::function<bool(const ObjectPtr&)>& visit) const;
  size_t count(std::string_view group, std::string_view plural) const;
  size_t count() const { return x_count; }

  // object->version must be next_version(). The change is valid until the next call.
  const StoredChange& put(std::string_view group, std::string_view plural, ObjectPtr object);
  // Takes a version of its own; null when there is no such object.
  const StoredChange* remove(std::string_view group, std::string_view plural, std::string_view ns,
                             std::string_view name);
  // Loading at start: no history.
  void restore(std::string_view group, std::string_view plural, ObjectPtr object);
  void restore_version(uint64_t version);

  // Changes of one shelf above `since`, oldest first. False: compacted.
  bool replay(std::string_view group, std::string_view plural, uint64_t since,
              const std::function<void(const StoredChange&)>& visit) const;
  uint64_t compact();  // forgets all history

 private:
  using Objects = std::map<std::string, ObjectPtr, std::less<>>;
  const Objects* shelf(std::string_view group, std::string_view plural) const;
  Objects& shelf_for(std::string_view group, std::string_view plural, std::string_view* name);
  const StoredChange& record(StoredChange change);

  std::map<std::string, Objects, std::less<>> x_shelves;  // "group/plural"; never erased
  std::deque<StoredChange> x_history;
  size_t x_limit;
  size_t x_count = 0;
  uint64_t x_version = 0;
  uint64_t x_compacted = 0;
};

}  // namespace pintle::drydock
