#include "kube/explain.h"

#include <gtest/gtest.h>

#include "kube/testing/fake_rest.h"

namespace pintle::kube {
namespace {

class Explain : public ::testing::Test {
 protected:
  // What is said of Deployment shop/web, whose one pod has this status.
  std::string why(const std::string& pod_status) {
    rest.answer("GET /api/v1/namespaces/shop/pods",
                {200, R"({"items":[{"metadata":{"name":"web-1","namespace":"shop"},"status":)" +
                          pod_status + "}]}"});
    Causes causes;
    causes.list = explain(rest, {kWeb});
    return text(causes);
  }
  void events(const std::string& items) {
    rest.answer("GET /api/v1/namespaces/shop/events", {200, R"({"items":[)" + items + "]}"});
  }

  const NotReady kWeb{"Deployment", "shop", "web", "InProgress", "Available: 0/1",
                      "/apis/apps/v1/namespaces/shop/deployments/web", "app=web"};
  FakeRest rest;
};

TEST_F(Explain, names_pod_container_and_reason) {
  EXPECT_EQ(why(R"({"containerStatuses":[{"name":"main","ready":false,
                "state":{"waiting":{"reason":"ImagePullBackOff","message":"no such image"}}}]})"),
            "Cause: Deployment shop/web: ImagePullBackOff: no such image (pod web-1, container main)\n");
}

TEST_F(Explain, shows_the_last_lines_of_what_ended) {
  rest.answer("GET /api/v1/namespaces/shop/pods/web-1/log", {200, "starting\n\x1b[31mno database\n"});
  EXPECT_EQ(why(R"({"containerStatuses":[{"name":"main","ready":false,
                "state":{"waiting":{"reason":"CrashLoopBackOff","message":"back-off 10s"}},
                "lastState":{"terminated":{"reason":"OOMKilled","exitCode":137}}}]})"),
            "Cause: Deployment shop/web: CrashLoopBackOff: back-off 10s; it ended with exit code 137 "
            "OOMKilled (pod web-1, container main)\n  | starting\n  | [31mno database\n");
}

TEST_F(Explain, tells_what_the_scheduler_says) {
  EXPECT_EQ(why(R"({"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False",
                "reason":"Unschedulable","message":"0/3 nodes are available"}]})"),
            "Cause: Deployment shop/web: Unschedulable: 0/3 nodes are available (pod web-1)\n");
}

TEST_F(Explain, prefers_the_latest_warning) {
  events(R"({"type":"Warning","reason":"Unhealthy","message":"old","lastTimestamp":"2026-01-01T00:00:01Z"},
            {"type":"Warning","reason":"Unhealthy","message":"Readiness probe failed",
             "lastTimestamp":"2026-01-01T00:00:02Z"},
            {"type":"Normal","reason":"Pulled","message":"x","lastTimestamp":"2026-01-01T00:00:03Z"})");
  EXPECT_EQ(why(R"({"containerStatuses":[{"name":"main","ready":false,"state":{"running":{}}}]})"),
            "Cause: Deployment shop/web: Unhealthy: Readiness probe failed (pod web-1)\n");
}

TEST_F(Explain, reads_conditions_where_there_is_no_pod) {
  rest.answer("GET " + kWeb.path,
              {200, R"({"status":{"conditions":[
                {"type":"Progressing","status":"False","reason":"ProgressDeadlineExceeded","message":"late"},
                {"type":"ReplicaFailure","status":"True","reason":"FailedCreate","message":"exceeded quota"}]}})"});
  rest.answer("GET /api/v1/namespaces/shop/pods", {200, R"({"items":[]})"});
  const auto causes = explain(rest, {kWeb});
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(short_text(causes[0]), "FailedCreate: exceeded quota");
}

TEST_F(Explain, names_the_finalizers_of_what_does_not_go) {
  NotReady map{"ConfigMap", "shop", "kept", "Terminating", "", "/api/v1/namespaces/shop/configmaps/kept", ""};
  rest.answer("GET " + map.path, {200, R"({"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z",
                                          "finalizers":["example.com/hold"]}})"});
  EXPECT_EQ(short_text(explain(rest, {map})[0]), "Finalizers: deletion waits for example.com/hold");
}

TEST_F(Explain, falls_back_on_the_waits_own_words) {
  EXPECT_EQ(why(R"({"phase":"Running","conditions":[{"type":"Ready","status":"True"}]})"),
            "Cause: Deployment shop/web: Available: 0/1\n");
}

TEST_F(Explain, asks_about_a_few_only) {
  EXPECT_EQ(explain(rest, std::vector<NotReady>(9, kWeb), {.most = 3}).size(), 3u);
}

}  // namespace
}  // namespace pintle::kube
