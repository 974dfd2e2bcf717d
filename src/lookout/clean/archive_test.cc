#include "lookout/clean/archive.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/strings.h"
#include "json/json.h"
#include "lookout/fields.h"
#include "lookout/testing/store_fixture.h"
#include "sys/gzip.h"

namespace pintle::lookout {
namespace {

namespace fs = std::filesystem;

class ArchiveTest : public testing::Test {
 protected:
  void SetUp() override { fs::remove_all(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  std::vector<std::string> files() const {
    std::vector<std::string> out;
    if (!fs::exists(folder_)) return out;
    for (const auto& f : fs::directory_iterator(folder_)) out.push_back(f.path().filename());
    std::sort(out.begin(), out.end());
    return out;
  }
  GoingRows rows() {
    GoingRows r;
    r.policy = &policy_;
    r.table = "event";
    StoredEvent e;
    e.sequence = 17;
    e.region = "eu";
    e.event = event_of("pod.failed");
    r.events = {e, e};
    r.events[1].sequence = 19;
    Delivery d;
    d.id = 5;
    d.event_sequence = 17;
    d.state = DeliveryState::kDead;
    d.dead_reason = "410 \"gone\"\n";
    r.deliveries = {d};
    Attempt a;
    a.delivery_id = 5;
    a.n = 1;
    a.status = 410;
    a.response_head = "gone";
    r.attempts = {a};
    r.observations = {{"c1", state_of("u1", "3")}};
    r.gaps = {{4, "eu", {"events", 1, 2, "9", "history was compacted"}}};
    r.audit = {{5, kStartMs, {"ann", "admin"}, {"rule", "mine", "added", "[]"}}};
    return r;
  }

  CleaningPolicy policy_ = [] {
    CleaningPolicy p;
    p.name = p.type = "pod.*";
    return p;
  }();
  const std::string folder_ =
      testing::TempDir() + "archive_test-" + std::to_string(getpid()) + "/below";
};

TEST_F(ArchiveTest, IsALineOfJsonForEachRow) {
  ASSERT_TRUE(write_archive(rows(), folder_, sys::real_disk(), 1'767'323'045'678));
  ASSERT_EQ(files(),
            (std::vector<std::string>{"pod.all-event-20260102T030405.678Z-17-19.jsonl.gz"}));
  const auto packed = sys::real_disk().read_file(folder_ + "/" + files()[0]);
  const auto text = sys::gunzip(*packed, 1 << 20);
  ASSERT_TRUE(text) << text.error().text();
  std::vector<std::string> tables;
  for (const std::string_view line : split(*text, "\n")) {
    if (line.empty()) continue;
    const auto read = json::read(line, {json::Numbers::kExact});
    ASSERT_TRUE(read) << line;
    tables.emplace_back(text_at(*read, {"table"}));
    if (tables.back() == "delivery") {
      EXPECT_EQ(text_at(*read, {"dead_reason"}), "410 \"gone\"\n");
      EXPECT_EQ(number_at(*read, {"event"}), 17);
    }
    if (tables.back() == "attempt") {
      EXPECT_EQ(number_at(*read, {"delivery"}), 5);
      EXPECT_EQ(text_at(*read, {"response"}), "gone");
    }
    if (tables.back() == "observation") {
      EXPECT_EQ(text_at(*read, {"subject", "name"}), "web-u1");
    }
  }
  EXPECT_EQ(tables, (std::vector<std::string>{"event", "event", "delivery", "attempt",
                                              "observation", "gap", "audit"}));
}

TEST_F(ArchiveTest, WritesOverNothingAndLeavesNoHalfFile) {
  ASSERT_TRUE(write_archive(rows(), folder_, sys::real_disk(), 1000));
  const Status again = write_archive(rows(), folder_, sys::real_disk(), 1000);
  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().code(), Code::kAlreadyExists);
  EXPECT_EQ(files().size(), 1u);
  EXPECT_FALSE(write_archive(rows(), "/dev/null/x", sys::real_disk(), 1).has_value());
}

}  // namespace
}  // namespace pintle::lookout
