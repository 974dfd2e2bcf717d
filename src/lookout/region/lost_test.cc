#include "lookout/region/lost.h"

#include <gtest/gtest.h>

#include "base/strings.h"
#include "lookout/track/tracker.h"
#include "sys/testing/fake_clock.h"

namespace pintle::lookout {
namespace {

// A record of a life of a release: "web/1" or "web/1/b", where the life is told.
std::string record(std::string_view what) {
  const auto part = split(what, "/");
  return cat(R"({"kind":"Secret","metadata":{"name":"sh.helm.release.v1.)", part[0], ".v", part[1],
             R"(","namespace":"shop","uid":")", what, R"(","resourceVersion":"1","labels":{"owner":"helm","name":")",
             part[0], R"(","status":"deployed"}}})");
}
using Records = std::vector<std::string>;

Batch blank(int64_t region_id) {
  Batch b;
  b.region_id = region_id;
  b.region = "eu";
  b.cluster_uid = "c";
  return b;
}

TEST(Lost, TellsOnceWhatEndedWhileNobodyWatched) {
  struct Case {
    const char* name;
    Records before, after, ended;
    size_t gone;
    std::vector<std::string> namespaces = {};
  };
  for (const Case& c : {
           Case{"nothing is left", {"web/1", "web/2", "db/1"}, {"db/1"}, {"web/2"}, 2},
           {"one is pruned", {"web/1", "web/2"}, {"web/2"}, {}, 1},
           {"one is pruned and another came", {"web/1", "web/2"}, {"web/2", "web/3"}, {}, 1},
           {"all that was known is pruned", {"web/1", "web/2"}, {"web/3", "web/4"}, {}, 2},
           {"installed anew with fewer revisions", {"web/4", "web/5"}, {"web/1/b"}, {"web/5"}, 2},
           {"as many", {"web/1", "web/2"}, {"web/1/b", "web/2/b"}, {"web/2"}, 2},
           {"more", {"web/1"}, {"web/1/b", "web/2/b"}, {"web/1"}, 1},
           {"more, and its first are pruned", {"web/3"}, {"web/3/b", "web/4/b"}, {"web/3"}, 1},
           {"a namespace that is not watched", {"web/1"}, {}, {}, 0, {"elsewhere"}},
           {"one name is another's beginning", {"web/1", "web-b/1"}, {"web-b/1"}, {"web/1"}, 1},
       }) {
    sys::FakeClock clock;
    auto store = Store::open({.url = "sqlite::memory:", .secret_key = std::string(32, 'k')}, clock);
    ASSERT_TRUE(store.has_value()) << store.error().text();
    const auto region = (*store)->put_region({0, "eu", "c", "", true, 0});
    ASSERT_TRUE(region.has_value());
    Batch before = blank(region->id);
    Tracker was("c");
    for (const std::string& what : c.before) {
      const auto events = was.observe("secrets", Change::kAdded, record(what), false, 1000);
      ASSERT_TRUE(events.has_value());
      Observation o;
      o.resource = "secrets";
      o.uid = what;
      o.version = "1";
      before.observations.push_back(o);
      before.events.insert(before.events.end(), events->begin(), events->end());
    }
    ASSERT_TRUE((*store)->commit(before));
    std::vector<informer::ObjectPtr> listed;
    for (const std::string& what : c.after) listed.push_back(*informer::Object::parse(record(what)));
    for (const bool again : {false, true}) {
      Batch batch = blank(region->id);
      ASSERT_TRUE(find_lost(**store, listed, "secrets", c.namespaces, 2000, batch)) << c.name;
      Records ended;
      for (const Event& e : batch.events) {
        EXPECT_EQ(e.type, "release.uninstalled");
        EXPECT_EQ(e.dedup_key, cat("c/", e.subject.uid, "/uninstalled")) << "as the tracker's";
        ended.push_back(cat(e.release, "/", e.revision));
      }
      EXPECT_EQ(ended, again ? Records{} : c.ended) << c.name;
      EXPECT_EQ(batch.observations.size(), again ? 0 : c.gone) << c.name;
      ASSERT_TRUE((*store)->commit(batch));
    }
  }
}

}  // namespace
}  // namespace pintle::lookout
