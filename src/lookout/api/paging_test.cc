// Lists in pages, and what is asked without holding up others.
#include <gtest/gtest.h>

#include <thread>

#include "lookout/testing/api_world.h"

namespace pintle::lookout {
namespace {

// The values of `key` in all pages of a list, in pages of `limit`; `next` of the last is in no page.
std::vector<std::string> all_of(ApiWorld& w, const std::string& path, const char* key, int limit,
                                size_t& pages) {
  std::vector<std::string> out;
  std::string after;
  for (pages = 0; pages < 100;) {
    const auto got = w.ask("GET", cat(path, "?limit=", limit, after));
    EXPECT_EQ(got.status, 200) << got.text;
    const value::Value* items = value_at(got.json, {"items"});
    if (items == nullptr) break;
    ++pages;
    EXPECT_LE(items->length(), static_cast<size_t>(limit));
    for (const value::Value& i : items->items()) out.emplace_back(text_at(i, {key}));
    const value::Value* next = value_at(got.json, {"next"});
    if (next == nullptr) break;
    after = cat("&after=", next->is_string() ? next->as_string() : cat(number_at(got.json, {"next"})));
  }
  return out;
}

TEST(ApiPages, EveryListHasThem) {
  ApiWorld w;
  const char* const names[] = {"d", "b", "a", "e", "c"};
  for (const char* name : names) {
    Rule rule;
    rule.name = name;
    rule.kind = "Pod";
    rule.type = "mine.seen";
    w.file.rules.push_back(rule);
    CleaningPolicy policy;
    policy.name = name;
    w.file.cleaning.push_back(policy);
    Person person;
    person.name = name;
    w.file.directory.people.push_back(person);
    Owners owners;
    owners.name = name;
    w.file.directory.owners.push_back(owners);
    OnCall duty;
    duty.name = name;
    w.file.directory.oncall.push_back(duty);
    RegionConfig region;
    region.name = name;
    w.file.regions.push_back(region);
    ApiHooks::NamedRelease release;
    release.region = "north";
    release.release.name = name;
    w.releases.push_back(release);
    Subscription s;
    s.name = name;
    s.sink_kind = "stdout";
    ASSERT_TRUE(w.store.add_subscription(s));
  }
  w.take();
  for (const char* path : {"/rules", "/cleaning/policies", "/people", "/owners", "/oncall", "/regions",
                           "/releases", "/subscriptions", "/supportevents"}) {
    const char* key = path == std::string("/supportevents") ? "type" : "name";
    size_t pages = 0;
    const auto whole = all_of(w, path, key, 1000, pages);
    EXPECT_EQ(pages, 1u) << path;
    EXPECT_GE(whole.size(), 5u) << path;
    const auto parts = all_of(w, path, key, 2, pages);
    EXPECT_EQ(parts, whole) << path;
    EXPECT_EQ(pages, (whole.size() + 1) / 2) << path;
  }
  size_t pages = 0;
  EXPECT_EQ(all_of(w, "/releases", "name", 2, pages), (std::vector<std::string>{"a", "b", "c", "d", "e"}));
  EXPECT_EQ(w.ask("GET", "/rules?after=gone").error(), "after: that is gone; begin anew");
  EXPECT_EQ(w.ask("GET", "/subscriptions?after=x").error(), "after: want a number");
}

// One goes while somebody reads: the others are told all the same, each once.
TEST(ApiPages, AReleaseThatGoesTakesNoOtherWithIt) {
  ApiWorld w;
  for (const char* name : {"a", "b", "c", "d"}) {
    ApiHooks::NamedRelease r;
    r.region = "north";
    r.release.name = name;
    w.releases.push_back(r);
  }
  const auto first = w.ask("GET", "/releases?limit=2");
  const std::string next(text_at(first.json, {"next"}));
  w.releases.erase(w.releases.begin(), w.releases.begin() + 2);
  const auto second = w.ask("GET", "/releases?limit=2&after=" + next);
  ASSERT_EQ(value_at(second.json, {"items"})->length(), 2u) << second.text;
  EXPECT_EQ(text_at(value_at(second.json, {"items"})->items()[0], {"name"}), "c");
}

TEST(ApiPages, WhatWalksMuchEndsWithMoreAndGoesOn) {
  ApiWorld w;
  Batch b;
  b.region = "eu-1";
  b.cluster_uid = "cluster-1";
  b.region_id = w.store.regions()->at(0).id;
  constexpr int kEvents = 101'000;
  for (int n = 0; n < kEvents; ++n) {
    Event e = event_of("kubernetes.event", -1, cat(n));
    if (n == kEvents - 1) e.reason = "Rare";
    b.events.push_back(std::move(e));
    if (b.events.size() < 1000) continue;
    ASSERT_TRUE(w.store.commit(b));
    b.events.clear();
  }
  auto got = w.ask("GET", "/events?reason=Rare");
  EXPECT_EQ(value_at(got.json, {"items"})->length(), 0u) << got.text;
  EXPECT_TRUE(flag_at(got.json, {"more"})) << got.text;
  EXPECT_EQ(number_at(got.json, {"next"}), 100'000);
  got = w.ask("GET", cat("/events?reason=Rare&after=", number_at(got.json, {"next"})));
  EXPECT_EQ(value_at(got.json, {"items"})->length(), 1u) << got.text;
  EXPECT_FALSE(flag_at(got.json, {"more"})) << got.text;
  EXPECT_EQ(number_at(got.json, {"next"}), kEvents);

  ASSERT_TRUE(w.store.skip(kEvents));
  got = w.ask("GET", "/deliveries?state=cancelled");
  EXPECT_EQ(value_at(got.json, {"items"})->length(), 0u) << got.text;
  EXPECT_TRUE(flag_at(got.json, {"more"})) << got.text;
  EXPECT_EQ(number_at(got.json, {"next"}), 100'000);
  got = w.ask("GET", cat("/deliveries?state=cancelled&after=", number_at(got.json, {"next"})));
  EXPECT_EQ(value_at(got.json, {"items"})->length(), 1u) << got.text;
  EXPECT_FALSE(flag_at(got.json, {"more"})) << got.text;
  EXPECT_EQ(number_at(got.json, {"next"}), kEvents);

  const std::string rule = R"("rule":{"name":"x","kind":"Pod","type":"t","reasons":["Rare"]})";
  got = w.ask("POST", "/rules:dryrun", cat("{", rule, "}"));
  EXPECT_EQ(number_at(got.json, {"seen"}), 100'000) << got.text;
  EXPECT_TRUE(flag_at(got.json, {"more"})) << got.text;
  got = w.ask("POST", "/rules:dryrun", cat("{", rule, R"(,"after":)", number_at(got.json, {"next"}), "}"));
  EXPECT_EQ(number_at(got.json, {"seen"}), 1000) << got.text;
  EXPECT_EQ(number_at(got.json, {"matched"}), 1) << got.text;
  EXPECT_FALSE(flag_at(got.json, {"more"})) << got.text;
}

TEST(ApiPages, WhoWaitsForTheDatabaseHoldsUpNoHealthCheck) {
  ApiWorld w;
  std::atomic<bool> go = false;
  std::atomic<int> waiting = 0;
  w.on_releases = [&] {
    ++waiting;
    for (int i = 0; i < 2000 && !go; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  };
  std::vector<std::thread> asking;
  for (int i = 0; i < 6; ++i) {
    asking.emplace_back([&] {
      const auto client = *http::Client::make({});
      http::Request r;
      r.method = "GET";
      r.url = w.api->url() + "/releases";
      const auto answer = client->send(r);
      EXPECT_TRUE(answer && answer->status == 200);
    });
  }
  while (waiting < 4) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(w.ask("GET", "/healthz").text, "ok\n");
  EXPECT_FALSE(go);
  EXPECT_EQ(waiting, 4) << "the others wait for their turn";
  w.clock.step(4'000'000'000);
  auto got = w.ask("GET", "/events");
  EXPECT_EQ(got.status, 503);
  EXPECT_NE(got.text.find("the database is silent: it has not answered for 4 s"), std::string::npos) << got.text;
  got = w.ask("GET", "/readyz");
  EXPECT_EQ(got.status, 503);
  EXPECT_EQ(text_at(got.json, {"database"}), "it has not answered for 4 s");
  EXPECT_EQ(w.ask("GET", "/metrics").status, 200);
  go = true;
  for (std::thread& t : asking) t.join();
}

}  // namespace
}  // namespace pintle::lookout
