// The store and its writer while the database is in trouble: an answer that is lost, a server that is
// away, transactions that it ends, a database or a file that cannot be written.
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "base/strings.h"
#include "lookout/testing/store_fixture.h"
#include "lookout/writer.h"
#include "sys/testing/loopback_server.h"

namespace pintle::lookout {
namespace {

bool soon(const std::function<bool()>& what) {
  for (int i = 0; i < 4000 && !what(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return what();
}

// Stands on loopback before the server's Unix socket. It can be away, and it can cut a connection
// when the server has committed and before anyone hears of it.
class Proxy {
 public:
  explicit Proxy(const std::string& folder) {
    const auto [listener, free] = sys::listen_on_loopback(16);
    listener_ = listener;
    port = free;
    server_.sun_family = AF_UNIX;
    (folder + "/.s.PGSQL.5432").copy(server_.sun_path, sizeof server_.sun_path - 1);
    thread_ = std::thread([this] { run(); });
  }
  ~Proxy() {
    stop_ = true;
    thread_.join();
    ::close(listener_);
  }

  int port = 0;
  std::atomic<bool> away{false};
  std::atomic<int> cuts{0};  // commits whose answers are still to be lost

 private:
  struct Pair {
    int client, server;
  };
  void run() {
    while (!stop_) {
      std::vector<pollfd> fds{{listener_, POLLIN, 0}};
      for (const Pair& p : pairs_) {
        fds.push_back({p.client, POLLIN, 0});
        fds.push_back({p.server, POLLIN, 0});
      }
      ::poll(fds.data(), fds.size(), 5);
      if ((fds[0].revents & POLLIN) != 0) accept();
      for (size_t i = 0; 2 * i + 2 < fds.size(); ++i) {
        bool open = !away;
        if (open && fds[2 * i + 1].revents != 0) open = pass(pairs_[i].client, pairs_[i].server, false);
        if (open && fds[2 * i + 2].revents != 0) open = pass(pairs_[i].server, pairs_[i].client, true);
        if (open) continue;
        ::close(pairs_[i].client);
        ::close(pairs_[i].server);
        pairs_[i].client = -1;
      }
      std::erase_if(pairs_, [](const Pair& p) { return p.client < 0; });
    }
    for (const Pair& p : pairs_) ::close(p.client), ::close(p.server);
  }
  void accept() {
    const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    const int server = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (away || ::connect(server, reinterpret_cast<sockaddr*>(&server_), sizeof server_) != 0) {
      ::close(client);
      ::close(server);
      return;
    }
    pairs_.push_back({client, server});
  }
  bool pass(int from, int to, bool answers) {
    char bytes[16 << 10];
    const ssize_t n = ::recv(from, bytes, sizeof bytes, 0);
    if (n <= 0) return false;
    const std::string_view got(bytes, static_cast<size_t>(n));
    if (answers && cuts > 0 && got.find(std::string_view("COMMIT\0", 7)) != got.npos) {
      --cuts;
      return false;
    }
    return ::send(to, bytes, got.size(), MSG_NOSIGNAL) == n;
  }

  int listener_;
  sockaddr_un server_{};
  std::vector<Pair> pairs_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

class TroubleTest : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    if (IsSkipped()) return;
    const size_t host = url_.find("host="), end = url_.find('&', host);
    proxy_ = std::make_unique<Proxy>(url_.substr(host + 5, end - host - 5));
    behind_ = cat("postgresql://postgres@127.0.0.1:", proxy_->port,
                  "/postgres?sslmode=disable&gssencmode=disable", url_.substr(end));
    subscribe("all");
    store_ = Store::open({behind_, std::string(32, 'k'), 1}, sys::real_clock()).value();
    writer_ = std::make_unique<Writer>([this](const Batch& b) { return store_->commit(b); },
                                       sys::real_clock(), Log(),
                                       [this](const Batch&, const Committed& c) { again_ += c.again; });
  }
  void TearDown() override {
    if (writer_) writer_->stop(10'000);
    writer_.reset();
    StoreTest::TearDown();
    proxy_.reset();
  }
  void push(int n) {
    Batch b = batch();
    b.observations = {state_of(cat("u", n), "1")};
    b.events = {event_of("kubernetes.event", 0), event_of("release.deployed", 0, cat("key", n))};
    b.checkpoints = {{"events", cat(n), n, "watching"}};
    b.gaps = {{"events", n, n + 1, cat(n), "x"}};
    writer_->push(std::move(b));
  }
  // All of `n` pushes once, in their order, each event told once.
  void expect_whole(int n) {
    EXPECT_TRUE(soon([&] { return writer_->counters().waiting_bytes == 0 && events() >= 2 * n; }));
    EventQuery query;
    query.limit = 1000;
    const auto events = *store_->events(query);
    ASSERT_EQ(events.size(), static_cast<size_t>(2 * n));
    for (int i = 0; i < 2 * n; ++i) {
      EXPECT_EQ(events[static_cast<size_t>(i)].sequence, i + 1) << "no hole";
    }
    EXPECT_EQ(store_->counts("c1", "events")->size(), static_cast<size_t>(n));
    DeliveryQuery all;
    all.limit = 1000;
    EXPECT_EQ(store_->deliveries(all)->size(), static_cast<size_t>(2 * n));
    EXPECT_EQ(store_->gaps(0, 1000)->size(), static_cast<size_t>(n));
    EXPECT_EQ(store_->checkpoints(region_.id)->at(0).version, cat(n - 1));
    const Writer::Counters c = writer_->counters();
    EXPECT_EQ(c.dropped, 0u);
    EXPECT_EQ(c.last_error, "");
    EXPECT_EQ(c.trouble_since_ms, 0);
  }
  int events() {
    EventQuery query;
    query.limit = 1000;
    const auto found = store_->events(query);
    return found ? static_cast<int>(found->size()) : -1;
  }
  uint64_t failed(db::Trouble t) { return writer_->counters().errors[static_cast<size_t>(t)]; }
  bool sql(const std::string& text) { return db::PostgresServer::shared()->sql(text); }
  std::string schema() const { return url_.substr(url_.rfind("%3D") + 3); }

  std::unique_ptr<Proxy> proxy_;
  std::string behind_;
  std::atomic<int> again_{0};
  std::unique_ptr<Writer> writer_;
};

INSTANTIATE_TEST_SUITE_P(Postgres, TroubleTest, testing::Values(db::Dialect::kPostgres),
                         dialect_name);

TEST_P(TroubleTest, ALostAnswerToACommitLosesNothingAndDoublesNothing) {
  writer_->start();
  for (int i = 0; i < 12; ++i) {
    if (i % 3 == 0) proxy_->cuts = 1;
    push(i);
    ASSERT_TRUE(soon([&] { return events() >= 2 * (i + 1) && proxy_->cuts == 0; })) << i;
  }
  expect_whole(12);
  EXPECT_EQ(writer_->counters().failures, 4u);
  EXPECT_EQ(failed(db::Trouble::kLost), 4u);
  EXPECT_EQ(again_, 4) << "the deliverer is woken for what may have been done";
}

TEST_P(TroubleTest, AServerThatIsAwayIsWaitedForAndThatIsShown) {
  writer_->start();
  push(0);
  ASSERT_TRUE(soon([&] { return events() == 2; }));
  proxy_->away = true;
  push(1);
  ASSERT_TRUE(soon([&] { return writer_->counters().failures > 1; }));
  const Writer::Counters during = writer_->counters();
  EXPECT_NE(during.trouble_since_ms, 0);
  EXPECT_NE(during.last_error, "");
  EXPECT_EQ(during.last_error.find("postgres@"), std::string::npos) << "no user";
  EXPECT_GT(failed(db::Trouble::kLost), 0u) << during.last_error;
  for (int i = 2; i < 20; ++i) push(i);
  proxy_->away = false;
  expect_whole(20);
}

TEST_P(TroubleTest, ADeadlockAndASerializationErrorAreTriedAgain) {
  ASSERT_TRUE(sql(cat(
      "set search_path to ", schema(),
      "; create sequence trouble; create function fail() returns trigger language plpgsql as "
      "'begin case nextval(''trouble'') when 1 then raise exception ''deadlock detected'' using "
      "errcode = ''40P01''; when 2 then raise exception ''could not serialize access'' using "
      "errcode = ''40001''; else return new; end case; end'; create trigger fail before insert on "
      "observation for each row execute function fail()")));
  for (int i = 0; i < 3; ++i) push(i);
  writer_->start();
  expect_whole(3);
  EXPECT_EQ(failed(db::Trouble::kConflict), 2u);
}

TEST_P(TroubleTest, AReadOnlyDatabaseIsShownAndWhatWaitsIsStoredWhenItIsNot) {
  ASSERT_TRUE(sql("alter system set default_transaction_read_only = on"));
  ASSERT_TRUE(sql("select pg_reload_conf()"));
  push(0);
  writer_->start();
  EXPECT_TRUE(soon([&] { return failed(db::Trouble::kReadOnly) > 1; }));
  EXPECT_NE(writer_->counters().last_error.find("read-only"), std::string::npos)
      << writer_->counters().last_error;
  EXPECT_TRUE(store_->last_sequence()) << "reading goes on";
  ASSERT_TRUE(sql("alter system reset default_transaction_read_only"));
  ASSERT_TRUE(sql("select pg_reload_conf()"));
  push(1);
  expect_whole(2);
}

// What a file system does that turns read-only: every write of an open file fails.
class ReadOnly {
 public:
  explicit ReadOnly(const std::string& folder) {
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code none;
      const std::string path = std::filesystem::read_symlink(entry.path(), none);
      if (!path.starts_with(folder) || path.ends_with("-shm")) continue;
      fds_.push_back({std::atoi(entry.path().filename().c_str()), path});
    }
    reopen(O_RDONLY);
  }
  ~ReadOnly() { reopen(O_RDWR); }
  size_t files() const { return fds_.size(); }

 private:
  void reopen(int how) {
    for (const auto& [fd, path] : fds_) {
      const int other = ::open(path.c_str(), how | O_CLOEXEC);
      EXPECT_GE(::dup2(other, fd), 0) << path;
      ::close(other);
    }
  }
  std::vector<std::pair<int, std::string>> fds_;
};

TEST(Trouble, AFileThatCannotBeWrittenForAWhileLosesNothing) {
  const std::string folder = testing::TempDir() + "trouble_ro-" + std::to_string(getpid());
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  auto store =
      Store::open({"sqlite:" + folder + "/lookout.db", std::string(32, 'k'), 1}, sys::real_clock())
          .value();
  const Region region = store->put_region({0, "north", "c1", "prod"}).value();
  Writer writer([&](const Batch& b) { return store->commit(b); }, sys::real_clock(), Log(),
                [](const Batch&, const Committed&) {});
  int pushed = 0;
  const auto push = [&] {
    Batch b;
    b.region_id = region.id;
    b.region = "north";
    b.cluster_uid = "c1";
    b.observations = {state_of(cat("u", ++pushed), "1")};
    b.events = {event_of("kubernetes.event", 0)};
    writer.push(std::move(b));
  };
  writer.start();
  push();
  ASSERT_TRUE(soon([&] { return writer.counters().events == 1; }));
  {
    const ReadOnly now(folder);
    ASSERT_GE(now.files(), 2u) << "the database and its log";
    push();
    ASSERT_TRUE(soon([&] { return writer.counters().failures > 1; }));
    push();
    const Writer::Counters during = writer.counters();
    EXPECT_NE(during.last_error.find(folder), std::string::npos) << during.last_error;
    EXPECT_NE(during.trouble_since_ms, 0);
    EXPECT_EQ(during.events, 1u);
    EXPECT_EQ(store->last_sequence().value_or(-1), 1) << "reading goes on";
  }
  EXPECT_TRUE(soon([&] { return writer.counters().events == 3; }));
  EXPECT_EQ(writer.counters().trouble_since_ms, 0);
  EXPECT_EQ(writer.counters().dropped, 0u);
  EXPECT_EQ(store->counts("c1", "events")->size(), 3u);
  writer.stop(1000);
  store.reset();
  std::filesystem::remove_all(folder);
}

TEST(Trouble, AReadOnlyFileIsAClearErrorAtTheStart) {
  const std::string folder = testing::TempDir() + "trouble_test-" + std::to_string(getpid());
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  const std::string url = "sqlite:" + folder + "/lookout.db";
  ASSERT_TRUE(Store::open({url, std::string(32, 'k'), 1}, sys::real_clock()));
  std::filesystem::permissions(folder + "/lookout.db", std::filesystem::perms(0444));
  std::filesystem::permissions(folder, std::filesystem::perms(0555));
  const pid_t child = fork();
  if (child == 0) {  // root may write what it likes
    if (geteuid() == 0 && setuid(65534) != 0) _exit(1);
    const auto store = Store::open({url, std::string(32, 'k'), 1}, sys::real_clock());
    if (store) _exit(2);
    const Error& e = store.error();
    const bool named = e.text().find(folder + "/lookout.db") != std::string::npos;
    const db::Trouble t = db::trouble_of(e);
    const bool why = t == db::Trouble::kReadOnly || t == db::Trouble::kLost;
    _exit(!named ? 3 : !why ? 4 : e.code() != Code::kUnavailable ? 5 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  std::filesystem::permissions(folder, std::filesystem::perms(0755));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace pintle::lookout
