// What changes while deliveries wait: their subscription, the guard, the clock.
#include <algorithm>

#include "lookout/testing/deliver_world.h"

namespace pintle::lookout {
namespace {

using namespace deliver_world;

// Six are handed out for an address that takes one at a time, and the first is under way.
struct HandedOut {
  Mutex mutex;
  Exchange first GUARDED_BY(mutex);
  Receiver old{[this](const Exchange& e, int n) {
    if (n > 0) return answer(e, 200);
    Lock held(mutex);
    first = e;
  }};
  Receiver other{always(200)};
  World w;
  Subscription s = w.subscribe(old.url());

  void begin() {
    for (int i = 0; i < 6; ++i) w.tell(cat("r", i));
    DeliverOptions o;
    o.per_endpoint = 1;
    o.guard.allow = {cat("127.0.0.1:", old.port())};
    w.run(o);
    ASSERT_TRUE(eventually([&] { return old.count() == 1; }));
    ASSERT_TRUE(eventually([&] { return count(DeliveryState::kLeased) == 6; }));
  }
  void release() {
    Lock held(mutex);
    answer(first, 200);
  }
  int64_t count(DeliveryState state) {
    const auto all = w.store.all();
    return std::count_if(all.begin(), all.end(), [&](const Delivery& d) { return d.state == state; });
  }
};

TEST(Deliver, sends_what_was_handed_out_to_the_new_address_and_lets_no_guard_bury_it) {
  HandedOut h;
  h.begin();
  GuardOptions only_other;
  only_other.allow = {cat("127.0.0.1:", h.other.port())};
  h.s.options = cat("{\"url\":", quote(h.other.url()), "}");
  const auto change = [&] { return h.w.store.update_subscription(h.s); };
  EXPECT_FALSE(h.w.deliverer->set_guard(only_other, [] { return Status(Error("refused")); }));
  ASSERT_TRUE(h.w.deliverer->set_guard(only_other, change));
  h.release();
  ASSERT_TRUE(eventually([&] { return h.count(DeliveryState::kSucceeded) == 6; }));
  EXPECT_EQ(h.old.count(), 1u);
  EXPECT_EQ(h.other.count(), 5u);
  EXPECT_EQ(h.w.store.all_attempts().size(), 6u) << "what was not sent is no attempt";
}

TEST(Deliver, sends_nothing_that_was_handed_out_once_it_is_paused_or_removed) {
  for (const bool removed : {false, true}) {
    HandedOut h;
    h.begin();
    ASSERT_TRUE(removed ? h.w.store.remove_subscription(h.s.id)
                        : h.w.store.pause_subscription(h.s.id, true));
    h.release();
    ASSERT_TRUE(eventually([&] { return h.count(DeliveryState::kLeased) == 0; }));
    h.w.deliverer->stop(1000);
    EXPECT_EQ(h.old.count(), 1u);
    EXPECT_EQ(h.count(removed ? DeliveryState::kCancelled : DeliveryState::kPending),
              removed ? 6 : 5);
  }
}

TEST(Deliver, waits_no_longer_than_its_schedule_says_when_the_clock_goes_back) {
  Receiver r([](const Exchange& e, int n) { answer(e, n == 0 ? 500 : 200); });
  World w;
  w.subscribe(r.url());
  w.run();
  w.tell("again");
  ASSERT_TRUE(eventually([&] { return w.store.all_attempts().size() == 1; }));
  w.clock.step_wall_ms(3'600'000);
  w.tell("of-the-hour-ahead");
  ASSERT_TRUE(eventually([&] { return w.settled(); }));
  w.clock.step_wall_ms(-7'200'000);
  w.tell("after");
  ASSERT_TRUE(eventually([&] { return r.count() == 4; })) << "no endpoint waits either";
  w.deliverer->stop(1000);
  w.tell("of-an-hour-that-was");
  w.clock.step_wall_ms(-3'600'000);
  w.run();
  EXPECT_TRUE(eventually([&] { return w.settled(); })) << "nor after a start";
}

TEST(Deliver, tries_again_in_time_when_the_clock_went_back_meanwhile) {
  Receiver r([](const Exchange& e, int n) { answer(e, n == 0 ? 500 : 200); });
  World w;
  w.subscribe(r.url());
  w.run();
  w.tell();
  ASSERT_TRUE(eventually([&] { return w.store.all()[0].state == DeliveryState::kRetry; }));
  w.clock.step_wall_ms(-3'600'000);
  w.deliverer->wake();
  const auto left = [&] { return *w.store.next_due_ms() - w.clock.now_ns() / 1'000'000; };
  ASSERT_TRUE(eventually([&] { return left() <= 6'000; })) << left();
  EXPECT_GT(left(), 1'000);
  ASSERT_TRUE(w.pass_time_until([&] { return w.settled(); }));
}

}  // namespace
}  // namespace pintle::lookout
