#include "lookout/observe.h"

#include <gtest/gtest.h>

#include "base/gotext.h"
#include "base/strings.h"

namespace pintle::lookout {
namespace {

using Kind = informer::Change::Kind;

informer::Change change_to(Kind kind, std::string_view json) {
  informer::Change c;
  c.kind = kind;
  auto object = informer::Object::parse(json);
  EXPECT_TRUE(object.has_value()) << json;
  if (object) c.object = *object;
  return c;
}

std::string event_json(std::string_view uid, std::string_view version, int count,
                       std::string_view reason, std::string_view message,
                       std::string_view involved) {
  return cat(R"({"metadata":{"name":"e-)", uid, R"(","namespace":"shop","uid":")", uid,
             R"(","resourceVersion":")", version, R"("},"involvedObject":{)", involved,
             R"(},"reason":")", reason, R"(","message":")", message,
             R"(","type":"Normal","count":)", count, R"(,"lastTimestamp":"2026-01-01T00:00:00Z"})");
}

constexpr std::string_view kPod =
    R"("kind":"Pod","namespace":"shop","name":"web-1","uid":"p","fieldPath":"spec.containers{c}")";

class ObserverTest : public testing::Test {
 protected:
  Rules rules_ = std::move(*Rules::compile(Rules::defaults()));
  Observer observer_{"eu", "c", rules_, {}};

  Batch hear(std::string_view resource, const informer::Change& c, int64_t now_ms = 1000) {
    Batch batch;
    status_ = observer_.hear(resource, c, now_ms, batch);
    return batch;
  }
  Batch hear_event(Kind kind, const std::string& json) {
    return hear("events", change_to(kind, json));
  }
  Status status_;
};

TEST_F(ObserverTest, EveryStateOfAnEventIsARawEvent) {
  const Batch b = hear_event(Kind::kAdd, event_json("u", "1", 1, "Created", "a", kPod));
  ASSERT_EQ(b.observations.size(), 1u);
  EXPECT_EQ(b.observations[0].resource, "events");
  EXPECT_EQ(b.observations[0].version, "1");
  EXPECT_EQ(b.observations[0].subject.name, "web-1");
  EXPECT_EQ(b.observations[0].digest.size(), 64u);
  ASSERT_EQ(b.events.size(), 1u);
  EXPECT_EQ(b.events[0].type, "kubernetes.event");
  EXPECT_EQ(b.events[0].dedup_key, "");
  EXPECT_EQ(b.events[0].observation, 0);
  EXPECT_EQ(b.events[0].time_ms, 1767225600000);
}

TEST_F(ObserverTest, AllFourTimesOfAnEventAreKept) {
  const Batch b = hear_event(Kind::kAdd, R"({"metadata":{"name":"e","namespace":"shop","uid":"u","resourceVersion":"1",
      "creationTimestamp":"2026-01-01T00:00:01Z"},"involvedObject":{"kind":"Pod","name":"p","uid":"p"},
      "lastTimestamp":"2026-01-01T00:00:03Z","eventTime":"2026-01-01T00:00:02.500000Z",
      "series":{"count":4,"lastObservedTime":"2026-01-01T00:00:04.250000Z"}})");
  EXPECT_EQ(b.events[0].time_ms, 1767225604250);
  EXPECT_NE(b.events[0].data.find(R"("series_time":"2026-01-01T00:00:04.250Z","last_time":"2026-01-01T00:00:03.000Z",)"
                                  R"("event_time":"2026-01-01T00:00:02.500Z","created_time":"2026-01-01T00:00:01.000Z")"),
            std::string::npos)
      << b.events[0].data;
  const Batch one = hear_event(Kind::kAdd, event_json("v", "1", 1, "R", "m", kPod));
  EXPECT_NE(one.events[0].data.find(R"("last_time":"2026-01-01T00:00:00.000Z")"), std::string::npos);
  EXPECT_EQ(one.events[0].data.find("series_time"), std::string::npos) << "what is not given is not told";
}

TEST_F(ObserverTest, MissedRepeatsAreCounted) {
  EXPECT_EQ(
      hear_event(Kind::kAdd, event_json("u", "1", 1, "R", "m", kPod)).observations[0].count_delta,
      1);
  EXPECT_EQ(hear_event(Kind::kUpdate, event_json("u", "2", 50, "R", "m", kPod))
                .observations[0]
                .count_delta,
            49);
  observer_.know_counts({{"before", 7}});
  EXPECT_EQ(hear_event(Kind::kAdd, event_json("before", "3", 9, "R", "m", kPod))
                .observations[0]
                .count_delta,
            2);
}

TEST_F(ObserverTest, AMatchingRuleAddsTheBusinessEvent) {
  const Batch b =
      hear_event(Kind::kAdd, event_json("u", "1", 1, "FailedScheduling", "0/3 nodes", kPod));
  ASSERT_EQ(b.events.size(), 2u);
  EXPECT_EQ(b.events[1].type, "pod.unschedulable");
  EXPECT_EQ(b.events[1].severity, Severity::kWarning);
  EXPECT_EQ(b.events[1].dedup_key, "c/p/unschedulable");
  observer_.set_raw_events(false);
  EXPECT_EQ(
      hear_event(Kind::kAdd, event_json("v", "2", 1, "FailedScheduling", "x", kPod)).events.size(),
      1u);
}

TEST_F(ObserverTest, EventsOfManyStepsAreRecognisedThroughTheRecordersPrefix) {
  const std::string rollout =
      R"("apiVersion":"argoproj.io/v1alpha1","kind":"Rollout","name":"web","uid":"r")";
  const Batch b = hear_event(
      Kind::kAdd, event_json("u", "1", 1, "SetStepIndex",
                             "(combined from similar events): Set Step Index to 11", rollout));
  ASSERT_EQ(b.events.size(), 2u);
  EXPECT_EQ(b.events[1].type, "release.step");
  EXPECT_NE(b.events[1].data.find("\"step\":11"), std::string::npos) << b.events[1].data;
}

constexpr std::string_view kPodJson =
    R"({"metadata":{"name":"web-1","namespace":"shop","uid":"p","resourceVersion":"5",
    "labels":{"app.kubernetes.io/instance":"web"}},"status":{"containerStatuses":[{"name":"c",
    "image":"nginx:1","imageID":")";

TEST_F(ObserverTest, APulledImageIsToldOnceWithItsDigest) {
  const std::string pulled =
      event_json("u", "1", 1, "Pulled", R"(Successfully pulled image \"nginx:1\" in 1s)", kPod);
  hear("pods", change_to(Kind::kAdd, cat(kPodJson, "\"}]}}")));
  EXPECT_EQ(hear_event(Kind::kAdd, pulled).events.size(), 1u) << "the digest is waited for";
  const Batch state =
      hear("pods", change_to(Kind::kUpdate, cat(kPodJson, "nginx@sha256:aa\"}]}}")));
  ASSERT_EQ(state.events.size(), 1u);
  EXPECT_EQ(state.events[0].type, "image.pulled");
  EXPECT_EQ(state.events[0].release, "web");
  EXPECT_NE(state.events[0].data.find("\"digest\":\"sha256:aa\""), std::string::npos);
  Batch later;
  observer_.tick(60'000, later);
  EXPECT_TRUE(later.events.empty());
  const Batch again = hear_event(
      Kind::kAdd, event_json("v", "9", 1, "Pulled",
                             R"(Container image \"nginx:1\" already present on machine)", kPod));
  EXPECT_EQ(again.events.at(1).dedup_key, state.events[0].dedup_key);
}

TEST_F(ObserverTest, APulledImageWhoseEventNamesNoContainerIsToldOnce) {
  constexpr std::string_view kNoContainer =
      R"("apiVersion":"v1","kind":"Pod","namespace":"shop","name":"web-1","uid":"p")";
  const std::string text = R"(Successfully pulled image \"nginx:1\" in 1s)";
  hear("pods", change_to(Kind::kAdd, cat(kPodJson, "\"}]}}")));
  EXPECT_EQ(hear_event(Kind::kAdd, event_json("u", "1", 1, "Pulled", text, kNoContainer)).events.size(), 1u);
  const Batch state =
      hear("pods", change_to(Kind::kUpdate, cat(kPodJson, "nginx@sha256:aa\"}]}}")));
  ASSERT_EQ(state.events.size(), 1u);
  Batch later;
  observer_.tick(60'000, later);
  EXPECT_TRUE(later.events.empty());
  const Batch again = hear_event(Kind::kAdd, event_json("v", "9", 1, "Pulled", text, kNoContainer));
  EXPECT_EQ(again.events.at(1).dedup_key, state.events[0].dedup_key);
}

TEST_F(ObserverTest, APulledImageWithoutADigestIsToldAfterAWhile) {
  hear("pods", change_to(Kind::kAdd, cat(kPodJson, "\"}]}}")));
  hear_event(Kind::kAdd,
             event_json("u", "1", 1, "Pulled", R"(Successfully pulled image \"nginx:1\")", kPod));
  EXPECT_EQ(observer_.next_tick_ms(), 11'000);
  Batch later;
  observer_.tick(11'000, later);
  ASSERT_EQ(later.events.size(), 1u);
  EXPECT_NE(later.events[0].data.find("\"image\":\"nginx:1\""), std::string::npos);
}

TEST_F(ObserverTest, ReleaseRecordsAreAlwaysObservedOtherObjectsWhenTheyMeanSomething) {
  EXPECT_EQ(hear("pods", change_to(Kind::kAdd, cat(kPodJson, "\"}]}}"))).observations.size(), 0u);
  const std::string record =
      R"({"kind":"Secret","metadata":{"name":"sh.helm.release.v1.web.v1","namespace":"shop",
      "uid":"s","resourceVersion":"7","labels":{"owner":"helm","name":"web","status":"STATUS"}}})";
  const Batch pending =
      hear("secrets", change_to(Kind::kAdd, replace_all(record, "STATUS", "uninstalling")));
  EXPECT_EQ(pending.observations.size(), 1u);
  EXPECT_EQ(pending.events.size(), 0u);
  // The last state is not known: the heads must do.
  informer::Change gone = change_to(Kind::kDelete, record);
  gone.object = informer::Object::heads_of(*gone.object);
  const Batch b = hear("secrets", gone);
  ASSERT_EQ(b.events.size(), 1u);
  EXPECT_EQ(b.events[0].type, "release.uninstalled");
  EXPECT_EQ(b.events[0].release, "web");
}

TEST_F(ObserverTest, ABrokenEventIsObservedAndReported) {
  const Batch b =
      hear_event(Kind::kAdd, R"({"metadata":{"name":"x","uid":"u"},"involvedObject":7})");
  EXPECT_FALSE(status_.has_value());
  EXPECT_EQ(b.observations.size(), 1u);
  EXPECT_EQ(b.events.size(), 0u);
}

TEST(CleanText, LeavesWhatAPersonMayRead) {
  struct Case {
    const char* name;
    std::string text;
    size_t limit;
    std::string want;
  };
  const Case cases[] = {
      {"plain", "a\tb\nc", 99, "a\tb\nc"},
      {"control characters go", std::string("a\0\x1b[31mb\x7f\r", 9), 99, "a[31mb"},
      {"C1 controls go",
       "a\xc2\x9b"
       "b",
       99, "ab"},
      {"invalid bytes become the replacement character", "a\xff", 99, "a\xef\xbf\xbd"},
      {"cut at a rune", "aé", 2, "a"},
      {"cut at the limit", "abc", 2, "ab"},
      {"HTML is left to whoever shows it", "<b>", 99, "<b>"},
  };
  for (const Case& c : cases) EXPECT_EQ(clean_text(c.text, c.limit), c.want) << c.name;
}

}  // namespace
}  // namespace pintle::lookout
