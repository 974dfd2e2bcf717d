// Persistence: the objects in one SQLite file, so that a killed server comes back with every write it
// has answered.
//
// Idea: changes queue in memory in the order of the store; one thread takes all that wait and commits
// them in one transaction (WAL, synchronous=FULL), so one fsync serves every request that waits. The
// answer to a write is handed over as a function and called after its commit; no I/O thread waits,
// and no lock is held while the disk works.
// Watches and reads may show a change some milliseconds before it is committed. A crash can then take
// it back, so after a restart versions go on far above anything handed out (kSkip): a client that
// saw the lost change gets 410 for its version and lists anew, as after any compaction.
// A commit that fails is kept and tried again every second. Until one succeeds, its requests have got
// an error (the write may still come to pass) and new writes are refused before they change anything,
// so memory is never more than the refused batch ahead of the disk.
// Limits: the file is one server's (locked); it is loaded whole. A disk that neither works nor
// fails leaves writes unanswered, and from kMaxPending waiting changes on refuses them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "drydock/store.h"

struct sqlite3;
struct sqlite3_stmt;

namespace pintle::drydock {

struct StoredRow {
  std::string group, plural, ns, name;
  uint64_t version = 0;
  std::string json;
};

class Persistence {
 public:
  static constexpr uint64_t kSkip = 1'000'000;
  static constexpr size_t kMaxPending = 100'000;

  // Makes the file (0600: it holds a private key) where there is none. Errors begin with the file's
  // name: locked by another server, read-only, no database, another program's database.
  static Result<std::unique_ptr<Persistence>> open(const std::string& file);
  ~Persistence();  // stop()

  // Before start(), from one thread.
  Status load(const std::function<Status(StoredRow)>& visit);
  Result<uint64_t> version();  // to go on from; 0: a new file
  Result<std::string> setting(std::string_view name);  // "": never set
  Status set_setting(std::string_view name, std::string_view value);

  void start();
  // From here on from any thread. The caller orders append: the machinery's lock.
  void append(const StoredChange& change);
  // An error while the disk refuses: nothing may be written then.
  Status health();
  // Calls `f` once everything appended so far is committed (at once if it is) or could not be.
  void when_durable(std::function<void(const Status&)> f);
  // Commits what waits, answers all who wait. Again: nothing.
  void stop();

 private:
  struct Closer {
    void operator()(sqlite3* db) const;
    void operator()(sqlite3_stmt* statement) const;
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Closer>;
  struct Waiter {
    uint64_t target;
    std::function<void(const Status&)> f;
  };

  explicit Persistence(std::string file) : x_file(std::move(file)) {}
  Error error() const;
  Status prepare_file();
  Result<Statement> statement(const char* sql);
  Status execute(const char* sql);
  Result<std::string> ask(const char* sql);
  Status step(sqlite3_stmt* statement);
  Status write(const std::vector<StoredChange>& batch);
  Status commit(const std::vector<StoredChange>& batch);
  void run();

  const std::string x_file;
  std::unique_ptr<sqlite3, Closer> x_db;
  Statement x_put, x_remove, x_set;
  uint64_t x_highest = 0;  // the writer's

  Mutex x_lock;
  Condition x_wake;
  std::vector<StoredChange> x_pending GUARDED_BY(x_lock);
  std::vector<Waiter> x_waiters GUARDED_BY(x_lock);
  uint64_t x_appended GUARDED_BY(x_lock) = 0;  // numbers of changes
  uint64_t x_committed GUARDED_BY(x_lock) = 0;
  std::optional<Error> x_failure GUARDED_BY(x_lock);
  bool x_stop GUARDED_BY(x_lock) = false;
  bool x_ended GUARDED_BY(x_lock) = false;
  std::thread x_thread;
};

}  // namespace pintle::drydock
