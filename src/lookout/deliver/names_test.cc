#include "lookout/deliver/names.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "base/mutex.h"
#include "base/strings.h"

namespace pintle::lookout {
namespace {

// Answers for a host once it is let go.
struct Servers {
  Result<std::vector<std::string>> resolve(const std::string& host) {
    Lock held(mutex);
    ++asked;
    while (host.starts_with("hang") && !let_go) changed.wait(mutex);
    if (host == "none.test") return Error("lookup none.test: no such host", Code::kUnavailable);
    return std::vector<std::string>{cat("10.0.0.", asked)};
  }
  void go() {
    Lock held(mutex);
    let_go = true;
    changed.notify_all();
  }
  Mutex mutex;
  Condition changed;
  int asked = 0;
  bool let_go = false;
};

bool soon(const std::function<bool()>& what) {
  for (int i = 0; i < 1000 && !what(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return what();
}

TEST(Names, AHangingOneHoldsOneThreadAndAllGetItsAnswer) {
  auto servers = std::make_shared<Servers>();
  const Resolve resolve = [servers](const std::string& host) { return servers->resolve(host); };
  Names names(2);
  auto answered = std::make_shared<std::atomic<int>>(0), found = std::make_shared<std::atomic<int>>(0);
  for (int i = 0; i < 100; ++i) {
    names.find("hang.test", resolve, [=](const Names::Addresses& a) {
      *answered += a && a->size() == 1;
    });
  }
  names.find("good.test", resolve, [=](const Names::Addresses& a) { *found += a.has_value(); });
  names.find("none.test", resolve, [=](const Names::Addresses& a) { *found += !a.has_value(); });
  EXPECT_TRUE(soon([&] { return *found == 2; }));
  EXPECT_EQ(*answered, 0);
  servers->go();
  EXPECT_TRUE(soon([&] { return *answered == 100; }));
  EXPECT_EQ(servers->asked, 3) << "each once";
  names.find("hang.test", resolve, [=](const Names::Addresses&) { ++*answered; });
  EXPECT_TRUE(soon([&] { return *answered == 101; }));
  EXPECT_EQ(servers->asked, 4) << "nothing is remembered";
}

TEST(Names, WhatHangsIsLeftBehind) {
  auto servers = std::make_shared<Servers>();
  auto answered = std::make_shared<std::atomic<int>>(0);
  {
    Names names(1);
    names.find("hang.test", [servers](const std::string& host) { return servers->resolve(host); },
               [answered](const Names::Addresses&) { ++*answered; });
    EXPECT_TRUE(soon([&] {
      Lock held(servers->mutex);
      return servers->asked == 1;
    }));
  }
  servers->go();
  EXPECT_TRUE(soon([&] { return *answered == 1; }));
}

}  // namespace
}  // namespace pintle::lookout
