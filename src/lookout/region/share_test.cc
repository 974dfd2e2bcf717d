#include "lookout/region/share.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "informer/scan.h"
#include "informer/testing/scripted_rest.h"
#include "sys/testing/fake_clock.h"

namespace pintle::lookout {
namespace {

using informer::kSecond;
using informer::ScriptedRest;

TEST(LeaseName, IsADnsLabelAndOnesOwn) {
  EXPECT_EQ(lease_name("eu-1"), "lookout-eu-1");
  EXPECT_EQ(lease_name("EU_1").substr(0, 13), "lookout-eu-1-");
  EXPECT_NE(lease_name("EU_1"), lease_name("eu.1"));
  EXPECT_NE(lease_name("a-"), lease_name("a"));
  EXPECT_LE(lease_name(std::string(300, 'x')).size(), 253u);
}

// A Share stepped by hand, each region with an API server of its own that keeps one Lease.
class ShareTest : public testing::Test {
 protected:
  void SetUp() override {
    ShareOptions o;
    o.name_space = "n";
    o.owner = "me";
    o.log = [](std::string_view, std::string_view, const LogAttrs&) {};
    o.meet = [this]() -> Result<int> { return processes_; };
    o.changed = [this] { ++changes_; };
    o.random = [] { return 0.0; };
    o.thread = false;
    share_ = std::make_unique<Share>(clock_, o);
    share_->meet();
  }
  void add(const std::string& region, int64_t epoch = 0) {
    auto& server = servers_[region];
    server = std::make_shared<ScriptedRest>();
    ASSERT_TRUE(share_->add(region, server, epoch));
    settle();
  }
  // Answers all requests as a server does that has only Leases.
  void settle() {
    for (bool more = true; more;) {
      share_->loop().run_ready();
      more = false;
      for (auto& [region, server] : servers_) {
        while (const auto x = server->next()) {
          more = true;
          ++requests_;
          std::string& lease = leases_[region];
          if (away_.contains(region)) {
            x->end(Error(Code::kUnavailable, "away"));
          } else if (x->call.method != "GET") {
            lease = x->call.body;
            x->answer(lease);
          } else if (lease.empty()) {
            x->refuse(404, "NotFound");
          } else {
            x->answer(lease);
          }
        }
      }
    }
  }
  void pass(int64_t seconds) {
    for (int64_t i = 0; i < seconds * 4; ++i) {
      clock_.step(kSecond / 4);
      settle();
      share_->meet();
      settle();
    }
  }
  void held_by(const std::string& region, const std::string& holder, int transitions,
               int renewal = 0) {
    leases_[region] =
        R"({"kind":"Lease","metadata":{"name":"l","namespace":"n","resourceVersion":"7"},"spec":{"holderIdentity":")" +
        holder + R"(","leaseDurationSeconds":10,"leaseTransitions":)" +
        std::to_string(transitions) + R"(,"renewTime":")" + std::to_string(renewal) + "\"}}";
  }
  std::string holder(const std::string& region) {
    return informer::string_at(leases_[region], {"spec", "holderIdentity"});
  }
  int64_t epoch(const std::string& region) { return share_->standing(region).epoch; }
  int held() {
    int n = 0;
    for (const auto& [region, server] : servers_) n += epoch(region) != 0;
    return n;
  }

  sys::FakeClock clock_{1'800'000'000 * kSecond};
  std::map<std::string, std::shared_ptr<ScriptedRest>> servers_;
  std::map<std::string, std::string> leases_;
  std::set<std::string> away_;
  int processes_ = 1, changes_ = 0, requests_ = 0;
  std::unique_ptr<Share> share_;
};

TEST_F(ShareTest, TakesWhatIsFreeWithANewerEpochThanTheStores) {
  add("a", 6);
  EXPECT_EQ(epoch("a"), 7);
  EXPECT_EQ(holder("a"), "me");
  EXPECT_EQ(changes_, 1);
  EXPECT_EQ(epoch("unknown"), 0);
}

TEST_F(ShareTest, WaitsForAHolderAndTakesWhatItLeft) {
  held_by("a", "other", 3);
  add("a");
  pass(9);
  EXPECT_EQ(epoch("a"), 0);
  EXPECT_EQ(share_->standing("a").holder, "other");
  pass(8);  // dead for 17 s
  EXPECT_EQ(epoch("a"), 4);
}

TEST_F(ShareTest, KeepsARegionWhoseClusterIsAwayUntilAnotherHasTheLease) {
  add("a");
  away_.insert("a");
  pass(60);
  EXPECT_NE(epoch("a"), 0);
  EXPECT_EQ(share_->standing("a").failure.value_or(Error("none")).text(), "away");
  away_.clear();
  held_by("a", "other", 5);
  pass(3);
  EXPECT_EQ(epoch("a"), 0);
  EXPECT_FALSE(share_->standing("a").failure);
}

TEST_F(ShareTest, TakesItsPartAndWhatNobodyElseTakes) {
  for (const char* region : {"a", "b", "c", "d"}) add(region);
  EXPECT_EQ(held(), 4);
  processes_ = 2;
  pass(3);
  EXPECT_EQ(held(), 3) << "one at a time";
  pass(3);
  EXPECT_EQ(held(), 2);
  pass(20);
  EXPECT_EQ(held(), 4) << "there is nobody who takes them";
  pass(20);
  EXPECT_EQ(held(), 4) << "and they are not given back again and again";
  int least = 4;
  for (int i = 0; i < 650; ++i, least = std::min(least, held())) pass(1);
  EXPECT_LT(least, 4) << "but they are tried now and then";
}

TEST_F(ShareTest, LeavesToOthersWhatIsTheirPart) {
  for (const char* region : {"a", "b", "c", "d"}) held_by(region, "other", 1);
  processes_ = 2;
  pass(3);
  for (const char* region : {"a", "b", "c", "d"}) add(region);
  for (const char* region : {"a", "b", "c", "d"}) held_by(region, "", 1);
  pass(4);
  EXPECT_EQ(held(), 2);
}

TEST_F(ShareTest, ComesBackWithANewerEpochWhenTheStoreRefusesIts) {
  add("a");
  EXPECT_EQ(epoch("a"), 1);
  share_->refused("a", 9);
  EXPECT_EQ(epoch("a"), 0);
  pass(2);
  EXPECT_EQ(epoch("a"), 10);
  share_->refused("a", 9);
  EXPECT_EQ(epoch("a"), 10) << "an old refusal";
}

TEST_F(ShareTest, AHundredLossesLeaveNothingRunningTwice) {
  add("a");
  const auto rate = [&] {
    const int before = requests_;
    pass(30);
    return requests_ - before;
  };
  const int quiet = rate();
  changes_ = 0;
  for (int i = 0; i < 100; ++i) {
    const int64_t had = epoch("a");
    ASSERT_NE(had, 0) << i;
    away_.insert("a");  // a holder writes without looking, unless a try has failed
    pass(3);
    away_.clear();
    held_by("a", "other", static_cast<int>(had) + 1, i);
    pass(3);
    ASSERT_EQ(epoch("a"), 0) << i;
    held_by("a", "", static_cast<int>(had) + 1, i);
    pass(4);
    ASSERT_GT(epoch("a"), had + 1) << i;
  }
  EXPECT_EQ(changes_, 200);
  EXPECT_EQ(rate(), quiet) << "one elector renews, as before";
}

TEST_F(ShareTest, GivesBackAtOnceWhatIsRemovedAndAllWhenItStops) {
  add("a");
  add("b");
  share_->remove("a");
  settle();
  EXPECT_EQ(holder("a"), "");
  EXPECT_EQ(holder("b"), "me");
  share_->stop();
  EXPECT_EQ(epoch("b"), 0);
  const auto release = servers_["b"]->next();
  ASSERT_TRUE(release);
  EXPECT_EQ(informer::string_at(release->call.body, {"spec", "holderIdentity"}), "");
}

TEST_F(ShareTest, ItIsKnownWhoHasWhatOnceEachLeaseWasAskedFor) {
  EXPECT_EQ(share_->unknown(), "");
  servers_["a"] = std::make_shared<ScriptedRest>();
  ASSERT_TRUE(share_->add("a", servers_["a"], 0));
  EXPECT_NE(share_->unknown().find("region a"), std::string::npos) << share_->unknown();
  settle();
  EXPECT_EQ(share_->unknown(), "");
  held_by("b", "another", 3);
  add("b");
  EXPECT_EQ(share_->unknown(), "");
  away_.insert("c");
  add("c");
  EXPECT_EQ(share_->unknown(), "") << "that is the cluster's trouble";

  ShareOptions alone;
  alone.name_space = "n";
  alone.owner = "me";
  alone.meet = []() -> Result<int> { return Error("the database is away"); };
  alone.thread = false;
  Share share(clock_, alone);
  share.meet();
  EXPECT_NE(share.unknown(), "");
}

}  // namespace
}  // namespace pintle::lookout
