#include "db/db.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include <gtest/gtest.h>

#include "db/migrate.h"
#include "db/testing/postgres.h"
#include "db/trouble.h"
#include "sys/testing/loopback_server.h"

namespace pintle::db {
namespace {

// Every claim holds on both databases.
class DbTest : public testing::TestWithParam<Dialect> {
 protected:
  void SetUp() override {
    if (GetParam() == Dialect::kPostgres) {
      if (PostgresServer::shared() == nullptr) GTEST_SKIP() << PostgresServer::why();
      url_ = PostgresServer::shared()->database();
    } else {
      folder_ = testing::TempDir() + "db_test " + std::to_string(getpid());
      std::filesystem::remove_all(folder_);
      std::filesystem::create_directory(folder_);
      url_ = "sqlite:" + folder_ + "/a file.db";
    }
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }
  std::unique_ptr<Session> open(int64_t wait_ms = 200) {
    auto session = Session::open({url_, wait_ms});
    EXPECT_TRUE(session) << session.error().text();
    return std::move(*session);
  }
  static void must(const auto& result) {
    ASSERT_TRUE(result) << result.error().text();
  }
  static int64_t count(Session& session) {
    auto n = session.number("select count(*) from t", -1);
    EXPECT_TRUE(n) << n.error().text();
    return n.value_or(-1);
  }
  std::string url_, folder_;
};

INSTANTIATE_TEST_SUITE_P(Both, DbTest, testing::Values(Dialect::kSqlite, Dialect::kPostgres),
                         [](const auto& info) {
                           return info.param == Dialect::kSqlite ? "Sqlite" : "Postgres";
                         });

constexpr std::string_view kTable = "create table t (k text primary key, n bigint not null)";
constexpr std::string_view kInsert = "insert into t (k, n) values (?, ?)";

TEST_P(DbTest, NumbersAndTextsComeBackAsTheyWent) {
  auto db = open();
  must(db->run(kTable));
  std::string text = "it's ? :p1 \"quoted\" \xe4\xb8\xad\xe6\x96\x87 '";
  must(db->run(kInsert, text, int64_t{-9'000'000'000'000'000'000}));
  must(db->run(kInsert, "", 7));
  std::vector<std::pair<std::string, int64_t>> rows;
  must(db->query("select k, n from t where n < ? order by n", "tn",
                 [&](const Row& r) { rows.emplace_back(r.text(0), r.number(1)); }, 100));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0], std::pair(text, int64_t{-9'000'000'000'000'000'000}));
  EXPECT_EQ(rows[1], std::pair(std::string(), int64_t{7}));
  EXPECT_EQ(*db->run("update t set n = n + ?", 1), 2);
  EXPECT_EQ(*db->run("update t set n = n + ? where k = ?", 1, "none"), 0);
}

TEST_P(DbTest, TextsThatOneDatabaseWouldRefuseAreRefusedByBoth) {
  auto db = open();
  must(db->run(kTable));
  for (std::string_view bad : {std::string_view("a\xff"), std::string_view("a\0b", 3)}) {
    auto r = db->run(kInsert, bad, 1);
    ASSERT_FALSE(r);
    EXPECT_EQ(r.error().code(), Code::kInvalidArgument);
  }
  must(db->run(kInsert, "good", 1));
}

TEST_P(DbTest, NullReadsAsNothing) {
  auto db = open();
  must(db->run(kTable));
  EXPECT_EQ(*db->number("select max(n) from t", 5), 0);
  EXPECT_EQ(*db->number("select n from t", 5), 5);
}

TEST_P(DbTest, ManyRowsGoInFewStatementsAndNewOnesAreNamed) {
  auto db = open();
  must(db->run(kTable));
  std::vector<std::string> keys;
  for (int i = 0; i < 200; ++i) keys.push_back("k" + std::to_string(i));
  std::vector<Param> params;
  for (const std::string& k : keys) {
    params.push_back(param(k));
    params.push_back(param(1));
  }
  must(db->run(kInsert, "k3", 0));
  uint64_t before = db->statements();
  std::vector<std::string> fresh;
  must(db->insert("insert into t (k, n)", 2, "on conflict do nothing returning k", "t", params,
                  [&](const Row& r) { fresh.push_back(r.text(0)); }));
  EXPECT_EQ(fresh.size(), 199u);
  EXPECT_EQ(std::count(fresh.begin(), fresh.end(), "k3"), 0);
  EXPECT_EQ(db->statements() - before, 4u);  // 3 of 64 and one of 8
}

TEST_P(DbTest, AnErrorRollsBackAndTheSessionGoesOn) {
  auto db = open();
  must(db->run(kTable));
  Status done = db->transaction([&]() -> Status {
    TRY(db->run(kInsert, "a", 1));
    return Error(Code::kAborted, "no");
  });
  EXPECT_EQ(done.error().code(), Code::kAborted);
  EXPECT_EQ(count(*db), 0);
  done = db->transaction([&]() -> Status {
    TRY(db->run(kInsert, "a", 1));
    TRY(db->run(kInsert, "a", 1));
    return ok();
  });
  EXPECT_EQ(done.error().code(), Code::kAlreadyExists) << done.error().text();
  EXPECT_EQ(count(*db), 0);
  must(db->transaction([&]() -> Status {
    TRY(db->run(kInsert, "a", 1));
    return ok();
  }));
  EXPECT_EQ(count(*db), 1);
}

TEST_P(DbTest, AWrongStatementIsInternalAndDoesNotShowParameters) {
  auto db = open();
  auto r = db->run("insert into nowhere (a) values (?)", "hidden");
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().code(), Code::kInternal) << r.error().text();
  EXPECT_EQ(r.error().text().find("hidden"), std::string::npos) << r.error().text();
}

TEST_P(DbTest, ALockHeldTooLongIsUnavailable) {
  auto one = open(), two = open(50);
  must(one->run(kTable));
  must(one->run(kInsert, "a", 1));
  must(one->transaction([&]() -> Status {
    TRY(one->run("update t set n = 2"));
    Status other = two->transaction([&]() -> Status {
      TRY(two->run("update t set n = 3"));
      return ok();
    });
    EXPECT_FALSE(other);
    EXPECT_EQ(other.error().code(), Code::kUnavailable) << other.error().text();
    EXPECT_EQ(trouble_of(other.error()), Trouble::kLocked) << other.error().text();
    return ok();
  }));
  must(two->run("update t set n = 4"));
}

TEST_P(DbTest, MigrationsRunOnceAlsoWhenManyStartAtOnce) {
  static constexpr std::string_view steps[] = {
      "create table a (id {id} primary key);\ncreate table b (k text primary key) {text_key};\n",
      "insert into a (id) values (1);\ninsert into b (k) values ('x;y');\n"};
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&] {
      auto db = open(10'000);
      Status done = migrate(*db, steps);
      EXPECT_TRUE(done) << done.error().text();
    });
  }
  for (auto& t : threads) t.join();
  auto db = open();
  EXPECT_EQ(*db->number("select count(*) from a", 0), 1);
  EXPECT_EQ(*db->number("select count(*) from b where k = 'x;y'", 0), 1);
  Status older = migrate(*db, Steps(steps).first(1));
  EXPECT_EQ(older.error().code(), Code::kFailedPrecondition);
  must(migrate(*db, steps));
}

TEST_P(DbTest, AStepThatFailsLeavesNothing) {
  auto db = open();
  static constexpr std::string_view broken[] = {"create table a (id {id} primary key);\noops;\n"};
  EXPECT_FALSE(migrate(*db, broken));
  static constexpr std::string_view good[] = {"create table a (id {id} primary key);\n"};
  must(migrate(*db, good));
}

TEST(DbPostgres, ALostConnectionIsMadeAnew) {
  PostgresServer* server = PostgresServer::shared();
  if (server == nullptr) GTEST_SKIP() << PostgresServer::why();
  auto db = std::move(*Session::open({server->database()}));
  ASSERT_TRUE(db->run(kTable));
  ASSERT_TRUE(db->run(kInsert, "a", 1));
  server->cut_connections();
  auto lost = db->run(kInsert, "b", 1);
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code(), Code::kUnavailable) << lost.error().text();
  EXPECT_TRUE(db->run(kInsert, "b", 1));
  server->cut_connections();  // nothing of it is seen where nothing can be done twice
  EXPECT_EQ(*db->number("select count(*) from t", -1), 2);
  server->cut_connections();
  EXPECT_TRUE(db->transaction([&]() -> Status {
    TRY(db->run("update t set n = 5"));
    return ok();
  }));
  Status cut = db->transaction([&]() -> Status {
    TRY(db->run(kInsert, "c", 1));
    server->cut_connections();
    TRY(db->run(kInsert, "d", 1));
    return ok();
  });
  EXPECT_EQ(cut.error().code(), Code::kUnavailable) << cut.error().text();
  EXPECT_EQ(*db->number("select count(*) from t", -1), 2);
}

TEST(DbPostgres, AServerThatSaysNothingIsGivenUpOn) {
  const auto [listener, port] = sys::listen_on_loopback(8);
  const auto options_there = [port = port] {  // of the connection that is being made
    for (int fd = 0; fd < 1024; ++fd) {
      sockaddr_in peer{};
      socklen_t n = sizeof peer;
      if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &n) != 0 || ntohs(peer.sin_port) != port) continue;
      int ms = 0, idle = 0;
      n = sizeof ms;
      ::getsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, &n);
      ::getsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, &n);
      return std::pair{ms, idle};
    }
    return std::pair{0, 0};
  };
  for (const auto& [more, ms] : {std::pair{"", 8'000}, {"?tcp_user_timeout=7000", 7'000}}) {
    const auto began = std::chrono::steady_clock::now();
    std::optional<Error> error;
    std::thread opens([&, port = port] {
      auto made = Session::open({"postgresql://a:b@127.0.0.1:" + std::to_string(port) + "/x" + more, 2000});
      if (!made) error = made.error();
    });
    std::pair<int, int> got;
    for (int i = 0; i < 150 && got.first == 0; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      got = options_there();
    }
    opens.join();
    EXPECT_EQ(got, (std::pair{ms, 4})) << more;
    ASSERT_TRUE(error) << more;
    EXPECT_EQ(error->code(), Code::kUnavailable) << error->text();
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(8));
  }
  ::close(listener);
}

TEST(DbPostgres, AStatementThatIsNotAnsweredIsGivenUp) {
  PostgresServer* server = PostgresServer::shared();
  if (server == nullptr) GTEST_SKIP() << PostgresServer::why();
  auto db = std::move(*Session::open({.url = server->database(), .answer_ms = 1000}));
  ASSERT_TRUE(db->run(kTable));
  ASSERT_TRUE(db->query("select pg_sleep(0.3)", "t", [](const Row&) {}));  // slow is not silent
  for (const bool within : {false, true}) {
    pid_t stopped = 0;
    const auto ask = [&]() -> Status {
      stopped = static_cast<pid_t>(TRY(db->number("select pg_backend_pid()", 0)));
      if (::kill(stopped, SIGSTOP) != 0) return Error(Code::kInternal, "it cannot be stopped");
      TRY(db->run(kInsert, "a", 1));
      return ok();
    };
    const auto began = std::chrono::steady_clock::now();
    const Status lost = within ? db->transaction(ask) : ask();
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10));
    ASSERT_FALSE(lost);
    EXPECT_EQ(lost.error().code(), Code::kUnavailable);
    EXPECT_EQ(trouble_of(lost.error()), Trouble::kLost);
    EXPECT_TRUE(lost.error().text().ends_with(": the server has not answered a statement for 1 s"))
        << lost.error().text();
    // A session of its own goes on while the other still stands.
    EXPECT_TRUE(db->run(within ? "update t set n = 3" : "create table u (n bigint)")) << within;
    ::kill(stopped, SIGCONT);
  }
}

TEST(DbPostgres, ASilentTransactionGivesItsLocksBack) {
  PostgresServer* server = PostgresServer::shared();
  if (server == nullptr) GTEST_SKIP() << PostgresServer::why();
  const std::string url = server->database();
  auto silent = std::move(*Session::open({url, 50})), other = std::move(*Session::open({url}));
  ASSERT_TRUE(other->run(kTable) && other->run(kInsert, "a", 1));
  const Status lost = silent->transaction([&]() -> Status {
    TRY(silent->run("update t set n = 2"));
    EXPECT_TRUE(other->run("update t set n = 3"));  // waits until the server ends the first
    TRY(silent->run("update t set n = 4"));
    return ok();
  });
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code(), Code::kUnavailable) << lost.error().text();
  EXPECT_EQ(*other->number("select n from t", -1), 3);
}

TEST(DbPostgres, ADeadlockIsUnavailableForOneOfTheTwo) {
  PostgresServer* server = PostgresServer::shared();
  if (server == nullptr) GTEST_SKIP() << PostgresServer::why();
  std::string url = server->database();
  auto one = std::move(*Session::open({url})), two = std::move(*Session::open({url}));
  ASSERT_TRUE(one->run(kTable) && one->run(kInsert, "a", 1) && one->run(kInsert, "b", 1));
  constexpr std::string_view kSet = "update t set n = 2 where k = ?";
  Status first = ok(), second = ok();
  first = one->transaction([&]() -> Status {
    TRY(one->run(kSet, "a"));
    std::thread other([&] {
      second = two->transaction([&]() -> Status {
        TRY(two->run(kSet, "b"));
        TRY(two->run(kSet, "a"));
        return ok();
      });
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    Status got = ok();
    if (auto r = one->run(kSet, "b"); !r) got = r.error();
    if (!got) (void)one->run("rollback");
    other.join();
    return got;
  });
  EXPECT_NE(first.has_value(), second.has_value());
  const Error& lost = first ? second.error() : first.error();
  EXPECT_EQ(lost.code(), Code::kUnavailable) << lost.text();
}

TEST(Db, AFullOrReadOnlyDatabaseIsUnavailableUntilThereIsRoom) {
  auto db = std::move(*Session::open({"sqlite::memory:"}));
  ASSERT_TRUE(db->run(kTable));
  int64_t pages = *db->number("pragma page_count", 0);
  ASSERT_TRUE(db->number("pragma max_page_count = " + std::to_string(pages + 2), 0));
  auto fill = [&](const std::string& key) {
    return db->transaction([&]() -> Status {
      TRY(db->run(kInsert, key, 1));
      TRY(db->run(kInsert, key + std::string(100'000, 'x'), 1));
      return ok();
    });
  };
  Status full = fill("a");
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code(), Code::kUnavailable) << full.error().text();
  EXPECT_EQ(trouble_of(full.error()), Trouble::kFull);
  EXPECT_EQ(*db->number("select count(*) from t", -1), 0);
  ASSERT_TRUE(db->number("pragma max_page_count = 100000", 0));
  EXPECT_TRUE(fill("a"));
  ASSERT_TRUE(db->run("pragma query_only = 1"));
  const Status read_only = fill("b");
  EXPECT_EQ(read_only.error().code(), Code::kUnavailable);
  EXPECT_EQ(trouble_of(read_only.error()), Trouble::kReadOnly);
  ASSERT_TRUE(db->run("pragma query_only = 0"));
  EXPECT_TRUE(fill("b"));
}

TEST(Db, UrlsAreShownWithoutPasswords) {
  EXPECT_EQ(public_url("postgresql://u:p@h:5/d?password=x"), "postgresql://h:5/d");
  EXPECT_EQ(public_url("postgresql:///d"), "postgresql:///d");
  EXPECT_EQ(public_url("sqlite:/a/b"), "sqlite:/a/b");
}

TEST(Db, BadUrlsAndPlacesAreErrors) {
  for (std::string url : {"", "mysql://x/y", "sqlite:", "lookout.db", "sqlite:a\"b"}) {
    auto db = Session::open({url});
    ASSERT_FALSE(db) << url;
    EXPECT_EQ(db.error().code(), Code::kInvalidArgument) << url;
  }
  auto missing = Session::open({"sqlite:/no/such/folder/x.db"});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), Code::kUnavailable) << missing.error().text();
  auto away = Session::open({"postgresql://u:secret@127.0.0.1:1/d"});
  ASSERT_FALSE(away);
  EXPECT_EQ(away.error().code(), Code::kUnavailable) << away.error().text();
  EXPECT_EQ(trouble_of(away.error()), Trouble::kLost) << away.error().text();
  EXPECT_EQ(away.error().text().find("secret"), std::string::npos);
}

TEST(Db, AFileThatIsNoDatabaseIsDataLoss) {
  std::string path = testing::TempDir() + "db_test_garbage" + std::to_string(getpid());
  std::ofstream(path) << std::string(5000, 'x');
  auto db = Session::open({"sqlite:" + path});
  ASSERT_FALSE(db);
  EXPECT_EQ(db.error().code(), Code::kDataLoss) << db.error().text();
  EXPECT_EQ(trouble_of(db.error()), Trouble::kDamaged);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace pintle::db
