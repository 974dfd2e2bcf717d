#include "lookout/region/lost.h"

#include <gtest/gtest.h>

#include "base/strings.h"
#include "lookout/track/tracker.h"
#include "sys/testing/fake_clock.h"

namespace pintle::lookout {
namespace {

std::string record(std::string_view name, int revision) {
  return cat(R"({"kind":"Secret","metadata":{"name":"sh.helm.release.v1.)", name, ".v", revision,
             R"(","namespace":"shop","uid":")", name, revision,
             R"(","labels":{"owner":"helm","name":")", name, R"(","status":"deployed"}}})");
}

Known known(const Tracker& t) {
  return {[&t](const std::string& uid) { return t.knows_record(uid); },
          [&t](std::string_view resource, std::string_view name_space, std::string_view name) {
            return t.has_release(resource, name_space, name) || t.told_end(name_space, name);
          }};
}

Batch blank(int64_t region_id) {
  Batch b;
  b.region_id = region_id;
  b.region = "eu";
  b.cluster_uid = "c";
  return b;
}

TEST(Lost, TellsNoEndTwiceOfAReleaseWhoseLastRecordGoesAfterTheList) {
  sys::FakeClock clock;
  auto store = Store::open({.url = "sqlite::memory:", .secret_key = std::string(32, 'k')}, clock);
  const auto region = (*store)->put_region({0, "eu", "c", "", true, 0});
  Batch before = blank(region->id);
  Tracker was("c");
  for (const int revision : {8, 9}) {
    const auto events = was.observe("secrets", Change::kAdded, record("web", revision), false, 1000);
    Observation o;
    o.resource = "secrets";
    o.uid = cat("web", revision);
    o.version = "1";
    before.observations.push_back(o);
    for (Event e : *events) before.events.push_back(e);
  }
  ASSERT_TRUE((*store)->commit(before));
  // Killed in the middle of an uninstall: the first list has the newest record, which goes then.
  Tracker now("c");
  ASSERT_TRUE(now.observe("secrets", Change::kAdded, record("web", 9), true, 2000));
  const auto end = now.observe("secrets", Change::kDeleted, record("web", 9), false, 2000);
  ASSERT_EQ(end->size(), 1u);
  EXPECT_EQ(end->at(0).type, "release.uninstalled");
  Batch batch = blank(region->id);
  ASSERT_TRUE(find_lost(**store, known(now), "secrets", {}, 2000, batch));
  EXPECT_TRUE(batch.events.empty());
  EXPECT_EQ(batch.observations.size(), 2u) << "the ends of both records";
}

TEST(Lost, TellsWhatWasUninstalledWhileNobodyWatched) {
  sys::FakeClock clock;
  auto store = Store::open({.url = "sqlite::memory:", .secret_key = std::string(32, 'k')}, clock);
  ASSERT_TRUE(store.has_value()) << store.error().text();
  const auto region = (*store)->put_region({0, "eu", "c", "", true, 0});
  ASSERT_TRUE(region.has_value());
  Batch before = blank(region->id);
  Tracker was("c");
  for (const auto& [name, revision] :
       {std::pair{"gone", 1}, {"gone", 2}, {"kept", 1}, {"kept", 2}}) {
    const auto events = was.observe("secrets", Change::kAdded, record(name, revision), false, 1000);
    ASSERT_TRUE(events.has_value());
    Observation o;
    o.resource = "secrets";
    o.uid = cat(name, revision);
    o.version = cat(revision);
    before.observations.push_back(o);
    for (Event e : *events) {
      e.observation = static_cast<int>(before.observations.size()) - 1;
      before.events.push_back(e);
    }
  }
  ASSERT_TRUE((*store)->commit(before));

  // After a restart: one release is gone, of the other the first revision was pruned.
  Tracker now("c");
  ASSERT_TRUE(now.observe("secrets", Change::kAdded, record("kept", 2), true, 2000));
  for (const size_t want : {1, 0}) {
    Batch batch = blank(region->id);
    ASSERT_TRUE(find_lost(**store, known(now), "secrets", {}, 2000, batch));
    ASSERT_EQ(batch.events.size(), want) << "told once";
    if (want == 1) {
      EXPECT_EQ(batch.events[0].type, "release.uninstalled");
      EXPECT_EQ(batch.events[0].release, "gone");
      EXPECT_EQ(batch.events[0].revision, 2);
      EXPECT_EQ(batch.events[0].dedup_key, "c/gone2/uninstalled");
      EXPECT_EQ(batch.observations.size(), 3u);
    }
    ASSERT_TRUE((*store)->commit(batch));
  }
  Batch other = blank(region->id);
  ASSERT_TRUE((*store)->commit(before));
  ASSERT_TRUE(find_lost(**store, known(now), "secrets", {"elsewhere"}, 2000, other));
  EXPECT_TRUE(other.events.empty()) << "namespaces that are not watched tell nothing";
}

}  // namespace
}  // namespace pintle::lookout
