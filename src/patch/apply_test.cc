#include "patch/apply.h"

#include <gtest/gtest.h>

#include "json/json.h"
#include "patch/managed_fields.h"

namespace pintle::patch {
namespace {

using value::Value;

Value parse(std::string_view text) {
  auto read = json::read(text, {.numbers = json::Numbers::kExact});
  EXPECT_TRUE(read.has_value()) << text;
  return read ? *read : Value();
}
std::string write(const Value& v) { return *json::write(v, {.escape_html = false}); }

Manager manager(std::string name, std::string subresource = "") {
  return {.name = std::move(name), .api_version = "v1", .time = "2026-01-01T00:00:00Z",
          .subresource = std::move(subresource)};
}
Value config_map(std::string_view data) {
  return parse(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"n"},"data":)" +
               std::string(data) + "}");
}
Value stored(Value v) {
  v.as_map()->find("metadata")->as_map()->set("uid", value::str("u"));
  return v;
}
const Type* type() { return type_of("", "v1", "ConfigMap"); }
std::string fields(const Value& object, size_t entry = 0) {
  return write(*object.get("metadata")->get("managedFields")->items()[entry].get("fieldsV1"));
}

TEST(Update, OwnsWhatItCreates) {
  auto made = update({}, config_map(R"({"a":"1"})"), type(), manager("m"));
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(fields(*made), R"({"f:data":{".":{},"f:a":{}}})");
}

TEST(Update, TakesChangesAndLeavesTheRest) {
  Value live = stored(*update({}, config_map(R"({"a":"1","b":"1"})"), type(), manager("m")));
  Value next = parse(write(live));
  next.as_map()->find("data")->as_map()->set("a", value::str("2"));
  auto out = update(live, next, type(), manager("n"));
  ASSERT_TRUE(out.has_value());
  EXPECT_EQ(fields(*out, 0), R"({"f:data":{".":{},"f:b":{}}})");
  EXPECT_EQ(fields(*out, 1), R"({"f:data":{"f:a":{}}})");
}

TEST(Update, ForgetsOwnersWhenTheClientResetsThem) {
  Value live = stored(*update({}, config_map(R"({"a":"1"})"), type(), manager("m")));
  Value next = parse(write(live));
  next.as_map()->find("metadata")->as_map()->set("managedFields", Value::list_of({}));
  auto out = update(live, next, type(), manager("n"));
  ASSERT_TRUE(out.has_value());
  EXPECT_EQ(out->get("metadata")->get("managedFields"), nullptr);
}

TEST(Update, MergesTheOldestOfMoreThanTenOwners) {
  Value live = stored(*update({}, config_map(R"({"a":"1"})"), type(), manager("m")));
  for (int i = 0; i < 15; ++i) {
    Value next = parse(write(live));
    next.as_map()->find("data")->as_map()->set("k" + std::to_string(i), value::str("1"));
    live = *update(live, next, type(), manager("u" + std::to_string(i)));
  }
  EXPECT_EQ(live.get("metadata")->get("managedFields")->length(), 10u);
}

TEST(Apply, ConflictsWithAnotherOwnersValue) {
  Value live = stored(*update({}, config_map(R"({"a":"1","b":"1"})"), type(), manager("m")));
  auto out = apply(live, config_map(R"({"a":"2"})"), type(), manager("s"), false);
  ASSERT_FALSE(out.has_value());
  EXPECT_EQ(out.error().text(),
            R"(Apply failed with 1 conflict: conflict with "m" using v1: .data.a)");
  const Conflicts* conflicts = out.error().find<Conflicts>();
  ASSERT_NE(conflicts, nullptr);
  EXPECT_EQ(conflicts->list[0].message, R"(conflict with "m" using v1)");
  auto two = apply(live, config_map(R"({"a":"2","b":"2"})"), type(), manager("s"), false);
  EXPECT_EQ(two.error().text(),
            "Apply failed with 2 conflicts: conflicts with \"m\" using v1:\n- .data.a\n- .data.b");
}

TEST(Apply, TakesByForce) {
  Value live = stored(*update({}, config_map(R"({"a":"1","b":"1"})"), type(), manager("m")));
  auto out = apply(live, config_map(R"({"a":"2"})"), type(), manager("s"), true);
  ASSERT_TRUE(out.has_value());
  EXPECT_EQ(write(*out->get("data")), R"({"a":"2","b":"1"})");
  EXPECT_EQ(fields(*out, 0), R"({"f:data":{"f:a":{}}})");
  EXPECT_EQ(fields(*out, 1), R"({"f:data":{".":{},"f:b":{}}})");
}

TEST(Apply, RemovesWhatNobodyAppliesAnyMore) {
  Value live = stored(*apply({}, config_map(R"({"a":"1","b":"1"})"), type(), manager("s"), false));
  live = *apply(live, config_map(R"({"b":"1","c":"1"})"), type(), manager("t"), false);
  auto out = apply(live, config_map(R"({"c":"1"})"), type(), manager("s"), false);
  ASSERT_TRUE(out.has_value());
  EXPECT_EQ(write(*out->get("data")), R"({"b":"1","c":"1"})");
}

TEST(Apply, RefusesUndeclaredFields) {
  auto out = apply({}, parse(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"n"},"foo":1})"),
                   type(), manager("s"), false);
  ASSERT_FALSE(out.has_value());
  EXPECT_EQ(out.error().text(),
            "failed to create typed patch object (n/c; /v1, Kind=ConfigMap): .foo: field not "
            "declared in schema");
}

TEST(Apply, MergesListsByTheirKeysWithDefaults) {
  const Type* service = type_of("", "v1", "Service");
  auto make = [](std::string_view ports) {
    return parse(R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"c"},"spec":{"ports":)" +
                 std::string(ports) + "}}");
  };
  Value live = stored(*apply({}, make(R"([{"port":80,"name":"a"},{"port":81,"name":"b"}])"), service,
                             manager("s"), false));
  EXPECT_EQ(fields(live),
            R"({"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:name":{},"f:port":{}},)"
            R"("k:{\"port\":81,\"protocol\":\"TCP\"}":{".":{},"f:name":{},"f:port":{}}}}})");
  live = *apply(live, make(R"([{"port":82,"name":"c"}])"), service, manager("t"), false);
  auto out = apply(live, make(R"([{"port":81,"name":"b"}])"), service, manager("s"), false);
  ASSERT_TRUE(out.has_value());
  EXPECT_EQ(write(*out->get("spec")->get("ports")),
            R"([{"name":"b","port":81},{"name":"c","port":82}])");
}

TEST(Apply, LeavesStatusToTheStatusResource) {
  const Type* pod = type_of("", "v1", "Pod");
  auto out = apply({}, parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"c","labels":{"a":"b"}},"status":{"phase":"Running"}})"),
                   pod, manager("s"), false);
  ASSERT_TRUE(out.has_value());
  EXPECT_EQ(fields(*out), R"({"f:metadata":{"f:labels":{"f:a":{}}}})");
}

TEST(Apply, TakesOverFromClientSideApply) {
  Value first = config_map(R"({"a":"1"})");
  first.as_map()->find("metadata")->as_map()->set(
      "annotations",
      parse(R"({"kubectl.kubernetes.io/last-applied-configuration":"{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"c\",\"namespace\":\"n\"},\"data\":{\"a\":\"1\"}}"})"));
  Value live = stored(*update({}, first, type(), manager("kubectl-client-side-apply")));
  auto out = apply(live, config_map(R"({"a":"2"})"), type(), manager("kubectl"), false);
  ASSERT_TRUE(out.has_value()) << out.error().text();
  EXPECT_EQ(write(*out->get("data")), R"({"a":"2"})");
  EXPECT_FALSE(apply(live, config_map(R"({"a":"2"})"), type(), manager("other"), false));
}

TEST(FieldsV1, ReadsWhatItWrites) {
  constexpr std::string_view kText =
      R"({"f:a":{".":{},"f:b":{}},"f:l":{"k:{\"name\":\"x\"}":{".":{},"f:v":{}},"v:\"s\"":{},"v:3":{}}})";
  auto set = read_fields(parse(kText));
  ASSERT_TRUE(set.has_value());
  EXPECT_EQ(write(write_fields(*set)), kText);
  EXPECT_FALSE(read_fields(parse(R"({"a":{}})")));
  EXPECT_FALSE(read_fields(parse(R"({"fx":{}})")));
}

}  // namespace
}  // namespace pintle::patch
