#include "informer/lease.h"

#include "base/strings.h"
#include "informer/scan.h"
#include "informer/testing/scripted_test.h"

namespace pintle::informer {
namespace {

std::string lease(std::string_view holder, int transitions,
                  std::string_view renewed = "2026-01-01T00:00:00.000000Z") {
  return cat(
      R"({"kind":"Lease","metadata":{"name":"l","namespace":"n","resourceVersion":"7","labels":{"a":"b"}},"spec":{"holderIdentity":")",
      holder, R"(","leaseDurationSeconds":15,"leaseTransitions":)", transitions,
      R"(,"acquireTime":"2026-01-01T00:00:00.000000Z","renewTime":")", renewed, R"("}})");
}

class LeaseTest : public ScriptedTest {
 protected:
  LeaseTest() : ScriptedTest(1'800'000'000 * kSecond) {}
  void begin(bool release = false) {
    ElectorOptions o;
    o.name_space = "n";
    o.name = "l";
    o.identity = "me";
    o.release_on_stop = release;
    o.on_started = [this](int64_t epoch) { log_.push_back(cat("started ", epoch)); };
    o.on_stopped = [this] { log_.push_back("stopped"); };
    o.on_holder = [this](const std::string& holder) { log_.push_back(cat("holder ", holder)); };
    o.wants = [this] { return wants_; };
    o.on_try = [this](const Status& status) {
      ++tries_;
      last_try_ = status;
    };
    elector_ = *Elector::make(loop_, rest_, [] { return 0.0; }, o);
    elector_->start();
  }
  ExchangePtr next(std::string_view method) {
    ExchangePtr x = ScriptedTest::next();
    EXPECT_EQ(x->call.method, method);
    return x;
  }
  Lines log() {
    loop_.run_ready();
    return std::exchange(log_, {});
  }
  // It leads, by creating the lease.
  void lead(bool release = false) {
    begin(release);
    next("GET")->refuse(404, "NotFound");
    const auto create = next("POST");
    create->answer(create->call.body);
    EXPECT_EQ(log(), (Lines{"holder me", "started 0"}));
  }

  Lines log_;
  bool wants_ = true;
  int tries_ = 0;
  Status last_try_ = ok();
  std::unique_ptr<Elector> elector_;
};

TEST_F(LeaseTest, CreatesAMissingLeaseAndLeads) {
  begin();
  const auto get = next("GET");
  EXPECT_EQ(get->call.path, "/apis/coordination.k8s.io/v1/namespaces/n/leases/l");
  EXPECT_EQ(get->call.timeout_ms, 5000);
  get->refuse(404, "NotFound");
  const auto create = next("POST");
  EXPECT_EQ(create->call.path, "/apis/coordination.k8s.io/v1/namespaces/n/leases");
  EXPECT_EQ(
      create->call.body,
      R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"l","namespace":"n"},"spec":{"acquireTime":"2027-01-15T08:00:00.000000Z","renewTime":"2027-01-15T08:00:00.000000Z","holderIdentity":"me","leaseDurationSeconds":15,"leaseTransitions":0}})");
  create->answer(create->call.body);
  EXPECT_EQ(log(), (Lines{"holder me", "started 0"}));
  EXPECT_TRUE(elector_->leader());
}

TEST_F(LeaseTest, RenewsWithoutReadingFirst) {
  lead();
  step(2 * kSecond);
  const auto renew = next("PUT");
  EXPECT_EQ(string_at(renew->call.body, {"spec", "acquireTime"}), "2027-01-15T08:00:00.000000Z");
  EXPECT_EQ(string_at(renew->call.body, {"spec", "renewTime"}), "2027-01-15T08:00:02.000000Z");
  renew->answer(renew->call.body);
  EXPECT_TRUE(log().empty());
}

TEST_F(LeaseTest, WaitsForAHolderByItsOwnClockAndTakesTheLeaseWithANewEpoch) {
  begin();
  next("GET")->answer(lease("other", 4));
  EXPECT_EQ(log(), Lines{"holder other"});
  for (int i = 0; i < 7; ++i) {
    step(2 * kSecond);
    next("GET")->answer(lease("other", 4));
    EXPECT_TRUE(quiet()) << i;
  }
  step(2 * kSecond);
  next("GET")->answer(lease("other", 4));
  const auto take = next("PUT");
  EXPECT_EQ(value_at(take->call.body, {"spec", "leaseTransitions"}), "5");
  EXPECT_EQ(string_at(take->call.body, {"metadata", "resourceVersion"}), "7");
  EXPECT_EQ(string_at(take->call.body, {"metadata", "labels", "a"}), "b")
      << "what others wrote stays";
  take->answer(take->call.body);
  EXPECT_EQ(log(), (Lines{"holder me", "started 5"}));
  EXPECT_EQ(elector_->epoch(), 5);
}

TEST_F(LeaseTest, CountsAnewWhenTheHolderRenews) {
  begin();
  for (int i = 0; i < 20; ++i) {
    next("GET")->answer(lease("other", 4, cat("2026-01-01T00:00:", 10 + i, ".000000Z")));
    EXPECT_TRUE(quiet());
    step(2 * kSecond);
  }
}

TEST_F(LeaseTest, DoesNotCountAnewAfterAFailedTry) {
  begin();
  next("GET")->answer(lease("other", 4));
  step(2 * kSecond);
  next("GET")->refuse(500, "InternalError");
  step(14 * kSecond);
  next("GET")->answer(lease("other", 4));
  next("PUT");
}

TEST_F(LeaseTest, TakesAReleasedLeaseAtOnceAndItsOwnWithoutANewEpoch) {
  begin();
  next("GET")->answer(lease("", 4));
  EXPECT_EQ(value_at(next("PUT")->call.body, {"spec", "leaseTransitions"}), "5");
  elector_.reset();
  begin();
  next("GET")->answer(lease("me", 4));
  EXPECT_EQ(value_at(next("PUT")->call.body, {"spec", "leaseTransitions"}), "4");
}

TEST_F(LeaseTest, TakesAConflictForAFailedTry) {
  begin();
  next("GET")->answer(lease("", 4));
  next("PUT")->refuse(409, "Conflict");
  EXPECT_TRUE(quiet());
  EXPECT_FALSE(elector_->leader());
  step(2 * kSecond);
  next("GET");
}

TEST_F(LeaseTest, StopsLeadingWhenItCannotRenewBeforeTheLeaseCanBeTaken) {
  lead();
  for (int i = 0; i < 4; ++i) {
    step(2 * kSecond);
    next(i == 0 ? "PUT" : "GET")->end(Error(Code::kUnavailable, "connection refused"));
    EXPECT_TRUE(log().empty()) << i;
  }
  step(2 * kSecond);
  EXPECT_EQ(log(), Lines{"stopped"}) << "10 s after the last renewal; others wait for 15 s";
  EXPECT_FALSE(elector_->leader());
  step(10 * kSecond);
  const auto get = next("GET");
  get->answer(lease("me", 0));
  const auto again = next("PUT");
  again->answer(again->call.body);
  EXPECT_EQ(log(), Lines{"started 0"}) << "it goes on as one of those who wait";
}

TEST_F(LeaseTest, StopsLeadingWhenTheServerDoesNotAnswer) {
  lead();
  step(2 * kSecond);
  const auto hanging = next("PUT");
  step(8 * kSecond);
  EXPECT_EQ(log(), Lines{"stopped"});
  EXPECT_TRUE(hanging->dropped);
}

TEST_F(LeaseTest, StopsLeadingWhenAnotherHoldsTheLease) {
  lead();
  step(2 * kSecond);
  next("PUT")->refuse(409, "Conflict");
  step(2 * kSecond);
  next("GET")->answer(lease("other", 1));
  EXPECT_EQ(log(), (Lines{"holder other", "stopped"}));
}

TEST_F(LeaseTest, CountsARenewalFromWhenItWasSent) {
  lead();
  step(2 * kSecond);
  const auto renew = next("PUT");
  step(4 * kSecond);
  renew->answer(renew->call.body);
  loop_.run_ready();
  step(5 * kSecond);
  while (auto x = rest_.next()) {
  }
  EXPECT_TRUE(log().empty());
  step(kSecond);
  EXPECT_EQ(log(), Lines{"stopped"}) << "10 s after sending";
}

TEST_F(LeaseTest, GivesTheLeaseBackWhenToldTo) {
  lead(true);
  elector_->stop();
  EXPECT_EQ(log(), Lines{"stopped"});
  const auto release = next("PUT");
  EXPECT_EQ(string_at(release->call.body, {"spec", "holderIdentity"}), "");
  EXPECT_EQ(value_at(release->call.body, {"spec", "leaseDurationSeconds"}), "1");
  EXPECT_EQ(value_at(release->call.body, {"spec", "leaseTransitions"}), "0");
  release->answer(release->call.body);
  EXPECT_TRUE(quiet());
}

TEST_F(LeaseTest, ReadsTheLeaseBeforeItGivesBackOneThatMayBeAnothers) {
  lead(true);
  step(2 * kSecond);
  next("PUT")->refuse(500, "InternalError");
  loop_.run_ready();
  elector_->stop();
  next("GET")->answer(lease("other", 1));
  EXPECT_TRUE(quiet());
}

TEST_F(LeaseTest, GivesTheLeaseBackThoughItsLastRenewalArrivedUnanswered) {
  lead(true);
  elector_->stop();
  next("PUT")->refuse(409, "Conflict");
  next("GET")->answer(lease("me", 0));
  EXPECT_EQ(string_at(next("PUT")->call.body, {"spec", "holderIdentity"}), "");
}

TEST_F(LeaseTest, LeavesWhatNobodyHoldsWhenItDoesNotWantIt) {
  wants_ = false;
  begin();
  next("GET")->answer(lease("", 4));
  EXPECT_TRUE(quiet());
  step(2 * kSecond);
  next("GET")->refuse(404, "NotFound");
  EXPECT_TRUE(quiet());
  wants_ = true;
  step(2 * kSecond);
  next("GET")->answer(lease("", 4));
  EXPECT_EQ(value_at(next("PUT")->call.body, {"spec", "leaseTransitions"}), "5");
}

TEST_F(LeaseTest, KeepsItsEpochGrowingWhenALeaseCountsAnew) {
  begin();
  elector_->at_least(9);
  next("GET")->refuse(404, "NotFound");
  const auto create = next("POST");
  EXPECT_EQ(value_at(create->call.body, {"spec", "leaseTransitions"}), "9");
  create->answer(create->call.body);
  EXPECT_EQ(log(), (Lines{"holder me", "started 9"}));
  elector_->at_least(12);
  step(2 * kSecond);
  const auto renew = next("PUT");
  renew->answer(renew->call.body);
  EXPECT_EQ(log(), Lines{"started 12"});
}

TEST_F(LeaseTest, SaysHowItsTriesEnd) {
  begin();
  next("GET")->refuse(403, "Forbidden", "no");
  loop_.run_ready();
  EXPECT_EQ(tries_, 1);
  EXPECT_FALSE(last_try_);
  step(2 * kSecond);
  next("GET")->answer(lease("other", 4));
  loop_.run_ready();
  EXPECT_EQ(tries_, 2);
  EXPECT_TRUE(last_try_);
}

TEST_F(LeaseTest, TellsThatItStoppedAlsoWhenItNeverLed) {
  begin();
  next("GET")->answer(lease("other", 4));
  loop_.run_ready();
  log();
  elector_->stop();
  EXPECT_EQ(log(), Lines{"stopped"});
  step(60 * kSecond);
  EXPECT_TRUE(quiet());
}

TEST_F(LeaseTest, IsUnhealthyWhenItLeadsOnAnOldRenewal) {
  begin();
  EXPECT_TRUE(elector_->healthy(0));
  next("GET")->refuse(404, "NotFound");
  const auto create = next("POST");
  create->answer(create->call.body);
  loop_.run_ready();
  clock_.step(16 * kSecond);  // the loop is stuck
  EXPECT_FALSE(elector_->healthy(0));
  EXPECT_TRUE(elector_->healthy(2 * kSecond));
}

TEST(Lease, RefusesNumbersThatDoNotFit) {
  sys::FakeClock clock;
  Loop loop(clock);
  ScriptedRest rest;
  ElectorOptions good;
  good.name_space = good.name = good.identity = "x";
  const auto refuses = [&](auto change) {
    ElectorOptions o = good;
    change(o);
    return !Elector::make(loop, rest, [] { return 0.0; }, o).has_value();
  };
  EXPECT_FALSE(refuses([](ElectorOptions&) {}));
  EXPECT_TRUE(refuses([](ElectorOptions& o) { o.lease_ns = o.renew_deadline_ns; }));
  EXPECT_TRUE(refuses([](ElectorOptions& o) { o.renew_deadline_ns = o.retry_ns * 12 / 10; }));
  EXPECT_TRUE(refuses([](ElectorOptions& o) { o.identity.clear(); }));
  EXPECT_TRUE(refuses([](ElectorOptions& o) { o.name.clear(); }));
}

}  // namespace
}  // namespace pintle::informer
