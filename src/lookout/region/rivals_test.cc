// Two processes that want one region, each with a wall clock of its own, before an API of Leases and
// a database: whatever fails, an epoch has one writer, what a former one still writes is refused, and
// a region whose holder is gone has another within 17 s.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "base/strings.h"
#include "informer/scan.h"
#include "informer/testing/scripted_rest.h"
#include "lookout/region/share.h"
#include "lookout/testing/memory_store.h"
#include "sys/testing/fake_clock.h"

namespace pintle::lookout {
namespace {

using informer::kSecond;
using informer::ScriptedRest;

constexpr const char* kRegion = "eu-1";
constexpr int64_t kStepNs = kSecond / 4, kTakeoverNs = 17 * kSecond, kHourNs = 3600 * kSecond;

// Time goes on in steps; what the wall clock says of it may be wrong.
class WallClock : public sys::Clock {
 public:
  int64_t now_ns() override { return time_ns + wrong_ns; }
  int64_t monotonic_ns() override { return time_ns; }
  int64_t time_ns = 1'800'000'000 * kSecond, wrong_ns = 0;
};

// One Lease, as an API server keeps it.
class LeaseServer {
 public:
  std::set<std::string> failing;    // who is answered 500
  std::set<std::string> forgotten;  // likewise after what it wrote was done

  void answer(ScriptedRest::Exchange& x, const std::string& who) {
    if (failing.contains(who)) return x.refuse(500, "InternalError");
    const std::string& body = x.call.body;
    const std::string known = informer::string_at(body, {"metadata", "resourceVersion"});
    if (x.call.method == "GET") {
      return lease_.empty() ? x.refuse(404, "NotFound") : x.answer(lease_);
    }
    if (x.call.method == "POST" ? !lease_.empty() : known != cat(version_)) {
      return x.refuse(409, "Conflict");
    }
    lease_ = cat(R"({"kind":"Lease","metadata":{"name":"l","namespace":"n","resourceVersion":")", ++version_,
                 R"("},"spec":)", informer::value_at(body, {"spec"}).value_or("{}"), "}");
    if (forgotten.contains(who)) return x.refuse(500, "InternalError");
    x.answer(lease_);
  }

 private:
  std::string lease_;
  int version_ = 6;
};

struct Process {
  std::string name;
  WallClock clock;
  std::shared_ptr<ScriptedRest> server = std::make_shared<ScriptedRest>();
  std::unique_ptr<Share> share;
  int64_t taken = 0;  // the epoch it writes with; 0: it does not
  bool held_up = false;
};

class RivalsTest : public testing::Test {
 protected:
  void begin(const std::function<double()>& random) {
    const auto row = store_.regions()->at(0);
    region_id_ = row.id;
    wrote_ns_ = 0;
    for (const char* name : {"a", "b"}) {
      auto p = std::make_unique<Process>();
      p->name = name;
      ShareOptions o;
      o.name_space = "n";
      o.owner = name;
      o.log = [](std::string_view, std::string_view, const LogAttrs&) {};
      o.meet = []() -> Result<int> { return 2; };
      o.random = random;
      o.thread = false;
      p->share = std::make_unique<Share>(p->clock, o);
      p->share->meet();
      ASSERT_TRUE(p->share->add(kRegion, p->server, row.epoch));
      all_.push_back(std::move(p));
    }
    pass(2 * kSecond);
    ASSERT_EQ(writers_.size(), 1u);
    holder_ = all_[0]->taken != 0 ? all_[0].get() : all_[1].get();
    other_ = holder_ == all_[0].get() ? all_[1].get() : all_[0].get();
  }
  void pass(int64_t ns) {
    for (; ns > 0; ns -= kStepNs) {
      for (auto& p : all_) p->clock.time_ns += kStepNs;
      settle();
      for (auto& p : all_) {
        if (!p->held_up) work(*p);
      }
    }
  }
  // How long it takes until it writes.
  int64_t until_writes(const Process& p) {
    const int64_t from = p.clock.time_ns;
    while (p.taken == 0 && p.clock.time_ns - from < 60 * kSecond) pass(kStepNs);
    return p.clock.time_ns - from;
  }
  void settle() {
    for (bool more = true; more;) {
      more = false;
      for (auto& p : all_) {
        if (!p->held_up) {
          p->share->meet();
          p->share->loop().run_ready();
        }
        while (const auto x = p->server->next()) {
          more = true;
          api_.answer(*x, p->name);
        }
      }
    }
  }
  // What the regions' keeper and the writer do with what the share says. The writer does not ask it.
  void work(Process& p) {
    if (p.taken != 0) commit(p);
    const int64_t epoch = p.share->standing(kRegion).epoch;
    if (epoch == p.taken) return;
    p.taken = 0;
    if (epoch == 0) return;
    const auto took = store_.take_region(region_id_, p.name, epoch);
    if (took) {
      p.taken = *took;
    } else {
      ASSERT_EQ(took.error().code(), Code::kFailedPrecondition);
      p.share->refused(kRegion, store_.regions()->at(0).epoch);
    }
  }
  void commit(Process& p) {
    Batch b;
    b.region_id = region_id_;
    b.region = kRegion;
    b.cluster_uid = "cluster-1";
    b.epoch = p.taken;
    Event e;
    e.type = "release.step";
    e.dedup_key = cat(++written_);
    b.events.push_back(std::move(e));
    const auto done = store_.commit(b);
    if (done) {
      writers_[b.epoch].insert(p.name);
      EXPECT_EQ(writers_[b.epoch].size(), 1u) << "epoch " << b.epoch;
      EXPECT_EQ(writers_.rbegin()->first, b.epoch) << "there was a newer one";
      wrote_ns_ = p.clock.time_ns;
      ++accepted_;
      return;
    }
    ASSERT_EQ(done.error().code(), Code::kFailedPrecondition) << done.error().text();
    ++refused_;
    p.taken = 0;
    p.share->refused(kRegion, store_.regions()->at(0).epoch);
  }

  sys::FakeClock database_clock_{1'800'000'000 * kSecond};
  MemoryStore store_{database_clock_};
  int64_t region_id_ = 0, wrote_ns_ = 0;
  LeaseServer api_;
  std::vector<std::unique_ptr<Process>> all_;
  Process *holder_ = nullptr, *other_ = nullptr;
  std::map<int64_t, std::set<std::string>> writers_;  // by epoch
  int written_ = 0, accepted_ = 0, refused_ = 0;
};

// Waits as long as they may.
double slow() { return 0.999; }

TEST_F(RivalsTest, AHolderWritesOnWhileNobodyCanReachTheLease) {
  begin(slow);
  const int before = accepted_;
  api_.failing = {"a", "b"};
  pass(60 * kSecond);
  EXPECT_EQ(accepted_ - before, 240) << "at every step";
  EXPECT_EQ(writers_.size(), 1u);
  api_.failing.clear();
  pass(60 * kSecond);
  EXPECT_LE(writers_.size(), 2u) << "who comes first has it from then on";
  EXPECT_NE(holder_->taken != 0, other_->taken != 0);
}

TEST_F(RivalsTest, OneThatCannotReachTheLeaseLosesItAndIsRefused) {
  for (const auto& [claim, fails] : {std::pair{"nothing is done", &LeaseServer::failing},
                                     std::pair{"all is done, and not told", &LeaseServer::forgotten}}) {
    SCOPED_TRACE(claim);
    if (all_.empty()) begin(slow);
    Process *one = holder_->taken != 0 ? holder_ : other_, *two = one == holder_ ? other_ : holder_;
    const int refused = refused_;
    (api_.*fails).insert(one->name);
    const bool renews = fails == &LeaseServer::forgotten;
    if (renews) {
      pass(60 * kSecond);
      EXPECT_NE(one->taken, 0) << "its Lease is renewed, though it does not know";
      EXPECT_EQ(refused_, refused);
    } else {
      EXPECT_LE(until_writes(*two), kTakeoverNs);
      pass(kSecond);
      EXPECT_EQ(one->taken, 0);
      EXPECT_EQ(refused_, refused + 1);
    }
    (api_.*fails).clear();
    pass(30 * kSecond);
    EXPECT_EQ(one->taken != 0, renews);
  }
}

TEST_F(RivalsTest, OneHeldUpLongerThanItsLeaseIsRefusedWhenItGoesOn) {
  begin(slow);
  holder_->held_up = true;
  EXPECT_LE(until_writes(*other_), kTakeoverNs);
  pass(20 * kSecond);
  EXPECT_EQ(refused_, 0);
  ASSERT_NE(holder_->taken, 0) << "it does not know";
  work(*holder_);
  EXPECT_EQ(refused_, 1) << "what it writes before it looks";
  holder_->held_up = false;
  const auto epochs = writers_.size();
  pass(60 * kSecond);
  EXPECT_EQ(refused_, 1);
  EXPECT_EQ(writers_.size(), epochs);
  EXPECT_EQ(holder_->taken, 0);
}

TEST_F(RivalsTest, WallClocksThatJumpMoveNoLease) {
  begin(slow);
  for (const int64_t jump : {kHourNs, -kHourNs}) {
    for (const auto& who : {std::vector{holder_}, {other_}, {holder_, other_}}) {
      SCOPED_TRACE(cat(jump / kHourNs, " h, ", who.size(), " of them, first ", who[0]->name));
      const auto epochs = writers_.size();
      const int accepted = accepted_;
      for (Process* p : who) p->clock.wrong_ns += jump;
      pass(60 * kSecond);
      EXPECT_EQ(writers_.size(), epochs);
      EXPECT_EQ(accepted_ - accepted, 240);
      Process *one = holder_->taken != 0 ? holder_ : other_, *two = one == holder_ ? other_ : holder_;
      one->held_up = true;
      EXPECT_LE(until_writes(*two), kTakeoverNs);
      one->held_up = false;
      pass(5 * kSecond);
      EXPECT_EQ(one->taken, 0);
    }
  }
}

TEST_F(RivalsTest, WhateverFailsAnEpochHasOneWriterAndNoneIsMissedForLong) {
  auto dice = std::make_shared<std::mt19937>();
  const auto chance = [dice] { return std::uniform_real_distribution<double>(0, 1)(*dice); };
  for (unsigned seed = 1; seed <= 30 && !HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    dice->seed(seed);
    all_.clear();
    api_ = {};
    writers_.clear();
    begin(chance);
    int64_t troubled_ns = 0;  // when both could last not hold the region
    for (int turn = 0; turn < 40 && !HasFailure(); ++turn) {
      for (auto& p : all_) {
        p->held_up = chance() < 0.2;
        if (chance() < 0.2) p->clock.wrong_ns = chance() < 0.5 ? kHourNs : -kHourNs;
        for (auto* fails : {&api_.failing, &api_.forgotten}) {
          fails->erase(p->name);
          if (chance() < 0.2) fails->insert(p->name);
        }
      }
      for (auto until = 1 + static_cast<int64_t>(chance() * 100); until > 0; --until) {
        pass(kStepNs);
        const int64_t now = all_[0]->clock.time_ns;
        for (auto& p : all_) {
          const bool well = !p->held_up && !api_.failing.contains(p->name) && !api_.forgotten.contains(p->name);
          if (!well) troubled_ns = now;
        }
        EXPECT_LE(now - std::max(troubled_ns, wrote_ns_), kTakeoverNs + kStepNs) << "turn " << turn;
      }
    }
  }
}

}  // namespace
}  // namespace pintle::lookout
