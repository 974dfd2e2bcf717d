#include "drydock/persistence.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "base/strings.h"

namespace pintle::drydock {
namespace {

constexpr std::chrono::seconds kRetryAfter{1};
constexpr int kBusyMs = 1000;  // a server that was just killed may not have let go yet
constexpr std::string_view kApplication = "1685221483";  // "drdk"
constexpr std::string_view kFormat = "1";
constexpr char kSchema[] = R"(
BEGIN IMMEDIATE;
CREATE TABLE objects (
  "group" TEXT NOT NULL, plural TEXT NOT NULL, ns TEXT NOT NULL, name TEXT NOT NULL,
  rv INTEGER NOT NULL, json TEXT NOT NULL,
  PRIMARY KEY ("group", plural, ns, name)) WITHOUT ROWID;
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
PRAGMA application_id = 1685221483;
PRAGMA user_version = 1;
COMMIT;)";

std::string column(sqlite3_stmt* s, int i) {
  const void* text = sqlite3_column_blob(s, i);
  const auto size = static_cast<size_t>(sqlite3_column_bytes(s, i));
  return text ? std::string(static_cast<const char*>(text), size) : std::string();
}

// The text must stay until the statement is reset.
void bind_text(sqlite3_stmt* s, int i, std::string_view text) {
  sqlite3_bind_text64(s, i, text.empty() ? "" : text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
}

}  // namespace

void Persistence::Closer::operator()(sqlite3* db) const { sqlite3_close_v2(db); }
void Persistence::Closer::operator()(sqlite3_stmt* s) const { sqlite3_finalize(s); }

Error Persistence::error() const {
  const int code = sqlite3_errcode(x_db.get());
  std::string_view text = sqlite3_errmsg(x_db.get());
  if (code == SQLITE_BUSY) text = "database is locked: does another server use it?";
  return Error(Code::kUnavailable, cat(x_file, ": ", text));
}

Result<Persistence::Statement> Persistence::statement(const char* sql) {
  sqlite3_stmt* made = nullptr;
  if (sqlite3_prepare_v2(x_db.get(), sql, -1, &made, nullptr) != SQLITE_OK) return error();
  return Statement(made);
}

Status Persistence::execute(const char* sql) {
  if (sqlite3_exec(x_db.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) return error();
  return ok();
}

Result<std::string> Persistence::ask(const char* sql) {
  Statement s = TRY(statement(sql));
  const int code = sqlite3_step(s.get());
  if (code != SQLITE_ROW && code != SQLITE_DONE) return error();
  return code == SQLITE_ROW ? column(s.get(), 0) : std::string();
}

Status Persistence::step(sqlite3_stmt* s) {
  const bool done = sqlite3_step(s) == SQLITE_DONE;
  Status status = done ? ok() : Status(error());
  sqlite3_reset(s);
  sqlite3_clear_bindings(s);
  return status;
}

Status Persistence::prepare_file() {
  // One server per file; and without shared memory the lock is gone with the process.
  TRY(execute("PRAGMA locking_mode = EXCLUSIVE"));
  const bool empty = TRY(ask("SELECT count(*) FROM sqlite_schema")) == "0";
  if (!empty && TRY(ask("PRAGMA application_id")) != kApplication) {
    return Error(Code::kInvalidArgument, cat(x_file, ": is another program's database"));
  }
  const std::string format = TRY(ask("PRAGMA user_version"));
  if (!empty && format != kFormat) {
    return Error(Code::kInvalidArgument, cat(x_file, ": has format ", format, ", this server writes ", kFormat));
  }
  if (sqlite3_db_readonly(x_db.get(), "main") == 1) {
    return Error(Code::kPermissionDenied, cat(x_file, ": is read-only"));
  }
  if (TRY(ask("PRAGMA journal_mode = WAL")) != "wal") {
    return Error(Code::kFailedPrecondition, cat(x_file, ": cannot have a write-ahead log here"));
  }
  TRY(execute("PRAGMA synchronous = FULL"));
  if (empty) TRY(execute(kSchema));
  else TRY(execute("BEGIN IMMEDIATE; ROLLBACK"));  // a disk that takes no write says so now
  x_put = TRY(statement("INSERT INTO objects VALUES (?, ?, ?, ?, ?, ?) "
                        "ON CONFLICT DO UPDATE SET rv = excluded.rv, json = excluded.json"));
  x_remove = TRY(statement(R"(DELETE FROM objects WHERE "group" = ? AND plural = ? AND ns = ? AND name = ?)"));
  x_set = TRY(statement("INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value"));
  return ok();
}

Result<std::unique_ptr<Persistence>> Persistence::open(const std::string& file) {
  // SQLite gives its log the file's mode; made here, nobody else may ever read the keys.
  if (const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600); fd >= 0) ::close(fd);
  std::unique_ptr<Persistence> out(new Persistence(file));
  sqlite3* db = nullptr;
  const int code = sqlite3_open_v2(file.c_str(), &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  out->x_db.reset(db);
  if (!db) return Error(Code::kResourceExhausted, cat(file, ": out of memory"));
  if (code != SQLITE_OK) return out->error();
  sqlite3_busy_timeout(db, kBusyMs);
  TRY(out->prepare_file());
  return out;
}

Persistence::~Persistence() { stop(); }

Status Persistence::load(const std::function<Status(StoredRow)>& visit) {
  Statement s = TRY(statement(R"(SELECT "group", plural, ns, name, rv, json FROM objects)"));
  int code;
  while ((code = sqlite3_step(s.get())) == SQLITE_ROW) {
    StoredRow row{column(s.get(), 0), column(s.get(), 1), column(s.get(), 2), column(s.get(), 3),
                  static_cast<uint64_t>(sqlite3_column_int64(s.get(), 4)), column(s.get(), 5)};
    if (Status status = visit(std::move(row)); !status) return Error::wrap(x_file, status.error());
  }
  if (code != SQLITE_DONE) return error();
  return ok();
}

Result<uint64_t> Persistence::version() {
  const std::string text = TRY(setting("version"));
  if (text.empty()) return 0;
  const auto [at, bad] = std::from_chars(text.data(), text.data() + text.size(), x_highest);
  if (bad != std::errc() || at != text.data() + text.size() || x_highest > INT64_MAX / 2) {
    return Error(Code::kDataLoss, cat(x_file, ": bad last resource version ", text));
  }
  return x_highest + kSkip;
}

Result<std::string> Persistence::setting(std::string_view name) {
  Statement s = TRY(statement("SELECT value FROM meta WHERE name = ?"));
  bind_text(s.get(), 1, name);
  const int code = sqlite3_step(s.get());
  if (code != SQLITE_ROW && code != SQLITE_DONE) return error();
  return code == SQLITE_ROW ? column(s.get(), 0) : std::string();
}

Status Persistence::set_setting(std::string_view name, std::string_view value) {
  bind_text(x_set.get(), 1, name);
  bind_text(x_set.get(), 2, value);
  return step(x_set.get());
}

Status Persistence::write(const std::vector<StoredChange>& batch) {
  uint64_t highest = x_highest;
  TRY(execute("BEGIN IMMEDIATE"));
  for (const StoredChange& change : batch) {
    const bool gone = change.type == ChangeType::kDeleted;
    sqlite3_stmt* s = gone ? x_remove.get() : x_put.get();
    const size_t slash = change.shelf.find('/');
    bind_text(s, 1, change.shelf.substr(0, slash));
    bind_text(s, 2, change.shelf.substr(slash + 1));
    bind_text(s, 3, change.object->ns);
    bind_text(s, 4, change.object->name);
    if (!gone) {
      sqlite3_bind_int64(s, 5, static_cast<int64_t>(change.object->version));
      bind_text(s, 6, change.object->json);
    }
    TRY(step(s));
    highest = std::max(highest, change.version);
  }
  const std::string text = cat(highest);
  TRY(set_setting("version", text));
  TRY(execute("COMMIT"));
  x_highest = highest;
  return ok();
}

Status Persistence::commit(const std::vector<StoredChange>& batch) {
  Status status = write(batch);
  if (!status && sqlite3_get_autocommit(x_db.get()) == 0) (void)execute("ROLLBACK");
  return status;
}

void Persistence::start() {
  x_thread = std::thread([this] { run(); });
}

void Persistence::append(const StoredChange& change) {
  Lock held(x_lock);
  x_pending.push_back(change);
  x_pending.back().before = nullptr;
  ++x_appended;
  x_wake.notify_all();
}

Status Persistence::health() {
  Lock held(x_lock);
  if (x_failure) return *x_failure;
  if (x_pending.size() >= kMaxPending) return Error(Code::kUnavailable, cat(x_file, ": the disk does not keep up"));
  return ok();
}

void Persistence::when_durable(std::function<void(const Status&)> f) {
  Status status = ok();
  {
    Lock held(x_lock);
    if (x_committed < x_appended) {
      if (!x_ended) {
        x_waiters.push_back({x_appended, std::move(f)});
        return;
      }
      status = x_failure ? *x_failure : Error(Code::kUnavailable, "the server has stopped");
    }
  }
  f(status);
}

void Persistence::run() {
  Lock held(x_lock);
  std::vector<StoredChange> batch;
  while (true) {
    while (!x_stop && x_pending.empty()) x_wake.wait(x_lock);
    if (x_pending.empty()) break;
    batch.swap(x_pending);
    const uint64_t end = x_appended;
    held.unlock();
    const Status status = commit(batch);
    held.lock();
    if (status) {
      x_committed = end;
      x_failure.reset();
    } else {
      x_failure = status.error();
      batch.insert(batch.end(), x_pending.begin(), x_pending.end());
      x_pending.swap(batch);
    }
    batch.clear();
    std::vector<Waiter> answered;
    auto waits = [&](const Waiter& w) { return w.target > end; };
    auto first = std::stable_partition(x_waiters.begin(), x_waiters.end(), waits);
    std::move(first, x_waiters.end(), std::back_inserter(answered));
    x_waiters.erase(first, x_waiters.end());
    held.unlock();
    for (Waiter& w : answered) w.f(status);
    held.lock();
    if (status) continue;
    if (x_stop) break;
    for (const Deadline retry(kRetryAfter); !x_stop && x_wake.wait_until(x_lock, retry);) {
    }
  }
  std::vector<Waiter> left = std::move(x_waiters);
  x_waiters.clear();
  x_ended = true;
  const Status status = x_failure ? Status(*x_failure) : ok();
  held.unlock();
  for (Waiter& w : left) w.f(status);
}

void Persistence::stop() {
  {
    Lock held(x_lock);
    x_stop = true;
  }
  x_wake.notify_all();
  if (x_thread.joinable()) x_thread.join();
}

}  // namespace pintle::drydock
