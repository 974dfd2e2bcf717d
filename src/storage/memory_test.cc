#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "storage/driver.h"

namespace pintle::storage {
namespace {

release::Record record(const std::string& ns, const std::string& name, int version,
                       const std::string& status = "deployed") {
  release::Record out;
  out.namespace_ = ns;
  out.name = name;
  out.version = version;
  out.status = status;
  return out;
}

std::string names(const std::vector<Head>& heads) {
  std::string out;
  for (const Head& head : heads) {
    out += head.namespace_ + "/" + head.name + "." + std::to_string(head.version) + " ";
  }
  return out;
}

std::vector<release::Record> sample() {
  return {record("default", "a", 1, "superseded"), record("default", "a", 2),
          record("other", "a", 1), record("default", "b", 1, "failed")};
}

TEST(Memory, ShowsTheRecordsOfItsNamespace) {
  const auto driver = *memory("default", sample());
  EXPECT_EQ(names(*driver->heads({})), "default/a.1 default/a.2 default/b.1 ");
  EXPECT_EQ(names(*(*memory("other", sample()))->heads({})), "other/a.1 ");
  EXPECT_EQ(names(*(*memory("nowhere", sample()))->heads({})), "");
}

TEST(Memory, WithoutANamespaceShowsAll) {
  EXPECT_EQ(names(*(*memory("", sample()))->heads({})),
            "default/a.1 default/a.2 default/b.1 other/a.1 ");
}

TEST(Memory, ARecordWithoutANamespaceIsInDefault) {
  const auto driver = *memory("default", {record("", "a", 1)});
  EXPECT_EQ(driver->get("a", 1)->name, "a");
  EXPECT_EQ(driver->fetch(*driver->heads({}))->size(), 1u);
}

TEST(Memory, FindsByTheLabelsThatASecretWouldHave) {
  const auto driver = *memory("default", sample());
  EXPECT_EQ(names(*driver->heads({{"name", "a"}, {"owner", "helm"}})), "default/a.1 default/a.2 ");
  EXPECT_EQ(names(*driver->heads({{"status", "failed"}})), "default/b.1 ");
  EXPECT_EQ(names(*driver->heads({{"version", "2"}})), "default/a.2 ");
  EXPECT_EQ(names(*driver->heads({{"owner", "someone"}})), "");
}

TEST(Memory, FindsByTheLabelsOfTheUser) {
  release::Record labelled = record("default", "a", 1);
  labelled.labels = {{"team", "red"}};
  const auto driver = *memory("default", {labelled, record("default", "b", 1)});
  EXPECT_EQ(names(*driver->heads({{"team", "red"}})), "default/a.1 ");
}

TEST(Memory, CreatesARevisionOnce) {
  const auto driver = memory("default");
  EXPECT_TRUE(driver->create(record("default", "a", 1)));
  const Status again = driver->create(record("default", "a", 1));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().text(), "release: already exists");
  EXPECT_TRUE(driver->create(record("default", "a", 2)));
}

TEST(Memory, RefusesToStartWithARevisionTwice) {
  EXPECT_FALSE(memory("default", {record("default", "a", 1), record("default", "a", 1)}));
}

TEST(Memory, UpdatesOnlyWhatIsThere) {
  const auto driver = *memory("default", sample());
  EXPECT_TRUE(driver->update(record("default", "a", 2, "uninstalled")));
  EXPECT_EQ(driver->get("a", 2)->status, "uninstalled");
  const Status missing = driver->update(record("default", "a", 9));
  ASSERT_FALSE(missing);
  EXPECT_TRUE(is_not_found(missing.error()));
}

TEST(Memory, RemovesOnlyWhatIsThere) {
  const auto driver = *memory("default", sample());
  EXPECT_TRUE(driver->remove("a", 1));
  EXPECT_EQ(names(*driver->heads({{"name", "a"}})), "default/a.2 ");
  for (const auto& [name, version] : {std::pair{"a", 1}, {"a", 9}, {"zzz", 1}}) {
    const Status missing = driver->remove(name, version);
    ASSERT_FALSE(missing) << name << version;
    EXPECT_EQ(missing.error().text(), "release: not found");
  }
}

TEST(Memory, FollowsTheNamespaceOfWhatIsWritten) {
  const auto driver = *memory("default", sample());
  EXPECT_TRUE(driver->create(record("other", "c", 1)));
  EXPECT_EQ(names(*driver->heads({})), "other/a.1 other/c.1 ");
}

TEST(Memory, FetchesWholeRecordsInTheOrderAsked) {
  const auto driver = *memory("", sample());
  auto heads = *driver->heads({{"name", "a"}});
  std::swap(heads.front(), heads.back());
  heads.push_back(
      {.name = "gone", .namespace_ = "default", .status = "", .version = 1, .labels = {}});
  const auto records = *driver->fetch(heads);
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].namespace_, "other");
  EXPECT_EQ(records[2].version, 1);
}

}  // namespace
}  // namespace pintle::storage
