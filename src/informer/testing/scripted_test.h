// What tests against a scripted server share: the server, one loop, a stepped clock.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "informer/loop.h"
#include "informer/testing/scripted_rest.h"
#include "sys/testing/fake_clock.h"

namespace pintle::informer {

using ExchangePtr = std::shared_ptr<ScriptedRest::Exchange>;
using Lines = std::vector<std::string>;

// The next request; the test fails when there is none, and goes on with one that was dropped.
inline ExchangePtr wanted(ScriptedRest& rest) {
  ExchangePtr x = rest.next();
  if (!x) {
    ADD_FAILURE() << "no request";
    x = std::make_shared<ScriptedRest::Exchange>();
    x->dropped = true;
  }
  return x;
}

class ScriptedTest : public ::testing::Test {
 protected:
  explicit ScriptedTest(int64_t begins_ns) : clock_{begins_ns} {}
  ExchangePtr next() {
    loop_.run_ready();
    return wanted(rest_);
  }
  bool quiet() {
    loop_.run_ready();
    return rest_.next() == nullptr;
  }
  void step(int64_t ns) {
    loop_.run_ready();
    clock_.step(ns);
    loop_.run_ready();
  }

  sys::FakeClock clock_;
  Loop loop_{clock_};
  ScriptedRest rest_;
};

}  // namespace pintle::informer
