// Releases of Helm 2: Tiller's records, protobuf in base64 of gzip.
#include <gtest/gtest.h>

#include "base/protobuf.h"
#include "base/strings.h"
#include "crypt/crypt.h"
#include "lookout/track/tracker.h"
#include "sys/gzip.h"

namespace pintle::lookout {
namespace {

// A field of a message: a text, bytes or another message.
std::string field(int number, std::string_view bytes) {
  ProtobufWriter w;
  w.bytes(static_cast<uint64_t>(number), bytes);
  return w.message();
}

const std::string kRelease =
    field(1, "web") + field(2, field(1, "\x08\x01") + field(5, "Install complete")) +
    field(3, field(1, field(1, "nginx") + field(4, "1.2.3") + field(13, "9")) +
                 field(2, field(1, "templates/a.yaml") + field(2, "image: not-this"))) +
    field(4, field(1, "a: 1\n")) + field(5, "kind: Pod\n  - image: \"nginx:9\"\n") +
    field(6, field(1, "a hook")) + "\x38\x01" + field(8, "shop");

std::string record(std::string_view status, std::string_view payload, bool secret = false,
                   int revision = 1) {
  std::string packed = crypt::base64_encode(payload);
  if (secret) packed = crypt::base64_encode(packed);
  return cat(R"({"metadata":{"name":"web.v)", revision, R"(","namespace":"kube-system","uid":"u)", revision,
             R"(","labels":{"OWNER":"TILLER","NAME":"web","STATUS":")", status,
             R"(","VERSION":"1","CREATED_AT":"1767225600"}})", secret ? R"(,"type":"Opaque")" : "",
             R"(,"data":{"release":")", packed, R"("}})");
}

TEST(Helm2, ItsRecordsAreReleasesOfTheNamespaceTheyNameAsOthersAre) {
  for (const bool secret : {false, true}) {
    const std::string_view resource = secret ? "secrets" : "configmaps";
    Tracker tracker("c");
    const auto see = [&](Change change, const std::string& json) {
      auto events = tracker.observe(resource, change, json, false, 1'767'225'600'000);
      EXPECT_TRUE(events.has_value());
      return *events;
    };
    auto events = see(Change::kAdded, record("PENDING_INSTALL", sys::gzip(kRelease), secret));
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].type, "release.pending");
    events = see(Change::kModified, record("DEPLOYED", kRelease, secret));  // not zipped: before 2.0
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].type, "release.deployed");
    EXPECT_EQ(events[0].release, "web");
    EXPECT_EQ(events[0].release_namespace, "shop");
    EXPECT_EQ(events[0].revision, 1);
    EXPECT_EQ(events[0].message, "Install complete");
    EXPECT_NE(events[0].data.find(R"("chart":"nginx","chart_version":"1.2.3","app_version":"9")"),
              std::string::npos) << events[0].data;
    EXPECT_NE(events[0].data.find(R"("images":["nginx:9"])"), std::string::npos) << events[0].data;
    EXPECT_TRUE(see(Change::kModified, record("SUPERSEDED", kRelease, secret)).empty());
    events = see(Change::kAdded, record("DEPLOYED", kRelease, secret, 2));
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].release_namespace, "shop");
    ASSERT_EQ(tracker.releases().size(), 1u);
    EXPECT_EQ(tracker.releases()[0].name_space, "shop");
    EXPECT_EQ(tracker.releases()[0].chart, "nginx-1.2.3");
    EXPECT_EQ(tracker.revision_of({"web", "shop", {}}), 2);
    events = see(Change::kModified, record("DELETED", kRelease, secret, 2));
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].type, "release.uninstalled");
    see(Change::kDeleted, record("SUPERSEDED", "", secret, 1));
    EXPECT_TRUE(see(Change::kDeleted, record("DELETED", "", secret, 2)).empty());
    EXPECT_TRUE(tracker.releases().empty());
    EXPECT_EQ(tracker.revision_of({"web", "shop", {}}), 0);
    EXPECT_EQ(tracker.broken_payloads(), 0u);
  }
}

TEST(Helm2, ARollbackMarksWhatFailedAsSupersededWhichDeploysNothing) {
  Tracker tracker("c");
  const auto types = [&](std::string_view status) {
    std::string out;
    const auto events = tracker.observe("configmaps", Change::kModified, record(status, kRelease), false, 1);
    EXPECT_TRUE(events.has_value());
    for (const Event& e : *events) append(out, {e.type, " "});
    return out;
  };
  EXPECT_EQ(types("PENDING_UPGRADE"), "release.pending ");
  EXPECT_EQ(types("FAILED"), "release.failed ");
  EXPECT_EQ(types("SUPERSEDED"), "");
}

TEST(Helm2, AFailingWorkloadDegradesIt) {
  Tracker tracker("c");
  ASSERT_TRUE(tracker.observe("configmaps", Change::kAdded, record("DEPLOYED", kRelease), false, 1));
  const auto events = tracker.observe(
      "deployments.apps", Change::kAdded,
      R"({"metadata":{"name":"web","namespace":"shop","uid":"d","generation":1,"labels":{"heritage":"Tiller","release":"web"}},
          "spec":{"replicas":1},"status":{"observedGeneration":1,"conditions":[
          {"type":"Progressing","status":"False","reason":"ProgressDeadlineExceeded"}]}})", false, 2);
  ASSERT_TRUE(events.has_value());
  ASSERT_EQ(events->size(), 2u);
  EXPECT_EQ(events->at(0).type, "workload.failed");
  EXPECT_EQ(events->at(0).release, "web");
  EXPECT_EQ(events->at(1).type, "release.degraded");
}

TEST(Helm2, GarbageAndBombsAreCountedAndNotFatal) {
  const std::string cut = kRelease.substr(0, kRelease.size() / 2);
  for (const std::string& payload :
       {std::string("garbage"), cut, sys::gzip(cut), sys::gzip(std::string(32 << 20, '\0')),
        std::string("\x1f\x8b\x08 garbage"), std::string(), field(1, ""), std::string("{}")}) {
    Tracker tracker("c");
    const auto events = tracker.observe("configmaps", Change::kAdded, record("DEPLOYED", payload), false, 1);
    ASSERT_TRUE(events.has_value());
    ASSERT_EQ(events->size(), 1u);
    EXPECT_EQ(events->at(0).type, "release.deployed");
    EXPECT_EQ(events->at(0).release, "web");
    EXPECT_EQ(tracker.broken_payloads(), 1u);
  }
}

}  // namespace
}  // namespace pintle::lookout
