// The reflector against a scripted server and a stepped clock: each case is a rule of client-go's.
#include "informer/testing/reflector_fixture.h"

namespace pintle::informer {
namespace {

TEST_F(ReflectorTest, ListsAtZeroInPagesOf500ThenWatchesWithBookmarks) {
  begin();
  const auto list = next();
  EXPECT_EQ(list->call.query, "limit=500&resourceVersion=0");
  list->answer(list_json({object_json("a", "3"), object_json("b", "4")}, "10"));
  const auto watch = next();
  EXPECT_EQ(watch->call.query,
            "allowWatchBookmarks=true&resourceVersion=10&timeoutSeconds=300&watch=true");
  EXPECT_EQ(log(), Lines{"replaced a b @10"});
  EXPECT_TRUE(reflector_->watching());
}

TEST_F(ReflectorTest, TellsWhatTheWatchSaysAndAdvancesItsVersionBookmarksIncluded) {
  begin();
  const auto watch = listed();
  watch->send(frame_json("ADDED", object_json("a", "11")));
  watch->send(frame_json("MODIFIED", object_json("a", "12")) +
              frame_json("DELETED", object_json("a", "13")));
  EXPECT_EQ(log(), (Lines{"replaced @10", "added a @11", "updated a @12", "deleted a @13"}));
  EXPECT_EQ(reflector_->last_version(), "13");
  watch->send(bookmark_json("99"));
  EXPECT_EQ(log(), Lines{"bookmark @99"});
  watch->end();
  EXPECT_EQ(next()->find("resourceVersion"), "99");
}

TEST_F(ReflectorTest, DrawsTheWatchTimeoutFromFiveToTenMinutes) {
  chance_ = 0.999;
  begin();
  EXPECT_EQ(listed()->find("timeoutSeconds"), "599");
}

TEST_F(ReflectorTest, RaisesTheLeastWatchTimeoutButNeverLowersIt) {
  chance_ = 0.5;
  begin({.watch_list = false, .min_watch_seconds = 1000});
  EXPECT_EQ(listed()->find("timeoutSeconds"), "1500");
  begin({.watch_list = false, .min_watch_seconds = 10});
  EXPECT_EQ(listed()->find("timeoutSeconds"), "450");
}

TEST_F(ReflectorTest, WatchesAgainAtOnceWhenAWatchEndsWell) {
  begin();
  auto watch = listed();
  watch->send(frame_json("ADDED", object_json("a", "11")));
  loop_.run_ready();
  watch->end();
  const auto again = next();
  EXPECT_EQ(again->find("resourceVersion"), "11");
  step(2 * kSecond);
  again->end();
  EXPECT_EQ(next()->find("resourceVersion"), "11") << "quiet, but longer than a second";
  EXPECT_TRUE(errors_.empty());
}

TEST_F(ReflectorTest, TakesACutStreamForItsEnd) {
  begin();
  auto watch = listed();
  watch->send(frame_json("ADDED", object_json("a", "11")) + "{\"type\":");
  loop_.run_ready();
  watch->end(Error(Code::kDataLoss, "Get \"x\": unexpected EOF"));
  EXPECT_EQ(next()->find("resourceVersion"), "11");
}

TEST_F(ReflectorTest, WaitsAndListsAfterAVeryShortWatch) {
  begin();
  listed()->end();
  EXPECT_TRUE(quiet());
  EXPECT_EQ(errors_.size(), 1u);
  step(799 * kMs);
  EXPECT_TRUE(quiet());
  step(kMs);
  const auto list = next();
  EXPECT_FALSE(list->is_watch());
  EXPECT_EQ(list->call.query, "resourceVersion=10") << "at the last version, in one piece";
  EXPECT_EQ(reflector_->counters().short_watches, 1u);
}

TEST_F(ReflectorTest, BacksOffOnRefusedConnectionsAnd429WithoutAList) {
  begin();
  listed()->end(refused());
  EXPECT_TRUE(quiet());
  step(800 * kMs);
  auto check = next();
  EXPECT_EQ(check->call.query, "limit=1") << "a server that was away may have been restored";
  check->refuse(429, "TooManyRequests");
  step(1599 * kMs);
  EXPECT_TRUE(quiet());
  step(kMs);
  auto watch = checked("10");
  EXPECT_EQ(watch->find("resourceVersion"), "10");
  watch->send(error_frame(429, "TooManyRequests"));
  step(3200 * kMs);
  EXPECT_TRUE(next()->is_watch()) << "a 429 frame likewise";
}

TEST_F(ReflectorTest, StretchesTheBackoffByChance) {
  begin();
  const auto watch = listed();
  chance_ = 0.5;
  watch->end(refused());
  step(1199 * kMs);
  EXPECT_TRUE(quiet());
  step(kMs);
  EXPECT_TRUE(checked("10")->is_watch());
}

TEST_F(ReflectorTest, ListsAtItsVersionAfterAnyOtherWatchError) {
  begin();
  listed()->refuse(500, "Weird");
  step(800 * kMs);
  EXPECT_EQ(next()->call.query, "resourceVersion=10");
}

TEST_F(ReflectorTest, ListsAtItsVersionAfter410ThenAtNoneWhenThatIsGoneToo) {
  begin();
  listed()->send(error_frame(410, "Expired", "too old resource version"));
  EXPECT_TRUE(quiet());
  step(800 * kMs);
  const auto exact = next();
  EXPECT_EQ(exact->call.query, "resourceVersion=10");
  exact->refuse(410, "Expired");
  const auto quorum = next();
  EXPECT_EQ(quorum->call.query, "limit=500") << "at once, without a version";
  quorum->answer(list_json({}, "50"));
  EXPECT_EQ(next()->find("resourceVersion"), "50");
  EXPECT_EQ(reflector_->counters().expired, 2u);
}

TEST_F(ReflectorTest, AsksForNoVersionAsLongAsItsOwnIsUnavailable) {
  begin();
  listed()->send(error_frame(410, "Gone"));
  step(800 * kMs);
  next()->refuse(410, "Expired");
  next()->refuse(500, "InternalError");
  step(1600 * kMs);
  next()->answer(list_json({}, "50"));
  next()->send(error_frame(410, "Gone"));
  step(3200 * kMs);
  EXPECT_EQ(next()->call.query, "resourceVersion=50") << "a good list makes it available again";
}

TEST_F(ReflectorTest, AsksForNoVersionWhenItsOwnIsTooLarge) {
  for (const char* raw :
       {R"({"details":{"causes":[{"reason":"ResourceVersionTooLarge"}]}})", "{}"}) {
    SCOPED_TRACE(raw);
    begin();
    listed()->refuse(500, "Weird");
    step(kSecond);
    next()->end(
        api_error(504, "Timeout", "Timeout: Too large resource version: 10, current: 5", 0, raw));
    EXPECT_EQ(next()->call.query, "limit=500");
    step(300 * kSecond);
  }
}

TEST_F(ReflectorTest, FollowsPagesAndKeepsPagingWhenAListOfZeroCameInPages) {
  begin();
  next()->answer(list_json({object_json("a", "1")}, "10", "token-1"));
  const auto second = next();
  EXPECT_EQ(second->call.query, "continue=token-1&limit=500")
      << "a continued list has its version in the token";
  second->answer(list_json({object_json("b", "2")}, "10"));
  next()->refuse(500, "Weird");
  EXPECT_EQ(log(), Lines{"replaced a b @10"});
  step(kSecond);
  EXPECT_EQ(next()->call.query, "limit=500&resourceVersion=10") << "no watch cache: pages are kept";
}

TEST_F(ReflectorTest, TakesAPageSizeItIsTold) {
  begin({.watch_list = false, .page_size = 7});
  EXPECT_EQ(next()->find("limit"), "7");
}

TEST_F(ReflectorTest, ListsInOnePieceWhenAPageHasExpired) {
  begin();
  next()->answer(list_json({object_json("a", "1")}, "10", "token-1"));
  next()->refuse(410, "Expired");
  const auto whole = next();
  EXPECT_EQ(whole->call.query, "resourceVersion=0") << "at the version first asked for";
  whole->answer(list_json({object_json("b", "2")}, "11"));
  EXPECT_EQ(next()->find("resourceVersion"), "11");
  EXPECT_EQ(log(), Lines{"replaced b @11"}) << "nothing of the first page is left";
}

TEST_F(ReflectorTest, RefusesATable) {
  begin();
  next()->answer(R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[]})");
  EXPECT_TRUE(quiet());
  EXPECT_EQ(errors_, Lines{"the server answered a list with a Table"});
  step(800 * kMs);
  EXPECT_FALSE(next()->is_watch());
}

TEST_F(ReflectorTest, ListsAgainWhenAListIsCutOrBroken) {
  begin();
  auto list = next();
  list->send(R"({"kind":"L","items":[{"metadata":{"name":"a"}})");
  list->end();
  step(800 * kMs);
  list = next();
  list->send(R"({"items":[{"metadata":{"name":""}}]})");
  EXPECT_TRUE(quiet());
  EXPECT_TRUE(list->dropped);
  step(1600 * kMs);
  next()->answer(list_json({}, "1"));
  EXPECT_TRUE(next()->is_watch());
  EXPECT_EQ(reflector_->counters().list_failures, 2u);
}

TEST_F(ReflectorTest, LeavesAnObjectThatIsTooLongAsItIs) {
  const auto big = [](const char* key, const char* version) {
    return object_json(key, version, std::string(2000, 'x'));
  };
  for (const bool streamed : {false, true}) {
    SCOPED_TRACE(streamed);
    begin({.watch_list = false, .max_value = 1000, .stream_lists = streamed});
    auto watch = listed("10", {object_json("a", "3"), object_json("b", "4")});
    log();
    errors_.clear();
    watch->send(frame_json("MODIFIED", big("a", "11")) + frame_json("ADDED", object_json("c", "12")) +
                frame_json("ADDED", big("d", "13")));
    EXPECT_EQ(log(), Lines{"added c @12"});
    EXPECT_EQ(reflector_->last_version(), "13") << "the version goes on";
    EXPECT_EQ(errors_, (Lines{"an object is longer than 1000 bytes: a", "an object is longer than 1000 bytes: d"}));
    EXPECT_EQ(reflector_->counters().skipped_frames, 2u);
    EXPECT_FALSE(watch->dropped);
    watch->send(error_frame(410, "Gone"));
    step(800 * kMs);
    watch = listed("20", {big("a", "11"), object_json("b", "4"), big("d", "13")});
    EXPECT_EQ(log(), Lines{"replaced a b @20"}) << "a is not gone; d was never told of";
    EXPECT_EQ(known_["a"]->resource_version(), "3");
    EXPECT_EQ(reflector_->counters().skipped_frames, 4u);
  }
  begin({.max_value = 1000});
  auto stream = next();
  stream->send(frame_json("ADDED", object_json("a", "3")) + frame_json("ADDED", object_json("b", "4")) +
               bookmark_json("10", true) + error_frame(410, "Gone"));
  step(1600 * kMs);
  log();
  stream = next();
  stream->send(frame_json("ADDED", big("a", "11")) + frame_json("ADDED", object_json("b", "12")) +
               frame_json("MODIFIED", big("b", "13")) + bookmark_json("20", true));
  EXPECT_EQ(log(), Lines{"replaced a b @20"});
  EXPECT_EQ(known_["a"]->resource_version(), "3");
  EXPECT_EQ(known_["b"]->resource_version(), "12");
}

TEST_F(ReflectorTest, SkipsFramesOfAnotherKindOrWithoutMetadata) {
  begin({.watch_list = false}, {"", "v1", "configmaps", "", "", "", "ConfigMap"});
  const auto watch = listed();
  watch->send(
      frame_json("ADDED", R"({"kind":"Secret","metadata":{"name":"s","resourceVersion":"11"}})") +
      frame_json("ADDED", R"({"kind":"ConfigMap","apiVersion":"v1"})") +
      frame_json("STRANGE", object_json("a", "12")) + frame_json("ADDED", object_json("b", "13")));
  EXPECT_EQ(log(), (Lines{"replaced @10", "added b @13"}));
  EXPECT_EQ(reflector_->counters().skipped_frames, 3u);
  EXPECT_TRUE(reflector_->watching());
}

TEST_F(ReflectorTest, SkipsFramesOfAnotherApiVersion) {
  Resource jobs{"batch", "v1", "jobs"}, any_version = jobs, any = jobs, core{"", "v1", "pods"}, heads = jobs;
  jobs.kind = any_version.kind = core.kind = heads.kind = "Job";
  any_version.version = "";
  heads.metadata_only = true;
  const struct { const char* claim; Resource resource; const char *kind, *version; bool taken; } cases[] = {
      {"its own", jobs, "Job", "batch/v1", true},
      {"another version", jobs, "Job", "batch/v1beta1", false},
      {"another group", jobs, "Job", "batch.volcano.sh/v1", false},
      {"no group", jobs, "Job", "v1", false},
      {"none", jobs, "Job", "", false},
      {"the core group", core, "Job", "v1", true},
      {"not of the core group", core, "Job", "batch/v1", false},
      {"no version asked for", any_version, "Job", "other/v7", true},
      {"no kind asked for", any, "Other", "other/v7", true},
      {"heads", heads, "PartialObjectMetadata", "meta.k8s.io/v1", true},
      {"heads of another version", heads, "PartialObjectMetadata", "meta.k8s.io/v1beta1", false},
      {"heads that are none", heads, "PartialObjectMetadata", "batch/v1", false},
  };
  for (const auto& c : cases) {
    begin({.watch_list = false}, c.resource);
    const auto watch = listed();
    watch->send(frame_json("ADDED", cat(R"({"kind":")", c.kind, R"(","apiVersion":")", c.version,
                                        R"(","metadata":{"name":"a","resourceVersion":"11"}})")));
    EXPECT_EQ(log(), c.taken ? (Lines{"replaced @10", "added a @11"}) : Lines{"replaced @10"}) << c.claim;
    EXPECT_EQ(reflector_->counters().skipped_frames, c.taken ? 0u : 1u) << c.claim;
  }
}

TEST_F(ReflectorTest, WatchesMetadataOnly) {
  Resource resource{"", "v1", "configmaps"};
  resource.kind = "ConfigMap";
  resource.metadata_only = true;
  begin({.watch_list = false}, resource);
  const auto watch = listed();
  EXPECT_TRUE(watch->call.accept.starts_with("application/json;as=PartialObjectMetadata;"));
  const std::string partial =
      R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a","resourceVersion":"11"}})";
  watch->send(frame_json("ADDED", partial) + frame_json("ADDED", object_json("b", "12")));
  EXPECT_EQ(log(), (Lines{"replaced @10", "added a @11"})) << "a whole object is of another kind";
}

TEST_F(ReflectorTest, KeepsItsVersionWhileUnorderedAddedFramesCome) {
  begin({.watch_list = false, .start_version = "0"});
  const auto watch = next();
  EXPECT_EQ(watch->find("resourceVersion"), "0");
  watch->send(frame_json("ADDED", object_json("a", "8")) +
              frame_json("ADDED", object_json("b", "5")));
  EXPECT_EQ(log(), (Lines{"added a @", "added b @"}));
  EXPECT_EQ(reflector_->last_version(), "0");
  watch->send(frame_json("MODIFIED", object_json("b", "9")) +
              frame_json("ADDED", object_json("c", "10")));
  EXPECT_EQ(log(), (Lines{"updated b @9", "added c @10"}));
  EXPECT_EQ(reflector_->last_version(), "10");
}

TEST_F(ReflectorTest, BeginsAtAStoredVersionWithoutAListAndListsOnlyWhenThatIsGone) {
  begin({.watch_list = true, .start_version = "77"});
  const auto watch = checked("80");
  EXPECT_TRUE(watch->is_watch());
  EXPECT_EQ(watch->find("resourceVersion"), "77");
  EXPECT_EQ(watch->find("sendInitialEvents"), "");
  watch->refuse(410, "Gone");
  step(800 * kMs);
  EXPECT_EQ(next()->find("resourceVersion"), "77");
}

TEST_F(ReflectorTest, ListsNothingOlderThanTheLeastVersionUnlessTheServerHasNotGotThatFar) {
  begin({.watch_list = false, .least_version = "77"});
  EXPECT_EQ(next()->call.query, "resourceVersion=77");
  begin({.watch_list = true, .least_version = "77"});
  auto list = next();
  EXPECT_EQ(list->find("resourceVersion"), "77");
  list->end(api_error(504, "Timeout", "Timeout: Too large resource version: 77, current: 5", 0));
  EXPECT_EQ(next()->find("resourceVersion"), "");
}

TEST_F(ReflectorTest, WatchesAgainAfterInternalErrorsOnlyWithinTheWindow) {
  begin();
  listed()->send(error_frame(500, "InternalError"));
  step(800 * kMs);
  EXPECT_FALSE(next()->is_watch()) << "off by default";

  begin({.watch_list = false, .internal_error_window_ns = 10 * kSecond});
  auto watch = listed();
  for (int i = 0; i < 3; ++i) {
    watch->send(error_frame(500, "InternalError"));
    watch = next();
    EXPECT_TRUE(watch->is_watch()) << i;
    step(4 * kSecond);
  }
  watch->send(error_frame(500, "InternalError"));
  EXPECT_TRUE(quiet()) << "12 s after the first";
  step(kSecond);
  watch = listed("20");
  watch->accept();
  step(61 * kSecond);
  watch->send(error_frame(500, "InternalError"));
  EXPECT_TRUE(next()->is_watch()) << "a minute without one is forgiven";
}

TEST_F(ReflectorTest, ListsAfterAStoreReadError) {
  begin();
  listed()->send(error_frame(500, "StoreReadError", "corrupt object"));
  step(800 * kMs);
  EXPECT_EQ(next()->call.query, "resourceVersion=10") << "what is missing there was deleted";
}

TEST_F(ReflectorTest, WaitsAsToldByRetryAfterTenTimesAtMost) {
  begin();
  for (int i = 0; i < 10; ++i) {
    next()->refuse(429, "TooManyRequests", "", 3);
    EXPECT_TRUE(quiet());
    step(3 * kSecond);
  }
  EXPECT_TRUE(errors_.empty());
  next()->refuse(429, "TooManyRequests", "", 3);
  EXPECT_TRUE(quiet());
  EXPECT_EQ(errors_.size(), 1u);
}

TEST_F(ReflectorTest, AsksOnceMoreAfter401AndThenSlowly) {
  begin();
  next()->refuse(401, "Unauthorized");
  next()->refuse(401, "Unauthorized");
  step(59 * kSecond);
  EXPECT_TRUE(quiet());
  step(kSecond);
  next()->refuse(403, "Forbidden");
  step(59 * kSecond);
  EXPECT_TRUE(quiet());
  step(kSecond);
  next()->refuse(404, "NotFound");
  EXPECT_TRUE(quiet());
  reflector_->retry_now();
  listed();
}

TEST_F(ReflectorTest, GivesUpAListThatWentSilent) {
  begin();
  const auto list = next();
  list->send(R"({"kind":"ConfigMapList","items":[)");
  for (int i = 0; i < 7; ++i) step(10 * kSecond);
  EXPECT_FALSE(list->dropped);
  step(10 * kSecond);
  EXPECT_TRUE(list->dropped);
}

TEST_F(ReflectorTest, PassesObjectsThroughTheTransform) {
  const Transform transform = [](std::string json) -> Result<std::string> {
    if (json.find("poison") != std::string::npos) return Error("no");
    return replace_all(json, "old", "new");
  };
  begin({.watch_list = false, .transform = transform});
  auto list = next();
  list->answer(list_json({object_json("a", "1", "old"), object_json("b", "2", "poison")}, "10"));
  EXPECT_TRUE(quiet());
  EXPECT_EQ(errors_.size(), 1u) << "an error fails the whole list";
  EXPECT_TRUE(log().empty());
  step(kSecond);
  const auto watch = listed("10", {object_json("a", "1", "old")});
  EXPECT_EQ(known_["a"]->field({"data"}), "new");
  watch->send(frame_json("ADDED", object_json("c", "11", "poison")) +
              frame_json("ADDED", object_json("d", "12", "old")));
  EXPECT_EQ(log(), (Lines{"replaced a @10", "added d @12"})) << "a watched one is left out";
  EXPECT_EQ(known_["d"]->field({"data"}), "new");
  watch->send(frame_json("ADDED", object_json("e", "13", "poison")));
  loop_.run_ready();
  EXPECT_EQ(reflector_->last_version(), "13") << "the version goes on";
  EXPECT_EQ(reflector_->counters().transform_failures, 3u);
}

TEST_F(ReflectorTest, ParsesNothingTwice) {
  begin();
  listed("10", {object_json("a", "3")})->refuse(500, "Weird");
  loop_.run_ready();
  const ObjectPtr before = known_["a"];
  step(kSecond);
  listed("11", {object_json("a", "3")});
  EXPECT_EQ(known_["a"], before) << "an unchanged object is the one already held";
}

TEST_F(ReflectorTest, DecodesNothingWhileTheSinkIsFullAndHoldsUpTheServer) {
  begin();
  const auto watch = listed();
  full_ = true;
  std::string many;
  for (int i = 0; many.size() < Inlet::kHigh; ++i)
    many += frame_json("ADDED", object_json("a", cat(11 + i)));
  watch->send(many);
  loop_.run_ready();
  log_.clear();
  EXPECT_EQ(watch->send(many), kube::Rest::Flow::kPause);
  loop_.run_ready();
  EXPECT_EQ(watch->resumed, 0);
  EXPECT_TRUE(log_.empty());
  full_ = false;
  reflector_->wake();
  loop_.run_ready();
  EXPECT_EQ(watch->resumed, 1);
  EXPECT_FALSE(log_.empty());
}

TEST_F(ReflectorTest, CallsNothingAfterStop) {
  begin();
  const auto watch = listed();
  log();
  watch->send(frame_json("ADDED", object_json("a", "11")));
  reflector_->stop();
  EXPECT_TRUE(watch->dropped);
  step(600 * kSecond);
  EXPECT_TRUE(log().empty());
  EXPECT_TRUE(quiet());
}

// One that is fed as fast as it reads.
struct Busy : Sink {
  ObjectPtr held(std::string_view, std::string_view) override { return nullptr; }
  void push(Delta d) override {
    if (d.kind != Delta::Kind::kAdded || !more) return;
    if (++heard < 5000) more();
  }
  std::function<void()> more;
  int heard = 0;
};

TEST_F(ReflectorTest, LeavesTheLoopToOthersWhileItsStreamStaysFull) {
  begin();
  const auto quiet_watch = listed();
  log();
  Busy busy;
  Reflector other(loop_, rest_, {"", "v1", "secrets"}, busy, [] { return 0.0; }, {.watch_list = false});
  other.start();
  const auto watch = listed();
  int heard_before = -1;
  busy.more = [&] {
    watch->send(frame_json("ADDED", object_json("x", "12")));
    if (busy.heard == 1) quiet_watch->send(frame_json("ADDED", object_json("a", "11")));
    if (heard_before < 0 && !log_.empty()) heard_before = busy.heard;
  };
  watch->send(frame_json("ADDED", object_json("x", "11")));
  EXPECT_EQ(log(), Lines{"added a @11"});
  EXPECT_GT(heard_before, 0) << "it came only when the other had no more";
  EXPECT_LT(heard_before, 20);
  EXPECT_EQ(busy.heard, 5000) << "and goes on";
}

// ---- the streaming list

TEST_F(ReflectorTest, StreamsTheListUpToTheBookmarkAndGoesOnWatching) {
  begin({});
  const auto stream = next();
  EXPECT_EQ(stream->call.query,
            "allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&"
            "timeoutSeconds=300&watch=true")
      << "no version: a consistent one";
  stream->send(frame_json("ADDED", object_json("a", "3")) +
               frame_json("ADDED", object_json("b", "4")) +
               frame_json("ADDED", object_json("c", "5")));
  stream->send(frame_json("MODIFIED", object_json("b", "6")) +
               frame_json("DELETED", object_json("a", "7")) + bookmark_json("7"));
  EXPECT_TRUE(log().empty()) << "collected aside";
  stream->send(bookmark_json("8", true));
  EXPECT_EQ(log(), Lines{"replaced c b @8"});
  EXPECT_TRUE(reflector_->watching());
  stream->send(frame_json("ADDED", object_json("d", "9")));
  EXPECT_EQ(log(), Lines{"added d @9"});
  EXPECT_TRUE(quiet()) << "the same stream goes on";
  stream->end();
  const auto watch = next();
  EXPECT_EQ(watch->find("sendInitialEvents"), "");
  EXPECT_EQ(watch->find("resourceVersion"), "9");
}

TEST_F(ReflectorTest, ListsAloneAndWatchesAnewBehindAStreamedListWhenToldTo) {
  for (const bool alone : {true, false}) {
    begin({.lists_alone = alone});
    auto stream = next();
    EXPECT_EQ(stream->call.alone, alone) << "a streaming list";
    stream->send(frame_json("ADDED", object_json("a", "3")) + bookmark_json("8", true) +
                 frame_json("ADDED", object_json("b", "9")));
    if (!alone) {
      EXPECT_EQ(log(), (Lines{"replaced a @8", "added b @9"}));
      EXPECT_TRUE(quiet());
      continue;
    }
    auto watch = next();
    EXPECT_TRUE(stream->dropped);
    EXPECT_EQ(log(), Lines{"replaced a @8"}) << "what the stream says besides, the watch says again";
    EXPECT_TRUE(reflector_->watching());
    EXPECT_EQ(watch->find("sendInitialEvents"), "");
    EXPECT_EQ(watch->find("resourceVersion"), "8");
    EXPECT_FALSE(watch->call.alone);
    watch->send(frame_json("ADDED", object_json("b", "9")));
    EXPECT_EQ(log(), Lines{"added b @9"});
    watch->end(refused());
    step(800 * kMs);
    EXPECT_TRUE(next()->call.alone) << "the check before a watch";
  }
  begin({.watch_list = false, .lists_alone = true});
  const auto list = next();
  EXPECT_TRUE(list->call.alone);
  list->answer(list_json({}, "10"));
  EXPECT_FALSE(next()->call.alone);
}

TEST_F(ReflectorTest, FallsBackToTheListWhenTheStreamIsRefused) {
  begin({});
  next()->refuse(
      422, "Invalid",
      "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled");
  const auto list = next();
  EXPECT_EQ(list->call.query, "limit=500&resourceVersion=0") << "in the same pass";
  list->answer(list_json({}, "10"));
  next()->refuse(500, "Weird");
  step(kSecond);
  EXPECT_EQ(next()->find("sendInitialEvents"), "true") << "the next pass tries again";
}

TEST_F(ReflectorTest, StreamsAnewWithNothingKeptWhenItEndsBeforeTheBookmark) {
  begin({});
  const auto first = next();
  first->send(frame_json("ADDED", object_json("a", "3")));
  step(2 * kSecond);
  first->end();
  const auto second = next();
  second->send(frame_json("ADDED", object_json("b", "4")) + bookmark_json("5", true));
  EXPECT_EQ(log(), Lines{"replaced b @5"});
}

TEST_F(ReflectorTest, FallsBackForGoodAfterThreeStreamsWithoutTheBookmark) {
  begin({});
  for (int i = 0; i < 3; ++i) {
    const auto stream = next();
    EXPECT_EQ(stream->find("sendInitialEvents"), "true");
    step(2 * kSecond);
    stream->end();
  }
  listed()->refuse(500, "Weird");
  step(kSecond);
  EXPECT_FALSE(next()->is_watch());
  EXPECT_EQ(reflector_->counters().watch_list_fallbacks, 1u);
}

TEST_F(ReflectorTest, FallsBackForGoodWhenTheBookmarkDoesNotCome) {
  const std::string added = frame_json("ADDED", object_json("a", "3"));
  const std::string modified = frame_json("MODIFIED", object_json("a", "4"));
  const std::string deleted = frame_json("DELETED", object_json("a", "5"));
  // What comes each second from then on, up to `last` s after the start; and when it is given up.
  struct Piece { int64_t from; std::string sent; };
  const struct { const char* claim; std::vector<Piece> pieces; int64_t last, given_up; } cases[] = {
      {"nothing", {}, 0, 30},
      {"silence after one", {{7, added}}, 7, 37},
      {"silence after many", {{0, added}}, 100, 130},
      {"initial events that take long", {{0, added}, {200, bookmark_json("9", true)}}, 200, 0},
      {"initial events without an end", {{0, added}}, 1000, 300},
      {"a busy kind", {{0, added}, {50, modified}}, 1000, 80},
      {"one that is busy at once", {{3, modified}}, 1000, 33},
      {"deletes, then objects", {{0, deleted}, {1, added}}, 1000, 30},
      {"the wrong bookmark", {{0, added}, {60, bookmark_json("9")}}, 1000, 90},
      {"a bookmark just in time", {{0, added}, {50, modified}, {79, bookmark_json("9", true)}}, 79, 0},
  };
  for (const bool streamed : {false, true}) {
    for (const auto& c : cases) {
      SCOPED_TRACE(cat(c.claim, streamed ? " streamed on" : ""));
      begin({.stream_lists = streamed});
      const auto stream = next();
      int64_t given_up = 0;
      const int64_t ends = c.given_up == 0 ? c.last : 310;
      for (int64_t t = 0; t <= ends && given_up == 0; ++t) {
        const std::string* now = nullptr;
        for (const Piece& p : c.pieces) now = p.from <= t ? &p.sent : now;
        if (now != nullptr && t <= c.last) stream->send(*now);
        loop_.run_ready();
        if (stream->dropped) given_up = t;
        clock_.step(kSecond);
      }
      if (c.given_up == 0) {
        EXPECT_EQ(given_up, 0);
        EXPECT_EQ(reflector_->last_version(), "9");
        continue;
      }
      EXPECT_EQ(given_up, c.given_up);
      EXPECT_EQ(reflector_->counters().watch_list_fallbacks, 1u);
      listed("9", {object_json("b", "4")})->refuse(410, "Gone");
      step(kSecond);
      EXPECT_FALSE(next()->is_watch()) << "for good";
    }
  }
}

TEST_F(ReflectorTest, DoesNotCountTheTimeOfAFullSinkAgainstAStreamingList) {
  begin({.stream_lists = true});
  const auto stream = next();
  stream->send(frame_json("ADDED", object_json("a", "3")) + frame_json("MODIFIED", object_json("a", "4")));
  step(20 * kSecond);
  full_ = true;
  stream->send(frame_json("MODIFIED", object_json("a", "5")));
  for (int i = 0; i < 40; ++i) step(10 * kSecond);
  EXPECT_FALSE(stream->dropped);
  full_ = false;
  reflector_->wake();
  step(9 * kSecond);
  EXPECT_FALSE(stream->dropped);
  step(kSecond);
  EXPECT_TRUE(stream->dropped) << "30 s in all";
}

TEST_F(ReflectorTest, StreamsAgainAfterRefusedConnectionsAnd429) {
  begin({});
  next()->end(refused());
  step(800 * kMs);
  auto stream = next();
  EXPECT_EQ(stream->find("sendInitialEvents"), "true");
  stream->send(error_frame(429, "TooManyRequests"));
  step(1600 * kMs);
  EXPECT_EQ(next()->find("sendInitialEvents"), "true");
}

TEST_F(ReflectorTest, StreamsAtItsVersionAndAtNoneWhenThatIsGone) {
  begin({});
  auto stream = next();
  stream->send(bookmark_json("8", true) + error_frame(410, "Expired"));
  step(800 * kMs);
  stream = next();
  EXPECT_EQ(stream->find("resourceVersion"), "8");
  stream->refuse(410, "Expired");
  stream = next();
  EXPECT_EQ(stream->find("sendInitialEvents"), "true") << "at once";
  EXPECT_EQ(stream->find("resourceVersion"), "");
  stream->send(bookmark_json("20", true));
  EXPECT_EQ(log(), (Lines{"replaced @8", "replaced @20"}));
}

}  // namespace
}  // namespace pintle::informer
