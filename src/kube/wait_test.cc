#include "kube/wait.h"

#include <gtest/gtest.h>

#include "kube/testing/fake_rest.h"

namespace pintle::kube {
namespace {

const std::string kPath = "/apis/apps/v1/namespaces/ns/deployments";
const std::string kSynced =
    R"({"type":"BOOKMARK","object":{"kind":"Deployment","metadata":{"annotations":{"k8s.io/initial-events-end":"true"}}}})"
    "\n";

std::string event(const std::string& type, const std::string& name, bool ready) {
  const std::string n = ready ? "1" : "0";
  return R"({"type":")" + type + R"(","object":{"kind":"Deployment","metadata":{"name":")" + name +
         R"("},"spec":{"replicas":1},"status":{"replicas":1,"updatedReplicas":1,"readyReplicas":)" + n +
         R"(,"availableReplicas":)" + n + R"(,"conditions":[{"type":"Available","status":"True"}]}}})" "\n";
}

Object deployment(const std::string& name) {
  Object o;
  o.tree = value::Value::map(value::make_map());
  o.group = "apps";
  o.version = "v1";
  o.kind = "Deployment";
  o.plural = "deployments";
  o.ns = "ns";
  o.name = name;
  return o;
}

Error failure(int code) {
  http::Response r;
  r.status = code;
  r.body = R"({"kind":"Status","message":"refused"})";
  return status_error(r);
}

std::string waited(FakeRest& rest, const Objects& objects, WaitFor what, int64_t timeout_ms = 300) {
  WaitOptions options;
  options.timeout_ms = timeout_ms;
  const auto status = wait_for(rest, sys::real_clock(), objects, what, options);
  return status ? "ok" : status.error().text();
}

TEST(Wait, ends_when_all_are_ready_with_one_watch_for_all) {
  FakeRest rest;
  rest.stream_of(kPath, {event("ADDED", "a", true) + event("ADDED", "b", false) + kSynced +
                             event("MODIFIED", "b", true), {}});
  EXPECT_EQ(waited(rest, {deployment("a"), deployment("b")}, WaitFor::kReady), "ok");
  ASSERT_EQ(rest.calls().size(), 1u);
}

TEST(Wait, asks_for_one_name_when_there_is_one) {
  FakeRest rest;
  rest.stream_of(kPath, {event("ADDED", "a", true) + kSynced, {}});
  EXPECT_EQ(waited(rest, {deployment("a")}, WaitFor::kReady), "ok");
  EXPECT_EQ(rest.calls()[0], "GET " + kPath +
                                 "?fieldSelector=metadata.name%3Da&allowWatchBookmarks=true&"
                                 "resourceVersionMatch=NotOlderThan&sendInitialEvents=true&watch=true");
}

TEST(Wait, says_what_is_not_ready_when_time_is_over) {
  FakeRest rest;
  rest.stream_of(kPath, {event("ADDED", "a", false) + kSynced, {}});
  EXPECT_EQ(waited(rest, {deployment("a"), deployment("b")}, WaitFor::kReady),
            "resource Deployment/ns/a not ready. status: InProgress, message: Available: 0/1\n"
            "resource Deployment/ns/b not ready. status: Unknown, message: \n"
            "context deadline exceeded");
}

TEST(Wait, goes_on_after_the_stream_was_cut_or_is_garbage) {
  for (const std::string& first : {std::string("{\"type\":\"ADD"), std::string("garbage\n")}) {
    FakeRest rest;
    rest.stream_of(kPath, {first, Status(Error(Code::kDataLoss, "unexpected EOF"))});
    rest.stream_of(kPath, {event("ADDED", "a", true) + kSynced, {}});
    EXPECT_EQ(waited(rest, {deployment("a")}, WaitFor::kReady, 5000), "ok") << first;
    EXPECT_EQ(rest.calls().size(), 2u);
  }
}

TEST(Wait, begins_anew_when_the_version_is_gone) {
  FakeRest rest;
  rest.stream_of(kPath, {R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired"}})" "\n", {}});
  rest.stream_of(kPath, {event("ADDED", "a", true) + kSynced, {}});
  EXPECT_EQ(waited(rest, {deployment("a")}, WaitFor::kReady, 5000), "ok");
}

TEST(Wait, ends_at_once_when_forbidden) {
  FakeRest rest;
  rest.stream_of(kPath, {"", Status(failure(403))});
  EXPECT_EQ(waited(rest, {deployment("a")}, WaitFor::kReady, 5000), "refused");
}

TEST(Wait, lists_first_where_the_server_streams_no_lists) {
  FakeRest rest;
  rest.stream_of(kPath, {"", Status(failure(422))});
  rest.stream_of(kPath, {"", {}});
  rest.answer("GET " + kPath, {200, R"({"metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"a"},)"
                                    R"("spec":{"replicas":0},"status":{"conditions":[{"type":"Available","status":"True"}]}}]})"});
  EXPECT_EQ(waited(rest, {deployment("a")}, WaitFor::kReady, 5000), "ok");
}

TEST(Wait, for_deletion_takes_what_was_never_there_as_gone) {
  FakeRest rest;
  rest.stream_of(kPath, {event("ADDED", "a", true) + kSynced + event("DELETED", "a", true), {}});
  EXPECT_EQ(waited(rest, {deployment("a"), deployment("b")}, WaitFor::kGone), "ok");
}

TEST(Wait, for_deletion_names_what_is_left) {
  FakeRest rest;
  rest.stream_of(kPath, {event("ADDED", "a", true) + kSynced, {}});
  EXPECT_EQ(waited(rest, {deployment("a")}, WaitFor::kGone),
            "resource Deployment/ns/a still exists. status: Current, message: Deployment is available. "
            "Replicas: 1\ncontext deadline exceeded");
}

TEST(Wait, ends_when_cancelled) {
  FakeRest rest;
  rest.stream_of(kPath, {event("ADDED", "a", false) + kSynced, {}});
  http::Cancel cancel;
  cancel.cancel();
  WaitOptions options;
  options.cancel = &cancel;
  const auto status = wait_for(rest, sys::real_clock(), {deployment("a")}, WaitFor::kReady, options);
  ASSERT_FALSE(status);
  EXPECT_TRUE(status.error().text().ends_with("\ncontext canceled"));
}

}  // namespace
}  // namespace pintle::kube
