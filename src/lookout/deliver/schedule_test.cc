#include <gtest/gtest.h>

#include "lookout/deliver/deliver.h"
#include "lookout/deliver/endpoint.h"
#include "lookout/deliver/job.h"

namespace pintle::lookout {
namespace {

constexpr int64_t kStart = 1'700'000'000'000;

TEST(Schedule, waits_longer_each_time_and_gives_up_after_a_day) {
  const int64_t seconds[] = {5, 30, 120, 600, 1800, 3600, 10800, 21600};
  for (int n = 1; n <= 8; ++n) {
    const int64_t s = seconds[n - 1] * 1000;
    EXPECT_EQ(retry_at_ms({}, n, kStart, kStart, 0.5, 0), kStart + s) << n;
    EXPECT_EQ(retry_at_ms({}, n, kStart, kStart, 0, 0), kStart + s * 8 / 10) << n;
    EXPECT_LE(retry_at_ms({}, n, kStart, kStart, 0.999, 0), kStart + s * 12 / 10) << n;
  }
  const int64_t day = 86'400'000;
  EXPECT_EQ(retry_at_ms({}, 9, kStart, kStart + 50'000'000, 0.99, 0), kStart + day);
  EXPECT_EQ(retry_at_ms({}, 10, kStart, kStart + 1000, 0.5, 0), 0);
  EXPECT_EQ(retry_at_ms({}, 2, kStart, kStart + day, 0.5, 0), 0);
}

TEST(Schedule, honours_retry_after_up_to_an_hour) {
  EXPECT_EQ(retry_at_ms({}, 1, kStart, kStart, 0.5, 120'000), kStart + 120'000);
  EXPECT_EQ(retry_at_ms({}, 1, kStart, kStart, 0.5, 1), kStart + 5'000);
  EXPECT_EQ(retry_at_ms({}, 1, kStart, kStart, 0.5, 999'999'999), kStart + 3'600'000);
}

TEST(Window, never_lets_more_through_than_the_limit) {
  Window w({20, 62'000});
  std::vector<int64_t> sent;
  for (int64_t t = 0; t < 600'000; t += 100) {
    if (w.next_ms(t) > t) continue;
    w.count(t);
    sent.push_back(t);
  }
  for (size_t i = 20; i < sent.size(); ++i) EXPECT_GE(sent[i] - sent[i - 20], 62'000);
  EXPECT_GE(sent.size(), 100u);
  EXPECT_EQ(sent[14], 1400);               // the first ones at once
  EXPECT_GE(sent[15] - sent[14], 12'000);  // the last quarter spread
}

TEST(Window, is_divided_among_the_processes_that_share_it) {
  struct Case {
    Limit whole;
    int among, in_an_hour;
  };
  for (const Case& c : {Case{{20, 60'000}, 1, 20 * 60}, {{20, 60'000}, 3, 18 * 60}, {{20, 60'000}, 20, 20 * 60},
                        {{20, 60'000}, 40, 20 * 60}, {{1, 1'000}, 3, 3600}}) {
    std::vector<Window> all(static_cast<size_t>(c.among), Window(c.whole));
    int sent = 0;
    for (Window& w : all) {
      w.divide(c.among);
      for (int64_t t = 0; t < 3'600'000; t += 100) {
        if (w.next_ms(t) > t) continue;
        w.count(t);
        ++sent;
      }
    }
    EXPECT_LE(sent, c.in_an_hour + c.among) << c.among;
    EXPECT_GE(sent, c.in_an_hour * 6 / 10) << c.among;  // the last quarter is spread
  }
  Window w({20, 60'000});
  w.divide(5);
  w.divide(1);  // the others have gone
  for (int i = 0; i < 14; ++i) w.count(0);
  EXPECT_EQ(w.next_ms(0), 0);
}

TEST(Window, of_one_message_is_a_pace) {
  Window w({1, 1'100});
  EXPECT_EQ(w.next_ms(5), 5);
  w.count(5);
  EXPECT_EQ(w.next_ms(6), 1'105);
  EXPECT_EQ(w.next_ms(1'105), 1'105);
}

TEST(Breaker, opens_after_ten_failures_in_a_row_and_tries_every_minute) {
  Breaker b;
  for (int i = 0; i < 9; ++i) b.failed(i);
  EXPECT_FALSE(b.open());
  EXPECT_EQ(b.next_ms(), 0);
  b.failed(100);
  EXPECT_TRUE(b.open());
  EXPECT_EQ(b.next_ms(), 60'100);
  b.failed(60'200);
  EXPECT_EQ(b.next_ms(), 120'200);
  b.succeeded();
  EXPECT_FALSE(b.open());
  EXPECT_EQ(b.next_ms(), 0);
}

TEST(Endpoint, gives_one_slot_to_what_is_doubtful) {
  Endpoint e(*find_sink("webhook"));
  EXPECT_EQ(e.slots(4), 4);
  e.breaker.failed(0);
  EXPECT_EQ(e.slots(4), 1);
  EXPECT_EQ(Endpoint(*find_sink("slack")).slots(4), 1);
}

TEST(Schedule, ASubscriptionMayHaveItsOwn) {
  Manner m;
  m.retry_ms = {1000, 60'000};
  EXPECT_EQ(retry_at_ms(m, 1, kStart, kStart, 0.5, 0), kStart + 1000);
  EXPECT_EQ(retry_at_ms(m, 2, kStart, kStart + 2000, 0.5, 0), kStart + 62'000);
  EXPECT_EQ(retry_at_ms(m, 3, kStart, kStart + 70'000, 0.5, 0), 0) << "the list has ended";
  m.give_up_ms = 30'000;
  EXPECT_EQ(retry_at_ms(m, 2, kStart, kStart + 2000, 0.5, 0), kStart + 30'000) << "the last in time";
  EXPECT_EQ(retry_at_ms(m, 2, kStart, kStart + 30'000, 0.5, 0), 0) << "given up";
  m.retry_ms.clear();
  EXPECT_EQ(retry_at_ms(m, 1, kStart, kStart, 0.5, 0), kStart + 5000) << "the usual one";
  EXPECT_EQ(usual_retries_ms().size(), 9u);
}

TEST(Schedule, SaysTheLongestWaitAfterEachAttempt) {
  Manner m;
  m.digest_ms = 60'000;
  m.retry_ms = {1000, 7'200'000};
  EXPECT_EQ(longest_waits_ms(m, 0), (std::vector<int64_t>{60'000, 1200, 8'640'000}));
  EXPECT_EQ(longest_waits_ms(m, 3'600'000), (std::vector<int64_t>{60'000, 3'600'000, 8'640'000}));
  m.quiet = {.from_min = 0, .to_min = 1};
  EXPECT_EQ(longest_waits_ms(m, 0)[0], 60'000) << "an end of them that is too far is no end";
  EXPECT_EQ(longest_waits_ms(m, 1)[0], 86'400'000);
  EXPECT_EQ(longest_waits_ms({}, 0).size(), 10u);
}

TEST(Endpoint, waits_no_longer_when_the_clock_goes_back) {
  Endpoint e(*find_sink("slack"));
  constexpr int64_t kHour = 3'600'000, kBefore = 2 * kHour, kAfter = kBefore - kHour;
  for (int i = 0; i < Breaker::kOpenAfter; ++i) e.breaker.failed(kBefore);
  e.hold_until_ms = kBefore + 90'000;
  e.clock_went_back(kHour);
  EXPECT_EQ(e.next_ms(kAfter), kAfter + 90'000);
  e.hold_until_ms = 0;
  EXPECT_EQ(e.next_ms(kAfter), kAfter + Breaker::kProbeMs);
  Window w({2, 60'000});
  w.count(kBefore), w.count(kBefore);
  w.clock_went_back(kHour);
  EXPECT_EQ(w.next_ms(kAfter), kAfter + 60'000);
}

}  // namespace
}  // namespace pintle::lookout
