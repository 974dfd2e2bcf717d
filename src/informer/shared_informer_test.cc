// Shared informers against a scripted server: loops stepped by hand.
#include "informer/shared_informer.h"

#include <algorithm>
#include <stdexcept>

#include "base/strings.h"
#include "informer/testing/scripted_test.h"

namespace pintle::informer {
namespace {

// What a handler heard, a line each.
struct Ear {
  Lines lines;
  bool later = false;
  Handler handler() {
    return [this](const Change& c) {
      if (later) return Take::kLater;
      lines.push_back(line(c));
      return Take::kTaken;
    };
  }
  static std::string line(const Change& c) {
    constexpr const char* kNames[] = {"add", "update", "delete", "bookmark"};
    if (c.kind == Change::Kind::kBookmark) return cat("bookmark @", c.version);
    std::string out = cat(kNames[static_cast<int>(c.kind)], " ", c.object->key());
    if (c.before) append(out, {" ", c.before->resource_version(), "->"});
    append(out, {c.before ? "" : " ", c.object->resource_version()});
    if (c.initial) out += " initial";
    if (c.final_state_unknown) out += " unknown";
    if (c.resync) out += " resync";
    return out;
  }
  Lines take() { return std::exchange(lines, {}); }
};

class SharedInformerTest : public ::testing::Test {
 protected:
  void make(InformerOptions options = {}, bool watch_list = false) {
    options.reflector.watch_list = watch_list;
    informer_ = std::make_unique<SharedInformer>(
        work_, std::vector<Loop*>{&deliver_}, rest_, Resource{"", "v1", "configmaps"},
        [] { return 0.0; }, std::move(options));
  }
  void run() {
    while (work_.run_ready() + deliver_.run_ready() > 0) {
    }
  }
  ExchangePtr next() {
    run();
    return wanted(rest_);
  }
  ExchangePtr list(const Lines& items, std::string_view version) {
    next()->answer(list_json(items, version));
    auto watch = next();
    EXPECT_TRUE(watch->is_watch());
    return watch;
  }
  // The watch is disrupted and another list comes.
  ExchangePtr relist(const ExchangePtr& watch, const Lines& items, std::string_view version) {
    watch->send(error_frame(410, "Gone"));
    run();
    step(120 * kSecond);
    return list(items, version);
  }
  void step(int64_t ns) {
    run();
    clock_.step(ns);
    run();
  }
  ~SharedInformerTest() override { informer_.reset(); }

  sys::FakeClock clock_{1000 * kSecond};
  Loop work_{clock_}, deliver_{clock_};
  ScriptedRest rest_;
  std::unique_ptr<SharedInformer> informer_;
};

TEST_F(SharedInformerTest, TellsEveryHandlerInTheOrderOfTheStore) {
  make();
  Ear a, b;
  ASSERT_TRUE(informer_->add_handler(a.handler()));
  ASSERT_TRUE(informer_->add_handler(b.handler()));
  informer_->start();
  const auto watch = list({object_json("a", "1"), object_json("b", "2")}, "10");
  watch->send(frame_json("MODIFIED", object_json("b", "11")) +
              frame_json("DELETED", object_json("a", "12")) +
              frame_json("ADDED", object_json("c", "13")));
  run();
  const Lines want = {"add a 1 initial", "add b 2 initial", "update b 2->11", "delete a 12",
                      "add c 13"};
  EXPECT_EQ(a.lines, want);
  EXPECT_EQ(b.lines, want);
  EXPECT_EQ(informer_->store().size(), 2u);
  EXPECT_EQ(informer_->store().get("b")->resource_version(), "11");
  EXPECT_EQ(informer_->store().version(), "13");
}

TEST_F(SharedInformerTest, ChangesTheStoreBeforeAHandlerHearsOfIt) {
  make();
  bool there = false;
  ASSERT_TRUE(informer_->add_handler([&](const Change& c) {
    there = informer_->store().get(c.object->key()) == c.object;
    return Take::kTaken;
  }));
  informer_->start();
  list({object_json("a", "1")}, "10");
  EXPECT_TRUE(there);
}

TEST_F(SharedInformerTest, TellsOfDeletesMissedInADisruptionFirstAndAsTombstones) {
  make();
  Ear ear;
  ASSERT_TRUE(informer_->add_handler(ear.handler()));
  informer_->start();
  const auto watch =
      list({object_json("a", "1"), object_json("b", "2"), object_json("c", "3")}, "10");
  run();
  ear.take();
  relist(watch, {object_json("d", "15"), object_json("b", "12"), object_json("c", "3")}, "20");
  EXPECT_EQ(ear.take(), (Lines{"delete a 1 unknown", "add d 15", "update b 2->12"}))
      << "of what has not changed nobody hears";
  const Counters c = informer_->counters();
  EXPECT_EQ(c.tombstones, 1u);
  EXPECT_EQ(c.unchanged, 1u);
}

TEST_F(SharedInformerTest, KeepsTheSameObjectsOverAnUnchangedRelist) {
  make();
  informer_->start();
  const auto watch = list({object_json("a", "1")}, "10");
  const ObjectPtr before = informer_->store().get("a");
  relist(watch, {object_json("a", "1")}, "20");
  EXPECT_EQ(informer_->store().get("a"), before);
  EXPECT_EQ(informer_->store().version(), "20");
}

TEST_F(SharedInformerTest, TellsOfEqualVersionsWhenTheServersVersionsWentBack) {
  for (const bool streamed : {false, true}) {
    InformerOptions options;
    options.keep_text = !streamed;
    options.reflector.stream_lists = streamed;
    make(std::move(options));
    Ear ear;
    ASSERT_TRUE(informer_->add_handler(ear.handler()));
    informer_->start();
    const auto watch =
        list({object_json("a", "5"), object_json("b", "9"), object_json("c", "3")}, "9");
    run();
    ear.take();
    watch->end(Error(Code::kUnavailable, "connect: connection refused"));
    step(kSecond);
    next()->answer(list_json({}, "6"));
    list({object_json("a", "5", "another"), object_json("c", "3")}, "6");
    Lines heard = ear.take();
    std::sort(heard.begin(), heard.end());
    Lines want = {"delete b 9 unknown", "update a 5->5"};
    if (streamed) want.push_back("update c 3->3");  // its text is not there to compare
    EXPECT_EQ(heard, want);
    EXPECT_EQ(informer_->store().size(), 2u);
    informer_.reset();
  }
}

TEST_F(SharedInformerTest, HandlesRepeatedKeysOfABatchOneByOne) {
  make();
  Ear ear;
  ASSERT_TRUE(informer_->add_handler(ear.handler()));
  informer_->start();
  const auto watch = list({}, "10");
  watch->send(
      frame_json("ADDED", object_json("a", "11")) + frame_json("MODIFIED", object_json("a", "12")) +
      frame_json("DELETED", object_json("a", "13")) + frame_json("ADDED", object_json("a", "14")));
  run();
  EXPECT_EQ(ear.lines, (Lines{"add a 11", "update a 11->12", "delete a 13", "add a 14"}));
}

TEST_F(SharedInformerTest, DropsADeleteOfWhatItNeverKnew) {
  make();
  Ear ear;
  ASSERT_TRUE(informer_->add_handler(ear.handler()));
  informer_->start();
  list({}, "10")->send(frame_json("DELETED", object_json("ghost", "11")));
  run();
  EXPECT_TRUE(ear.lines.empty());
}

TEST_F(SharedInformerTest, SeesADeleteAndACreateAsOneUpdateThatSaysSo) {
  make();
  bool recreated = false;
  ASSERT_TRUE(informer_->add_handler([&](const Change& c) {
    recreated = c.kind == Change::Kind::kUpdate && c.recreated();
    return Take::kTaken;
  }));
  informer_->start();
  const auto watch = list({object_json("a", "1")}, "10");
  relist(watch, {R"({"metadata":{"name":"a","uid":"other","resourceVersion":"15"}})"}, "20");
  EXPECT_TRUE(recreated);
}

TEST_F(SharedInformerTest, TellsAllThatIsGoneBeforeWhatWasMadeAnewWhenItIsToTellThemApart) {
  make({.keep_text = false, .recreated_apart = true});
  Ear ear;
  ASSERT_TRUE(informer_->add_handler(ear.handler()));
  informer_->start();
  const auto watch = list({object_json("a", "1"), object_json("b", "2"), object_json("c", "3")}, "10");
  ear.take();
  relist(watch,
         {R"({"metadata":{"name":"a","uid":"other","resourceVersion":"15"}})", object_json("b", "16"),
          R"({"metadata":{"name":"c","uid":"another","resourceVersion":"17"}})"},
         "20");
  EXPECT_EQ(ear.lines, (Lines{"delete a 1 unknown", "delete c 3 unknown", "add a 15", "update b 2->16", "add c 17"}));
}

TEST_F(SharedInformerTest, TellsTheFirstListWholeBeforeAnyHandlerHearsOfIt) {
  Ear ear;
  Lines lists;
  InformerOptions options;
  options.on_first_list = [&](const std::vector<ObjectPtr>& objects) {
    EXPECT_EQ(ear.lines, Lines{});
    for (const ObjectPtr& o : objects) lists.emplace_back(o->name());
    lists.emplace_back("end");
  };
  make(std::move(options));
  ASSERT_TRUE(informer_->add_handler(ear.handler()));
  informer_->start();
  const auto watch = list({object_json("a", "1"), object_json("b", "2")}, "10");
  EXPECT_EQ(ear.lines.size(), 2u);
  relist(watch, {object_json("c", "15")}, "20");
  EXPECT_EQ(lists, (Lines{"a", "b", "end"}));
}

TEST_F(SharedInformerTest, IsSyncedWithTheListAndAHandlerWhenItHasHeardAllOfIt) {
  make();
  Ear ear;
  ear.later = true;
  const auto registration = *informer_->add_handler(ear.handler());
  const auto quick = *informer_->add_handler([](const Change&) { return Take::kTaken; });
  informer_->start();
  run();
  EXPECT_FALSE(informer_->synced());
  list({object_json("a", "1"), object_json("b", "2")}, "10");
  EXPECT_TRUE(informer_->synced());
  EXPECT_TRUE(quick->synced());
  EXPECT_FALSE(registration->synced());
  ear.later = false;
  registration->resume();
  run();
  EXPECT_TRUE(registration->synced());
  EXPECT_EQ(ear.lines, (Lines{"add a 1 initial", "add b 2 initial"}));
}

TEST_F(SharedInformerTest, IsSyncedByAnEmptyList) {
  make();
  const auto registration = *informer_->add_handler([](const Change&) { return Take::kTaken; });
  informer_->start();
  list({}, "10");
  EXPECT_TRUE(informer_->synced() && registration->synced());
}

TEST_F(SharedInformerTest, AHandlerOfAStoredVersionIsSyncedFromTheStartWheneverItCame) {
  InformerOptions options;
  options.reflector.start_version = "77";
  make(std::move(options));
  Ear ear;
  const auto early = *informer_->add_handler(ear.handler());
  EXPECT_FALSE(informer_->synced() || early->synced());
  informer_->start();
  const auto late = *informer_->add_handler(ear.handler());
  run();
  EXPECT_TRUE(informer_->synced());
  EXPECT_TRUE(early->synced());
  EXPECT_TRUE(late->synced());
  next()->answer(list_json({}, "77"));
  next()->refuse(410, "Gone");
  step(kSecond);
  list({object_json("a", "1")}, "80");
  EXPECT_TRUE(early->synced()) << "and stays so";
  EXPECT_EQ(ear.lines, (Lines{"add a 1", "add a 1"})) << "not of a first list";
}

TEST_F(SharedInformerTest, GivesALateHandlerTheStoreThenWhatCame) {
  make();
  informer_->start();
  const auto watch = list({object_json("a", "1")}, "10");
  Ear ear;
  const auto registration = *informer_->add_handler(ear.handler());
  EXPECT_FALSE(registration->synced());
  watch->send(frame_json("MODIFIED", object_json("a", "11")) +
              frame_json("ADDED", object_json("b", "12")));
  run();
  EXPECT_EQ(ear.lines, (Lines{"add a 1 initial", "update a 1->11", "add b 12"}));
  EXPECT_TRUE(registration->synced());
}

TEST_F(SharedInformerTest, RemovesAHandlerOnceAndIgnoresForeignOnes) {
  make();
  Ear ear, other;
  const auto gone = *informer_->add_handler(ear.handler());
  ASSERT_TRUE(informer_->add_handler(other.handler()));
  informer_->start();
  const auto watch = list({object_json("a", "1")}, "10");
  ear.take();
  informer_->remove_handler(gone);
  informer_->remove_handler(gone);
  informer_->remove_handler(nullptr);
  SharedInformer stranger(work_, {&deliver_}, rest_, {"", "v1", "secrets"}, [] { return 0.0; });
  stranger.remove_handler(gone);
  watch->send(frame_json("ADDED", object_json("b", "11")));
  run();
  EXPECT_TRUE(ear.lines.empty());
  EXPECT_EQ(other.lines.size(), 2u);
}

TEST_F(SharedInformerTest, LetsAHandlerRemoveItself) {
  make();
  SharedInformer::Registration self;
  int heard = 0;
  self = *informer_->add_handler([&](const Change&) {
    ++heard;
    informer_->remove_handler(self);
    return Take::kTaken;
  });
  informer_->start();
  list({object_json("a", "1"), object_json("b", "2")}, "10");
  EXPECT_EQ(heard, 1);
}

TEST_F(SharedInformerTest, IsolatesAHandlerThatThrows) {
  make();
  Ear ear;
  int heard = 0;
  ASSERT_TRUE(informer_->add_handler([&](const Change&) -> Take {
    if (++heard == 1) throw std::runtime_error("handler");
    return Take::kTaken;
  }));
  ASSERT_TRUE(informer_->add_handler(ear.handler()));
  informer_->start();
  list({object_json("a", "1"), object_json("b", "2")}, "10");
  EXPECT_EQ(heard, 2) << "it loses one change";
  EXPECT_EQ(ear.lines.size(), 2u);
  EXPECT_EQ(informer_->counters().handler_failures, 1u);
}

TEST_F(SharedInformerTest, HoldsUpTheServerWhileAHandlerIsFullAndLosesNothing) {
  make();
  Ear ear, quick;
  HandlerOptions options;
  options.limit = 10;
  ear.later = true;
  const auto registration = *informer_->add_handler(ear.handler(), options);
  HandlerOptions roomy;
  roomy.limit = 100'000;
  ASSERT_TRUE(informer_->add_handler(quick.handler(), roomy));
  informer_->start();
  const auto watch = list({}, "10");
  size_t sent = 0;
  kube::Rest::Flow flow = kube::Rest::Flow::kContinue;
  while (flow == kube::Rest::Flow::kContinue && sent < 50'000) {
    std::string frames;
    for (int i = 0; i < 100; ++i)
      frames += frame_json("ADDED", object_json(cat("k", sent + i), cat(11 + sent + i)));
    flow = watch->send(frames);
    if (flow == kube::Rest::Flow::kContinue) sent += 100;
    run();
  }
  EXPECT_EQ(flow, kube::Rest::Flow::kPause);
  EXPECT_LT(sent, 10'000u) << "memory is bounded";
  EXPECT_LE(registration->waiting(), 10 + DeltaQueue::kBatch);
  EXPECT_EQ(informer_->counters().pauses, 1u);
  EXPECT_LT(quick.lines.size(), sent);
  ear.later = false;
  registration->resume();
  run();
  EXPECT_EQ(ear.lines.size(), sent);
  EXPECT_EQ(quick.lines.size(), sent);
  EXPECT_GT(watch->resumed, 0);
  for (size_t i = 0; i < sent; ++i) ASSERT_EQ(ear.lines[i], cat("add k", i, " ", 11 + i));
}

TEST_F(SharedInformerTest, GoesOnWhenAFullHandlerIsRemoved) {
  make();
  Ear ear, quick;
  HandlerOptions options;
  options.limit = 1;
  ear.later = true;
  const auto registration = *informer_->add_handler(ear.handler(), options);
  ASSERT_TRUE(informer_->add_handler(quick.handler()));
  informer_->start();
  const auto watch = list({object_json("a", "1")}, "10");
  watch->send(frame_json("ADDED", object_json("b", "11")));
  run();
  EXPECT_EQ(quick.lines.size(), 1u);
  informer_->remove_handler(registration);
  run();
  EXPECT_EQ(quick.lines.size(), 2u);
}

TEST_F(SharedInformerTest, MergesToTheNewestStateForAHandlerThatWantsOnlyThat) {
  make();
  Ear ear;
  HandlerOptions options;
  options.newest_only = true;
  options.limit = 1;
  const auto registration = *informer_->add_handler(ear.handler(), options);
  informer_->start();
  const auto watch =
      list({object_json("a", "1"), object_json("b", "2"), object_json("c", "3")}, "10");
  run();
  ear.take();
  ear.later = true;
  watch->send(frame_json("MODIFIED", object_json("a", "11")));
  run();  // in the handler's hands now
  watch->send(
      frame_json("MODIFIED", object_json("a", "12")) +
      frame_json("MODIFIED", object_json("a", "13")) + frame_json("ADDED", object_json("d", "14")) +
      frame_json("MODIFIED", object_json("d", "15")) + frame_json("ADDED", object_json("e", "16")) +
      frame_json("DELETED", object_json("e", "17")) +
      frame_json("MODIFIED", object_json("b", "18")) +
      frame_json("DELETED", object_json("b", "19")) +
      frame_json("DELETED", object_json("c", "20")) + frame_json("ADDED", object_json("c", "21")));
  run();
  EXPECT_FALSE(registration->full());
  ear.later = false;
  registration->resume();
  run();
  EXPECT_EQ(ear.take(), (Lines{"update a 1->11", "update a 11->13", "add d 15", "delete b 19",
                               "update c 20->21"}));
}

TEST_F(SharedInformerTest, TellsHowFarAHandlerHasHeardEverything) {
  make();
  Ear ear;
  HandlerOptions options;
  options.bookmarks = true;
  ASSERT_TRUE(informer_->add_handler(ear.handler(), options));
  informer_->start();
  const auto watch = list({object_json("a", "1")}, "10");
  watch->send(frame_json("ADDED", object_json("b", "11")));
  run();
  watch->send(bookmark_json("99"));
  run();
  EXPECT_EQ(ear.lines,
            (Lines{"add a 1 initial", "bookmark @10", "add b 11", "bookmark @11", "bookmark @99"}));
}

TEST_F(SharedInformerTest, ResyncsThoseWhoAskedAtTheirPeriods) {
  make();
  Ear none, two, three;
  HandlerOptions options;
  ASSERT_TRUE(informer_->add_handler(none.handler()));
  options.resync_ns = 2 * kSecond;
  ASSERT_TRUE(informer_->add_handler(two.handler(), options));
  options.resync_ns = 6 * kSecond;
  ASSERT_TRUE(informer_->add_handler(three.handler(), options));
  informer_->start();
  list({object_json("a", "1")}, "10");
  none.take(), two.take(), three.take();
  for (int i = 0; i < 3; ++i) step(2 * kSecond);
  EXPECT_TRUE(none.lines.empty());
  EXPECT_EQ(two.lines, Lines(3, "update a 1->1 resync"));
  EXPECT_EQ(three.lines, Lines(1, "update a 1->1 resync"));
}

TEST_F(SharedInformerTest, RoundsResyncPeriods) {
  make();
  Ear tiny, late, never;
  HandlerOptions options;
  options.resync_ns = 1;
  ASSERT_TRUE(informer_->add_handler(tiny.handler(), options));
  informer_->start();
  list({object_json("a", "1")}, "10");
  options.resync_ns = kSecond / 2;
  ASSERT_TRUE(informer_->add_handler(late.handler(), options));
  run();
  tiny.take(), late.take();
  step(kSecond / 2);
  EXPECT_TRUE(tiny.lines.empty()) << "at least a second";
  step(kSecond / 2);
  EXPECT_EQ(tiny.lines.size(), 1u);
  step(kSecond);
  EXPECT_GE(late.lines.size(), 1u) << "a late one is rounded up to the check";

  rest_.next();
  SharedInformer quiet(work_, {&deliver_}, rest_, {"", "v1", "secrets"}, [] { return 0.0; });
  quiet.start();
  run();
  while (auto x = rest_.next()) {
    if (x->is_watch()) x->send(bookmark_json("1", true));
  }
  run();
  ASSERT_TRUE(quiet.add_handler(never.handler(), options)) << "no check: never";
  step(5 * kSecond);
  EXPECT_TRUE(never.lines.empty());
}

TEST_F(SharedInformerTest, DoesNotResyncWhileItIsNotWatching) {
  make();
  Ear ear;
  HandlerOptions options;
  options.resync_ns = kSecond;
  ASSERT_TRUE(informer_->add_handler(ear.handler(), options));
  informer_->start();
  for (int i = 0; i < 3; ++i) step(kSecond);
  list({object_json("a", "1")}, "10")->refuse(403, "Forbidden");
  run();
  ear.take();
  for (int i = 0; i < 3; ++i) step(kSecond);
  EXPECT_TRUE(ear.lines.empty());
}

TEST_F(SharedInformerTest, KeepsHeadsOnlyWhenToldTo) {
  InformerOptions options;
  options.keep_text = false;
  make(options);
  std::string text;
  ASSERT_TRUE(informer_->add_handler([&](const Change& c) {
    text = c.object->text();
    return Take::kTaken;
  }));
  informer_->start();
  const auto watch = list({object_json("a", "1", "first")}, "10");
  EXPECT_EQ(text, object_json("a", "1", "first"));
  EXPECT_EQ(informer_->store().get("a")->text(), "");
  text.clear();
  relist(watch, {object_json("a", "1", "first")}, "20");
  EXPECT_EQ(text, "") << "still known not to have changed";
}

// Lists that are streamed on.
class StreamedListTest : public SharedInformerTest {
 protected:
  void stream(bool watch_list) {
    InformerOptions options;
    options.keep_text = false;
    options.reflector.stream_lists = true;
    make(options, watch_list);
    auto added = informer_->add_handler(ear_.handler(), {.bookmarks = true});
    ASSERT_TRUE(added);
    registration_ = *added;
    informer_->start();
  }
  Ear ear_;
  SharedInformer::Registration registration_;
};

TEST_F(StreamedListTest, TellsItemsAsTheyComeAndDeletesAtItsEnd) {
  stream(false);
  const std::string list = list_json({object_json("a", "1"), object_json("b", "2")}, "10");
  auto first = next();
  first->send(list.substr(0, list.find(R"("name":"b")")));
  run();
  EXPECT_EQ(ear_.take(), (Lines{"add a 1 initial"}));
  EXPECT_FALSE(registration_->synced());
  EXPECT_EQ(informer_->store().get("a")->text(), "");
  first->send(list.substr(list.find(R"("name":"b")")));
  first->end();
  auto watch = next();
  EXPECT_EQ(ear_.take(), (Lines{"add b 2 initial", "bookmark @10"}));
  EXPECT_TRUE(registration_->synced());

  watch = relist(watch, {object_json("b", "2"), object_json("c", "21")}, "22");
  EXPECT_EQ(ear_.take(), (Lines{"add c 21", "delete a 1 unknown", "bookmark @22"}));
  EXPECT_EQ(informer_->store().size(), 2u);
  EXPECT_EQ(informer_->counters().unchanged, 1u);
  watch = relist(watch, {object_json("b", "31"), object_json("c", "21")}, "32");
  EXPECT_EQ(ear_.take(), (Lines{"update b 2->31", "bookmark @32"}));
}

TEST_F(StreamedListTest, TellsWhatItLearntOfAList) {
  stream(false);
  Lines listed;
  const auto note = [&](const Change& c) {
    listed.push_back(cat(c.object->key(), c.listed ? " listed" : ""));
    return Take::kTaken;
  };
  ASSERT_TRUE(informer_->add_handler(note));
  next()->answer(list_json({object_json("a", "1")}, "10"));
  auto watch = next();
  watch->send(frame_json("ADDED", object_json("b", "11")));
  run();
  relist(watch, {object_json("b", "21")}, "22");
  EXPECT_EQ(listed, (Lines{"a listed", "b", "b listed", "a listed"}));
}

TEST_F(StreamedListTest, OneThatBreaksLosesAndRepeatsNothing) {
  stream(false);
  const std::string list = list_json({object_json("a", "1"), object_json("b", "2")}, "10");
  auto broken = next();
  broken->send(list.substr(0, list.find(R"("name":"b")")));
  broken->end();
  step(120 * kSecond);
  EXPECT_EQ(ear_.take(), (Lines{"add a 1 initial"}));
  EXPECT_FALSE(informer_->synced());
  this->list({object_json("a", "1"), object_json("b", "3")}, "11");
  EXPECT_EQ(ear_.take(), (Lines{"add b 3 initial", "bookmark @11"}));
}

TEST_F(StreamedListTest, ChangesBeforeItsBookmarkAreTheNewestState) {
  stream(true);
  auto watch = next();
  watch->send(frame_json("ADDED", object_json("a", "1")) + frame_json("ADDED", object_json("b", "2")) +
              frame_json("MODIFIED", object_json("a", "3")) +
              frame_json("DELETED", object_json("b", "4")));
  run();
  EXPECT_FALSE(registration_->synced());
  watch->send(bookmark_json("5", true));
  run();
  EXPECT_EQ(ear_.take(), (Lines{"add a 1 initial", "add b 2 initial", "update a 1->3", "delete b 4",
                                "bookmark @5"}));
  EXPECT_TRUE(registration_->synced());
  EXPECT_EQ(informer_->store().size(), 1u);
  EXPECT_EQ(informer_->store().get("a")->resource_version(), "3");
}

TEST_F(SharedInformerTest, FiltersUpdatesIntoAddsAndDeletes) {
  make();
  Ear ear;
  ASSERT_TRUE(informer_->add_handler(
      filtered([](const Object& o) { return o.field({"data"}) == "in"; }, ear.handler())));
  informer_->start();
  const auto watch = list({object_json("a", "1", "out"), object_json("b", "2", "in")}, "10");
  watch->send(frame_json("MODIFIED", object_json("a", "11", "in")) +
              frame_json("MODIFIED", object_json("b", "12", "in")) +
              frame_json("MODIFIED", object_json("b", "13", "out")) +
              frame_json("MODIFIED", object_json("b", "14", "out")) +
              frame_json("DELETED", object_json("b", "15", "out")));
  run();
  EXPECT_EQ(ear.lines, (Lines{"add b 2 initial", "add a 11", "update b 2->12", "delete b 12"}));
}

TEST_F(SharedInformerTest, FiltersByWhatPassedWhereTheStoreKeepsNoTextsAndKeepsTheFlags) {
  InformerOptions options;
  options.keep_text = false;
  make(std::move(options));
  Ear ear;
  const Handler hear = [listen = ear.handler(), &ear](const Change& c) {
    const size_t before = ear.lines.size();
    const Take taken = listen(c);
    if (c.listed && ear.lines.size() > before) ear.lines.back() += " listed";
    return taken;
  };
  const auto registration = *informer_->add_handler(
      filtered([](const Object& o) { return o.field({"data"}) == "in"; }, hear));
  informer_->start();
  auto watch = list({object_json("a", "1", "in"), object_json("b", "2", "in"), object_json("c", "3", "out")}, "10");
  watch->send(frame_json("MODIFIED", object_json("a", "11", "in")));
  run();
  EXPECT_EQ(ear.take(), (Lines{"add a 1 initial listed", "add b 2 initial listed", "update a 1->11"}));
  watch = relist(watch, {object_json("a", "12", "out"), object_json("c", "13", "in")}, "20");
  EXPECT_EQ(ear.take(), (Lines{"delete b 2 unknown listed", "delete a 11 listed", "add c 13 listed"}));
  ear.later = true;
  watch->send(frame_json("MODIFIED", object_json("a", "21", "in")));
  run();
  ear.later = false;
  registration->resume();
  watch->send(frame_json("MODIFIED", object_json("c", "22", "out")) +
              frame_json("DELETED", object_json("c", "23", "out")));
  run();
  EXPECT_EQ(ear.take(), (Lines{"add a 21", "delete c 13"}));
  relist(watch, {}, "30");
  EXPECT_EQ(ear.take(), (Lines{"delete a 21 unknown listed"}));
}

TEST_F(SharedInformerTest, IsNeverStartedAgainAndTakesNoHandlersOnceStopped) {
  make();
  Ear ear;
  ASSERT_TRUE(informer_->add_handler(ear.handler()));
  informer_->start();
  const auto watch = list({}, "10");
  watch->send(frame_json("ADDED", object_json("a", "11")));
  informer_->stop();
  informer_->stop();
  informer_->start();
  step(600 * kSecond);
  EXPECT_TRUE(ear.lines.empty()) << "what waits is dropped";
  EXPECT_TRUE(watch->dropped);
  EXPECT_EQ(rest_.next(), nullptr);
  EXPECT_FALSE(informer_->add_handler(ear.handler()));
  EXPECT_FALSE(informer_->add_index("namespace", namespace_index));
}

}  // namespace
}  // namespace pintle::informer
