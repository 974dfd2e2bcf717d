#include "lookout/deliver/tally.h"

#include <gtest/gtest.h>

namespace pintle::lookout {
namespace {

TEST(Tally, CountsTimesByKindOfSinkAndWhatIsToldFirstOnly) {
  Tally tally;
  const auto end = [&](const std::string& sink, int attempts, int64_t generation, DeliveryState state) {
    Claimed c;
    c.subscription.sink_kind = sink;
    c.delivery.attempts = attempts;
    c.delivery.generation = generation;
    c.event.stored_ms = 1000;
    Attempt a;
    a.started_ms = 3000;
    tally.count(c, a, state, 4000);
  };
  end("webhook", 0, 1, DeliveryState::kRetry);
  end("webhook", 1, 1, DeliveryState::kSucceeded);
  end("slack", 0, 1, DeliveryState::kSucceeded);
  end("slack", 0, 2, DeliveryState::kSucceeded);  // sent again
  DeliverCounters read;
  tally.read(read);
  EXPECT_EQ(read.sinks["webhook"].first_attempt.sum_ms, 2000);
  EXPECT_EQ(read.sinks["webhook"].delivered.sum_ms, 3000);
  EXPECT_EQ(read.sinks["slack"].first_attempt.sum_ms, 2000);
  EXPECT_EQ(read.sinks["slack"].delivered.sum_ms, 3000);
}

}  // namespace
}  // namespace pintle::lookout
