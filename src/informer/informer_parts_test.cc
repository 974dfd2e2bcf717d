// The small parts: scan, object, frames, backoff, loop, inlet, delta queue, store, resource.
#include <gtest/gtest.h>

#include <atomic>

#include "base/strings.h"
#include "informer/backoff.h"
#include "informer/delta_queue.h"
#include "informer/frames.h"
#include "informer/inlet.h"
#include "informer/loop.h"
#include "informer/resource.h"
#include "informer/scan.h"
#include "informer/store.h"
#include "informer/testing/scripted_rest.h"
#include "sys/testing/fake_clock.h"

namespace pintle::informer {
namespace {

ObjectPtr object(std::string_view key, std::string_view version, std::string_view data = "") {
  return *Object::parse(object_json(key, version, data));
}

TEST(Scan, TakesOnlyJson) {
  for (const char* good : {"{}", "[]", "null", "-0.5e+3", "\"a\\u00e9\\n\"",
                           "[1,{\"a\":[true,false]}]", " { \"a\" : [ ] } "}) {
    Scan s(good);
    EXPECT_FALSE(s.take().empty()) << good;
    EXPECT_TRUE(s.ok() && s.at_end()) << good;
  }
  for (const char* bad :
       {"", "{", "{]", "[1,]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "01", "-", "1.", "1e",
        "\"\\x\"", "\"\\u12g4\"", "\"a", "tru", "nul", "[1 2]", "{a:1}", "\"\n\""}) {
    Scan s(bad);
    s.take();
    EXPECT_FALSE(s.ok() && s.at_end()) << bad;
  }
  const std::string brackets(Scan::kMaxDepth + 1, '[');
  Scan deep(brackets);
  deep.take();
  EXPECT_FALSE(deep.ok());
}

TEST(Scan, FindsValuesByPath) {
  const std::string json = R"({"a":{"x":[1,2],"b":"v\u0041"},"c":3})";
  EXPECT_EQ(string_at(json, {"a", "b"}), "vA");
  EXPECT_EQ(value_at(json, {"c"}).value(), "3");
  EXPECT_FALSE(value_at(json, {"a", "missing"}));
  EXPECT_FALSE(value_at(json, {"c", "b"}));
}

TEST(Object, KnowsItsHeads) {
  const auto o = object("shop/web", "7", "x");
  EXPECT_EQ(o->key(), "shop/web");
  EXPECT_EQ(o->name_space(), "shop");
  EXPECT_EQ(o->name(), "web");
  EXPECT_EQ(o->uid(), "uid-web");
  EXPECT_EQ(o->resource_version(), "7");
  EXPECT_EQ(o->field({"data"}), "x");
  EXPECT_EQ(o->text(), object_json("shop/web", "7", "x"));
  const auto wide = object("node-1", "8");
  EXPECT_EQ(wide->key(), "node-1");
  EXPECT_EQ(wide->name_space(), "");
  const auto heads = Object::heads_of(*o);
  EXPECT_EQ(heads->text(), "");
  EXPECT_EQ(heads->key(), "shop/web");
  EXPECT_EQ(heads->uid(), "uid-web");
  EXPECT_EQ(heads->resource_version(), "7");
}

TEST(Object, UndoesEscapesInHeads) {
  const auto o =
      Object::parse(R"({"metadata":{"name":"a\u002db","uid":"u\u0031","resourceVersion":"5"}})");
  ASSERT_TRUE(o);
  EXPECT_EQ((*o)->key(), "a-b");
  EXPECT_EQ((*o)->uid(), "u1");
  EXPECT_EQ((*o)->resource_version(), "5");
}

TEST(Object, RefusesWhatIsNone) {
  for (const char* bad : {"", "[]", "{}", "{\"metadata\":null}", "{\"metadata\":{}}",
                          "{\"metadata\":{\"name\":\"\"}}", "{\"metadata\":{\"name\":\"a\"}",
                          "{\"metadata\":{\"name\":\"a\"}}x", "{\"metadata\":{\"name\":{}}}"}) {
    EXPECT_FALSE(Object::parse(bad)) << bad;
  }
}

TEST(Transform, DropsManagedFieldsWhereverTheyStand) {
  const Transform drop = drop_managed_fields();
  EXPECT_EQ(*drop(R"({"metadata":{"managedFields":[{"a":1}],"name":"x"},"b":1})"),
            R"({"metadata":{"name":"x"},"b":1})");
  EXPECT_EQ(*drop(R"({"metadata":{"name":"x","managedFields":[{"a":1}]},"b":1})"),
            R"({"metadata":{"name":"x"},"b":1})");
  EXPECT_EQ(*drop(R"({"metadata":{"a":1, "managedFields":[] ,"name":"x"}})"),
            R"({"metadata":{"a":1 ,"name":"x"}})");
  EXPECT_EQ(*drop(R"({"metadata":{"managedFields":[]}})"), R"({"metadata":{}})");
  EXPECT_EQ(*drop(R"({"metadata":{"name":"x"}})"), R"({"metadata":{"name":"x"}})");
}

TEST(FrameReader, FindsFramesHoweverTheyAreCut) {
  const std::string text = R"({"a":"}\"{"})"
                           "\n\n"
                           R"({"b":[{}]}{"c":1})";
  for (size_t step = 1; step <= text.size(); ++step) {
    FrameReader r;
    std::vector<std::string> frames;
    for (size_t at = 0; at < text.size(); at += step) {
      r.feed(std::string_view(text).substr(at, step));
      for (auto f = r.next(); f && *f; f = r.next()) frames.emplace_back(**f);
    }
    EXPECT_EQ(frames, (std::vector<std::string>{R"({"a":"}\"{"})", R"({"b":[{}]})", R"({"c":1})"}))
        << step;
    EXPECT_FALSE(r.inside());
  }
}

// A reader's values, those that were cut marked; fed in pieces of `step`.
template <typename Reader>
std::vector<std::string> cut_or_whole(std::string_view text, size_t max, size_t step) {
  Reader r(max);
  std::vector<std::string> out;
  for (size_t at = 0; at < text.size(); at += step) {
    r.feed(text.substr(at, step));
    auto next = r.next();
    for (; next && *next; next = r.next()) out.push_back(cat(r.cut() ? "cut " : "", **next));
    if (!next) return {next.error().text()};
  }
  return out;
}

TEST(FrameReader, PassesOverLongFramesHoweverTheyAreCut) {
  const std::string small = R"({"a":1})", x(50, 'x');
  const std::string early = R"({"type":"ADDED","object":{"metadata":{"name":"n"},"data":"})" + x + "]\"}}";
  const std::string late = R"({"object":{"data":")" + x + R"(","metadata":{"name":"n"}}})";
  const std::string text = cat(small, early, "\n", small, late, late, early, small);
  for (size_t step = 1; step <= text.size(); ++step) {
    ASSERT_EQ(cut_or_whole<FrameReader>(text, 60, step),
              (std::vector<std::string>{small, R"(cut {"metadata":{"name":"n"}})", small, "cut ", "cut ",
                                        R"(cut {"metadata":{"name":"n"}})", small}))
        << step;
  }
}

TEST(ListReader, PassesOverLongItemsAndRefusesOtherLongParts) {
  const std::string x(50, 'x');
  const std::string text = R"({"kind":"L","items":[{"n":1},{"metadata":{"name":"n"},"data":")" + x +
                           R"("},{"data":")" + x + R"("},{"n":2}],"metadata":{"resourceVersion":"9"}})";
  for (size_t step = 1; step <= text.size(); ++step) {
    ASSERT_EQ(cut_or_whole<ListReader>(text, 40, step),
              (std::vector<std::string>{R"({"n":1})", R"(cut {"metadata":{"name":"n"}})", "cut ",
                                        R"({"n":2})"}))
        << step;
    ASSERT_EQ(cut_or_whole<ListReader>(R"({"metadata":{"x":")" + x + "\"}}", 40, step),
              std::vector<std::string>{"a part of a list is longer than 40 bytes"});
  }
}

TEST(FrameReader, TakesAnEventOfTheLongestThatEtcdHoldsAsGoWritesIt) {
  std::string message;
  for (size_t i = 0; i < (3 << 19); ++i) message += "\\u003c";
  FrameReader frames;
  frames.feed(frame_json("ADDED", object_json("a", "1", message)));
  auto next = frames.next();
  ASSERT_TRUE(next && *next && !frames.cut());
  ListReader list;
  list.feed(list_json({object_json("a", "1", message)}, "2"));
  next = list.next();
  ASSERT_TRUE(next && *next && !list.cut());
}

TEST(FrameReader, RefusesStrangeFrames) {
  FrameReader html;
  html.feed("<html>");
  EXPECT_FALSE(html.next());
}

TEST(ListReader, ReadsMembersInAnyOrderHoweverTheyAreCut) {
  const std::string a =
      R"({"kind":"XList","apiVersion":"v1","metadata":{"resourceVersion":"9","continue":"t","remainingItemCount":4},"items":[{"n":1},{"n":[2]} , {"n":"]"}]})";
  const std::string b =
      R"({ "items" : [{"n":1},{"n":[2]},{"n":"]"}], "x":12, "kind":"XList","metadata":{"remainingItemCount":4,"continue":"t","resourceVersion":"9"}} )";
  for (const std::string& text : {a, b}) {
    for (size_t step = 1; step <= text.size(); ++step) {
      ListReader r;
      std::vector<std::string> items;
      for (size_t at = 0; at < text.size(); at += step) {
        r.feed(std::string_view(text).substr(at, step));
        auto i = r.next();
        for (; i && *i; i = r.next()) items.emplace_back(**i);
        ASSERT_TRUE(i) << i.error().text();
      }
      EXPECT_TRUE(r.done());
      EXPECT_EQ(items, (std::vector<std::string>{R"({"n":1})", R"({"n":[2]})", R"({"n":"]"})"}));
      EXPECT_EQ(r.kind(), "XList");
      EXPECT_EQ(r.resource_version(), "9");
      EXPECT_EQ(r.next_page(), "t");
      EXPECT_EQ(r.remaining(), 4);
    }
  }
}

TEST(ListReader, TakesEmptyListsAndRefusesBrokenOnes) {
  for (const char* good : {"{}", R"({"items":[]})", R"({"items":null,"kind":"L"})"}) {
    ListReader r;
    r.feed(good);
    const auto i = r.next();
    EXPECT_TRUE(i && !*i && r.done()) << good;
  }
  for (const char* bad :
       {"[]", "{,}", R"({"items":[1]})", R"({"items":{}})", R"({"items":[{}{}]})", R"({"a" 1})",
        R"({"a":1 "b"})", R"({"a":})", R"({"items":[{},]})", "{}x", R"({"a":1,})"}) {
    ListReader r;
    r.feed(bad);
    auto i = r.next();
    while (i && *i) i = r.next();
    EXPECT_FALSE(i) << bad;
  }
}

TEST(Backoff, DoublesToTheCapStretchedByChanceAndForgetsAfterTwoMinutes) {
  sys::FakeClock clock;
  double chance = 0;
  Backoff b(clock, [&] { return chance; });
  for (const int64_t ms : {800, 1600, 3200, 6400, 12800, 25600, 30000, 30000})
    EXPECT_EQ(b.next_ns(), ms * kMs);
  chance = 0.5;
  EXPECT_EQ(b.next_ns(), 45 * kSecond);
  clock.step(120 * kSecond);
  EXPECT_EQ(b.next_ns(), 45 * kSecond) << "not yet";
  clock.step(120 * kSecond + 1);
  EXPECT_EQ(b.next_ns(), 1200 * kMs);
}

TEST(Backoff, TakesOtherNumbers) {
  sys::FakeClock clock;
  Backoff b(clock, [] { return 0.0; }, {kSecond, 4 * kSecond, 10 * kSecond, 3.0, 0.0});
  EXPECT_EQ(b.next_ns(), kSecond);
  EXPECT_EQ(b.next_ns(), 3 * kSecond);
  EXPECT_EQ(b.next_ns(), 4 * kSecond);
}

TEST(Loop, RunsTasksInOrderAndTimersWhenDue) {
  sys::FakeClock clock;
  Loop loop(clock);
  std::string seen;
  loop.after(20, [&] { seen += 'c'; });
  loop.after(10, [&] { seen += 'b'; });
  const auto never = loop.after(15, [&] { seen += 'x'; });
  loop.post([&] { seen += 'a'; });
  loop.run_ready();
  loop.cancel(never);
  clock.step(10);
  loop.run_ready();
  EXPECT_EQ(seen, "ab");
  clock.step(10);
  loop.run_ready();
  EXPECT_EQ(seen, "abc");
}

TEST(Loop, RunsAnothersTaskAndLetsGoOfItWhenStopped) {
  Loop loop(sys::real_clock());
  loop.start();
  bool ran = false;
  loop.run([&] { ran = !loop.here() ? false : true; });
  EXPECT_TRUE(ran);
  loop.stop();
  bool again = false;
  loop.post([&] { again = true; });
  loop.run([&] { ran = false; });
  EXPECT_FALSE(again);
  EXPECT_FALSE(ran) << "run at once when there is no thread";
}

TEST(Inlet, RefusesPiecesUntilTheLoopHasTakenTheOthers) {
  sys::FakeClock clock;
  Loop loop(clock);
  ScriptedRest rest;
  int ready = 0;
  auto inlet = std::make_unique<Inlet>(loop, [&] { ++ready; });
  inlet->open(rest, {});
  const auto x = rest.next();
  const std::string piece(Inlet::kHigh / 2, 'a');
  EXPECT_EQ(x->send(piece), kube::Rest::Flow::kContinue);
  EXPECT_EQ(x->send(piece), kube::Rest::Flow::kContinue);
  EXPECT_EQ(x->send(piece), kube::Rest::Flow::kPause);
  EXPECT_EQ(x->resumed, 0);
  loop.run_ready();
  EXPECT_EQ(ready, 1) << "once for many pieces";
  std::string out;
  EXPECT_TRUE(inlet->take(out));
  EXPECT_EQ(out.size(), Inlet::kHigh);
  EXPECT_EQ(x->resumed, 1);
  x->end();
  EXPECT_TRUE(inlet->ended());
  inlet.reset();
  EXPECT_TRUE(x->dropped);
  loop.run_ready();
  EXPECT_EQ(ready, 1) << "nothing is called once it is gone";
}

Delta plain_delta(Delta::Kind kind, std::string_view key, std::string_view version) {
  return {kind, object(key, version), {}, std::string(version)};
}

TEST(DeltaQueue, BatchesPlainElementsUpToARepeatedKey) {
  DeltaQueue q;
  q.push(plain_delta(Delta::Kind::kAdded, "a", "1"));
  q.push(plain_delta(Delta::Kind::kAdded, "b", "2"));
  q.push(plain_delta(Delta::Kind::kUpdated, "a", "3"));
  q.push({Delta::Kind::kBookmark, nullptr, {}, "4"});
  EXPECT_EQ(q.pop().size(), 2u);
  EXPECT_EQ(q.pop().size(), 2u) << "the repeated key and the bookmark";
  EXPECT_TRUE(q.pop().empty());
}

TEST(DeltaQueue, HandsOutAReplaceAlone) {
  DeltaQueue q;
  EXPECT_FALSE(q.synced());
  q.push(plain_delta(Delta::Kind::kAdded, "a", "1"));
  q.push({Delta::Kind::kReplaced, nullptr, {object("b", "2")}, "2"});
  q.push(plain_delta(Delta::Kind::kAdded, "c", "3"));
  EXPECT_EQ(q.pop().size(), 1u);
  EXPECT_FALSE(q.synced());
  EXPECT_EQ(q.pop().front().kind, Delta::Kind::kReplaced);
  EXPECT_TRUE(q.synced());
  EXPECT_EQ(q.pop().size(), 1u);
}

TEST(DeltaQueue, TakesNothingOnceClosedButHandsOutTheRest) {
  DeltaQueue q;
  q.push(plain_delta(Delta::Kind::kAdded, "a", "1"));
  q.close();
  q.push(plain_delta(Delta::Kind::kAdded, "b", "2"));
  EXPECT_EQ(q.pop().size(), 1u);
  EXPECT_TRUE(q.pop().empty());
  EXPECT_TRUE(q.closed());
}

TEST(DeltaQueue, BoundsABatch) {
  DeltaQueue q;
  for (int i = 0; i < 1500; ++i) q.push(plain_delta(Delta::Kind::kAdded, cat("k", i), "1"));
  EXPECT_FALSE(q.full());
  EXPECT_EQ(q.pop().size(), DeltaQueue::kBatch);
  EXPECT_EQ(q.pop().size(), 500u);
}

TEST(Store, KeepsIndexesAndDropsEmptyValues) {
  Store s;
  s.apply({{object("a/1", "1"), {}}, {object("b/2", "2"), {}}}, "2");
  ASSERT_TRUE(s.add_index("namespace", namespace_index)) << "also when objects are there already";
  EXPECT_EQ(s.by_index("namespace", "a").size(), 1u);
  s.apply({{nullptr, "a/1"}, {object("b/3", "4"), {}}}, "4");
  EXPECT_EQ(s.by_index("namespace", "a").size(), 0u);
  EXPECT_EQ(s.by_index("namespace", "b").size(), 2u);
  EXPECT_EQ(s.index_values("namespace"), std::vector<std::string>{"b"});
  EXPECT_EQ(s.version(), "4");
  EXPECT_EQ(s.add_index("namespace", namespace_index).error().code(), Code::kAlreadyExists);
  s.stop();
  EXPECT_FALSE(s.add_index("other", namespace_index));
}

TEST(Store, LeavesUnchangedObjectsInPlaceOnReplace) {
  Store s;
  ASSERT_TRUE(s.add_index("namespace", namespace_index));
  const auto kept = object("a/1", "1");
  s.apply({{kept, {}}, {object("a/2", "2"), {}}, {object("b/3", "3"), {}}}, "3");
  const auto r = s.replace({object("a/1", "1"), object("a/2", "5"), object("c/4", "6")}, "6");
  EXPECT_EQ(s.get("a/1"), kept);
  EXPECT_EQ(r.unchanged, 1u);
  ASSERT_EQ(r.gone.size(), 1u);
  EXPECT_EQ(r.gone[0]->key(), "b/3");
  ASSERT_EQ(r.changed.size(), 2u);
  EXPECT_EQ(r.changed[0].at, 1u);
  EXPECT_EQ(r.changed[0].before->resource_version(), "2");
  EXPECT_EQ(r.changed[1].before, nullptr);
  EXPECT_EQ(s.index_values("namespace").size(), 2u);
  EXPECT_EQ(s.size(), 3u);
}

TEST(Store, ExchangesAnObjectMadeAnewUnderItsName) {
  Store s;
  s.apply({{object("a", "1"), {}}}, "1");
  const auto anew =
      *Object::parse(R"({"metadata":{"name":"a","uid":"other","resourceVersion":"1"}})");
  EXPECT_EQ(s.replace({anew}, "2").changed.size(), 1u);
  EXPECT_EQ(s.get("a")->uid(), "other");
}

TEST(Resource, NamesItsPathsAndRequests) {
  Resource events{"", "v1", "events", "", "", "", "Event"};
  EXPECT_EQ(path_of(events), "/api/v1/events");
  Resource r{"apps", "v1", "deployments", "shop", "app in (a,b)", "", "Deployment", true};
  EXPECT_EQ(path_of(r), "/apis/apps/v1/namespaces/shop/deployments");
  const auto list = list_call(r, {500, "7", "", ""});
  EXPECT_EQ(list.query, "labelSelector=app%20in%20%28a%2Cb%29&limit=500&resourceVersion=7");
  EXPECT_EQ(list.accept,
            "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json");
  const auto watch = watch_call(events, {"7", 300, true});
  EXPECT_EQ(watch.query,
            "allowWatchBookmarks=true&resourceVersion=7&resourceVersionMatch=NotOlderThan&"
            "sendInitialEvents=true&timeoutSeconds=300&watch=true");
  EXPECT_NE(key_of(events), key_of(r));
}

TEST(Resource, TellsRefusalsApart) {
  const auto refusal = [](int code, const char* reason, const char* message = "",
                          const char* raw = "") {
    return refusal_of(api_error(code, reason, message, 0, raw));
  };
  EXPECT_EQ(refusal(410, "Expired"), Refusal::kExpired);
  EXPECT_EQ(refusal(410, "Gone"), Refusal::kExpired);
  EXPECT_EQ(refusal(410, ""), Refusal::kExpired);
  EXPECT_EQ(refusal(504, "Timeout", "x",
                    R"({"details":{"causes":[{"reason":"ResourceVersionTooLarge"}]}})"),
            Refusal::kTooLarge);
  EXPECT_EQ(refusal(504, "Timeout", "Timeout: Too large resource version: 9, current: 1"),
            Refusal::kTooLarge);
  EXPECT_EQ(refusal(504, "Timeout", "slow"), Refusal::kOther);
  EXPECT_EQ(refusal(429, "TooManyRequests"), Refusal::kBusy);
  EXPECT_EQ(refusal(500, "InternalError"), Refusal::kInternal);
  EXPECT_EQ(refusal(403, "Forbidden"), Refusal::kDenied);
  EXPECT_EQ(refusal(404, "NotFound"), Refusal::kAbsent);
  EXPECT_EQ(refusal_of(Error(Code::kUnavailable, "x")), Refusal::kNone);
  EXPECT_TRUE(connection_refused(
      Error(Code::kUnavailable, "Get \"x\": dial tcp 1: connect: connection refused")));
  EXPECT_TRUE(broken_stream(Error(Code::kUnavailable, "Get \"x\": EOF")));
  EXPECT_FALSE(broken_stream(Error(Code::kUnauthenticated, "tls")));
}

}  // namespace
}  // namespace pintle::informer
