// The reflector when the server is not what it was: silent, away, restored from an older state, or failing for a while.
#include "informer/testing/reflector_fixture.h"

namespace pintle::informer {
namespace {

TEST_F(ReflectorTest, LosesAServerThatDoesNotAnswerAWatch) {
  begin();
  const auto watch = listed();
  EXPECT_EQ(watch->call.timeout_ms, 330'000) << "it ends what the server forgot to end";
  step(9999 * kMs);
  EXPECT_TRUE(reflector_->watching());
  step(kMs);
  EXPECT_FALSE(reflector_->watching());
  EXPECT_TRUE(reflector_->lost());
  EXPECT_FALSE(watch->dropped) << "it may come yet";
  watch->accept();
  loop_.run_ready();
  EXPECT_TRUE(reflector_->watching());
  EXPECT_EQ(reflector_->counters().last_error, "");
}

TEST_F(ReflectorTest, AsksAServerThatNeverSentABookmarkOnce) {
  begin();
  listed()->accept();
  step(89 * kSecond);
  EXPECT_TRUE(reflector_->watching());
  step(2 * kSecond);
  const auto watch = checked("10");
  watch->accept();
  step(290 * kSecond);
  EXPECT_FALSE(watch->dropped) << "it may be quiet";
}

TEST_F(ReflectorTest, LosesAServerWhoseBookmarksStop) {
  begin();
  auto watch = listed();
  watch->accept();
  for (int i = 1; i <= 3; ++i) {
    step(72 * kSecond);
    watch->send(bookmark_json(cat(10 + i)));
  }
  step(104 * kSecond);
  EXPECT_TRUE(reflector_->watching());
  step(2 * kSecond);
  EXPECT_TRUE(watch->dropped) << "72 s, a quarter more and 15 s";
  EXPECT_TRUE(reflector_->lost());
  watch = checked("13");
  EXPECT_EQ(watch->find("resourceVersion"), "13");
  EXPECT_TRUE(reflector_->lost()) << "until it answers";
  watch->accept();
  loop_.run_ready();
  EXPECT_TRUE(reflector_->watching());
}

TEST_F(ReflectorTest, AFullSinkIsNoSilence) {
  begin();
  const auto watch = listed();
  watch->accept();
  step(60 * kSecond);
  watch->send(bookmark_json("11"));
  step(kSecond);
  full_ = true;
  watch->send(frame_json("ADDED", object_json("a", "12")));
  step(200 * kSecond);
  EXPECT_FALSE(watch->dropped);
  EXPECT_TRUE(reflector_->watching());
}

TEST_F(ReflectorTest, WatchesAgainWhenAConnectionIsLostAndIsNotWatchingMeanwhile) {
  begin();
  auto watch = listed();
  watch->accept();
  watch->send(frame_json("ADDED", object_json("a", "11")));
  step(50 * kSecond);
  watch->end(Error(Code::kUnavailable, "http2: client connection lost"));
  const auto check = next();
  EXPECT_FALSE(check->is_watch());
  EXPECT_TRUE(reflector_->lost());
  EXPECT_EQ(reflector_->counters().last_error, "http2: client connection lost");
  check->end(Error(Code::kUnavailable, "Get \"https://x\": dial tcp 127.0.0.1:1: i/o timeout"));
  EXPECT_TRUE(quiet());
  EXPECT_TRUE(reflector_->lost());
  step(800 * kMs);
  watch = checked("11");
  EXPECT_EQ(watch->find("resourceVersion"), "11") << "no list of all";
  watch->accept();
  loop_.run_ready();
  EXPECT_TRUE(reflector_->watching());
}

TEST_F(ReflectorTest, ListsAnewWhenTheServerWasSetBack) {
  for (const bool streamed : {false, true}) {
    begin({.watch_list = false, .stream_lists = streamed});
    auto list = next();
    list->answer(list_json({object_json("a", "99"), object_json("b", "120")}, "120"));
    next()->end(refused());
    log();
    errors_.clear();
    step(800 * kMs);
    const auto check = next();
    check->answer(list_json({}, "100"));
    list = next();
    EXPECT_EQ(list->call.query, "limit=500") << "at no version, at once";
    EXPECT_EQ(errors_, Lines{"the server's version went back from 120 to 100: it was restored from "
                             "an older state"});
    list->answer(list_json({object_json("a", "99")}, "100"));
    const auto watch = next();
    EXPECT_EQ(watch->find("resourceVersion"), "100");
    EXPECT_EQ(log(), streamed ? (Lines{"added a anew @", "replaced a anew @100"})
                              : Lines{"replaced a anew @100"});
    watch->send(frame_json("ADDED", object_json("c", "101")));
    EXPECT_EQ(log(), Lines{"added c @101"});
  }
}

TEST_F(ReflectorTest, FindsAServerSetBackThatHasComeFurtherMeanwhileByTheNewestObject) {
  const struct { const char* claim; Lines there; bool set_back; } cases[] = {
      {"it may have been deleted", {}, false},
      {"it is an older one", {object_json("x/b", "60")}, true},
      {"it may have been made anew", {replace_all(object_json("x/b", "130"), "uid-b", "uid-c")}, false},
      {"it is as it was", {object_json("x/b", "99")}, false},
      {"it has changed since", {object_json("x/b", "140")}, false},
  };
  for (const auto& c : cases) {
    begin();
    next()->answer(list_json({object_json("x/a", "80"), object_json("x/b", "99")}, "120"));
    auto watch = next();
    watch->send(frame_json("ADDED", object_json("x/z", "121")));
    watch->send(frame_json("DELETED", object_json("x/z", "122")));
    watch->send(frame_json("MODIFIED", object_json("x/b", "99")));
    loop_.run_ready();
    watch->end(refused());
    step(800 * kMs);
    const auto check = next();
    EXPECT_EQ(check->call.path, "/api/v1/namespaces/x/configmaps");
    EXPECT_EQ(check->call.query, "fieldSelector=metadata.name%3Db&limit=1");
    check->answer(list_json(c.there, "150"));
    EXPECT_EQ(next()->is_watch(), !c.set_back) << c.claim;
  }
}

TEST_F(ReflectorTest, ListsAnewWhenAListAtNoVersionIsOlder) {
  begin();
  auto watch = listed("120", {object_json("a", "99")});
  watch->send(error_frame(410, "Gone"));
  step(800 * kMs);
  next()->refuse(504, "Timeout", "Too large resource version: 120, current: 100");
  log();
  const auto list = next();
  EXPECT_EQ(list->find("resourceVersion"), "");
  errors_.clear();
  list->answer(list_json({object_json("a", "99")}, "100"));
  EXPECT_EQ(next()->find("resourceVersion"), "100");
  EXPECT_EQ(log(), Lines{"replaced a anew @100"});
  EXPECT_EQ(errors_.size(), 1u);
}

TEST_F(ReflectorTest, AsksWhenABookmarkIsOlderThanWhatCameBefore) {
  begin();
  auto watch = listed("120");
  watch->accept();
  watch->send(bookmark_json("100"));
  watch = checked("121");
  EXPECT_EQ(watch->find("resourceVersion"), "120") << "it was another server that lagged behind";
}

TEST_F(ReflectorTest, NeverComparesVersionsThatAreNoNumbers) {
  begin();
  listed("b120")->end(refused());
  step(800 * kMs);
  EXPECT_EQ(checked("a100")->find("resourceVersion"), "b120");
}

TEST_F(ReflectorTest, IsNotTakenBackByTheListAfterOneThatWasCut) {
  for (const bool streamed : {false, true}) {
    begin({.watch_list = streamed, .stream_lists = true});
    const auto list = next();
    list->send(streamed ? frame_json("ADDED", object_json("a", "261"))
                        : R"({"kind":"ConfigMapList","items":[)" + object_json("a", "261") + ",");
    loop_.run_ready();
    list->end(Error(Code::kDataLoss, "Get \"x\": unexpected EOF"));
    step(800 * kMs);
    EXPECT_EQ(next()->find("resourceVersion"), "261") << streamed;
  }
}

TEST_F(ReflectorTest, IsNotTakenBackBehindWhatWasToldBeforeItsStoredVersionWasGone) {
  begin({.watch_list = false, .start_version = "20", .least_version = "30"});
  checked("30")->refuse(410, "Expired");
  step(800 * kMs);
  EXPECT_EQ(next()->find("resourceVersion"), "30");
}

TEST_F(ReflectorTest, KeepsItsPlaceThroughWhatPasses) {
  begin({.watch_list = false, .keep_place = true});
  listed()->end();
  step(800 * kMs);
  for (const Error& e : {api_error(500, "InternalError"), api_error(503, ""), api_error(403, "Forbidden")}) {
    auto watch = next();
    EXPECT_EQ(watch->find("resourceVersion"), "10") << e.text();
    watch->end(e);
    step(61 * kSecond);
  }
  auto watch = next();
  watch->send(error_frame(500, "StoreReadError", "corrupt object"));
  step(61 * kSecond);
  EXPECT_FALSE(next()->is_watch()) << "an object is missing";
}

TEST_F(ReflectorTest, ListsWhenAWatchHasFailedForTenMinutes) {
  begin({.watch_list = false, .keep_place = true});
  auto request = listed();
  int watches = 0;
  for (; request->is_watch() && watches < 100; ++watches) {
    request->end(api_error(503, ""));
    step(61 * kSecond);
    request = next();
  }
  EXPECT_EQ(watches, 11);
  request->answer(list_json({}, "12"));
  auto watch = next();
  watch->send(frame_json("ADDED", object_json("a", "13")));
  loop_.run_ready();
  watch->end(api_error(503, ""));
  step(61 * kSecond);
  EXPECT_TRUE(next()->is_watch()) << "the time begins anew with a frame";
}

// A proxy that serves lists and breaks every watch.
TEST_F(ReflectorTest, AsksSlowlyWhereEveryWatchBreaksBeforeItIsAnswered) {
  const Error breaks[] = {
      Error(Code::kUnavailable, "Get \"https://x\": EOF"),
      Error(Code::kDataLoss, "Get \"https://x\": unexpected EOF"),
      Error(Code::kUnavailable, "Get \"https://x\": read: connection reset by peer"),
      Error(Code::kDeadlineExceeded, "Get \"https://x\": context deadline exceeded"),
  };
  for (const Error& e : breaks) {
    for (const bool keep : {false, true}) {
      for (const int64_t lasts : {int64_t{0}, 5 * kSecond}) {
        SCOPED_TRACE(cat(e.text(), keep ? " keep " : " ", lasts));
        begin({.watch_list = false, .keep_place = keep});
        errors_.clear();
        int watches = 0, lists = 0, late = 0;
        const auto serve = [&](int64_t seconds) {
          for (int64_t until = clock_.monotonic_ns() + seconds * kSecond; clock_.monotonic_ns() < until;) {
            loop_.run_ready();
            while (const auto x = rest_.next()) {
              if (x->is_watch()) {
                if (lasts > 0) step(lasts);
                EXPECT_FALSE(reflector_->watching() && watches > 0) << "nothing has been answered";
                ++watches;
                x->end(e);
              } else {
                lists += x->find("limit") == "1" ? 0 : 1;
                x->answer(list_json({object_json("a", "3")}, "10"));
              }
              ++late;
              loop_.run_ready();
            }
            if (watches > 1 && reflector_->counters().last_error.empty()) {
              ADD_FAILURE() << "it is not told why";
            }
            step(100 * kMs);
          }
        };
        serve(300);
        EXPECT_GE(watches, 11);
        EXPECT_EQ(static_cast<int>(errors_.size()), watches) << "each is told";
        if (keep) EXPECT_EQ(lists, 1) << "it keeps its place";
        late = 0;
        serve(300);
        EXPECT_LE(late, 22) << "two requests each 30 s";
        EXPECT_GE(late, 6);

        step(60 * kSecond);
        ExchangePtr watch = next();
        while (!watch->dropped && !watch->is_watch()) {
          watch->answer(list_json({object_json("a", "3")}, "10"));
          watch = next();
        }
        watch->accept();
        loop_.run_ready();
        EXPECT_TRUE(reflector_->watching());
        EXPECT_EQ(reflector_->counters().last_error, "");
        errors_.clear();
        watch->send(frame_json("ADDED", object_json("b", "11")));
        loop_.run_ready();
        watch->end(Error(Code::kUnavailable, "Get \"https://x\": EOF"));
        EXPECT_EQ(next()->find("resourceVersion"), "11") << "at once, as it was answered";
      }
    }
  }
}

TEST_F(ReflectorTest, TriesAWatchThatBrokeAtItsStartAgainAfterASecond) {
  begin();
  listed()->end(Error(Code::kUnavailable, "Get \"https://x\": EOF"));
  EXPECT_TRUE(quiet());
  EXPECT_EQ(errors_, Lines{"Get \"https://x\": EOF"});
  EXPECT_FALSE(reflector_->watching());
  step(kSecond);
  const auto watch = checked("10");
  EXPECT_FALSE(reflector_->watching()) << "until it is answered";
  watch->accept();
  loop_.run_ready();
  EXPECT_TRUE(reflector_->watching());
}

TEST_F(ReflectorTest, ListsWhenItsPlaceIsGone) {
  begin({.watch_list = false, .keep_place = true});
  listed()->refuse(410, "Expired");
  step(800 * kMs);
  EXPECT_FALSE(next()->is_watch());
}

}  // namespace
}  // namespace pintle::informer
