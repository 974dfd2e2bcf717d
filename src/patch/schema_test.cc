#include "patch/schema.h"

#include <gtest/gtest.h>

#include "json/json.h"

namespace pintle::patch {
namespace {

// Follows "spec.template.spec.containers[].ports" from the type of an object.
const Field* find(const Type* type, std::string_view path) {
  const Field* f = nullptr;
  while (!path.empty()) {
    const size_t dot = path.find('.');
    std::string_view step = path.substr(0, dot);
    path = dot == path.npos ? std::string_view() : path.substr(dot + 1);
    const bool element = step.ends_with("[]");
    if (element) step.remove_suffix(2);
    f = type->field(step);
    if (!f) return nullptr;
    type = element ? f->type->element : f->type;
  }
  return f;
}

TEST(Schema, KnowsTheBuiltInKinds) {
  EXPECT_EQ(type_of("apps", "v1", "Deployment")->name, "io.k8s.api.apps.v1.Deployment");
  EXPECT_EQ(type_of("", "v1", "Pod")->name, "io.k8s.api.core.v1.Pod");
  EXPECT_EQ(type_of("", "v1", "Deployment"), nullptr);
  EXPECT_EQ(type_of("apps", "v2", "Deployment"), nullptr);
  EXPECT_EQ(type_of("example.com", "v1", "Thing"), nullptr);
}

TEST(Schema, FieldsSayHowTheyMerge) {
  const Type* deployment = type_of("apps", "v1", "Deployment");
  const Field* containers = find(deployment, "spec.template.spec.containers");
  ASSERT_TRUE(containers);
  EXPECT_TRUE(containers->patch_merge);
  EXPECT_TRUE(containers->required);
  EXPECT_EQ(containers->merge_key, "name");
  EXPECT_EQ(containers->type->list, ListKind::kByKeys);
  EXPECT_EQ(containers->type->key_defaults[0], "\"\"");

  const Field* ports = find(deployment, "spec.template.spec.containers[].ports");
  ASSERT_TRUE(ports);
  ASSERT_EQ(ports->type->key_count, 2u);
  EXPECT_EQ(ports->type->keys[1], "protocol");
  EXPECT_EQ(ports->type->key_defaults[1], "\"TCP\"");
  EXPECT_EQ(ports->merge_key, "containerPort");

  EXPECT_TRUE(find(deployment, "spec.strategy")->patch_retain_keys);
  EXPECT_TRUE(find(deployment, "spec.template.spec.volumes")->patch_retain_keys);
  EXPECT_TRUE(find(deployment, "metadata.finalizers")->patch_merge);
  EXPECT_EQ(find(deployment, "metadata.finalizers")->type->list, ListKind::kSet);
  EXPECT_TRUE(find(deployment, "spec.selector")->type->atomic);
  EXPECT_EQ(find(deployment, "spec.replicas")->type->format, "int32");
  EXPECT_TRUE(find(type_of("", "v1", "Service"), "spec.selector")->type->atomic);
  EXPECT_EQ(find(type_of("", "v1", "Service"), "spec.ports[].targetPort")->type->scalar,
            Scalar::kIntOrString);
}

TEST(Schema, TypesMayHoldThemselves) {
  const Type* props = type_named(
      "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps");
  ASSERT_TRUE(props);
  EXPECT_EQ(props->field("not")->type, props);
}

TEST(Schema, ReadsTheSchemaOfACustomResource) {
  const auto schema = json::read(R"({"type": "object", "properties": {
    "spec": {"type": "object", "required": ["size"], "properties": {
      "size": {"type": "integer"},
      "port": {"x-kubernetes-int-or-string": true},
      "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
      "labels": {"type": "object", "additionalProperties": {"type": "string"}},
      "rules": {"type": "array", "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["host", "port"],
                "items": {"type": "object", "properties": {
                  "host": {"type": "string"}, "port": {"type": "integer", "default": 80}}}}}}}})");
  const auto types = TypeSet::from_schema(*schema);
  const Type* root = types->root();
  ASSERT_EQ(root->shape, Shape::kStruct);
  EXPECT_EQ(root->field("metadata")->type,
            type_named("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"));
  EXPECT_TRUE(root->field("kind"));
  EXPECT_TRUE(find(root, "spec.size")->required);
  EXPECT_EQ(find(root, "spec.port")->type->scalar, Scalar::kIntOrString);
  EXPECT_EQ(find(root, "spec.free")->type->shape, Shape::kMap);
  EXPECT_EQ(find(root, "spec.labels")->type->element->scalar, Scalar::kString);
  const Type* rules = find(root, "spec.rules")->type;
  ASSERT_EQ(rules->key_count, 2u);
  EXPECT_EQ(rules->key_defaults[0], "");
  EXPECT_EQ(rules->key_defaults[1], "80");
}

TEST(Schema, WhatIsNoSchemaAllowsAnything) {
  for (const char* text : {"null", "[]", "3"}) {
    EXPECT_EQ(TypeSet::from_schema(*json::read(text))->root()->shape, Shape::kAny);
  }
  EXPECT_TRUE(TypeSet::from_schema(*json::read("{}"))->root()->field("metadata"));
}

}  // namespace
}  // namespace pintle::patch
