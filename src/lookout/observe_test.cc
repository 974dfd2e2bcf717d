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

// Events as their writers make them: client-go's recorder, the newer one of events.k8s.io (whose source
// and old times are empty), Argo CD's own, and a kubelet's of its node (whose uid is its name).
TEST_F(ObserverTest, EventsAreRecognisedInTheShapesTheyHave) {
  struct Case {
    const char *name, *involved, *type, *reason, *message, *rest, *told;
    Severity severity;
    int64_t time_ms;
  };
  constexpr auto kInfo = Severity::kInfo, kWarning = Severity::kWarning, kError = Severity::kError;
  constexpr int64_t kSecond = 1767225601000;  // 2026-01-01T00:00:01Z
  constexpr const char *kApp =
      R"("kind":"Application","namespace":"argocd","name":"web","uid":"a","apiVersion":"argoproj.io/v1alpha1","resourceVersion":"812")";
  constexpr const char *kRoll =
      R"("kind":"Rollout","namespace":"shop","name":"web","uid":"r","apiVersion":"argoproj.io/v1alpha1","resourceVersion":"813")";
  constexpr const char *kCd =
      R"("source":{"component":"argocd-application-controller"},"firstTimestamp":"2026-01-01T00:00:01Z","lastTimestamp":"2026-01-01T00:00:01Z","count":1,"eventTime":null,"reportingComponent":"","reportingInstance":"")";
  constexpr const char *kRecorder =
      R"("source":{"component":"rollouts-controller"},"firstTimestamp":"2026-01-01T00:00:00Z","lastTimestamp":"2026-01-01T00:00:01Z","count":2,"eventTime":null,"reportingComponent":"rollouts-controller","reportingInstance":"")";
  constexpr const char *kNewer =
      R"("source":{},"firstTimestamp":null,"lastTimestamp":null,"eventTime":"2026-01-01T00:00:00.412345Z","series":{"count":4,"lastObservedTime":"2026-01-01T00:00:01.000000Z"},"action":"Scheduling","reportingComponent":"default-scheduler","reportingInstance":"default-scheduler-cp-0")";
  constexpr const char *kNode =
      R"("source":{"component":"kubelet","host":"n1"},"firstTimestamp":"2026-01-01T00:00:01Z","lastTimestamp":"2026-01-01T00:00:01Z","count":1,"eventTime":null,"reportingComponent":"kubelet","reportingInstance":"n1")";
  const Case cases[] = {
      {"a sync begins", kApp, "Normal", "OperationStarted", "Initiated automated sync to '53e28ff20cc530b9ada2173fbbd64d48338583ba'",
       kCd, "release.sync_started", kInfo, kSecond},
      {"a sync ends", kApp, "Normal", "OperationCompleted", "Sync operation to 53e28ff20cc530b9ada2173fbbd64d48338583ba succeeded",
       kCd, "release.sync", kInfo, kSecond},
      {"of a part", kApp, "Normal", "OperationCompleted", "Partial sync operation to 53e28ff2 succeeded", kCd, "release.sync",
       kInfo, kSecond},
      {"and fails", kApp, "Warning", "OperationCompleted",
       "Partial sync operation to 53e28ff2 failed: one or more objects failed to apply, reason: error when patching", kCd,
       "release.sync", kError, kSecond},
      {"a pause", kRoll, "Normal", "RolloutPaused", "Rollout is paused (CanaryPauseStep)", kRecorder, "release.paused", kInfo,
       kSecond},
      {"and its end", kRoll, "Normal", "RolloutResumed", "Rollout is resumed", kRecorder, "release.resumed", kInfo, kSecond},
      {"an abort", kRoll, "Warning", "RolloutAborted",
       "Rollout aborted update to revision 2: Step-based analysis phase error/failed: Metric \\\"ok\\\" assessed Failed due to failed (1) > failureLimit (0)",
       kRecorder, "release.failed", kError, kSecond},
      {"the end", kRoll, "Normal", "RolloutCompleted",
       "Rollout completed update to revision 2 (6cf78c66c5): Completed all 4 canary steps", kRecorder, "release.deployed", kInfo,
       kSecond},
      {"a Job", R"("kind":"Job","namespace":"shop","name":"j","uid":"j","apiVersion":"batch/v1","resourceVersion":"7")", "Warning",
       "BackoffLimitExceeded", "Job has reached the specified backoff limit", kRecorder, "job.failed", kError, kSecond},
      {"an autoscaler",
       R"("kind":"HorizontalPodAutoscaler","namespace":"shop","name":"h","uid":"h","apiVersion":"autoscaling/v2","resourceVersion":"7")",
       "Normal", "SuccessfulRescale", "New size: 5; reason: cpu resource utilization (percentage of request) above target", kRecorder,
       "scale", kInfo, kSecond},
      {"the scheduler", R"("kind":"Pod","namespace":"shop","name":"p","uid":"p","apiVersion":"v1","resourceVersion":"7")", "Warning",
       "FailedScheduling",
       "0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.",
       kNewer, "pod.unschedulable", kWarning, kSecond},
      {"a node, by its kubelet", R"("kind":"Node","name":"n1","uid":"n1")", "Normal", "NodeReady",
       "Node n1 status is now: NodeReady", kNode, "node.ready", kInfo, kSecond},
      {"a node, by its controller", R"("kind":"Node","name":"n1","uid":"0a1b","apiVersion":"v1")", "Normal", "NodeNotReady",
       "Node n1 status is now: NodeNotReady", kRecorder, "node.not_ready", kError, kSecond},
      {"a node that was booted", R"("kind":"Node","name":"n1","uid":"n1")", "Warning", "Rebooted",
       "Node n1 has been rebooted, boot id: 5b1b7a4e-4b2b-4c39-9f5c-2a3f8a1d1c11", kNode, "node.rebooted", kWarning, kSecond},
  };
  int n = 0;
  for (const Case& c : cases) {
    const Batch b = hear_event(
        Kind::kAdd, cat(R"({"apiVersion":"v1","kind":"Event","metadata":{"name":"x.17f3a9c1d2e4b5a6","namespace":"default","uid":"e)", n,
                        R"(","resourceVersion":")", 900 + n, R"(","creationTimestamp":"2026-01-01T00:00:00Z"},"involvedObject":{)",
                        c.involved, R"(},"reason":")", c.reason, R"(","message":")", c.message, R"(","type":")", c.type, "\",", c.rest, "}"));
    ASSERT_TRUE(status_) << c.name;
    ASSERT_EQ(b.events.size(), 2u) << c.name;
    EXPECT_EQ(b.events[1].type, c.told) << c.name;
    EXPECT_EQ(b.events[1].severity, c.severity) << c.name;
    EXPECT_EQ(b.events[1].time_ms, c.time_ms) << c.name;
    EXPECT_NE(b.events[0].data.find("\"component\":"), std::string::npos) << c.name << b.events[0].data;
    ++n;
  }
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
