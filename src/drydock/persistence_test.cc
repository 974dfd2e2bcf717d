// What was stored is loaded again; a file that is none of ours is refused and left as it is.
#include "drydock/persistence.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/strings.h"
#include "drydock/custom_resources.h"
#include "drydock/rest.h"
#include "drydock/testing/recorded.h"
#include "json/json.h"

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

// Rows come in the order of their group: "a.example" before the definition that says what it is.
TEST_F(PersistenceTest, CustomObjectsAreSelectedByTheirDefinitionAfterALoad) {
  Options options;
  options.controllers = false;
  {
    auto disk = open();
    ASSERT_TRUE(disk);
    Machine machine(options);
    Lock held(machine.lock());
    ASSERT_TRUE(machine.load(*disk));
    disk->start();
    machine.seed();
    auto definition = json::read(R"({"metadata":{"name":"boats.a.example"},"spec":{"group":"a.example","scope":"Namespaced",
      "names":{"plural":"boats","singular":"boat","kind":"Boat","listKind":"BoatList"},"versions":[{"name":"v1","served":true,
      "storage":true,"selectableFields":[{"jsonPath":".spec.sail"}],"schema":{"openAPIV3Schema":{"type":"object","properties":
      {"spec":{"type":"object","properties":{"sail":{"type":"string"}}}}}}}]}})");
    ASSERT_TRUE(definition) << definition.error().text();
    auto made = machine.create(kDefinitionGroup, kDefinitionPlural, std::move(*definition));
    ASSERT_TRUE(made) << made.error().text();
    put(*made, "status", definition_status(*made, machine.now()));
    ASSERT_TRUE(machine.update(kDefinitionGroup, kDefinitionPlural, std::move(*made), "status"));
    auto boat = json::read(R"({"metadata":{"name":"b","namespace":"default"},"spec":{"sail":"red"}})");
    auto stored = machine.create("a.example", "boats", std::move(*boat));
    ASSERT_TRUE(stored) << stored.error().text();
    disk->stop();
  }
  auto disk = open();
  ASSERT_TRUE(disk);
  Machine machine(options);
  Lock held(machine.lock());
  Status loaded = machine.load(*disk);
  ASSERT_TRUE(loaded) << loaded.error().text();
  ObjectPtr boat = machine.store().find("a.example", "boats", "default", "b");
  ASSERT_TRUE(boat);
  const std::string* sail = find_pair(boat->fields, "spec.sail");
  ASSERT_TRUE(sail);
  EXPECT_EQ(*sail, "red");
}

TEST_F(PersistenceTest, AnswersThatWaitForTheCommitKeepTheirWarnings) {
  auto disk = open();
  ASSERT_TRUE(disk);
  Options options;
  options.controllers = false;
  Machine machine(options);
  {
    Lock held(machine.lock());
    ASSERT_TRUE(machine.load(*disk));
    disk->start();
    machine.seed();
  }
  Rest rest{machine, {{"tok", "admin", Token::Role::kAdmin}}};
  httpd::Request request;
  request.method = "POST";
  request.path = "/api/v1/namespaces/default/endpoints";
  request.body = R"({"metadata":{"name":"e"},"zz":1})";
  request.headers = {{"Authorization", "Bearer tok"}, {"Content-Type", "application/json"}};
  auto exchange = std::make_shared<Recorded>(std::move(request));  // shared_ptr: as serve() takes it
  serve(rest, exchange);
  disk->stop();
  EXPECT_EQ(exchange->status, 201) << exchange->body;
  std::vector<std::string> warnings;
  for (const httpd::Header& h : exchange->headers) {
    if (h.name == "Warning") warnings.push_back(h.value);
  }
  EXPECT_EQ(warnings, (std::vector<std::string>{
                          "299 - \"v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice\"",
                          "299 - \"unknown field \\\"zz\\\"\""}));
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
