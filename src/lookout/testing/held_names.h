// HeldNames: a resolver some of whose answers wait until they are let go. Thread-safe.
#pragma once

#include <string_view>

#include "base/mutex.h"

namespace pintle::lookout {

class HeldNames {
 public:
  // Returns at once, but for a host that hangs: that one's does when go() was called. How many have
  // asked so far, this one included when it came.
  int ask(std::string_view host) {
    Lock held(mutex_);
    const int n = ++asked_;
    while (host.starts_with("hang") && !let_go_) changed_.wait(mutex_);
    return n;
  }
  void go() {
    Lock held(mutex_);
    let_go_ = true;
    changed_.notify_all();
  }
  int asked() {
    Lock held(mutex_);
    return asked_;
  }

 private:
  Mutex mutex_;
  Condition changed_;
  int asked_ GUARDED_BY(mutex_) = 0;
  bool let_go_ GUARDED_BY(mutex_) = false;
};

}  // namespace pintle::lookout
