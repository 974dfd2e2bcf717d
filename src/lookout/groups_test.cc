#include "lookout/groups.h"

#include <gtest/gtest.h>

#include "base/strings.h"

namespace pintle::lookout {
namespace {

Event warning(int pod, std::string_view type = "pod.crash_loop", std::string_view release = "web") {
  Event e;
  e.type = type;
  e.release = release;
  e.release_namespace = "shop";
  e.subject = {"", "v1", "Pod", "shop", cat("web-", 100 + pod), cat("u", pod)};
  e.message = "Back-off restarting failed container";
  e.dedup_key = cat("c/u", pod, "/crash_loop");
  e.data = R"({"restarts":3})";
  return e;
}

TEST(Groups, ThirtyPodsOfAReleaseAreOneEventWithACount) {
  Groups groups(10'000);
  for (int i = 0; i < 30; ++i) {
    for (int again = 0; again < 2; ++again) {
      Event e = warning(i);
      ASSERT_TRUE(groups.take(e, 1000 + i * 100));
    }
  }
  std::vector<Event> out;
  groups.tick(10'999, false, out);
  EXPECT_TRUE(out.empty());
  EXPECT_EQ(groups.next_tick_ms(), 11'000);
  EXPECT_EQ(groups.since_ms(), 1000);
  groups.tick(11'000, false, out);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].message, "30 pods: Back-off restarting failed container");
  EXPECT_NE(out[0].data.find(R"({"restarts":3,"pods":30,"pod_names":["web-100",)"), std::string::npos)
      << out[0].data;
  EXPECT_EQ(out[0].dedup_key, "c/u0/crash_loop");
  EXPECT_GE(out[0].also_keys.size(), 29u);
  EXPECT_EQ(groups.next_tick_ms(), 0);
}

TEST(Groups, OnlyWhatBelongsTogetherIs) {
  Groups groups(10'000);
  for (Event e : {warning(1), warning(2, "pod.oom_killed"), warning(3, "pod.crash_loop", "api")}) {
    ASSERT_TRUE(groups.take(e, 5));
  }
  Event job = warning(4, "job.failed"), nobodys = warning(5, "pod.crash_loop", "");
  EXPECT_FALSE(groups.take(job, 5));
  EXPECT_FALSE(groups.take(nobodys, 5));
  std::vector<Event> out;
  groups.tick(6, true, out);
  ASSERT_EQ(out.size(), 3u);
  EXPECT_EQ(out[0].message, "Back-off restarting failed container") << "alone it is as it was";
  EXPECT_EQ(out[0].data, R"({"restarts":3})");
  Groups off(0);
  Event e = warning(1);
  EXPECT_FALSE(off.take(e, 5));
}

}  // namespace
}  // namespace pintle::lookout
