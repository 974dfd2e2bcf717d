#include "lookout/api/cloud_events.h"

#include <gtest/gtest.h>

#include "base/strings.h"
#include "lookout/fields.h"
#include "lookout/testing/api_world.h"

namespace pintle::lookout {
namespace {

using Headers = std::map<std::string, std::string>;

constexpr std::string_view kStructured = "application/cloudevents+json; charset=utf-8";
constexpr std::string_view kScan =
    R"({"specversion":"1.0","id":"7","source":"/scanner","type":"scan.done","time":"2026-01-02T03:04:05Z","subject":"web:1","data":{"message":"clean","n":9007199254740993}})";
constexpr std::string_view kRun =
    R"({"pipelineRun":{"metadata":{"name":"build-7","namespace":"ci","uid":"u-7","labels":{"app.kubernetes.io/instance":"web","team":"shop"}},)"
    R"("status":{"conditions":[{"type":"Succeeded","status":"False","message":"step test failed"}]}}})";

Event only(const Headers& headers, std::string_view body) {
  auto read = read_cloud_events(headers, body, 5);
  EXPECT_TRUE(read) << read.error().text();
  return read && read->size() == 1 ? std::move(read->front()) : Event();
}

TEST(CloudEvents, StructuredOnesAreTakenAsTheyAre) {
  for (const std::string_view type : {kStructured, std::string_view("application/json")}) {
    const Event e = only({{"content-type", std::string(type)}}, kScan);
    EXPECT_EQ(e.type, "cloudevent.received");
    EXPECT_EQ(e.reason, "scan.done");
    EXPECT_EQ(e.severity, Severity::kInfo);
    EXPECT_EQ(e.subject.kind, "CloudEvent");
    EXPECT_EQ(e.subject.name, "web:1");
    EXPECT_EQ(e.message, "clean");
    EXPECT_EQ(e.time_ms, time_ms("2026-01-02T03:04:05Z"));
    EXPECT_EQ(e.data, R"({"id":"7","source":"/scanner","type":"scan.done","subject":"web:1","data":{"message":"clean","n":9007199254740993}})");
  }
}

TEST(CloudEvents, BinaryOnesOfTektonAreOfTheirRunAndItsRelease) {
  const Event e = only({{"content-type", "application/json"},
                        {"ce-specversion", "1.0"},
                        {"ce-id", "a%20b"},
                        {"ce-source", "/apis/tekton.dev/v1/namespaces/ci/pipelineruns/build-7"},
                        {"ce-type", "dev.tekton.event.pipelinerun.failed.v1"}},
                       kRun);
  EXPECT_EQ(e.severity, Severity::kError);
  EXPECT_EQ(e.subject.kind, "PipelineRun");
  EXPECT_EQ(e.subject.name_space, "ci");
  EXPECT_EQ(e.subject.name, "build-7");
  EXPECT_EQ(e.subject.uid, "u-7");
  EXPECT_EQ(e.release, "web");
  EXPECT_EQ(e.release_namespace, "ci");
  EXPECT_EQ(e.labels.at("team"), "shop");
  EXPECT_EQ(e.message, "step test failed");
  EXPECT_EQ(e.time_ms, 5) << "of its arrival";
  EXPECT_TRUE(e.data.starts_with(R"({"id":"a b",)")) << e.data;
}

TEST(CloudEvents, WhatIsNoJsonIsText) {
  const Event e = only({{"content-type", "text/plain"}, {"ce-specversion", "1.0"}, {"ce-id", "1"}, {"ce-source", "s"}, {"ce-type", "t"}, {"ce-severity", "warning"}},
                       std::string_view("a\0b", 3));
  EXPECT_EQ(e.severity, Severity::kWarning);
  EXPECT_EQ(e.data.find('\0'), std::string::npos);
  EXPECT_NE(e.data.find(R"("data":"a)"), std::string::npos) << e.data;
}

TEST(CloudEvents, ASourceAndAnIdAreOneKey) {
  const auto key = [](std::string source, std::string id) {
    return only({{"content-type", std::string(kStructured)}},
                cat(R"({"specversion":"1.0","type":"t","source":")", source, R"(","id":")", id, "\"}")).dedup_key;
  };
  EXPECT_EQ(key("a", "b"), key("a", "b"));
  EXPECT_NE(key("a", "bc"), key("ab", "c"));
  EXPECT_NE(key("a", "b"), key("b", "a"));
}

TEST(CloudEvents, ErrorsNameTheAttribute) {
  const struct {
    std::string_view type, body, error;
  } cases[] = {
      {"", "{}", "content-type: want"},
      {"text/plain", "{}", "content-type: want"},
      {kStructured, "", "unexpected end of JSON input"},
      {kStructured, "[]", "want an object"},
      {kStructured, "{}", "specversion: want \"1.0\""},
      {kStructured, R"({"specversion":"1.0","source":"s","type":"t"})", "id: is missing"},
      {kStructured, R"({"specversion":"1.0","id":"1","source":1,"type":"t"})", "source: is missing"},
      {kStructured, R"({"specversion":"1.0","id":"1","source":"s"})", "type: is missing"},
      {kStructured, R"({"specversion":"1.0","id":"1","source":"s","type":"t","time":"soon"})", "time: is none of RFC 3339"},
      {kStructured, R"({"specversion":"1.0","id":"1","source":"s","type":"t","severity":"bad"})", "severity: want"},
      {kStructured, R"({"specversion":"1.0","id":"1","source":"s","type":"cloudevent.received"})", "type: cloudevent.received was received before"},
      {"application/cloudevents-batch+json", "{}", "want a list"},
      {"application/cloudevents-batch+json", R"([{"specversion":"1.0","id":"1","source":"s","type":"t"},{}])", "[1]: specversion: want"},
  };
  for (const auto& c : cases) {
    const auto read = read_cloud_events({{"content-type", std::string(c.type)}}, c.body, 5);
    ASSERT_FALSE(read) << c.body;
    EXPECT_NE(read.error().text().find(c.error), std::string::npos) << read.error().text();
    EXPECT_EQ(read.error().code(), Code::kInvalidArgument);
  }
}

TEST(CloudEvents, AreTakenOnceAndToldByWhoMayHandThemInOnly) {
  const auto token = [](std::string role) {
    return TokenConfig{role, crypt::hex(crypt::sha256(role)), role};
  };
  ApiWorld w({token("inlet"), token("read"), token("operate")});
  Subscription s;
  s.name = "told", s.sink_kind = "stdout";
  s.filter.types = {"cloudevent.received"};
  s.filter.reasons = {"scan.done"};
  ASSERT_TRUE(compile(s.filter));
  const int64_t id = w.store.add_subscription(s)->id;
  EXPECT_EQ(w.ask("POST", "/cloudevents", std::string(kScan), "inlet", "application/json").text, "{\"stored\":1,\"known\":0}\n");
  EXPECT_EQ(w.ask("POST", "/apis/internal/cloudevents", std::string(kScan), "operate", "application/json").text, "{\"stored\":0,\"known\":1}\n");
  EXPECT_EQ(w.ask("POST", "/cloudevents", std::string(kScan), "read", "application/json").status, 403);
  EXPECT_EQ(w.ask("POST", "/cloudevents", std::string(kScan), "", "application/json").status, 401);
  EXPECT_EQ(w.ask("GET", "/events", "", "inlet").status, 403);
  EXPECT_EQ(w.ask("POST", "/cloudevents", "{}", "inlet", "application/json").status, 400);
  const auto events = w.ask("GET", "/events?type=cloudevent.received", "", "read");
  ASSERT_EQ(value_at(events.json, {"items"})->length(), 1u) << events.text;
  EXPECT_EQ(text_at(value_at(events.json, {"items"})->items()[0], {"region"}), "lookout");
  DeliveryQuery query;
  query.subscription_id = id;
  EXPECT_EQ(w.store.deliveries(query)->size(), 1u);
}

}  // namespace
}  // namespace pintle::lookout
