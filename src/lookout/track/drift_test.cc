// Workloads that somebody else than Helm has written to.
#include <gtest/gtest.h>

#include "base/strings.h"
#include "json/json.h"
#include "lookout/fields.h"
#include "lookout/track/managers.h"
#include "lookout/track/release_payload.h"
#include "lookout/track/tracker.h"

namespace pintle::lookout {
namespace {

std::string entry(std::string_view manager, std::string_view time, std::string_view fields,
                  std::string_view more = "") {
  return cat(R"({"manager":")", manager, R"(","operation":"Update","apiVersion":"apps/v1","time":")",
             time, R"(","fieldsType":"FieldsV1","fieldsV1":)", fields, more, "}");
}

constexpr std::string_view kNine = "2026-01-01T09:00:00Z", kTen = "2026-01-01T10:00:00Z",
                           kEleven = "2026-01-01T11:00:00Z";
constexpr std::string_view kImage =
    R"({"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"web\"}":{".":{},"f:image":{}}}}}}})";
constexpr std::string_view kPort =
    R"({"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}},"f:finalizers":{"v:\"a\"":{}}}})";

struct TrimCase {
  const char* name;
  std::string list, want;
};

TEST(Managers, KeepWhatOthersWriteToTheSpec) {
  const TrimCase cases[] = {
      {"nothing", "[]", "[]"},
      {"no list", "{}", "[]"},
      {"elements that are none", "[1,null]", "[{},{}]"},
      {"Helm's fields", cat("[", entry("helm", kNine, kImage), "]"),
       R"([{"manager":"helm","operation":"Update","apiVersion":"apps/v1","time":"2026-01-01T09:00:00Z","fieldsType":"FieldsV1"}])"},
      {"another's", R"([{"manager":"kubectl-edit","fieldsV1":)" + std::string(kImage) + "}]",
       R"([{"manager":"kubectl-edit","owns":["spec.template.spec.containers[web].image"]}])"},
      {"keys and values of lists", R"([{"fieldsV1":)" + std::string(kPort) + "}]",
       R"([{"owns":["spec.ports[80,TCP].port","spec.finalizers[\"a\"]"]}])"},
      {"a subresource", R"([{"manager":"x","fieldsV1":)" + std::string(kImage) + R"(,"subresource":"scale"}])",
       R"([{"manager":"x","subresource":"scale"}])"},
      {"replicas and a restart",
       R"([{"fieldsV1":{"f:spec":{"f:replicas":{},"f:template":{"f:metadata":{"f:annotations":{"f:x":{}}}}}}}])", "[{}]"},
      {"no spec", R"([{"fieldsV1":{"f:metadata":{"f:annotations":{"f:a":{}}}}}])", "[{}]"},
      {"broken", R"([{"fieldsV1":{"f:spec")", "[]"},
  };
  for (const TrimCase& c : cases) EXPECT_EQ(trimmed_managers(c.list), c.want) << c.name;
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += R"({"f:spec":)";
  EXPECT_EQ(trimmed_managers(R"([{"fieldsV1":)" + deep), "[]");
}

struct DriftCase {
  const char* name;
  std::string list;
  std::string by;
};

TEST(Managers, KnowWhoHasWrittenSinceHelm) {
  const std::string helm = entry("helm", kTen, kImage);
  const DriftCase cases[] = {
      {"Helm alone", helm, ""},
      {"somebody before Helm", cat(entry("kubectl-edit", kNine, kImage), ",", helm), ""},
      {"somebody after Helm", cat(helm, ",", entry("kubectl-edit", kEleven, kImage)), "kubectl-edit"},
      {"Helm after that", cat(entry("helm", kEleven, kImage), ",", entry("kubectl-edit", kTen, kImage)), ""},
      {"an autoscaler", cat(helm, ",", entry("hpa", kEleven, R"({"f:spec":{"f:replicas":{}}})", R"(,"subresource":"scale")")), ""},
      {"a controller's status", cat(helm, ",", entry("kube-controller-manager", kEleven, R"({"f:status":{"f:x":{}}})", R"(,"subresource":"status")")), ""},
      {"Helm never wrote", entry("kubectl-edit", kTen, kImage), ""},
      {"a controller of Helm releases", cat(helm, ",", entry("helm-controller", kEleven, kImage)), ""},
  };
  for (const DriftCase& c : cases) {
    const auto object = json::read(*trim_managed_fields(
        cat(R"({"metadata":{"managedFields":[)", c.list, "]}}")));
    ASSERT_TRUE(object.has_value());
    EXPECT_EQ(managers_of(*object).drifted_by, c.by) << c.name;
  }
}

std::string deployment(std::string_view managers) {
  return *trim_managed_fields(
      cat(R"({"metadata":{"name":"web","namespace":"shop","uid":"d","generation":1,)",
          R"("annotations":{"meta.helm.sh/release-name":"web","meta.helm.sh/release-namespace":"shop"},)",
          R"("managedFields":[)", managers, R"(]},"spec":{"replicas":0},"status":{"observedGeneration":1}})"));
}

std::string record(std::string_view status) {
  return cat(R"({"metadata":{"name":"sh.helm.release.v1.web.v1","namespace":"shop","uid":"r",)",
             R"("labels":{"owner":"helm","name":"web","status":")", status, R"("}},"type":"helm.sh/release.v1"})");
}

TEST(Drift, IsToldOnceUntilHelmWritesAgain) {
  const std::string helm = entry("helm", kNine, kImage);
  Tracker tracker("c");
  ASSERT_TRUE(tracker.observe("secrets", Change::kAdded, record("deployed"), false, 1));
  const auto see = [&](const std::string& managers) {
    auto events = tracker.observe("deployments.apps", Change::kModified, deployment(managers), false, 2);
    EXPECT_TRUE(events.has_value());
    std::erase_if(*events, [](const Event& e) { return e.type != "release.drifted"; });
    return *events;
  };
  const auto state = [&] { return tracker.releases().at(0).state; };
  EXPECT_TRUE(see(helm).empty());
  EXPECT_EQ(state(), "deployed");
  const auto told = see(cat(helm, ",", entry("kubectl-edit", kTen, kImage)));
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].release, "web");
  EXPECT_EQ(told[0].release_namespace, "shop");
  EXPECT_EQ(told[0].revision, 1);
  EXPECT_EQ(told[0].severity, Severity::kWarning);
  EXPECT_EQ(told[0].time_ms, time_ms(kTen));
  EXPECT_EQ(told[0].data, R"({"who":"kubectl-edit","fields":["spec.template.spec.containers[web].image"]})");
  EXPECT_EQ(state(), "drifted");
  EXPECT_TRUE(see(cat(helm, ",", entry("kubectl-edit", kEleven, kImage))).empty());
  EXPECT_EQ(state(), "drifted");
  const std::string again = entry("helm", kEleven, kImage);
  EXPECT_TRUE(see(cat(again, ",", entry("kubectl-edit", kTen, kImage))).empty());
  EXPECT_EQ(state(), "deployed");
  EXPECT_EQ(see(cat(again, ",", entry("kubectl-edit", "2026-01-01T12:00:00Z", kImage))).size(), 1u);
  ASSERT_TRUE(tracker.observe("secrets", Change::kModified, record("pending-upgrade"), false, 3));
  EXPECT_EQ(state(), "pending-upgrade");
}

TEST(Drift, OfBeforeTheBaselineIsAStateAndNoEvent) {
  Tracker tracker("c");
  tracker.set_baseline("deployments.apps", time_ms(kEleven), false);
  ASSERT_TRUE(tracker.observe("secrets", Change::kAdded, record("deployed"), true, 1));
  const auto events = tracker.observe(
      "deployments.apps", Change::kAdded,
      deployment(cat(entry("helm", kNine, kImage), ",", entry("kubectl-edit", kTen, kImage))), true, 2);
  ASSERT_TRUE(events.has_value());
  EXPECT_TRUE(events->empty());
  EXPECT_EQ(tracker.releases().at(0).state, "drifted");
}

}  // namespace
}  // namespace pintle::lookout
