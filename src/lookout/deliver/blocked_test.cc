// What blocks (a name, a file) holds up nothing but itself.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lookout/testing/deliver_world.h"
#include "lookout/testing/held_names.h"
#include "lookout/testing/temp_place.h"

namespace pintle::lookout::deliver_world {
namespace {

DeliverOptions options(const std::shared_ptr<HeldNames>& names) {
  DeliverOptions o;
  o.guard.allow = {"hang.test", "good.test"};
  o.resolve = [names](const std::string& host) -> Result<std::vector<std::string>> {
    names->ask(host);
    return std::vector<std::string>{"127.0.0.1"};
  };
  return o;
}

// A pipe's file without a reader: who opens it to write waits for one.
void subscribe_pipe(World& w, const std::string& path) {
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  Subscription s;
  s.name = path;
  s.sink_kind = "file";
  s.options = cat("{\"path\":\"", path, "\"}");
  ASSERT_TRUE(w.store.add_subscription(s));
}

bool told_of(World& w, int64_t subscription) {
  for (const Delivery& d : w.store.all()) {
    if (d.subscription_id == subscription) return d.state == DeliveryState::kSucceeded;
  }
  return false;
}

TEST(Blocked, ANameThatHangsHoldsUpNoOther) {
  const auto names = std::make_shared<HeldNames>();
  Receiver r(always(200));
  World w;
  for (int i = 0; i < 80; ++i) w.subscribe(r.url(cat("/", i), "hang.test"));
  const int64_t good = w.subscribe(r.url("/good", "good.test")).id;
  w.run(options(names));
  w.tell();
  EXPECT_TRUE(eventually([&] { return told_of(w, good); }));
  EXPECT_EQ(r.count(), 1u);
  names->go();
  EXPECT_TRUE(eventually([&] { return w.all_in(DeliveryState::kSucceeded); }));
}

TEST(Blocked, SendsThatHangHoldUpNoName) {
  TempPlace here;
  const auto names = std::make_shared<HeldNames>();
  Receiver r(always(200));
  World w;
  for (int i = 0; i < 80; ++i) subscribe_pipe(w, cat("pipe-", i));
  const int64_t good = w.subscribe(r.url("/good", "good.test")).id;
  w.run(options(names));
  w.tell();
  EXPECT_TRUE(eventually([&] { return told_of(w, good); }));
  std::vector<int> readers;
  EXPECT_TRUE(eventually([&] {  // who reads them lets them go on
    for (int i = 0; i < 80 && readers.size() < 80; ++i) {
      readers.push_back(::open(cat("pipe-", i).c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    }
    return w.store.all_attempts().size() >= 81;
  }));
  for (const int fd : readers) ::close(fd);
}

TEST(Blocked, ASendThatHangsIsLeftBehindAtTheEnd) {
  TempPlace here;
  World w;
  subscribe_pipe(w, "pipe");
  DeliverOptions o;
  o.timeout_ms = 200;
  w.run(std::move(o));
  w.tell();
  ASSERT_TRUE(eventually([&] {
    const auto all = w.store.all();
    return !all.empty() && all[0].state == DeliveryState::kLeased;
  }));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // until it is in the call
  const int64_t start = sys::real_clock().monotonic_ns();
  w.deliverer->stop(100);
  EXPECT_LT((sys::real_clock().monotonic_ns() - start) / 1'000'000, 5'000);
  EXPECT_TRUE(w.all_in(DeliveryState::kLeased)) << "it is sent again once its lease is over";
  w.deliverer.reset();
  const int reader = ::open("pipe", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  std::string got(4096, '\0');
  EXPECT_TRUE(eventually([&] { return ::read(reader, got.data(), got.size()) > 0; }));
  ::close(reader);
}

}  // namespace
}  // namespace pintle::lookout::deliver_world
