// What was stored is loaded again; a file that is none of ours is refused and left as it is.
#include "drydock/persistence.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/strings.h"

namespace pintle::drydock {
namespace {

struct PersistenceTest : testing::Test {
  void SetUp() override { std::filesystem::remove(file); }
  void TearDown() override {
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(cat(file, suffix));
  }
  std::unique_ptr<Persistence> open() {
    auto disk = Persistence::open(file);
    EXPECT_TRUE(disk) << disk.error().text();
    return disk ? std::move(*disk) : nullptr;
  }
  static StoredChange change(uint64_t version, ChangeType type, std::string name, std::string json) {
    auto o = std::make_shared<Object>();
    o->ns = "default";
    o->name = std::move(name);
    o->version = version;
    o->json = std::move(json);
    StoredChange c;
    c.version = version;
    c.type = type;
    c.shelf = "/configmaps";
    c.object = std::move(o);
    return c;
  }
  std::string file = cat(testing::TempDir(), "persistence-", getpid(), ".db");
};

TEST_F(PersistenceTest, WhatWasStoredIsLoaded) {
  {
    auto disk = open();
    ASSERT_TRUE(disk);
    EXPECT_EQ(*disk->version(), 0u);
    ASSERT_TRUE(disk->set_setting("token", "secret"));
    disk->start();
    disk->append(change(5, ChangeType::kAdded, "a", "{\"one\":1}"));
    disk->append(change(6, ChangeType::kAdded, "b", "{}"));
    disk->append(change(7, ChangeType::kModified, "a", "{\"two\":2}"));
    disk->append(change(8, ChangeType::kDeleted, "b", "{}"));
    Status stored = Error("not called");
    disk->when_durable([&](const Status& s) { stored = s; });
    disk->stop();
    EXPECT_TRUE(stored) << stored.error().text();
  }
  auto disk = open();
  ASSERT_TRUE(disk);
  std::vector<std::string> seen;
  ASSERT_TRUE(disk->load([&](StoredRow r) {
    seen.push_back(cat(r.group, "/", r.plural, " ", r.ns, "/", r.name, " ", r.version, " ", r.json));
    return ok();
  }));
  EXPECT_EQ(seen, std::vector<std::string>{"/configmaps default/a 7 {\"two\":2}"});
  EXPECT_EQ(*disk->version(), 8 + Persistence::kSkip);
  EXPECT_EQ(*disk->setting("token"), "secret");
}

TEST_F(PersistenceTest, RefusesAFileThatIsNoDatabase) {
  const std::string text(5000, 'x');
  std::ofstream(file) << text;
  auto disk = Persistence::open(file);
  ASSERT_FALSE(disk);
  EXPECT_EQ(disk.error().text(), cat(file, ": file is not a database"));
  EXPECT_EQ(std::filesystem::file_size(file), text.size());
}

TEST_F(PersistenceTest, RefusesAFileAnotherServerHas) {
  auto first = open();
  ASSERT_TRUE(first);
  auto second = Persistence::open(file);
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().text().find("database is locked"), std::string::npos) << second.error().text();
}

TEST_F(PersistenceTest, SaysThatTheDirectoryIsMissing) {
  auto disk = Persistence::open("/no/such/directory/file");
  ASSERT_FALSE(disk);
  EXPECT_EQ(disk.error().text(), "/no/such/directory/file: unable to open database file");
}

}  // namespace
}  // namespace pintle::drydock
