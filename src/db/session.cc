// A session over SOCI. `?` becomes `:p1`, `:p2` ...; each statement's parameters and columns are
// bound once to variables of its own, and an execution only fills them: SOCI then allocates nothing.
#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <unordered_map>
#include <utility>

#include <soci/postgresql/soci-postgresql.h>
#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include "base/check.h"
#include "base/gotext.h"
#include "base/strings.h"
#include "db/answer_watch.h"
#include "db/db.h"
#include "db/errors.h"
#include "db/trouble.h"
#include "sys/clock.h"

namespace pintle::db {

namespace {

struct Cell {
  long long n = 0;
  std::string s;
  soci::indicator state = soci::i_ok;
};

// `?` outside quotes to `:pN`.
std::string named(std::string_view sql) {
  std::string out;
  out.reserve(sql.size() + 64);
  int n = 0;
  bool quoted = false;
  for (char c : sql) {
    if (c == '\'') quoted = !quoted;
    if (c == '?' && !quoted) {
      out += ":p" + std::to_string(++n);
    } else {
      out += c;
    }
  }
  return out;
}

class Prepared final : public Row {
 public:
  Prepared(soci::session& session, std::string_view sql, std::string_view columns,
           std::span<const Param> params)
      : statement_(session), params_(params.size()), cells_(columns.size()), columns_(columns) {
    statement_.alloc();
    statement_.prepare(named(sql));
    for (size_t i = 0; i < params.size(); ++i) {
      if (std::holds_alternative<int64_t>(params[i])) {
        statement_.exchange(soci::use(params_[i].n));
      } else {
        statement_.exchange(soci::use(params_[i].s));
      }
    }
    for (size_t i = 0; i < columns.size(); ++i) {
      Cell& cell = cells_[i];
      if (columns[i] == 'n') {
        statement_.exchange(soci::into(cell.n, cell.state));
      } else {
        statement_.exchange(soci::into(cell.s, cell.state));
      }
    }
    statement_.define_and_bind();
  }

  int64_t execute(std::span<const Param> params, const EachRow* each) {
    CHECK(params.size() == params_.size());
    for (size_t i = 0; i < params.size(); ++i) {
      if (const int64_t* n = std::get_if<int64_t>(&params[i])) {
        params_[i].n = *n;
      } else {
        params_[i].s.assign(std::get<std::string_view>(params[i]));
      }
    }
    if (each == nullptr) {
      statement_.execute(true);
      return statement_.get_affected_rows();
    }
    statement_.execute(false);
    while (statement_.fetch()) {
      for (Cell& cell : cells_) {
        if (cell.state != soci::i_null) continue;
        cell.n = 0;
        cell.s.clear();
      }
      (*each)(*this);
    }
    return 0;
  }

  int64_t number(size_t column) const override {
    CHECK(columns_[column] == 'n');
    return cells_[column].n;
  }
  const std::string& text(size_t column) const override {
    CHECK(columns_[column] == 't');
    return cells_[column].s;
  }

 private:
  soci::statement statement_;
  std::vector<Cell> params_, cells_;  // never resized: SOCI holds their addresses
  std::string columns_;
};

constexpr std::string_view kSqlite = "sqlite:";

bool is_postgres(std::string_view url) {
  return url.starts_with("postgresql://") || url.starts_with("postgres://");
}

// A server that vanishes without a word must not hold its caller for the quarter of an hour that TCP
// would: what the URL does not say is added to it.
std::string with_limits(std::string url, int64_t wait_ms) {
  const int64_t seconds = std::max<int64_t>(wait_ms / 1000, 2);  // libpq takes no less
  const size_t query = url.find('?');
  const std::string asked = query == url.npos ? "" : "&" + url.substr(query + 1);
  for (const auto& [name, value] : std::initializer_list<std::pair<std::string_view, int64_t>>{
           {"connect_timeout", seconds},
           {"keepalives_idle", 2 * seconds},
           {"keepalives_interval", seconds},
           {"keepalives_count", 2},
           {"tcp_user_timeout", 4000 * seconds}}) {
    if (asked.find(cat("&", name, "=")) != asked.npos) continue;
    append(url, {url.find('?') == url.npos ? "?" : "&", name, "=", std::to_string(value)});
  }
  return url;
}

// Of a PostgreSQL connection; -1: it is not known. libpq is the library that SOCI has loaded.
int socket_of(soci::session& session) {
  void* libpq = ::dlopen("libpq.so.5", RTLD_LAZY | RTLD_NOLOAD);
  if (libpq == nullptr) return -1;
  const auto find = reinterpret_cast<decltype(&PQsocket)>(::dlsym(libpq, "PQsocket"));
  const auto* backend = static_cast<soci::postgresql_session_backend*>(session.get_backend());
  const int out = find == nullptr ? -1 : find(backend->conn_);
  ::dlclose(libpq);
  return out;
}

struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view s) const { return std::hash<std::string_view>()(s); }
};

class SociSession final : public Session {
 public:
  explicit SociSession(SessionOptions options)
      : options_(std::move(options)),
        where_(public_url(options_.url)),
        dialect_(is_postgres(options_.url) ? Dialect::kPostgres : Dialect::kSqlite) {}

  ~SociSession() override { disconnect(); }

  Status connect() {
    return asking([&] {
      disconnect();
      std::string wait = std::to_string(options_.wait_ms);
      if (dialect_ == Dialect::kPostgres) {
        session_ = std::make_unique<soci::session>(
            "postgresql", with_limits(options_.url, options_.wait_ms));
        if (const int socket = socket_of(*session_); socket >= 0 && options_.answer_ms > 0) {
          watch_ = std::make_unique<AnswerWatch>(socket, options_.answer_ms);
          watch_->begin();
        }
        for (const std::string& setting :
             {std::string("client_min_messages = warning"), "lock_timeout = " + wait,
              "idle_in_transaction_session_timeout = " + wait,
              std::string("client_encoding = 'UTF8'"), std::string("timezone = 'UTC'")}) {
          *session_ << "set " << setting;
        }
        return;
      }
      std::string path = options_.url.substr(kSqlite.size());
      session_ = std::make_unique<soci::session>(*soci::factory_sqlite3(),
                                                 "dbname=\"" + path + "\"");
      std::string mode;
      *session_ << "pragma busy_timeout = " << wait;
      *session_ << "pragma journal_mode = wal", soci::into(mode);
      *session_ << "pragma synchronous = normal";
      *session_ << "pragma foreign_keys = on";
      *session_ << "pragma cache_size = -" << options_.cache_kib;
      *session_ << "pragma temp_store = memory";
      *session_ << "pragma wal_autocheckpoint = 4096";  // pages: fewer waits for the disk in a burst
      *session_ << "pragma journal_size_limit = 67108864";  // what a burst leaves of the log
    });
  }

  Result<int64_t> change(std::string_view sql, std::span<const Param> params) override {
    return execute(sql, "", params, nullptr);
  }

  Status select(std::string_view sql, std::string_view columns, std::span<const Param> params,
                const EachRow& each) override {
    Result<int64_t> read = execute(sql, columns, params, &each);
    bool again = !in_transaction_ && suspect_;
    if (!read && again && read.error().code() == Code::kUnavailable) {
      read = execute(sql, columns, params, &each);
    }
    if (!read) return read.error();
    return ok();
  }

  Status transaction(const std::function<Status()>& body) override {
    CHECK(!in_transaction_);
    std::string_view begin = dialect_ == Dialect::kPostgres ? "begin" : "begin immediate";
    Result<int64_t> begun = run(begin);
    if (!begun && suspect_) begun = run(begin);  // nothing was done yet: on a new connection
    if (!begun) return begun.error();
    in_transaction_ = true;
    Status done = body();
    if (done) {
      if (Result<int64_t> committed = run("commit"); !committed) done = committed.error();
    }
    // A commit that failed may have ended the transaction itself: then this says so, to nobody.
    if (!done) (void)run("rollback");
    in_transaction_ = false;
    return done;
  }

  Dialect dialect() const override { return dialect_; }
  uint64_t statements() const override { return sent_.load(std::memory_order_relaxed); }

 private:
  // guarded() while the server's answer is watched.
  Status asking(const std::function<void()>& body) {
    if (watch_) watch_->begin();
    Status done = guarded(where_, body);
    if (!watch_ || !watch_->ended() || done) return done;
    return lost(cat(where_, ": the server has not answered a statement for ",
                    options_.answer_ms / 1000, " s"));
  }

  // Statements go before their session, which both tell the server of; the watch goes last.
  void disconnect() {
    if (watch_) watch_->begin();
    statements_prepared_.clear();
    session_.reset();
    watch_.reset();
  }

  Result<int64_t> execute(std::string_view sql, std::string_view columns,
                          std::span<const Param> params, const EachRow* each) {
    for (const Param& p : params) {
      const std::string_view* text = std::get_if<std::string_view>(&p);
      if (text != nullptr && (!valid_utf8(*text) || text->find('\0') != text->npos)) {
        return Error(Code::kInvalidArgument, where_ + ": a text is no valid UTF-8, or has a NUL");
      }
    }
    if (suspect_ && !in_transaction_) TRY(revive());
    int64_t changed = 0;
    Status done = asking([&] {
      auto found = statements_prepared_.find(sql);
      if (found == statements_prepared_.end()) {
        auto made = std::make_unique<Prepared>(*session_, sql, columns, params);
        found = statements_prepared_.emplace(std::string(sql), std::move(made)).first;
      }
      sent_.fetch_add(1, std::memory_order_relaxed);
      changed = found->second->execute(params, each);
    });
    if (done) return changed;
    // A statement that failed half-way may hold the lock of what it had read.
    if (auto found = statements_prepared_.find(sql); found != statements_prepared_.end()) {
      (void)asking([&] { statements_prepared_.erase(found); });
    }
    if (dialect_ == Dialect::kPostgres && done.error().code() != Code::kAlreadyExists) {
      suspect_ = true;
    }
    return done.error();
  }

  // Whether the connection still answers; if not, a new one. A server that lets a connection wait is
  // not asked for another at once: callers are not held up one after another.
  Status revive() {
    const auto now = [] { return sys::real_clock().monotonic_ns() / 1'000'000; };
    const int64_t began = now();
    if (began < not_before_ms_) return lost(not_made_);
    suspect_ = false;
    if (session_ != nullptr) {  // the last try to make one may have failed
      int one = 0;
      Status alive = asking([&] { *session_ << "select 1", soci::into(one); });
      if (alive) return ok();
    }
    Status made = connect();
    if (made) return ok();
    suspect_ = true;
    const int64_t ended = now();
    if (ended - began >= options_.wait_ms / 2) {
      not_before_ms_ = ended + options_.wait_ms;
      not_made_ = made.error().text();
    }
    return made;
  }

  static Error lost(std::string text) {
    Error out(Code::kUnavailable, std::move(text));
    out.set_detail(std::make_unique<TroubleDetail>(Trouble::kLost));
    return out;
  }

  SessionOptions options_;
  std::string where_;
  Dialect dialect_;
  std::unique_ptr<AnswerWatch> watch_;  // PostgreSQL's
  std::unique_ptr<soci::session> session_;
  std::unordered_map<std::string, std::unique_ptr<Prepared>, TextHash, std::equal_to<>>
      statements_prepared_;
  bool in_transaction_ = false, suspect_ = false;
  int64_t not_before_ms_ = 0;  // monotonic
  std::string not_made_;       // why, the last time
  std::atomic<uint64_t> sent_ = 0;
};

}  // namespace

std::string public_url(std::string_view url) {
  size_t start = url.find("://");
  if (start == url.npos) return std::string(url);
  size_t end = url.find_first_of("/?", start + 3);
  size_t at = url.substr(0, end).rfind('@');
  std::string out(url.substr(0, start + 3));
  out += url.substr(at == url.npos || at < start ? start + 3 : at + 1);
  return out.substr(0, out.find('?'));  // parameters may hold a password too
}

Result<std::unique_ptr<Session>> Session::open(SessionOptions options) {
  bool sqlite = options.url.starts_with(kSqlite) && options.url.size() > kSqlite.size() &&
                options.url.find('"') == std::string::npos;
  if (!sqlite && !is_postgres(options.url)) {
    return Error(Code::kInvalidArgument, public_url(options.url) +
                                             ": a database URL is sqlite:PATH or "
                                             "postgresql://[USER[:PASSWORD]@]HOST/NAME");
  }
  auto session = std::make_unique<SociSession>(std::move(options));
  TRY(session->connect());
  return std::unique_ptr<Session>(std::move(session));
}

Status Session::insert(std::string_view head, size_t width, std::string_view tail,
                       std::string_view columns, std::span<const Param> params,
                       const EachRow& each) {
  std::string row = "(?";
  for (size_t i = 1; i < width; ++i) row += ",?";
  row += ')';
  std::string sql;
  // Powers of two: few statements to prepare, and few to send for any number of rows.
  for (size_t rows = 64; rows >= 1; rows /= 2) {
    if (params.size() < rows * width) continue;
    sql.assign(head).append(" values ").append(row);
    for (size_t i = 1; i < rows; ++i) sql.append(",").append(row);
    sql.append(" ").append(tail);
    while (params.size() >= rows * width) {
      if (columns.empty()) {
        TRY(change(sql, params.first(rows * width)));
      } else {
        TRY(select(sql, columns, params.first(rows * width), each));
      }
      params = params.subspan(rows * width);
    }
  }
  CHECK(params.empty());
  return ok();
}

}  // namespace pintle::db
