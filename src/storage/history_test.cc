#include "storage/history.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace pintle::storage {
namespace {

using Revisions = std::vector<std::pair<int, const char*>>;  // number, status

std::vector<release::Record> records(const Revisions& revisions) {
  std::vector<release::Record> out;
  for (const auto& [version, status] : revisions) {
    release::Record& record = out.emplace_back();
    record.name = "r";
    record.namespace_ = "default";
    record.version = version;
    record.status = status;
  }
  return out;
}

std::string numbers(Driver& driver) {
  std::string out;
  const auto heads = history(driver, "r");
  if (!heads) return heads.error().text();
  for (const Head& head : *heads) out += std::to_string(head.version) + " ";
  return out;
}

TEST(History, IsOldestFirstByNumber) {
  const auto driver = *memory("default", records({{10, "deployed"}, {2, "superseded"}, {1, "x"}}));
  EXPECT_EQ(numbers(*driver), "1 2 10 ");
  EXPECT_EQ(last(*driver, "r")->version, 10);
}

TEST(History, OfNothingIsNotFound) {
  const auto driver = memory("default");
  EXPECT_EQ(numbers(*driver), "release: not found");
  EXPECT_TRUE(is_not_found(last(*driver, "r").error()));
  EXPECT_TRUE(deployed(*driver, "r")->empty());
}

TEST(History, KnowsWhatIsDeployed) {
  const auto driver =
      *memory("default", records({{1, "deployed"}, {2, "failed"}, {3, "deployed"}, {4, "failed"}}));
  const auto found = *deployed(*driver, "r");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].version, 1);
  EXPECT_EQ(found[1].version, 3);
  EXPECT_EQ(newest_deployed(*history(*driver, "r"))->version, 3);
}

struct Pruned {
  const char* claim;
  Revisions before;
  int max;
  const char* after;
};

const Pruned kPruned[] = {
    {"zero keeps all", {{1, "superseded"}, {2, "deployed"}}, 0, "1 2 "},
    {"leaves room for the one to come", {{1, "superseded"}, {2, "superseded"}, {3, "deployed"}}, 2,
     "3 "},
    {"does nothing while there is room", {{1, "superseded"}, {2, "deployed"}}, 3, "1 2 "},
    {"spares the newest deployed one", {{1, "deployed"}, {2, "failed"}, {3, "failed"}}, 2, "1 "},
    {"spares it even when nothing else is left", {{1, "deployed"}}, 1, "1 "},
    {"does not spare an older deployed one", {{1, "deployed"}, {2, "deployed"}, {3, "failed"}}, 3,
     "2 3 "},
    {"takes the oldest when none is deployed", {{1, "failed"}, {2, "failed"}, {3, "failed"}}, 2,
     "3 "},
};

class Prune : public testing::TestWithParam<Pruned> {};

TEST_P(Prune, Keeps) {
  const Pruned& c = GetParam();
  const auto driver = *memory("default", records(c.before));
  EXPECT_TRUE(prune(*driver, *history(*driver, "r"), c.max, {})) << c.claim;
  EXPECT_EQ(numbers(*driver), c.after) << c.claim;
}

INSTANTIATE_TEST_SUITE_P(Histories, Prune, testing::ValuesIn(kPruned));

}  // namespace
}  // namespace pintle::storage
