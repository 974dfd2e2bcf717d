// kill -9 at any moment: what was acknowledged is there, nothing is there twice.
#include <signal.h>
#include <sys/wait.h>

#include <cstdlib>

#include "lookout/testing/store_fixture.h"
#include "sys/clock.h"

namespace pintle::lookout {
namespace {

constexpr int kEach = 7;  // events of a batch

using KillTest = StoreTest;
INSTANTIATE_TEST_SUITE_P(Both, KillTest,
                         testing::Values(db::Dialect::kSqlite, db::Dialect::kPostgres),
                         dialect_name);

Batch nth(const Region& region, int n) {
  Batch b;
  b.region_id = region.id;
  b.region = region.name;
  b.cluster_uid = region.cluster_uid;
  for (int i = 0; i < kEach; ++i) {
    b.observations.push_back(state_of(std::to_string(n) + "." + std::to_string(i), "1"));
    b.events.push_back(event_of("kubernetes.event", i));
    b.events.back().reason = b.observations.back().uid;
  }
  b.checkpoints = {{"events", std::to_string(n), n, "watching"}};
  return b;
}

int checkpoint(Store& store, const Region& region) {
  auto found = store.checkpoints(region.id);
  return !found || found->empty() ? 0 : std::atoi(found->at(0).version.c_str());
}

// The child: commits batch after batch from its checkpoint on, and says each that is acknowledged.
[[noreturn]] void write_until_killed(const std::string& url, const Region& region, int out) {
  auto store = Store::open({url, std::string(32, 'k'), 1}, sys::real_clock());
  if (!store) _exit(3);
  for (int n = checkpoint(**store, region) + 1;; ++n) {
    if (!(*store)->commit(nth(region, n))) _exit(4);
    if (write(out, &n, sizeof n) != sizeof n) _exit(5);
  }
}

TEST_P(KillTest, FiftyKillsLoseNothingAndDoubleNothing) {
  const char* seed = std::getenv("PINTLE_SEED");
  unsigned random = seed != nullptr ? static_cast<unsigned>(std::atoi(seed))
                                    : static_cast<unsigned>(getpid());
  subscribe("all");
  int acknowledged = 0, rounds_that_wrote = 0;
  for (int round = 0; round < 50; ++round) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    store_.reset();  // SQLite's connections do not survive a fork
    pid_t child = fork();
    if (child == 0) {
      close(ends[0]);
      write_until_killed(url_, region_, ends[1]);
    }
    close(ends[1]);
    // Now and then while it opens the database, else some time after its first commit.
    int before = acknowledged, n = 0;
    if (round % 5 != 0 && read(ends[0], &n, sizeof n) == sizeof n) acknowledged = n;
    usleep(static_cast<useconds_t>(rand_r(&random) % 20'000));
    kill(child, SIGKILL);
    for (; read(ends[0], &n, sizeof n) == sizeof n;) acknowledged = n;
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the writer ended by itself: " << WEXITSTATUS(status);
    store_ = open();
    if (acknowledged > before) ++rounds_that_wrote;
    ASSERT_GE(checkpoint(*store_, region_), acknowledged) << "round " << round;
  }
  EXPECT_GE(rounds_that_wrote, 40);
  int last = checkpoint(*store_, region_);
  // Every state and event of every batch up to the checkpoint, once.
  auto raw = std::move(*db::Session::open({url_}));
  auto number = [&](std::string_view sql) { return raw->number(sql, -1).value_or(-2); };
  EXPECT_EQ(number("select count(*) from observation"), int64_t{last} * kEach);
  EXPECT_EQ(number("select count(*) from event"), int64_t{last} * kEach);
  EXPECT_EQ(number("select count(distinct reason) from event"), int64_t{last} * kEach);
  EXPECT_EQ(number("select count(*) from delivery"), int64_t{last} * kEach);
  EXPECT_EQ(number("select max(seq) from event"), int64_t{last} * kEach);
  RecordProperty("batches", last);
}

}  // namespace
}  // namespace pintle::lookout
