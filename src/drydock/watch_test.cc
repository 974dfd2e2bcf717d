// The hub: who sees which change, as what; bookmarks, ends, and readers that do not read.
#include "drydock/watch_hub.h"

#include <gtest/gtest.h>

#include "drydock/testing/fake_world.h"
#include "drydock/testing/recorded.h"
#include "drydock/tree.h"
#include "json/json.h"

namespace pintle::drydock {
namespace {

struct WatchTest : testing::Test {
  FakeWorld world;
  Store store{100};
  WatchHub hub;

  struct Open {
    std::shared_ptr<Watch> watch;        // shared_ptr: the hub holds it too
    std::shared_ptr<Recorded> exchange;
  };
  Open open(std::string ns = "", std::string_view labels = "", std::string_view fields = "") {
    Open o{std::make_shared<Watch>(), std::make_shared<Recorded>()};
    o.watch->view.resource = world.resource("", "configmaps");
    o.watch->shelf = "/configmaps";
    o.watch->ns = std::move(ns);
    o.watch->labels = *parse_label_selector(labels);
    o.watch->fields = *parse_field_selector(fields);
    o.watch->exchange = o.exchange;
    o.watch->ends_at = 1000;
    o.watch->next_bookmark = 500;
    hub.add(o.watch);
    return o;
  }
  void put(std::string_view name, std::string_view label, std::string_view ns = "a") {
    auto v = json::read(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{}})", {.numbers = json::Numbers::kExact});
    Value& meta = ensure(*v, "metadata");
    drydock::put(meta, "name", name);
    drydock::put(meta, "namespace", ns);
    drydock::put(ensure(meta, "labels"), "l", label);
    hub.publish(world, store.put("", "configmaps", encode_object(*v, store.next_version(), {})));
  }
  static std::string types(const Open& o) {
    std::string out;
    for (const std::string& f : o.exchange->frames) out += f.substr(9, 1);
    return out;
  }
};

TEST_F(WatchTest, SelectorsTurnChangesIntoAdditionsAndDeletions) {
  struct Case { const char *claim, *ns, *labels, *fields, *want; } cases[] = {
      {"all", "", "", "", "AMMAD"},
      {"its namespace", "a", "", "", "AMMAD"},
      {"another namespace", "b", "", "", ""},
      {"a label that comes and goes", "", "l=2", "", "AD"},
      {"a label it had from the start", "a", "l=1", "", "AD"},
      {"one name", "a", "", "metadata.name=x", "AMMD"},
      {"one name, all namespaces", "", "", "metadata.name=y", "A"},
      {"all but one name", "", "", "metadata.name!=x", "A"},
  };
  std::vector<Open> opened;
  for (const Case& c : cases) opened.push_back(open(c.ns, c.labels, c.fields));
  put("x", "1");
  put("x", "2");
  put("x", "3");
  put("y", "9");
  hub.publish(world, *store.remove("", "configmaps", "a", "x"));
  for (size_t i = 0; i < opened.size(); ++i) EXPECT_EQ(types(opened[i]), cases[i].want) << cases[i].claim;
  // What is gone is shown with the version of its going.
  EXPECT_NE(opened[0].exchange->frames.back().find("\"resourceVersion\":\"5\""), std::string::npos);
}

TEST_F(WatchTest, BookmarksComeToThoseWhoAsked) {
  Open plain = open(), marked = open();
  marked.watch->bookmarks = true;
  hub.tick(499, 7);
  EXPECT_EQ(types(marked), "");
  hub.tick(500, 7);
  EXPECT_EQ(types(marked), "B");
  EXPECT_EQ(types(plain), "");
  EXPECT_EQ(marked.exchange->frames[0],
            "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\","
            "\"metadata\":{\"resourceVersion\":\"7\"}}}\n");
}

TEST_F(WatchTest, EndsWhenItsTimeIsOver) {
  Open o = open();
  hub.tick(999, 1);
  EXPECT_EQ(hub.size(), 1u);
  hub.tick(1000, 1);
  EXPECT_TRUE(o.exchange->finished);
  EXPECT_EQ(hub.size(), 0u);
}

TEST_F(WatchTest, ASlowReaderIsCutAndTheOthersGoOn) {
  Open slow = open(), quick = open(), allowed = open();
  slow.exchange->queued = allowed.exchange->queued = WatchHub::kMaxQueued + 1;
  allowed.watch->allowance = 1;  // initial events it could not have read yet
  put("x", "1");
  EXPECT_TRUE(slow.exchange->aborted);
  EXPECT_EQ(types(slow), "");
  EXPECT_EQ(types(quick), "A");
  EXPECT_EQ(types(allowed), "A");
  hub.tick(1, 1);
  EXPECT_EQ(hub.size(), 2u);
}

TEST_F(WatchTest, SilentWatchesSendNothingAndHalfOpenOnesDoNotEnd) {
  Open o = open();
  o.watch->silent = o.watch->half_open = true;
  put("x", "1");
  hub.tick(5000, 1);
  EXPECT_EQ(types(o), "");
  EXPECT_FALSE(o.exchange->finished);
  EXPECT_EQ(hub.size(), 1u);
}

TEST_F(WatchTest, EndingAllCutsEveryWatch) {
  Open a = open(), b = open("a");
  hub.end_all();
  EXPECT_TRUE(a.exchange->aborted);
  EXPECT_TRUE(b.exchange->aborted);
  EXPECT_EQ(hub.size(), 0u);
  put("x", "1");
  EXPECT_EQ(types(a), "");
}

}  // namespace
}  // namespace pintle::drydock
