// A watch that is cut anywhere: whatever byte was the last, the next watch goes on behind the last
// whole frame, at once and without a list, and what is told is what the server had, each state once.
#include <algorithm>

#include "informer/testing/reflector_fixture.h"

namespace pintle::informer {
namespace {

constexpr int kFrames = 200, kFirst = 11;  // versions count on from the first frame's
constexpr const char* kKeys[] = {"a", "b", "shop/c", "shop/d", "e"};

// What a server tells from version 10 on: objects that come, change, go and come again, bookmarks.
struct Stream {
  std::string text;
  std::vector<size_t> begins, ends;  // of each frame; the newline behind it is not part of it
  Lines told;
  std::map<std::string, std::string> left;  // the objects there are in the end

  Stream() {
    for (int i = 0; i < kFrames; ++i) {
      begins.push_back(text.size());
      add(i, cat(kFirst + i));
      ends.push_back(text.size() - 1);
    }
  }
  void add(int i, const std::string& version) {
    if (i % 9 == 8) {
      text += bookmark_json(version);
      told.push_back(cat("bookmark @", version));
      return;
    }
    const std::string key = kKeys[i * 7 % 5];
    const std::string object = object_json(key, version, R"(}{\"ü\\)");
    const bool known = left.contains(key);
    const bool gone = known && i % 4 == 3;
    text += frame_json(gone ? "DELETED" : known ? "MODIFIED" : "ADDED", object);
    told.push_back(cat(gone ? "deleted " : known ? "updated " : "added ", key, " @", version));
    left[key] = object;
    if (gone) left.erase(key);
  }
  // What a watch that asks for this version is told.
  std::string_view from(const std::string& version) const {
    const size_t next = static_cast<size_t>(atoi(version.c_str()) + 1 - kFirst);
    return next < begins.size() ? std::string_view(text).substr(begins[next]) : "";
  }
  std::string last_of(size_t bytes) const {
    const auto whole = std::upper_bound(ends.begin(), ends.end(), bytes) - ends.begin();
    return cat(kFirst - 1 + whole);
  }
};

// A server or what lies before it ends the stream, or the connection breaks.
const Status kEnds[] = {ok(), Error(Code::kDataLoss, "Get \"https://x\": unexpected EOF")};

class CutWatchTest : public ReflectorTest {
 protected:
  void push(Delta d) override {
    const std::string gone(d.kind == Delta::Kind::kDeleted ? d.object->key() : "");
    ReflectorTest::push(std::move(d));
    known_.erase(gone);
  }
  ExchangePtr watched() {
    known_.clear();
    begin();
    auto watch = listed();
    log();
    return watch;
  }
  // The watch is told this much and breaks; the next one, which no timer was waited for.
  ExchangePtr cut(const ExchangePtr& watch, std::string_view bytes, const Status& end) {
    watch->accept();
    step(kSecond);  // one that ends sooner without a frame is an error
    const int64_t cut_at = clock_.now_ns();
    watch->send(bytes);
    loop_.run_ready();
    watch->end(end);
    auto again = next();
    EXPECT_TRUE(again->is_watch()) << again->call.query;
    EXPECT_EQ(clock_.now_ns(), cut_at);
    return again;
  }
  // What was told is what there was, each once; and nothing was asked but watches, at once.
  void told_all(const Stream& stream, size_t watches) {
    EXPECT_EQ(log(), stream.told);
    std::map<std::string, std::string> left;
    for (const auto& [key, object] : known_) left[key] = object->text();
    EXPECT_EQ(left, stream.left);
    EXPECT_EQ(reflector_->counters().lists, 1u);
    EXPECT_EQ(reflector_->counters().watches, watches);
    EXPECT_EQ(reflector_->counters().backoffs, 0u);
    EXPECT_EQ(errors_, Lines{});
  }
};

TEST_F(CutWatchTest, LivesThroughACutBehindEachByte) {
  const Stream stream;
  ASSERT_EQ(stream.told.size(), static_cast<size_t>(kFrames));
  auto watch = watched();
  size_t watches = 1;
  for (size_t frame = 0; frame < stream.ends.size(); ++frame) {
    // Behind each byte within, then behind the whole frame.
    for (size_t end = stream.begins[frame] + 1; end <= stream.ends[frame]; ++end) {
      for (const Status& how : kEnds) {
        const size_t begin = stream.begins[frame];
        watch = cut(watch, std::string_view(stream.text).substr(begin, end - begin), how);
        ++watches;
        ASSERT_EQ(watch->find("resourceVersion"), stream.last_of(end)) << end << " bytes";
        if (end == stream.ends[frame]) break;  // it goes on behind it
      }
    }
  }
  told_all(stream, watches);
}

TEST_F(CutWatchTest, GoesOnWithWhatTheCutHasLeftOver) {
  const Stream stream;
  constexpr size_t kStride = 83;  // at other places of each frame
  for (size_t bytes = 0; bytes <= stream.text.size(); bytes += kStride) {
    for (const Status& how : kEnds) {
      if (bytes == 0 && !how) continue;  // one that breaks before its first byte is begun again after a second
      SCOPED_TRACE(cat(bytes, " bytes, then ", how ? "the end" : "a cut"));
      const auto watch = cut(watched(), std::string_view(stream.text).substr(0, bytes), how);
      const std::string version = watch->find("resourceVersion");
      ASSERT_EQ(version, stream.last_of(bytes));
      watch->send(stream.from(version));
      told_all(stream, 2);
    }
  }
}

}  // namespace
}  // namespace pintle::informer
