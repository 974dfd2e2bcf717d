// The deliverer against a scripted receiver on a loopback port.
#include "base/mutex.h"
#include "lookout/deliver/deliver.h"

#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <thread>

#include "base/gotext.h"
#include "base/strings.h"
#include "crypt/crypt.h"
#include "httpd/httpd.h"
#include "lookout/sinks/sink.h"
#include "lookout/testing/deliver_world.h"
#include "lookout/testing/temp_place.h"
#include "sys/disk.h"

namespace pintle::lookout {
namespace {

using namespace deliver_world;

TEST(Deliver, tries_again_by_the_schedule_with_one_id) {
  Receiver r([](const Exchange& e, int n) { answer(e, n < 5 ? 500 : 200); });
  World w;
  w.subscribe(r.url());
  w.tell();
  w.run();
  ASSERT_TRUE(w.pass_time_until([&] { return w.settled(); }));
  EXPECT_EQ(w.store.all()[0].state, DeliveryState::kSucceeded);
  const auto attempts = *w.store.attempts(1);
  ASSERT_EQ(attempts.size(), 6u);
  const int64_t want[] = {5'000, 30'000, 120'000, 600'000, 1'800'000};
  for (size_t i = 0; i < 5; ++i) {
    const int64_t waited = attempts[i + 1].started_ms - attempts[i].started_ms;
    EXPECT_GE(waited, want[i] * 8 / 10) << i;
    EXPECT_LE(waited, want[i] * 12 / 10 + 1'000) << i;
    EXPECT_EQ(attempts[i].status, 500);
    EXPECT_EQ(attempts[i].result, "retry");
  }
  EXPECT_EQ(attempts[5].result, "ok");
  EXPECT_EQ(attempts[5].tls, "") << "in clear";
  std::set<std::string> ids;
  for (const Request& s : r.seen()) ids.insert(s.id);
  EXPECT_EQ(ids.size(), 1u);
}

TEST(Deliver, gives_up_after_a_day) {
  Receiver r(always(503));
  World w;
  w.subscribe(r.url());
  w.tell();
  w.run();
  ASSERT_TRUE(w.pass_time_until([&] { return w.settled(); }));
  EXPECT_EQ(w.store.all()[0].state, DeliveryState::kDead);
  EXPECT_NE(w.store.all()[0].dead_reason.find("given up after"), std::string::npos);
  EXPECT_GE(w.store.all_attempts().size(), 9u);
  const auto a = w.store.all_attempts();
  EXPECT_LE(a.back().started_ms - a.front().started_ms, 86'400'000 + 61'000);
}

TEST(Deliver, waits_as_long_as_it_is_asked_to) {
  Receiver r([](const Exchange& e, int n) {
    if (n == 0) return answer(e, 429, "", {{"Retry-After", "120"}});
    answer(e, 200);
  });
  World w;
  w.subscribe(r.url());
  w.tell();
  w.run();
  ASSERT_TRUE(w.pass_time_until([&] { return w.settled(); }));
  const auto attempts = *w.store.attempts(1);
  ASSERT_EQ(attempts.size(), 2u);
  EXPECT_GE(attempts[1].started_ms - attempts[0].started_ms, 120'000);
}

TEST(Deliver, lets_a_refused_one_die_and_the_next_of_its_key_go_on) {
  Receiver r([](const Exchange& e, int n) { answer(e, n == 0 ? 404 : 200); });
  World w;
  w.subscribe(r.url());
  w.run();
  w.tell();
  w.tell();
  ASSERT_TRUE(eventually([&] { return w.settled(); }));
  EXPECT_EQ(w.store.all()[0].state, DeliveryState::kDead);
  EXPECT_EQ(w.store.all()[0].dead_reason, "the receiver answered 404");
  EXPECT_EQ(w.store.all_attempts()[0].result, "dead");
  EXPECT_EQ(w.store.all()[1].state, DeliveryState::kSucceeded);
}

TEST(Deliver, pauses_the_subscription_of_a_receiver_that_is_gone) {
  Receiver r(always(410));
  World w;
  w.subscribe(r.url());
  w.run();
  w.tell();
  ASSERT_TRUE(eventually([&] { return (*w.store.subscriptions())[0].paused; }));
  EXPECT_EQ((*w.store.subscriptions())[0].paused_why, "its receiver is gone: it answered 410");
  EXPECT_EQ(w.store.all()[0].state, DeliveryState::kDead);
  EXPECT_EQ(w.store.all_attempts()[0].result, "gone");
}

TEST(Deliver, pauses_a_subscription_that_has_failed_for_long_and_tells_others) {
  Receiver bad(always(500)), good(always(200));
  World w;
  Subscription s = w.subscribe(bad.url());
  s.filter.types = {"release.*"};
  s.manner.disable_after_ms = 2 * 86'400'000LL;
  ASSERT_TRUE(w.store.update_subscription(s));
  Subscription other = w.subscribe(good.url());
  other.filter.types = {"subscription.disabled"};
  ASSERT_TRUE(w.store.update_subscription(other));
  std::atomic<int> told{0};
  DeliverOptions o;
  o.told = [&] { ++told; };
  w.run(std::move(o));
  const auto paused = [&] { return (*w.store.subscriptions())[0].paused; };
  // Each is given up after a day.
  for (int i = 0; i < 3 && !paused(); ++i) {
    w.tell();
    ASSERT_TRUE(w.pass_time_until([&] { return paused() || w.settled(); }));
  }
  ASSERT_TRUE(paused());
  w.deliverer->wake();
  ASSERT_TRUE(eventually([&] { return good.count() == 1; }));
  EXPECT_NE(good.seen()[0].body.find("subscription.disabled"), std::string::npos);
  EXPECT_EQ(told, 1);
  const size_t tries = bad.count();
  w.tell();
  w.clock.step_ms(86'400'000);
  w.deliverer->wake();
  EXPECT_FALSE(eventually([&] { return bad.count() > tries; }, 200));
}

TEST(Deliver, follows_no_redirect) {
  Receiver trap(always(200));
  Receiver r(always(301, "", {{"Location", trap.url()}}));
  World w;
  w.subscribe(r.url());
  w.run();
  w.tell();
  ASSERT_TRUE(eventually([&] { return w.store.all_attempts().size() == 1; }));
  EXPECT_NE(w.store.all_attempts()[0].error.find("not followed"), std::string::npos);
  EXPECT_EQ(w.store.all()[0].state, DeliveryState::kRetry);
  EXPECT_EQ(trap.count(), 0u);
}

TEST(Deliver, ends_a_hanging_request_at_its_limit_and_repeats_the_id) {
  Receiver r([&](const Exchange& e, int n) { n == 0 ? hang(e) : answer(e, 200); });
  World w;
  w.subscribe(r.url());
  w.run({.timeout_ms = 150});
  w.tell();
  ASSERT_TRUE(w.pass_time_until([&] { return w.settled(); }));
  EXPECT_EQ(w.store.all_attempts()[0].error, "context deadline exceeded");
  const auto seen = r.seen();
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].id, seen[1].id);
}

TEST(Deliver, takes_the_head_for_the_answer_whatever_the_body_does) {
  const struct {
    const char* what;
    Script script;
  } cases[] = {
      {"drip",
       [](const Exchange& e, int) {
         e->start(200, {});
         e->send(std::make_shared<const std::string>("x"));
       }},
      {"10 MiB", always(200, std::string(10 << 20, 'x'))},
      {"no UTF-8", always(200, "\xff\xfe\x80 caf\xE9")},
      {"1 MiB of headers",
       always(200, "", std::vector<httpd::Header>(1000, {"X-Big", std::string(1000, 'h')}))},
      {"cut",
       [](const Exchange& e, int) {
         e->start(200, {});
         e->send(std::make_shared<const std::string>("x"));
         e->abort();
       }},
  };
  for (const auto& c : cases) {
    Receiver r(c.script);
    World w;
    w.subscribe(r.url());
    w.run({.timeout_ms = 1500});
    w.tell();
    ASSERT_TRUE(w.pass_time_until([&] { return w.settled(); })) << c.what;
    EXPECT_TRUE(w.all_in(DeliveryState::kSucceeded))
        << c.what << ": " << w.store.all_attempts()[0].error;
    EXPECT_EQ(r.count(), 1u) << c.what << ": " << w.store.all_attempts()[0].error;
    const Attempt a = w.store.all_attempts()[0];
    EXPECT_TRUE(valid_utf8(a.response_head)) << c.what;
    EXPECT_LE(a.response_head.size(), 4096u) << c.what;
  }
}

TEST(Deliver, repeats_with_the_same_id_when_the_receiver_closed_without_an_answer) {
  Receiver r([](const Exchange& e, int n) { n == 0 ? e->abort() : answer(e, 200); });
  World w;
  w.subscribe(r.url());
  w.run();
  w.tell();
  ASSERT_TRUE(w.pass_time_until([&] { return w.settled(); }));
  const auto seen = r.seen();
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].id, seen[1].id);
  EXPECT_EQ(w.store.all_attempts().size(), 2u);
}

TEST(Deliver, connects_to_the_addresses_that_were_checked_and_tells_which) {
  Receiver r(always(200));
  World w;
  w.subscribe(r.url("/hook", "receiver.test"));
  DeliverOptions o;
  o.guard.allow = {cat("receiver.test:", r.port())};
  std::atomic<int> asked{0};
  o.resolve = [&](const std::string& host) -> Result<std::vector<std::string>> {
    EXPECT_EQ(host, "receiver.test");
    ++asked;
    return std::vector<std::string>{"::1", "127.0.0.2", "127.0.0.1"};  // only the last one listens
  };
  w.run(o);
  w.tell();
  ASSERT_TRUE(eventually([&] { return w.settled(); }));
  ASSERT_EQ(r.count(), 1u);
  EXPECT_EQ(r.seen()[0].host, cat("receiver.test:", r.port()));
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(w.store.all_attempts()[0].peer, cat("127.0.0.1 port ", r.port()));
}

TEST(Deliver, sends_nothing_when_a_name_turns_inward) {
  Receiver r(always(200));
  World w;
  w.subscribe(cat("https://rebind.test:", r.port(), "/"));
  DeliverOptions o;
  o.guard.allow = {"elsewhere"};
  o.guard.ports = {r.port()};
  o.resolve = [n = std::make_shared<std::atomic<int>>(0)](
                  const std::string&) -> Result<std::vector<std::string>> {
    if ((*n)++ == 0) return Error(Code::kUnavailable, "no such host");
    return std::vector<std::string>{"127.0.0.1"};
  };
  w.run(o);
  w.tell();
  ASSERT_TRUE(w.pass_time_until([&] { return w.settled(); }));
  EXPECT_EQ(r.count(), 0u);
  const auto attempts = w.store.all_attempts();
  ASSERT_EQ(attempts.size(), 2u);
  EXPECT_EQ(attempts[0].error, "no such host");
  EXPECT_NE(attempts[1].error.find("lies in 127.0.0.0/8"), std::string::npos);
  EXPECT_EQ(w.store.all()[0].state, DeliveryState::kDead);
}

TEST(Deliver, is_not_held_up_by_a_resolver_that_hangs) {
  Receiver r(always(200));
  World w;
  w.subscribe("https://slow.test/");
  w.subscribe(r.url());
  DeliverOptions o;
  o.timeout_ms = 200;
  o.resolve = [](const std::string&) -> Result<std::vector<std::string>> {
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    return std::vector<std::string>{"198.51.100.7"};
  };
  w.run(o);
  w.tell();
  ASSERT_TRUE(eventually([&] { return r.count() == 1; }, 500));
  ASSERT_TRUE(eventually([&] { return w.store.all_attempts().size() == 2; }));
  EXPECT_NE((*w.store.attempts(1))[0].error.find("not resolved in time"), std::string::npos);
}

TEST(Deliver, keeps_the_order_of_a_key_through_failures) {
  std::atomic<unsigned> x{1};
  Receiver r([&](const Exchange& e, int) {
    answer(e, (x = x * 1103515245 + 12345) >> 16 & 1 ? 503 : 200);
  });
  World w;
  w.subscribe(r.url(), "webhook", ",\"format\":\"plain\"");
  w.run();
  for (int i = 0; i < 20; ++i) {
    for (int k = 0; k < 3; ++k) w.tell(cat("release-", k));
  }
  ASSERT_TRUE(w.pass_time_until([&] { return w.settled(); }));
  EXPECT_TRUE(w.all_in(DeliveryState::kSucceeded));
  // Of one key the next is first tried after the one before it had its answer.
  std::map<std::string, int64_t> last;
  std::map<std::string, std::string> newest;
  for (const Request& s : r.seen()) {
    const size_t at = s.body.find("\"sequence\":");
    const int64_t sequence = std::atoll(s.body.c_str() + at + 11);
    const std::string key = s.body.substr(s.body.find("\"release\":"), 22);
    EXPECT_GE(sequence, last[key]);
    last[key] = sequence;
  }
  EXPECT_EQ(last.size(), 3u);
}

TEST(Deliver, does_not_let_a_dead_endpoint_hold_up_the_others) {
  Receiver r([&](const Exchange& e, int) {
    if (e->request().path == "/dead") {
      hang(e);
    } else {
      answer(e, 200);
    }
  });
  World w;
  Subscription dead = w.subscribe(r.url("/dead"));
  for (int i = 0; i < 50; ++i) w.subscribe(r.url(cat("/live/", i)));
  for (int i = 0; i < 20; ++i) w.tell(cat("r", i));
  const int64_t start = sys::real_clock().monotonic_ns();
  w.run({.timeout_ms = 10'000});
  ASSERT_TRUE(eventually([&] {
    const auto all = w.store.all();
    return std::all_of(all.begin(), all.end(), [&](const Delivery& d) {
      return d.subscription_id == dead.id || d.state == DeliveryState::kSucceeded;
    });
  }));
  EXPECT_LT((sys::real_clock().monotonic_ns() - start) / 1'000'000, 5'000);
}

TEST(Deliver, waits_for_a_place_when_many_certificates_are_in_use_at_once) {
  crypt::CertRequest authority;
  authority.common_name = "authority.test";
  authority.days = 1;
  authority.key_pem = *crypt::generate_private_key("ecdsa");
  std::string ca = crypt::make_ca(authority)->cert;
  Mutex mutex;
  std::vector<Exchange> held;
  bool well = false;
  Receiver r([&](const Exchange& e, int) {
    Lock lock(mutex);
    if (well) return answer(e, 200);
    held.push_back(e);
  });
  World w;
  for (int i = 0; i < 40; ++i) {
    w.subscribe(r.url(cat("/", i)), "webhook", cat(",\"ca\":", quote(ca)));
    ca += '\n';
  }
  w.tell();
  w.run({.timeout_ms = 30'000});
  ASSERT_TRUE(eventually([&] { return r.count() == 32; }));
  EXPECT_FALSE(eventually([&] { return r.count() > 32; }, 700)) << "no more at once";
  {
    Lock lock(mutex);
    well = true;
    for (const Exchange& e : std::exchange(held, {})) answer(e, 200);
  }
  ASSERT_TRUE(eventually([&] { return w.settled(); }));
  for (const Attempt& a : w.store.all_attempts()) EXPECT_EQ(a.status, 200) << a.error;
}

TEST(Deliver, claims_for_a_slow_endpoint_no_more_than_it_takes) {
  Mutex mutex;
  std::vector<Exchange> held;
  bool well = false;
  Receiver r([&](const Exchange& e, int) {
    Lock lock(mutex);
    if (well || e->request().path == "/quick") return answer(e, 200);
    held.push_back(e);
  });
  const auto release = [&] {
    Lock lock(mutex);
    for (const Exchange& e : std::exchange(held, {})) answer(e, 200);
  };
  World w;
  const Subscription slow = w.subscribe(r.url("/slow"));
  w.tell();
  w.run({.timeout_ms = 30'000, .per_endpoint = 1});
  ASSERT_TRUE(eventually([&] { return r.count() == 1; }));
  w.clock.step_ms(5'000);  // it has taken so long
  release();
  ASSERT_TRUE(eventually([&] { return w.settled(); }));
  w.subscribe(r.url("/quick"));
  for (int i = 0; i < 500; ++i) w.tell(cat("release-", i));
  const auto done = [&](bool is_slow) {
    const auto all = w.store.all();
    return std::count_if(all.begin(), all.end(), [&](const Delivery& d) {
      return d.state == DeliveryState::kSucceeded && (d.subscription_id == slow.id) == is_slow;
    });
  };
  ASSERT_TRUE(eventually([&] { return done(false) == 500; }));
  EXPECT_EQ(done(true), 1);
  EXPECT_LE(w.store.put_back, 64);
  {
    Lock lock(mutex);
    well = true;
  }
  release();
  ASSERT_TRUE(eventually([&] { return w.settled(); }));
  EXPECT_EQ(done(true), 501);
  EXPECT_LE(w.store.put_back, 128);
}

TEST(Deliver, stops_calling_an_endpoint_that_fails_and_tries_it_each_minute) {
  std::atomic<bool> well{false};
  Receiver r([&](const Exchange& e, int) { answer(e, well ? 200 : 502); });
  World w;
  w.subscribe(r.url());
  for (int i = 0; i < 30; ++i) w.tell(cat("release-", i));
  w.run();
  ASSERT_TRUE(
      eventually([&] { return w.deliverer->counters().open_breakers == 1 && w.all_waiting(); }));
  const size_t before = r.count();
  EXPECT_LE(before, 14u);  // ten in a row, and those beside the first
  w.clock.step_ms(30'000);
  w.deliverer->wake();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(r.count(), before);
  w.clock.step_ms(40'000);
  w.deliverer->wake();
  ASSERT_TRUE(eventually([&] { return r.count() == before + 1 && w.all_waiting(); }));
  well = true;
  ASSERT_TRUE(w.pass_time_until([&] { return w.settled(); }));
  EXPECT_TRUE(w.all_in(DeliveryState::kSucceeded));
  EXPECT_EQ(w.deliverer->counters().open_breakers, 0u);
}

Subscription hourly(World& w, const Receiver& r) {
  Subscription s = w.subscribe(r.url());
  s.manner.retry_ms = std::vector<int64_t>(9, 3'600'000);
  EXPECT_TRUE(w.store.update_subscription(s));
  return s;
}

TEST(Deliver, tries_an_endpoint_that_fails_with_what_is_not_due_and_all_when_it_answers) {
  std::atomic<bool> well{false};
  Receiver r([&](const Exchange& e, int) { answer(e, well ? 200 : 502); });
  World w;
  hourly(w, r);
  for (int i = 0; i < 10; ++i) w.tell(cat("release-", i));
  w.tell("release-0");
  w.run();
  ASSERT_TRUE(eventually([&] { return r.count() == 10 && w.all_waiting(); }));
  std::set<int64_t> due;
  for (const Delivery& d : w.store.all()) due.insert(d.due_ms);
  for (size_t minute = 1; minute <= 12; ++minute) {
    w.clock.step_ms(60'500);
    w.deliverer->wake();
    ASSERT_TRUE(eventually([&] { return r.count() == 10 + minute && w.all_waiting(); })) << minute;
  }
  EXPECT_EQ(w.deliverer->counters().open_breakers, 1u);
  EXPECT_EQ(w.store.all_attempts().size(), 10u) << "what is tried early is no attempt";
  EXPECT_EQ(w.deliverer->counters().sinks.at("webhook").attempts.at("5xx"), 22u) << "but counted";
  for (const Delivery& d : w.store.all()) {
    EXPECT_TRUE(due.contains(d.due_ms)) << d.id;
    EXPECT_EQ(d.state, d.id <= 10 ? DeliveryState::kRetry : DeliveryState::kPending) << d.id;
  }
  std::set<std::string> chosen;
  const auto seen = r.seen();
  for (size_t i = 10; i < seen.size(); ++i) chosen.insert(seen[i].id);
  EXPECT_GT(chosen.size(), 1u) << "not the same again and again";
  well = true;
  w.clock.step_ms(60'500);
  w.deliverer->wake();
  ASSERT_TRUE(eventually([&] { return w.settled(); }));
  EXPECT_TRUE(w.all_in(DeliveryState::kSucceeded));
  EXPECT_EQ(w.deliverer->counters().open_breakers, 0u);
  EXPECT_EQ(w.store.all()[0].attempts, 2);
}

TEST(Deliver, tries_what_waits_when_it_starts_and_leaves_its_schedule) {
  Receiver r(always(502));
  World w;
  hourly(w, r);
  for (int i = 0; i < 30; ++i) w.tell(cat("release-", i));
  w.run();
  ASSERT_TRUE(eventually([&] { return w.deliverer->counters().open_breakers == 1 && w.all_waiting(); }));
  while (w.store.all_attempts().size() < 30) {
    const size_t before = r.count();
    w.clock.step_ms(60'500);
    w.deliverer->wake();
    ASSERT_TRUE(eventually([&] { return r.count() > before && w.all_waiting(); }));
  }
  const auto before = w.store.all();
  const size_t tried = r.count();
  w.deliverer.reset();
  w.run();
  ASSERT_TRUE(eventually([&] { return w.deliverer->counters().open_breakers == 1 && w.all_waiting(); }));
  EXPECT_GE(r.count(), tried + 10);
  EXPECT_LE(r.count(), tried + 14);
  const auto after = w.store.all();
  int64_t first = INT64_MAX;
  for (size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(after[i].due_ms, before[i].due_ms) << i;
    EXPECT_EQ(after[i].attempts, 1) << i;
    first = std::min(first, before[i].due_ms);
  }
  EXPECT_EQ(*w.store.next_due_ms(), first) << "the rest waits as it did";
}

TEST(Deliver, tells_a_robot_everything_within_its_limit) {
  Receiver r(always(200, R"({"errcode":0,"errmsg":"ok"})"));
  World w;
  w.subscribe(r.url(), "dingtalk", ",\"format\":\"text\"");
  w.run();
  for (int i = 0; i < 300; ++i) w.tell(i % 3 == 0 ? "web" : cat("release-", i));
  ASSERT_TRUE(w.pass_time_until([&] { return w.settled(); }));
  EXPECT_TRUE(w.all_in(DeliveryState::kSucceeded));
  std::string all;
  for (const Request& s : r.seen()) all += s.body;
  for (int i = 0; i < 300; ++i) {
    if (i % 3 == 0) continue;
    EXPECT_NE(all.find(cat("release-", i, " ")), std::string::npos) << i;
  }
  std::vector<int64_t> starts;
  for (const Attempt& a : w.store.all_attempts()) starts.push_back(a.started_ms);
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  for (size_t i = 20; i < starts.size(); ++i) EXPECT_GT(starts[i] - starts[i - 20], 60'000);
  EXPECT_LE(r.count(), 40u);
}

TEST(Deliver, leaves_a_robot_alone_that_says_too_fast) {
  Receiver r([](const Exchange& e, int n) {
    answer(e, 200, n == 0 ? R"({"errcode":130101,"errmsg":"send too fast"})" : R"({"errcode":0})");
  });
  World w;
  w.subscribe(r.url(), "dingtalk");
  for (int i = 0; i < 5; ++i) w.tell(cat("release-", i));
  w.run();
  ASSERT_TRUE(w.pass_time_until([&] { return w.settled(); }));
  const auto attempts = w.store.all_attempts();
  EXPECT_GE(attempts.back().started_ms - attempts.front().started_ms, 600'000);
  EXPECT_TRUE(w.all_in(DeliveryState::kSucceeded));
}

TEST(Deliver, sends_batches_of_cloud_events) {
  Receiver r(always(200));
  World w;
  w.subscribe(r.url(), "webhook", ",\"format\":\"cloudevents-batch\"");
  for (int i = 0; i < 250; ++i) w.tell();
  w.run();
  ASSERT_TRUE(eventually([&] { return w.settled(); }));
  EXPECT_TRUE(w.all_in(DeliveryState::kSucceeded));
  EXPECT_LE(r.count(), 5u);
}

TEST(Deliver, sets_a_poisonous_event_aside_and_goes_on) {
  Receiver r(always(200));
  World w;
  w.subscribe(
      r.url(), "webhook",
      R"(,"template":"{{ if eq .type \"bad\" }}{{ fail \"poison\" }}{{ end }}{\"n\":{{ .sequence }}}")");
  w.run();
  w.tell("web", "good");
  w.tell("web", "bad");
  w.tell("web", "good");
  ASSERT_TRUE(eventually([&] { return w.settled(); }));
  EXPECT_EQ(w.store.all()[1].state, DeliveryState::kDead);
  EXPECT_EQ(w.store.all()[1].attempts, 1);
  EXPECT_NE(w.store.all()[1].dead_reason.find("poison"), std::string::npos);
  EXPECT_EQ(r.count(), 2u);
}

TEST(Deliver, tells_the_others_of_a_batch_when_one_cannot_be_told) {
  World w;
  Subscription s;
  s.name = "file";
  s.sink_kind = "file";
  s.options =
      R"({"path":"out","template":"{{ if eq .type \"bad\" }}{{ fail \"poison\" }}{{ end }}{{ .sequence }}"})";
  ASSERT_TRUE(w.store.add_subscription(s));
  for (int i = 0; i < 10; ++i) w.tell("web", i == 4 ? "bad" : "good");
  TempPlace here;
  w.run();
  ASSERT_TRUE(eventually([&] { return w.settled(); }));
  w.deliverer->stop(1000);
  EXPECT_EQ(*sys::real_disk().read_file("out"), "1\n2\n3\n4\n6\n7\n8\n9\n10\n");
  EXPECT_EQ(w.store.all()[4].state, DeliveryState::kDead);
}

TEST(Deliver, leaves_what_hangs_and_sends_it_again_after_its_lease) {
  Receiver r([&](const Exchange& e, int n) { n == 0 ? hang(e) : answer(e, 200); });
  World w;
  w.subscribe(r.url());
  w.run({.owner = "first"});
  w.tell();
  ASSERT_TRUE(eventually([&] { return r.count() == 1; }));
  const int64_t start = sys::real_clock().monotonic_ns();
  w.deliverer->stop(200);
  EXPECT_LT((sys::real_clock().monotonic_ns() - start) / 1'000'000, 1'500);
  EXPECT_TRUE(w.all_in(DeliveryState::kLeased));
  w.run({.owner = "second"});
  w.clock.step_ms(61'000);
  w.deliverer->wake();
  ASSERT_TRUE(eventually([&] { return w.settled(); }));
  EXPECT_EQ(r.seen()[0].id, r.seen()[1].id);
}

TEST(Deliver, lets_what_is_under_way_end_and_gives_back_the_rest) {
  std::atomic<int> held{0};
  Receiver r([&](const Exchange& e, int) {
    ++held;
    std::thread([e] {
      std::this_thread::sleep_for(std::chrono::milliseconds(1000));
      answer(e, 200);
    }).detach();
  });
  World w;
  w.subscribe(r.url());
  for (int i = 0; i < 20; ++i) w.tell(cat("release-", i));
  w.run();
  ASSERT_TRUE(eventually([&] { return held >= 4; }));
  w.deliverer->stop(5000);
  int succeeded = 0, pending = 0;
  for (const Delivery& d : w.store.all()) {
    succeeded += d.state == DeliveryState::kSucceeded;
    pending += d.state == DeliveryState::kPending;
  }
  EXPECT_GE(succeeded, 4);
  EXPECT_GT(pending, 0);
  EXPECT_EQ(succeeded + pending, 20);
}

TEST(Deliver, stores_an_end_once_the_store_is_back) {
  World w;
  Receiver r([&](const Exchange& e, int) {
    w.store.away = true;
    answer(e, 200);
  });
  w.subscribe(r.url());
  w.run();
  w.tell();
  ASSERT_TRUE(eventually([&] { return r.count() == 1; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  w.store.away = false;
  ASSERT_TRUE(eventually([&] { return w.settled(); }));
  EXPECT_EQ(r.count(), 1u);
}

TEST(Deliver, keeps_no_secret_in_an_attempt) {
  const std::string key = cat("whsec_", crypt::base64_encode(std::string(24, 'k')));
  Receiver r(
      [&](const Exchange& e, int) { answer(e, 500, cat("I know ", key), {{"X-Echo", key}}); });
  World w;
  w.subscribe(r.url(), "webhook", "", key);
  w.run();
  w.tell();
  ASSERT_TRUE(eventually([&] { return w.store.all_attempts().size() == 1; }));
  EXPECT_EQ(w.store.all_attempts()[0].response_head.find(key), std::string::npos);
}

TEST(Deliver, finds_whom_to_call_when_it_sends_and_tells_it) {
  Receiver r(always(200, R"({"errcode":0})"));
  World w;
  Subscription s;
  s.name = "robot";
  s.sink_kind = "dingtalk";
  s.options = cat("{\"url\":", quote(r.url()), ",\"mention\":[\"13800000009\"]}");
  s.manner.whom = {"owners"};
  ASSERT_TRUE(w.store.add_subscription(s));
  Mutex mutex;
  auto known = std::make_shared<const Directory>();
  DeliverOptions o;
  o.directory = [&] {
    Lock held(mutex);
    return known;
  };
  w.run(o);
  w.tell();
  ASSERT_TRUE(eventually([&] { return w.settled(); }));
  EXPECT_NE(r.seen()[0].body.find(R"("atMobiles":["13800000009"])"), std::string::npos);
  EXPECT_EQ(w.store.all_attempts()[0].told, "owners: it has none; so the sink's own list");
  {
    Directory d;  // as a reload or the API would change it
    d.people.push_back({.name = "ann", .dingtalk = "13800000001"});
    d.owners.push_back({.name = "all", .people = {"ann"}});
    Lock held(mutex);
    known = std::make_shared<const Directory>(std::move(d));
  }
  w.clock.step_ms(70'000);
  w.tell();
  ASSERT_TRUE(eventually([&] { return w.settled(); }));
  ASSERT_EQ(r.count(), 2u);
  EXPECT_NE(r.seen()[1].body.find(R"("atMobiles":["13800000001"])"), std::string::npos);
  EXPECT_EQ(w.store.all_attempts()[1].told, "owners: (all) ann <13800000001>");
}

TEST(Deliver, sends_nothing_in_quiet_hours_but_what_is_severe) {
  Receiver r(always(200));
  World w;
  Subscription s;
  s.name = "quiet";
  s.sink_kind = "webhook";
  s.options = cat("{\"url\":", quote(r.url()), "}");
  // Around now, whenever that is.
  const auto minute = static_cast<int>(w.clock.now_ns() / 60'000'000'000 % (24 * 60));
  s.manner.quiet = {.from_min = (minute + 23 * 60) % (24 * 60), .to_min = (minute + 60) % (24 * 60)};
  ASSERT_TRUE(w.store.add_subscription(s));
  w.run();
  w.tell("web");
  Event bad;
  bad.type = "release.failed";
  bad.release = "web";
  bad.severity = Severity::kError;
  w.store.add(std::move(bad));
  w.deliverer->wake();
  ASSERT_TRUE(eventually([&] { return r.count() == 1; }));
  EXPECT_NE(r.seen()[0].body.find("release.failed"), std::string::npos);
  ASSERT_TRUE(eventually([&] { return w.all_waiting(); }));
  EXPECT_EQ(r.count(), 1u);
  w.clock.step_ms(2 * 3'600'000);
  w.deliverer->wake();
  ASSERT_TRUE(eventually([&] { return w.settled(); }));
  EXPECT_EQ(r.count(), 2u);
  EXPECT_EQ(w.store.all_attempts().size(), 2u) << "waiting is no attempt";
}

TEST(Deliver, tries_as_a_subscription_says) {
  Receiver r(always(500));
  World w;
  Subscription s;
  s.name = "own";
  s.sink_kind = "webhook";
  s.options = cat("{\"url\":", quote(r.url()), "}");
  s.manner.retry_ms = {1000, 2000};
  ASSERT_TRUE(w.store.add_subscription(s));
  w.run();
  w.tell();
  ASSERT_TRUE(w.pass_time_until([&] { return w.settled(); }));
  EXPECT_EQ(w.store.all_attempts().size(), 3u);
  EXPECT_TRUE(w.all_in(DeliveryState::kDead));
}

TEST(Deliver, asks_the_store_nothing_while_nothing_happens) {
  World w;
  w.run();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const uint64_t before = w.store.statements();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_EQ(w.store.statements(), before);
}

TEST(Deliver, is_prompt_and_quick) {
  Receiver r(always(200));
  World w;
  for (int i = 0; i < 20; ++i) w.subscribe(r.url(cat("/", i)));
  w.run();
  w.tell("warm");
  ASSERT_TRUE(eventually([&] { return w.settled(); }));
  std::vector<int64_t> lags;
  for (int i = 0; i < 100; ++i) {
    const size_t before = r.count();
    const int64_t start = sys::real_clock().monotonic_ns();
    w.tell(cat("one-", i));
    ASSERT_TRUE(eventually([&] { return r.count() == before + 20; }));
    const auto seen = r.seen();
    for (size_t k = before; k < seen.size(); ++k) lags.push_back((seen[k].at_ns - start) / 1000);
  }
  std::sort(lags.begin(), lags.end());
  const auto succeeded = [&](uint64_t n) {
    return [&, n] { return w.deliverer->counters().succeeded == n; };
  };
  ASSERT_TRUE(eventually(succeeded(101 * 20)));
  for (int i = 0; i < 200; ++i) {
    Event e;
    e.release = cat("many-", i);
    w.store.add(std::move(e));
  }
  const int64_t start = sys::real_clock().monotonic_ns();
  w.deliverer->wake();
  ASSERT_TRUE(eventually(succeeded(301 * 20), 30'000));
  const int64_t took_us = (sys::real_clock().monotonic_ns() - start) / 1000;
  const int64_t p99 = lags[lags.size() * 99 / 100];
  RecordProperty("wake_to_attempt_p50_us", static_cast<int>(lags[lags.size() / 2]));
  RecordProperty("wake_to_attempt_p99_us", static_cast<int>(p99));
  RecordProperty("attempts_per_second", static_cast<int>(int64_t{4000} * 1'000'000 / took_us));
  EXPECT_LT(lags[lags.size() / 2], 100'000);
}

}  // namespace
}  // namespace pintle::lookout
