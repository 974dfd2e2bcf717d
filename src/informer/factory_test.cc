// The factory, and informers on its threads, against a scripted server.
#include "informer/factory.h"

#include <atomic>
#include <filesystem>
#include <set>
#include <thread>

#include "base/strings.h"
#include "informer/testing/scripted_test.h"

namespace pintle::informer {
namespace {

size_t threads() {
  size_t n = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/task"))
    ++n;
  return n;
}

bool eventually(const std::function<bool()>& what) {
  for (int i = 0; i < 2000; ++i) {
    if (what()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

TEST(Factory, MakesOneInformerPerResourceAndCluster) {
  sys::FakeClock clock;
  FactoryOptions options;
  options.clock = &clock;
  options.threads = false;
  Factory factory(options);
  const auto one = std::make_shared<ScriptedRest>(), two = std::make_shared<ScriptedRest>();
  const auto a = *factory.informer(one, {"", "v1", "events"});
  EXPECT_EQ(a, *factory.informer(one, {"", "v1", "events"}));
  EXPECT_NE(a, *factory.informer(two, {"", "v1", "events"}));
  EXPECT_NE(a, *factory.informer(one, {"", "v1", "pods"}));
  factory.start();
  factory.run_ready();
  EXPECT_EQ(one->opened(), 2u);
  factory.remove(one);
  EXPECT_TRUE(a->stopped());
  EXPECT_FALSE((*factory.informer(two, {"", "v1", "events"}))->stopped());
  factory.stop();
  EXPECT_FALSE(factory.informer(one, {"", "v1", "events"}));
}

TEST(Factory, NeedsTwoThreadsForTenThousandWatchesAndLeavesNoneBehind) {
  std::thread([] {}).join();  // with the first one a sanitizer begins its own
  const size_t before = threads();
  {
    Factory factory;
    const auto cluster = std::make_shared<ScriptedRest>();
    for (int i = 0; i < 10'000; ++i) {
      ASSERT_TRUE(factory.informer(cluster, {"", "v1", "configmaps", cat("ns", i)}));
    }
    factory.start();
    ASSERT_TRUE(eventually([&] { return cluster->opened() == 10'000; }));
    while (const auto x = cluster->next()) x->send(bookmark_json("5", true));
    EXPECT_TRUE(factory.wait_for_sync(60 * kSecond));
    EXPECT_EQ(threads(), before + 2);
  }
  EXPECT_EQ(threads(), before);
}

TEST(Factory, CallsNoHandlerAfterStop) {
  for (int round = 0; round < 20; ++round) {
    std::atomic<bool> stopped{false}, late{false};
    std::atomic<int> heard{0};
    const auto cluster = std::make_shared<ScriptedRest>();
    Factory factory;
    const auto informer = *factory.informer(cluster, {"", "v1", "configmaps"});
    ASSERT_TRUE(informer->add_handler([&](const Change&) {
      if (stopped) late = true;
      ++heard;
      return Take::kTaken;
    }));
    factory.start();
    ASSERT_TRUE(eventually([&] { return cluster->opened() > 0; }));
    const auto stream = cluster->next();
    std::string frames;
    for (int i = 0; i < 2000; ++i)
      frames += frame_json("ADDED", object_json(cat("k", i), cat(i + 1)));
    stream->send(frames + bookmark_json("5000", true));
    ASSERT_TRUE(eventually([&] { return heard > 0; }));
    factory.stop();
    stopped = true;
    std::this_thread::yield();
    EXPECT_FALSE(late);
  }
}

TEST(Factory, SurvivesHandlersThatComeAndGoWhileEventsCome) {
  const auto cluster = std::make_shared<ScriptedRest>();
  Factory factory;
  const auto informer = *factory.informer(cluster, {"", "v1", "configmaps"});
  std::atomic<int> always{0};
  ASSERT_TRUE(informer->add_handler([&](const Change&) {
    ++always;
    return Take::kTaken;
  }));
  factory.start();
  ASSERT_TRUE(eventually([&] { return cluster->opened() > 0; }));
  const auto stream = cluster->next();
  stream->send(bookmark_json("1", true));
  std::atomic<bool> over{false};
  std::atomic<int> comings{0};
  // What one handler heard: everything exactly once means that what it was given at first and what
  // came since are one sequence.
  struct Heard {
    std::set<std::string> seen;
    std::atomic<int> count{0};
    std::atomic<bool> twice{false}, hole{false}, gone{false}, late{false};
  };
  const auto listen = [](const std::shared_ptr<Heard>& h) {
    return [h](const Change& c) {
      if (h->gone) h->late = true;
      const std::string key(c.object->key());
      if (!h->seen.insert(key).second) h->twice = true;
      if (!c.initial && key != cat("k", h->count.load())) h->hole = true;
      ++h->count;
      return Take::kTaken;
    };
  };
  Mutex mutex;
  std::vector<std::shared_ptr<Heard>> stayed, left;
  std::vector<std::thread> comers;
  for (int t = 0; t < 3; ++t) {
    comers.emplace_back([&] {
      for (int n = 0; !over; ++n) {
        const auto heard = std::make_shared<Heard>();
        const auto r = informer->add_handler(listen(heard));
        ++comings;
        const bool stays = n % 50 == 0 && n < 1000;
        if (!stays) {
          if (n % 2 == 0) {
            while (heard->count == 0 && !over) std::this_thread::yield();
          }
          informer->remove_handler(*r);
          heard->gone = true;
          heard->seen.clear();
        }
        Lock held(mutex);
        (stays ? stayed : left).push_back(heard);
      }
    });
  }
  for (int i = 0; i < 3000; ++i) {
    while (stream->send(frame_json("ADDED", object_json(cat("k", i), cat(i + 2)))) ==
           kube::Rest::Flow::kPause) {
      std::this_thread::yield();
    }
    if (i % 100 == 0) EXPECT_TRUE(eventually([&] { return comings > i / 100; })) << "all through";
  }
  EXPECT_TRUE(eventually([&] { return always == 3000; }));
  over = true;
  for (auto& t : comers) t.join();
  for (const auto& h : stayed) {
    EXPECT_TRUE(eventually([&] { return h->count >= 3000; })) << h->count << " heard";
  }
  factory.stop();
  EXPECT_FALSE(stayed.empty() || left.empty());
  for (const auto& h : stayed) EXPECT_EQ(h->count, 3000);
  for (const auto* handlers : {&stayed, &left}) {
    for (const auto& h : *handlers) EXPECT_FALSE(h->twice || h->hole);
  }
  for (const auto& h : left) EXPECT_FALSE(h->late) << "called after remove() had returned";
}

}  // namespace
}  // namespace pintle::informer
