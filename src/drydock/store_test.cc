// The store: order of keys, versions, and the history that watches start from.
#include "drydock/store.h"

#include <gtest/gtest.h>

namespace pintle::drydock {
namespace {

ObjectPtr object(uint64_t version, std::string ns, std::string name) {
  auto o = std::make_shared<Object>();
  o->version = version;
  o->ns = std::move(ns);
  o->name = std::move(name);
  return o;
}

const StoredChange& put(Store& store, std::string ns, std::string name, std::string_view plural = "pods") {
  return store.put("", plural, object(store.next_version(), std::move(ns), std::move(name)));
}

std::string keys(const Store& store, std::string_view ns, std::string_view after = "") {
  std::string out;
  store.each("", "pods", ns, after, [&](const ObjectPtr& o) {
    out += key_of(o->ns, o->name) + " ";
    return true;
  });
  return out;
}

std::string replayed(const Store& store, uint64_t since, std::string_view plural = "pods") {
  std::string out;
  bool complete = store.replay("", plural, since, [&](const StoredChange& c) {
    out += std::string(1, "AMD"[static_cast<int>(c.type)]) + std::to_string(c.version) + " ";
  });
  return complete ? out : "gone";
}

TEST(Store, ListsInKeyOrderOfOneNamespaceOrAll) {
  Store store(100);
  for (auto [ns, name] : {std::pair{"b", "x"}, {"a", "z"}, {"a", "y"}, {"ab", "q"}}) put(store, ns, name);
  put(store, "a", "other", "secrets");
  struct { const char *ns, *after, *want; } cases[] = {
      {"", "", "a/y a/z ab/q b/x "}, {"a", "", "a/y a/z "}, {"b", "", "b/x "}, {"c", "", ""},
      {"", "a/z", "ab/q b/x "}, {"a", "a/y", "a/z "}, {"a", "a/zz", ""}, {"", "zzz", ""}};
  for (auto& c : cases) EXPECT_EQ(keys(store, c.ns, c.after), c.want) << c.ns << " after " << c.after;
  EXPECT_EQ(store.count("", "pods"), 4u);
  EXPECT_EQ(store.count(), 5u);
  EXPECT_EQ(store.count("", "none"), 0u);
}

TEST(Store, EachWriteTakesAVersionAndSaysWhatWas) {
  Store store(100);
  EXPECT_EQ(put(store, "a", "x").type, ChangeType::kAdded);
  const StoredChange& second = put(store, "a", "x");
  EXPECT_EQ(second.type, ChangeType::kModified);
  EXPECT_EQ(second.before->version, 1u);
  const StoredChange* removed = store.remove("", "pods", "a", "x");
  ASSERT_TRUE(removed);
  EXPECT_EQ(removed->version, 3u);
  EXPECT_EQ(removed->object->version, 2u);
  EXPECT_EQ(removed->shelf, "/pods");
  EXPECT_FALSE(store.find("", "pods", "a", "x"));
  EXPECT_FALSE(store.remove("", "pods", "a", "x"));
  EXPECT_EQ(store.version(), 3u);
  EXPECT_EQ(store.count(), 0u);
}

TEST(Store, ReplaysOneShelfAboveAVersion) {
  Store store(100);
  put(store, "a", "x");
  put(store, "a", "s", "secrets");
  put(store, "a", "x");
  store.remove("", "pods", "a", "x");
  struct { uint64_t since; const char* want; } cases[] = {
      {0, "A1 M3 D4 "}, {1, "M3 D4 "}, {2, "M3 D4 "}, {3, "D4 "}, {4, ""}, {99, ""}};
  for (auto& c : cases) EXPECT_EQ(replayed(store, c.since), c.want) << c.since;
  EXPECT_EQ(replayed(store, 0, "secrets"), "A2 ");
}

TEST(Store, ForgetsHistoryBeyondItsLimit) {
  Store store(2);
  for (int i = 0; i < 5; ++i) put(store, "a", "x");
  EXPECT_EQ(store.compacted(), 3u);
  EXPECT_EQ(replayed(store, 2), "gone");
  EXPECT_EQ(replayed(store, 3), "M4 M5 ");
}

TEST(Store, CompactionForgetsAllButNotTheObjects) {
  Store store(100);
  put(store, "a", "x");
  put(store, "a", "y");
  EXPECT_EQ(store.compact(), 2u);
  EXPECT_EQ(replayed(store, 1), "gone");
  EXPECT_EQ(replayed(store, 2), "");
  EXPECT_EQ(keys(store, ""), "a/x a/y ");
}

TEST(Store, RestoredObjectsHaveNoHistory) {
  Store store(100);
  store.restore("", "pods", object(7, "a", "x"));
  store.restore("", "pods", object(5, "a", "y"));
  store.restore_version(9);
  EXPECT_EQ(store.version(), 9u);
  EXPECT_EQ(replayed(store, 8), "gone");
  EXPECT_EQ(put(store, "a", "z").version, 10u);
  EXPECT_EQ(replayed(store, 9), "A10 ");
}

TEST(Store, ListsTheStateAtAnEarlierVersion) {
  Store store(100);
  for (const char* name : {"b", "d", "f"}) put(store, "n", name);  // 1 2 3
  put(store, "n", "d");                                            // 4
  store.remove("", "pods", "n", "b");                              // 5
  for (const char* name : {"a", "e"}) put(store, "n", name);       // 6 7
  put(store, "other", "c");                                        // 8
  struct { uint64_t version; const char *ns, *after, *want; } cases[] = {
      {1, "", "", "n/b@1 "}, {3, "", "", "n/b@1 n/d@2 n/f@3 "}, {4, "n", "", "n/b@1 n/d@4 n/f@3 "},
      {5, "n", "", "n/d@4 n/f@3 "}, {6, "n", "n/a", "n/d@4 n/f@3 "}, {7, "", "n/d", "n/e@7 n/f@3 "},
      {8, "", "", "n/a@6 n/d@4 n/e@7 n/f@3 other/c@8 "}, {3, "n", "n/b", "n/d@2 n/f@3 "}, {4, "other", "", ""}};
  for (auto& c : cases) {
    std::string seen;
    store.each_at(c.version, "", "pods", c.ns, c.after, [&](const ObjectPtr& o) {
      seen += key_of(o->ns, o->name) + "@" + std::to_string(o->version) + " ";
      return true;
    });
    EXPECT_EQ(seen, c.want) << "at " << c.version << " of '" << c.ns << "' after '" << c.after << "'";
  }
  size_t visited = 0;
  store.each_at(3, "", "pods", "", "", [&](const ObjectPtr&) { return ++visited < 2; });
  EXPECT_EQ(visited, 2u) << "goes on after it was told to stop";
}

}  // namespace
}  // namespace pintle::drydock
