// TreeBuilder: makes a Value tree from a reader's events (open, key, add, close) without recursion.
//
// Children wait on two shared stacks and move into an exactly sized list or map when their parent
// closes, so a tree costs one allocation per container beside its strings. Maps are sorted once, at
// the close; of equal keys the last wins. Depth is the caller's to bound. Not thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "value/value.h"

namespace pintle::value {

class TreeBuilder {
 public:
  void open_list();
  void open_map();
  void key(Str k) { entries_.push_back({std::move(k), Value()}); }  // inside a map, before its value
  void add(Value v);  // an element, the value of the last key, or the root
  void close();       // the innermost container is complete: it is added to its parent

  size_t depth() const { return frames_.size(); }
  bool in_map() const { return !frames_.empty() && frames_.back().is_map; }
  Value take() { return std::move(root_); }

 private:
  struct Frame {
    uint32_t start;  // first child, in entries_ or items_
    bool is_map;
  };
  Value close_map(size_t start);
  Value close_list(size_t start);

  std::vector<Frame> frames_;
  std::vector<Map::Entry> entries_;
  std::vector<Value> items_;
  Value root_;
};

// Sorts entries by key (bytes); of equal keys the last one stays. Returns how many are left, at the
// front; the rest are moved-from.
size_t sort_unique(Map::Entry* entries, size_t n);

inline void TreeBuilder::add(Value v) {
  if (frames_.empty()) {
    root_ = std::move(v);
  } else if (frames_.back().is_map) {
    entries_.back().value = std::move(v);
  } else {
    items_.push_back(std::move(v));
  }
}

inline void TreeBuilder::open_list() {
  frames_.push_back({static_cast<uint32_t>(items_.size()), false});
}

inline void TreeBuilder::open_map() {
  frames_.push_back({static_cast<uint32_t>(entries_.size()), true});
}

}  // namespace pintle::value
