#include "lookout/deliver/names.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "base/strings.h"
#include "lookout/testing/held_names.h"

namespace pintle::lookout {
namespace {

Resolve resolver(const std::shared_ptr<HeldNames>& held) {
  return [held](const std::string& host) -> Result<std::vector<std::string>> {
    const int n = held->ask(host);
    if (host == "none.test") return Error("lookup none.test: no such host", Code::kUnavailable);
    return std::vector<std::string>{cat("10.0.0.", n)};
  };
}

bool soon(const std::function<bool()>& what) {
  for (int i = 0; i < 1000 && !what(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return what();
}

TEST(Names, AHangingOneHoldsOneThreadAndAllGetItsAnswer) {
  auto held = std::make_shared<HeldNames>();
  const Resolve resolve = resolver(held);
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
  held->go();
  EXPECT_TRUE(soon([&] { return *answered == 100; }));
  EXPECT_EQ(held->asked(), 3) << "each once";
  names.find("hang.test", resolve, [=](const Names::Addresses&) { ++*answered; });
  EXPECT_TRUE(soon([&] { return *answered == 101; }));
  EXPECT_EQ(held->asked(), 4) << "nothing is remembered";
}

TEST(Names, WhatHangsIsLeftBehind) {
  auto held = std::make_shared<HeldNames>();
  auto answered = std::make_shared<std::atomic<int>>(0);
  {
    Names names(1);
    names.find("hang.test", resolver(held),
               [answered](const Names::Addresses&) { ++*answered; });
    EXPECT_TRUE(soon([&] { return held->asked() == 1; }));
  }
  held->go();
  EXPECT_TRUE(soon([&] { return *answered == 1; }));
}

}  // namespace
}  // namespace pintle::lookout
