// A Rollout of thirty steps in five minutes whose Events pass the recorder that controllers use
// (spec events-informers §2.14): it puts similar ones together and drops what is too much. The steps
// are told all the same, each once, whichever of an Event and the state comes first.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>

#include "base/strings.h"
#include "json/json.h"
#include "lookout/fields.h"
#include "lookout/observe.h"
#include "lookout/testing/memory_store.h"
#include "sys/testing/fake_clock.h"

namespace pintle::lookout {
namespace {

using Kind = informer::Change::Kind;

constexpr int64_t kStartMs = 1'800'000'000'000;
constexpr int kSteps = 30, kEveryMs = 10'000;

// What the API server is told of one source's Events about one object, all within ten minutes.
class Recorder {
 public:
  struct Written {
    Kind kind;
    std::string json;
  };
  std::optional<Written> say(const std::string& reason, const std::string& message, int64_t now_ms) {
    std::set<std::string>& similar = similar_[reason];
    if (similar.size() < kDistinct) similar.insert(message);
    const bool together = similar.size() >= kDistinct;
    if (passed_ == kBurst) {
      ++dropped;
      return std::nullopt;
    }
    ++passed_;
    combined += together;
    const std::string uid = together ? cat("all-", reason) : cat("e-", passed_);
    const int count = ++counts_[uid];
    return Written{count == 1 ? Kind::kAdd : Kind::kUpdate,
                   cat(R"({"metadata":{"name":"web.)", uid, R"(","namespace":"shop","uid":")", uid,
                       R"(","resourceVersion":")", now_ms, R"("},"involvedObject":{)",
                       R"("apiVersion":"argoproj.io/v1alpha1","kind":"Rollout","namespace":"shop",)",
                       R"("name":"web","uid":"r"},"reason":")", reason, R"(","message":")",
                       together ? "(combined from similar events): " : "", message,
                       R"(","type":"Normal","source":{"component":"rollouts-controller"},"count":)", count,
                       R"(,"eventTime":"2027-01-15T08:00:00.000000Z"})")};
  }
  int combined = 0, dropped = 0;

 private:
  static constexpr size_t kDistinct = 10;
  static constexpr int kBurst = 25;  // one more each five minutes
  std::map<std::string, std::set<std::string>> similar_;
  std::map<std::string, int> counts_;
  int passed_ = 0;
};

std::string rollout(int step, bool stable, int version) {
  return cat(R"({"apiVersion":"argoproj.io/v1alpha1","kind":"Rollout","metadata":{"name":"web",)",
             R"("namespace":"shop","uid":"r","resourceVersion":")", version,
             R"(","generation":2,"annotations":{"rollout.argoproj.io/revision":"2"}},"status":{)",
             R"("observedGeneration":"2","currentPodHash":"b","stableRS":")", stable ? "b" : "a",
             R"(","currentStepIndex":)", step, R"(,"phase":")", stable ? "Healthy" : "Progressing", "\"}}");
}

struct Told {
  std::string type, reason;
  int64_t step;
};

class ManyStepsTest : public testing::Test {
 protected:
  void hear(std::string_view resource, Kind kind, const std::string& json) {
    informer::Change c;
    c.kind = kind;
    c.object = *informer::Object::parse(json);
    Batch batch;
    batch.region_id = store_.regions()->at(0).id;
    batch.region = "eu-1";
    batch.cluster_uid = "c";
    ASSERT_TRUE(observer_.hear(resource, c, now_ms_, batch));
    ASSERT_TRUE(store_.commit(batch));
  }
  void state(int step, bool stable = false) {
    hear("rollouts.argoproj.io", std::exchange(state_, Kind::kUpdate), rollout(step, stable, ++version_));
  }
  void event(const std::string& reason, const std::string& message) {
    if (const auto written = recorder_.say(reason, message, now_ms_ + ++version_)) {
      hear("events", written->kind, written->json);
    }
  }
  std::vector<Told> told() {
    std::vector<Told> out;
    EventQuery all;
    all.limit = 1000;
    const auto page = store_.events(all);
    EXPECT_TRUE(page);
    for (const StoredEvent& e : *page) {
      const auto data = json::read(e.event.data);
      out.push_back({e.event.type, e.event.reason, data ? number_at(*data, {"step"}) : -1});
    }
    return out;
  }

  int64_t now_ms_ = kStartMs;
  sys::FakeClock clock_{kStartMs * 1'000'000};
  MemoryStore store_{clock_};
  // Those that come with lookout; anchored, as a configuration may have them.
  static std::vector<Rule> rules(bool anchored) {
    std::vector<Rule> out = Rules::defaults();
    for (Rule& r : out) r.anchored = anchored;
    return out;
  }
  Rules rules_ = std::move(*Rules::compile(Rules::defaults()));
  Observer observer_{"eu-1", "c", rules_, {}};
  Recorder recorder_;
  Kind state_ = Kind::kAdd;
  int version_ = 100;
};

struct Case {
  const char *claim, *reason, *before, *behind, *end, *ended;
  bool event_first, anchored;
};
class ManyStepsCases : public ManyStepsTest, public testing::WithParamInterface<Case> {};

constexpr Case kCases[] = {
    {"OldEventsFirst", "SetStepIndex", "Set Step Index to ", "", "SettingStableRS", "Completed all steps", true, false},
    {"AnchoredOldEventsFirst", "SetStepIndex", "Set Step Index to ", "", "SettingStableRS", "Completed all steps",
     true, true},
    {"OldEventsLater", "SetStepIndex", "Set Step Index to ", "", "SettingStableRS", "Completed all steps", false, false},
    {"NewEventsFirst", "RolloutStepCompleted", "Rollout step ", "/30 completed (setWeight: 5)", "RolloutCompleted",
     "Rollout completed update to revision 2", true, false},
    {"NewEventsLater", "RolloutStepCompleted", "Rollout step ", "/30 completed (setWeight: 5)", "RolloutCompleted",
     "Rollout completed update to revision 2", false, false},
};
INSTANTIATE_TEST_SUITE_P(Ways, ManyStepsCases, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.claim; });

TEST_P(ManyStepsCases, EachIsToldOnce) {
  const Case& c = GetParam();
  rules_ = std::move(*Rules::compile(rules(c.anchored)));
  observer_.set_rules(rules_);
  observer_.set_raw_events(false);
  state(0);
  for (int step = 1; step <= kSteps; ++step) {
    now_ms_ += kEveryMs;
    if (!c.event_first) state(step);
    event(c.reason, cat(c.before, step, c.behind));
    if (c.event_first) state(step);
  }
  event(c.end, c.ended);
  state(kSteps, true);
  event(c.end, c.ended);

  EXPECT_EQ(recorder_.combined, 16) << "of steps 10 to 25";
  EXPECT_EQ(recorder_.dropped, kSteps - 25 + 2);
  const auto told = this->told();
  ASSERT_EQ(told.size(), static_cast<size_t>(kSteps + 2));
  EXPECT_EQ(told.front().type, "release.pending");
  EXPECT_EQ(told.back().type, "release.deployed");
  for (int step = 1; step <= kSteps; ++step) {
    const Told& t = told[static_cast<size_t>(step)];
    EXPECT_EQ(t.type, "release.step");
    EXPECT_EQ(t.step, step);
    const bool by_event = c.event_first && step <= 25;
    EXPECT_EQ(t.reason, by_event ? c.reason : "Progressing") << step;
  }
}

}  // namespace
}  // namespace pintle::lookout
