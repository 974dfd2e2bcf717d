// Objects made on a real API server 1.36.3 by dry run, recorded by us: what it stored, or what it
// complained of. A case's name is what it shows.
#include "drydock/kinds.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "base/strings.h"
#include "drydock/object_meta.h"
#include "drydock/tree.h"
#include "drydock/wire.h"
#include "json/json.h"

namespace pintle::drydock {
namespace {

// No objects, one address at a time.
class EmptyWorld : public World {
 public:
  int64_t now_ns() override { return 0; }
  std::string now() override { return "2026-01-01T00:00:00Z"; }
  std::string random_suffix(size_t n) override { return std::string(n, 'b'); }
  std::string new_uid() override { return "uid"; }
  ResourcePtr resource(std::string_view, std::string_view) override { return nullptr; }
  std::vector<ResourcePtr> resources() override { return {}; }
  std::string ca_certificate() override { return ""; }
  int64_t pod_start_ms() override { return 0; }
  void act_as(std::string_view) override {}
  std::vector<Key> dependents(std::string_view) override { return {}; }
  Result<Value> get(const Key&) override { return Error(Code::kNotFound, "none"); }
  std::vector<Value> list(std::string_view, std::string_view, std::string_view,
                          std::string_view) override {
    return {};
  }
  Result<Value> create(std::string_view, std::string_view, Value v) override { return v; }
  Result<Value> update(std::string_view, std::string_view, Value v, std::string_view) override {
    return v;
  }
  Status remove(const Key&, std::string_view, int64_t) override { return ok(); }
  void event(const Value&, std::string_view, std::string_view, std::string_view,
             std::string_view) override {}
};

// What differs from run to run, or belongs to others.
void mask(Value& v) {
  if (Value* meta = find(v, "metadata")) {
    for (std::string_view key : {"uid", "creationTimestamp", "managedFields", "generation"}) drop(*meta, key);
  }
  if (text(v, "kind") == "Service" && text(v, "spec", "clusterIP") != "None") {
    drop(ensure(v, "spec"), "clusterIP");
    drop(ensure(v, "spec"), "clusterIPs");
    for (Value& p : elements(v, "spec", "ports")) drop(p, "nodePort");
  }
  if (text(v, "kind") == "PersistentVolume") drop(ensure(v, "status"), "lastPhaseTransitionTime");
  if (text(v, "kind") == "Job") {
    drop(ensure(v, "metadata"), "labels");
    drop(ensure(v, "spec"), "selector");
    drop(ensure(v, "spec", "template", "metadata"), "labels");
  }
}

using Complaint = std::set<std::string>;

TEST(Kinds, StoreAndRefuseWhatTheRealServerDoes) {
  const char* root = std::getenv("PINTLE_SOURCE_DIR");
  std::ifstream in(cat(root ? root : ".", "/tests/fixtures/drydock/kinds.jsonl"));
  std::string line;
  size_t cases = 0;
  while (std::getline(in, line)) {
    ++cases;
    Value row = *json::read(line, {json::Numbers::kExact});
    SCOPED_TRACE(text(row, "case"));
    Value object = value::deep_copy(*row.get("in"));
    const std::string api_version(text(object, "apiVersion"));  // the object is exchanged below
    auto parts = split(api_version, "/");
    std::string_view group = parts.size() == 2 ? parts[0] : "", version = parts.back();
    std::string kind(text(object, "kind"));
    const KindRules* rules = rules_of(group, kind);
    EmptyWorld world;
    if (!to_wire(group, version, kind, object)) continue;
    if (rules && rules->defaults) rules->defaults(object);
    std::vector<Cause> causes;
    if (rules && rules->create) {
      if (Status s = rules->create(world, object); !s) continue;
    }
    bool namespaced = has(*row.get("in"), "metadata", "namespace");
    validate_object_meta(group, kind, namespaced, object, causes);
    if (rules && rules->validate) rules->validate(object, nullptr, causes);
    Complaint want, got;
    for (const Value& c : items(row, "causes")) {
      auto f = c.items();
      want.insert(cat(f[1].as_string(), ": ", f[2].as_string(), " (", f[0].as_string(), ")"));
    }
    for (const Cause& c : causes) got.insert(cat(c.field, ": ", c.message, " (", c.reason, ")"));
    EXPECT_EQ(join(std::vector<std::string>(want.begin(), want.end()), "\n"),
              join(std::vector<std::string>(got.begin(), got.end()), "\n"));
    const Value* stored = row.get("out");
    if (!stored || !got.empty()) continue;
    Value expected = value::deep_copy(*stored);
    mask(expected);
    mask(object);
    EXPECT_EQ(*json::write(expected), *json::write(object));
  }
  EXPECT_GT(cases, 100u);
}

}  // namespace
}  // namespace pintle::drydock
