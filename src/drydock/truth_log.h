// TruthLog: every change the store made, in order, whatever watches and their history lose. Tests
// hold a client's view against it. Kept as the JSON lines it is served as, in blocks of about 1 MiB;
// beyond 256 MiB the oldest block goes and reading from before it is an error. Thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "base/result.h"
#include "drydock/world.h"

namespace pintle::drydock {

class TruthLog {
 public:
  // type: "ADDED" "MODIFIED" "DELETED". Versions only grow.
  void append(uint64_t resource_version, std::string_view type, const Key& key);

  // {"resourceVersion":"7","type":"ADDED","group":"","resource":"pods","namespace":"a","name":"b"}
  // lines with a version above `since`, whole lines up to about max_bytes (at least one).
  // Error kOutOfRange: lines behind `since` are gone.
  Result<std::string> read(uint64_t since, size_t max_bytes) const;

 private:
  struct Block {
    uint64_t first = 0, last = 0;
    std::string lines;
  };
  mutable Mutex lock_;
  std::deque<Block> blocks_ GUARDED_BY(lock_);
  uint64_t dropped_ GUARDED_BY(lock_) = 0;  // the last version that is gone
};

}  // namespace pintle::drydock
