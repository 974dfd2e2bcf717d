#include "kube/apply.h"

#include <gtest/gtest.h>

#include "base/strings.h"
#include "json/json.h"
#include "kube/builder.h"
#include "kube/discovery.h"
#include "kube/testing/fake_rest.h"
#include "sys/memory_disk.h"
#include "sys/testing/fake_clock.h"

namespace pintle::kube {
namespace {

constexpr char kCore[] =
    R"({"kind":"APIGroupDiscoveryList","items":[{"metadata":{},"versions":[{"version":"v1","resources":[
    {"resource":"configmaps","responseKind":{"kind":"ConfigMap"},"scope":"Namespaced","verbs":["list"]}]}]}]})";
constexpr char kGroups[] =
    R"({"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":"x.io"},"versions":[{"version":"v1","resources":[
    {"resource":"things","responseKind":{"kind":"Thing"},"scope":"Cluster","verbs":["list"]}]}]}]})";
const http::Headers kAggregated = {
    {"content-type", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"},
    {"etag", "\"e\""}};
constexpr char kMap[] = "{apiVersion: v1, kind: ConfigMap, metadata: {name: m}, data: {a: b}}\n";

class Apply : public ::testing::Test {
 protected:
  Apply() {
    rest.answer("GET /api", {200, kCore, kAggregated});
    rest.answer("GET /apis", {200, kGroups, kAggregated});
  }
  Discovery discovery() { return Discovery(rest, "/cache", disk, clock); }
  Objects build(std::string_view manifest) {
    Discovery d = discovery();
    auto objects = build_objects(manifest, "ns", d);
    EXPECT_TRUE(objects) << objects.error().text();
    return objects ? *objects : Objects();
  }
  FakeRest rest;
  sys::MemoryDisk disk;
  sys::FakeClock clock{1'000'000'000};
};

TEST_F(Apply, builds_objects_with_the_default_namespace_and_flattens_lists) {
  const Objects o = build(
      "---\n# only a comment\n---\n{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: ConfigMap, "
      "metadata: {name: a}}]}\n---\n{apiVersion: x.io/v1, kind: Thing, metadata: {name: t}}\n");
  ASSERT_EQ(o.size(), 2u);
  EXPECT_EQ(object_path(o[0], o[0].name), "/api/v1/namespaces/ns/configmaps/a");
  EXPECT_EQ(object_path(o[1], o[1].name), "/apis/x.io/v1/things/t");
}

TEST_F(Apply, keeps_the_end_of_the_last_line_of_a_document) {
  constexpr std::string_view kBlock = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  t: |\n    x";
  const std::string crlf = replace_all(cat(kBlock, "\n---\n", kBlock, "\n"), "\n", "\r\n");
  for (const std::string& stream :
       {std::string(kBlock), cat(kBlock, "\n"), cat(kBlock, "\n---\n", kBlock), cat("---\n", kBlock, "\n--- # b\n"), crlf}) {
    for (const Object& o : build(stream)) EXPECT_EQ(o.tree.get("data")->get("t")->as_string(), "x\n") << stream;
  }
}

TEST_F(Apply, asks_the_server_once_and_then_the_disk) {
  build(kMap);
  EXPECT_EQ(rest.calls().size(), 2u);
  build(kMap);
  EXPECT_EQ(rest.calls().size(), 2u);
  clock.step(7LL * 3600 * 1'000'000'000);
  build(kMap);
  EXPECT_EQ(rest.calls().size(), 4u);
}

TEST_F(Apply, names_a_kind_that_is_unknown) {
  Discovery d = discovery();
  const auto o = build_objects("{apiVersion: foo/v1, kind: Foo, metadata: {name: x}}", "ns", d);
  ASSERT_FALSE(o);
  EXPECT_EQ(o.error().text(),
            "resource mapping not found for name: \"x\" namespace: \"\" from \"\": no matches for kind \"Foo\" "
            "in version \"foo/v1\"\nensure CRDs are installed first");
}

TEST_F(Apply, creates_by_server_side_apply) {
  const Objects o = build(kMap);
  rest.answer("PATCH /api/v1/namespaces/ns/configmaps/m", {201, "{}"});
  ASSERT_TRUE(create_objects(rest, o, {}));
  EXPECT_EQ(rest.calls().back(), "PATCH /api/v1/namespaces/ns/configmaps/m?fieldManager=helm&"
                                 "fieldValidation=Strict&force=false");
}

TEST_F(Apply, words_a_conflict_as_helm_does) {
  const Objects o = build(kMap);
  rest.answer("PATCH /api/v1/namespaces/ns/configmaps/m",
              {409, R"({"kind":"Status","code":409,"reason":"Conflict","message":"why"})"});
  const auto r = create_objects(rest, o, {});
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().text(),
            "conflict occurred while applying object ns/m /v1, Kind=ConfigMap: why");
}

TEST_F(Apply, creates_what_an_update_does_not_find_and_removes_what_is_no_longer_wanted) {
  const Objects o = build(kMap);
  Objects old = o;
  old[0].name = "old";
  rest.answer("PATCH /api/v1/namespaces/ns/configmaps/m", {201, "{}"});
  rest.answer("GET /api/v1/namespaces/ns/configmaps/old", {200, "{}"});
  rest.answer("DELETE /api/v1/namespaces/ns/configmaps/old", {200, "{}"});
  UpdateReport report;
  ASSERT_TRUE(update_objects(rest, {}, old, o, {}, report));
  EXPECT_EQ(report.created.size(), 1u);
  EXPECT_EQ(report.deleted.size(), 1u);
}

TEST_F(Apply, keeps_what_the_live_object_says_to_keep) {
  Objects old = build(kMap);
  rest.answer("GET /api/v1/namespaces/ns/configmaps/m",
              {200, R"({"metadata":{"annotations":{"helm.sh/resource-policy":"keep"}}})"});
  UpdateReport report;
  ASSERT_TRUE(update_objects(rest, {}, old, {}, {}, report));
  EXPECT_TRUE(report.deleted.empty());
}

TEST_F(Apply, sends_no_patch_when_nothing_changed_client_side) {
  const Objects o = build(kMap);
  rest.answer("GET /api/v1/namespaces/ns/configmaps/m",
              {200, R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m","namespace":"ns"},"data":{"a":"b"}})"});
  ApplyOptions options;
  options.server_side = false;
  UpdateReport report;
  const size_t before = rest.calls().size();
  ASSERT_TRUE(update_objects(rest, {}, o, o, options, report));
  EXPECT_EQ(rest.calls().size(), before + 1);
}

TEST_F(Apply, takes_not_found_as_removed) {
  Objects removed;
  EXPECT_TRUE(remove_objects(rest, build(kMap), Propagation::kBackground, removed).empty());
  EXPECT_EQ(removed.size(), 1u);
  EXPECT_NE(rest.bodies().back().find("\"propagationPolicy\":\"Background\""), std::string::npos);
}

TEST(Managers, hands_the_fields_of_updates_to_one_apply_entry) {
  const auto live = json::read(
      R"({"metadata":{"resourceVersion":"5","managedFields":[
      {"manager":"helm","operation":"Update","apiVersion":"v1","fieldsV1":{"f:data":{"f:a":{}}}},
      {"manager":"other","operation":"Update","apiVersion":"v1","fieldsV1":{}},
      {"manager":"helm","operation":"Apply","apiVersion":"v1","fieldsV1":{"f:data":{"f:b":{}}}}]}})");
  const auto patch = managers_patch(*live);
  ASSERT_TRUE(patch);
  EXPECT_EQ(*json::write(*patch),
            R"([{"op":"replace","path":"/metadata/managedFields","value":[)"
            R"({"apiVersion":"v1","fieldsV1":{},"manager":"other","operation":"Update"},)"
            R"({"apiVersion":"v1","fieldsV1":{"f:data":{"f:a":{},"f:b":{}}},"manager":"helm","operation":"Apply"}]},)"
            R"({"op":"replace","path":"/metadata/resourceVersion","value":"5"}])");
}

TEST(Managers, has_nothing_to_do_without_updates_of_helm) {
  const auto patch = managers_patch(*json::read(R"({"metadata":{"managedFields":[]}})"));
  ASSERT_TRUE(patch);
  EXPECT_TRUE(patch->is_nil());
}

}  // namespace
}  // namespace pintle::kube
