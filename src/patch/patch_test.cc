#include "patch/patch.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "json/json.h"

namespace pintle::patch {
namespace {

using value::Value;

Value tree(std::string_view text) { return *json::read(text, {json::Numbers::kExact}); }
std::string shown(const Result<Value>& r) {
  return r ? *json::write(*r) : "error: " + r.error().text();
}
Value member(const Value& record, std::string_view key) {
  const Value* v = record.get(key);
  return v ? *v : Value();
}

Result<Value> run(const Value& record) {
  const std::string_view op = record.get("op")->as_string();
  const std::string_view kind = record.get("kind")->as_string();
  const Type* type = type_of(kind == "Deployment" ? "apps" : "", "v1", kind);
  const Value a = member(record, "a"), b = member(record, "b"), c = member(record, "c");
  if (op == "strategic") return strategic_merge(a, b, type);
  if (op == "two") return create_two_way_patch(a, b, type);
  if (op == "three") return create_three_way_patch(a, b, c, type, false);
  if (op == "threeover") return create_three_way_patch(a, b, c, type, true);
  if (op == "merge") return merge_patch(a, b);
  if (op == "creatmerge") return create_merge_patch(a, b);
  if (op == "threemerge") return create_three_way_merge_patch(a, b, c);
  return json_patch(a, b);
}

// Each line: what apimachinery and evanphx/json-patch made of random trees.
TEST(Patch, DoesWhatKubernetesRecordedDoing) {
  const char* root = std::getenv("PINTLE_SOURCE_DIR");
  if (!root) GTEST_SKIP() << "skipped: PINTLE_SOURCE_DIR is not set";
  std::ifstream in(std::string(root) + "/tests/fixtures/patch/cases.jsonl");
  std::string line;
  int count = 0;
  while (std::getline(in, line)) {
    const Value record = tree(line);
    const Value before = value::deep_copy(record);
    const Value* error = record.get("error");
    const std::string want = error ? "error: " + std::string(error->as_string())
                                   : *json::write(*record.get("result"));
    EXPECT_EQ(shown(run(record)), want) << line;
    EXPECT_TRUE(value::deep_equal(record, before)) << "inputs changed: " << line;
    ++count;
  }
  EXPECT_GT(count, 100);
}

TEST(Patch, StrategicDirectives) {
  const Type* pod = type_of("", "v1", "Pod");
  struct Case {
    const char *claim, *document, *patch, *want;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"lists merge by key, the patch's items first", R"({"spec":{"containers":[{"name":"a"}]}})",
            R"({"spec":{"containers":[{"name":"b","image":"x"}]}})",
            R"({"spec":{"containers":[{"image":"x","name":"b"},{"name":"a"}]}})"},
           {"an item is deleted", R"({"spec":{"containers":[{"name":"a"},{"name":"b"}]}})",
            R"({"spec":{"containers":[{"name":"a","$patch":"delete"}]}})",
            R"({"spec":{"containers":[{"name":"b"}]}})"},
           {"a list is replaced", R"({"spec":{"containers":[{"name":"a"},{"name":"b"}]}})",
            R"({"spec":{"containers":[{"name":"c"},{"$patch":"replace"}]}})",
            R"({"spec":{"containers":[{"name":"c"}]}})"},
           {"only the retained keys stay", R"({"spec":{"volumes":[{"name":"v","emptyDir":{}}]}})",
            R"({"spec":{"volumes":[{"name":"v","secret":{},"$retainKeys":["name","secret"]}]}})",
            R"({"spec":{"volumes":[{"name":"v","secret":{}}]}})"},
           {"primitives are deleted", R"({"metadata":{"finalizers":["a","b"]}})",
            R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["a"]}})",
            R"({"metadata":{"finalizers":["b"]}})"},
           {"the order is set", R"({"spec":{"containers":[{"name":"a"},{"name":"b"}]}})",
            R"({"spec":{"$setElementOrder/containers":[{"name":"b"},{"name":"a"}]}})",
            R"({"spec":{"containers":[{"name":"b"},{"name":"a"}]}})"},
           {"an item must have its key", R"({"spec":{"containers":[{"name":"a"}]}})",
            R"({"spec":{"containers":[{"image":"x"}]}})",
            "error: map: map[image:x] does not contain declared merge key: name"},
           {"an unknown directive", R"({"spec":{"a":1}})", R"({"spec":{"$patch":"zap"}})",
            "error: unknown patch type: zap in map: map[$patch:zap]"},
           {"lists of lists", R"({"spec":{"containers":[["a"]]}})",
            R"({"spec":{"containers":[["b"]]}})", "error: lists of lists are not supported"},
           {"fields that no struct has", R"({"foo":{"a":{}}})", R"({"foo":{"a":{}}})",
            "error: unable to find api field in struct Pod for the json field \"foo\""},
       }) {
    EXPECT_EQ(shown(strategic_merge(tree(c.document), tree(c.patch), pod)), c.want) << c.claim;
  }
  EXPECT_EQ(strategic_merge(tree("{}"), tree("{}"), nullptr).error().code(),
            Code::kInvalidArgument);
}

TEST(Patch, JsonPatchSaysWhatItRefuses) {
  struct Case {
    const char *patch, *want;
    Code code;
  };
  for (const Case& c : std::initializer_list<Case>{
           {R"({"op":"add"})",
            "json: cannot unmarshal object into Go value of type jsonpatch.Patch",
            Code::kInvalidArgument},
           {R"(["x"])", "json: cannot unmarshal string into Go value of type jsonpatch.Operation",
            Code::kInvalidArgument},
           {R"([{"op":"test","path":"/a","value":2}])", "testing value /a failed: test failed",
            Code::kFailedPrecondition},
           {R"([{"op":"remove","path":"/b"}])",
            "error in remove for path: '/b': Unable to remove nonexistent key: b: missing value",
            Code::kFailedPrecondition},
           {R"([{"op":"add","path":"/x/y","value":1}])",
            "add operation does not apply: doc is missing path: \"/x/y\": missing value",
            Code::kFailedPrecondition},
           {R"([{"op":"replace","path":"/l/9","value":1}])",
            "replace operation does not apply: doc is missing key: /l/9: missing value",
            Code::kFailedPrecondition},
           {R"([{"op":"fly","path":"/a"}])", "Unexpected kind: fly", Code::kFailedPrecondition},
       }) {
    const auto r = json_patch(tree(R"({"a":1,"l":[1,2]})"), tree(c.patch));
    ASSERT_FALSE(r) << c.patch;
    EXPECT_EQ(r.error().text(), c.want);
    EXPECT_EQ(r.error().code(), c.code) << c.patch;
  }
}

TEST(Patch, CopiesAreBounded) {
  std::string patch = R"([{"op":"add","path":"/a","value":")" + std::string(1000, 'x') + "\"}";
  for (int i = 0; i < 40; ++i) {
    patch += R"(,{"op":"copy","from":"","path":"/b"},{"op":"copy","from":"/a","path":"/c)" +
             std::to_string(i) + "\"}";
  }
  EXPECT_FALSE(json_patch(tree("{}"), tree(patch + "]")));
  patch = R"([{"op":"add","path":"/a","value":[1]})";
  for (int i = 0; i < 60; ++i) patch += R"(,{"op":"copy","from":"/a","path":"/a/-"})";
  EXPECT_EQ(json_patch(tree("{}"), tree(patch + "]")).error().text().substr(0, 39),
            "Unable to complete the copy, the accumu");
}

TEST(Patch, DeepTreesAreAnErrorAtWorst) {
  std::string deep;
  for (int i = 0; i < 4000; ++i) deep += R"({"not":)";
  deep += "{}" + std::string(4000, '}');
  const Type* props = type_named(
      "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps");
  EXPECT_EQ(strategic_merge(tree(deep), tree(deep), props).error().text(), "exceeded max depth");
  EXPECT_EQ(create_two_way_patch(tree(deep), tree(deep), props).error().text(),
            "exceeded max depth");
  EXPECT_TRUE(merge_patch(tree(deep), tree(deep)).is_map());
}

}  // namespace
}  // namespace pintle::patch
