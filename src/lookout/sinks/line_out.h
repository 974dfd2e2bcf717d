// LineOut: lines into a descriptor whose reader may be slow or gone (a pipe to a log collector): a
// write waits for room no longer than it may, and a line is never left half. Thread-safe: one writes
// at a time. Inside the sinks only.
//
// A line whose end found no room is remembered, and ended before anything else is written: who reads
// lines sees whole ones, that one perhaps twice.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "base/result.h"

namespace pintle::lookout {

class LineOut {
 public:
  explicit LineOut(int fd) : fd_(fd) {}
  // Errors: kDeadlineExceeded, else the descriptor's. Then some of the lines may be written.
  Status write(std::string_view lines, int64_t timeout_ms);

 private:
  const int fd_;
  Mutex mutex_;
  Condition free_;
  bool busy_ GUARDED_BY(mutex_) = false;
  std::string rest_ GUARDED_BY(mutex_);  // of a line that was begun
};

}  // namespace pintle::lookout
