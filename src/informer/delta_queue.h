// DeltaQueue: what a reflector saw and the store has not taken, in order (client-go's RealFIFO with
// atomic replace). Nothing is merged: every resourceVersion passes. Merging to the newest state is
// a handler's choice (delivery.h). Belongs to one loop.
//
// Guarantees: elements leave in the order they came. A batch is up to kBatch plain elements with
// different keys, or one replace alone; so it never reaches past the end of the first list. A
// closed queue takes nothing more, still hands out what it holds, then says so.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "informer/object.h"

namespace pintle::informer {

struct Delta {
  enum class Kind : uint8_t { kAdded, kUpdated, kDeleted, kReplaced, kBookmark };
  Kind kind;
  ObjectPtr object = nullptr;         // plain ones
  std::vector<ObjectPtr> objects = {};  // kReplaced: the whole list
  std::string version = {};           // of the store once this is applied; "": unchanged
  ObjectPtr kept = nullptr;           // what the store keeps of a plain one; null: that is its choice
  bool told = false;                  // kReplaced: the objects were pushed before, one by one
  bool listed = false;                // a plain one of a list that is streamed
  bool anew = false;                  // versions went back: an equal one may be another state
};

class DeltaQueue {
 public:
  static constexpr size_t kBatch = 1000;
  static constexpr size_t kFull = 2000;  // the reflector stops decoding here

  void push(Delta delta);  // dropped when closed
  // The next batch; empty: nothing is queued.
  std::vector<Delta> pop();
  void close() { closed_ = true; }
  bool closed() const { return closed_; }
  size_t size() const { return deltas_.size(); }
  bool full() const { return deltas_.size() >= kFull; }
  // Something was put in and the whole first replace was popped.
  bool synced() const { return synced_; }

 private:
  std::deque<Delta> deltas_;
  bool closed_ = false, synced_ = false;
};

}  // namespace pintle::informer
