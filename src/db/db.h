// Db: one connection to SQLite or PostgreSQL, with the same few calls over both. The door to SOCI:
// no SOCI type appears here and no exception leaves.
//
// SQL is written once for both databases, with `?` for parameters. Parameters and columns are
// 64-bit numbers and texts (UTF-8 without NUL), never null: columns are declared NOT NULL, and what
// may be null is asked for through coalesce; a null that comes all the same reads as 0 or "".
//
// Every statement is prepared once for each session and its text, and used again: texts are
// constants, never built from data.
//
// SQLite: write-ahead log, synchronous NORMAL (a killed process loses nothing that was committed, a
// power cut may lose the last transactions, the file stays whole), foreign keys on. PostgreSQL: the
// backend is loaded when the first such URL is opened; a lost connection is made anew at the next
// call outside a transaction, and a transaction's begin or a query outside one is sent once more;
// a transaction whose process says nothing for `wait_ms` (stopped, or its machine gone) is rolled
// back by the server, so that others get its locks. A connection takes no longer than `wait_ms` to be
// made, and is lost four times as long after its server's machine has vanished, if the URL does not
// say otherwise; one whose server is there and has not answered a call for `answer_ms` is broken.
//
// Errors: kUnavailable (locked, busy, full, read-only, connection lost, deadlock: worth trying
// again; after it the outcome of a commit may be unknown), kAlreadyExists (a unique index),
// kDataLoss (the file is damaged or no database), kInvalidArgument (the URL, a text that is no UTF-8),
// kInternal (the statement is wrong). Texts hold no parameters: they may be secrets.
// Not thread-safe: a session belongs to one thread at a time, statements() excepted.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"

namespace pintle::db {

enum class Dialect : uint8_t { kSqlite, kPostgres };

using Param = std::variant<int64_t, std::string_view>;
inline Param param(std::integral auto n) { return static_cast<int64_t>(n); }
inline Param param(std::string_view text) { return text; }  // not copied until the call

// The row at hand, by column from 0.
class Row {
 public:
  virtual ~Row() = default;
  virtual int64_t number(size_t column) const = 0;
  virtual const std::string& text(size_t column) const = 0;
};
using EachRow = std::function<void(const Row&)>;

struct SessionOptions {
  std::string url;         // "sqlite:PATH", "sqlite::memory:", "postgresql://..."
  int64_t wait_ms = 5000;  // for a lock that another holds, a connection, a silent transaction
  int64_t answer_ms = 30'000;  // for PostgreSQL's answer; 0: as long as it takes
  int64_t cache_kib = 2048;  // SQLite's pages in memory
};

// The URL as it may be shown: without user and password.
std::string public_url(std::string_view url);

class Session {
 public:
  static Result<std::unique_ptr<Session>> open(SessionOptions options);
  virtual ~Session() = default;

  // Runs a statement that gives no rows. How many rows it changed.
  template <typename... P>
  Result<int64_t> run(std::string_view sql, const P&... params) {
    std::array<Param, sizeof...(P)> list{param(params)...};
    return change(sql, list);
  }
  // `columns`: a letter for each, n a number, t a text. All rows are read. What changes rows and
  // gives rows back belongs in a transaction.
  template <typename... P>
  Status query(std::string_view sql, std::string_view columns, const EachRow& each,
               const P&... params) {
    std::array<Param, sizeof...(P)> list{param(params)...};
    return select(sql, columns, list, each);
  }
  // One number: the first column of the first row, `none` when there is no row.
  template <typename... P>
  Result<int64_t> number(std::string_view sql, int64_t none, const P&... params) {
    int64_t found = none;
    bool first = true;
    auto each = [&](const Row& row) {
      if (std::exchange(first, false)) found = row.number(0);
    };
    TRY(query(sql, "n", each, params...));
    return found;
  }

  virtual Result<int64_t> change(std::string_view sql, std::span<const Param> params) = 0;
  virtual Status select(std::string_view sql, std::string_view columns,
                        std::span<const Param> params, const EachRow& each) = 0;

  // `head` VALUES (...), (...) `tail` for many rows of `width` parameters each, in few statements:
  // some 3 us a row on SQLite, and a round trip for 64 rows on PostgreSQL.
  Status insert(std::string_view head, size_t width, std::string_view tail,
                std::string_view columns, std::span<const Param> params, const EachRow& each);

  // All that `body` does, or nothing: an error of it, or of the commit, rolls back and is given
  // back. On SQLite it takes the write lock at once, so that no later step finds it taken.
  virtual Status transaction(const std::function<Status()>& body) = 0;

  virtual Dialect dialect() const = 0;
  // " for update" and kin, which SQLite neither knows nor needs: "" there.
  std::string_view on_postgres(std::string_view clause) const {
    return dialect() == Dialect::kPostgres ? clause : std::string_view();
  }
  virtual uint64_t statements() const = 0;  // sent so far; any thread
};

}  // namespace pintle::db
