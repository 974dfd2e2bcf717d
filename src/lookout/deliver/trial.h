// Trial: one attempt outside the outbox, to try a subscription: by the same guard, sink and client
// as every delivery, but nothing is stored and nothing comes again. Blocks for as long as the
// attempt takes. Thread-safe.
#pragma once

#include <functional>
#include <memory>

#include "lookout/deliver/guard.h"
#include "lookout/store.h"
#include "sys/clock.h"
#include "sys/disk.h"

namespace pintle::lookout {

struct TrialOptions {
  GuardOptions guard = {};
  std::shared_ptr<const Directory> directory = {};  // who is who; null: nobody is known
  Resolve resolve = {};                // for tests
  int64_t timeout_ms = 10'000;         // unless the subscription has its own
  std::function<bool()> stopped = {};  // asked now and then: true ends it early
};

// An event that says it is a test, as if it had just been claimed for this subscription (which has
// its secret).
Claimed trial_of(Subscription s, int64_t now_ms);

// The error is "" when it was taken.
Attempt try_once(Claimed claimed, const TrialOptions& options, sys::Clock& clock,
                 sys::Disk& disk);

}  // namespace pintle::lookout
