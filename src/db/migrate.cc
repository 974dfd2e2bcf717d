#include "db/migrate.h"

#include <vector>

namespace pintle::db {

namespace {

// Any number, the same for all: who migrates on PostgreSQL holds the lock of this name.
constexpr int64_t kLock = 0x70696e746c65;

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

std::vector<std::string> statements(std::string_view sql, Dialect dialect) {
  std::string text(sql);
  bool sqlite = dialect == Dialect::kSqlite;
  replace_all(text, "{id}", sqlite ? "integer" : "bigint");
  replace_all(text, "{text_key}", sqlite ? "without rowid" : "");
  replace_all(text, "{bytes}", sqlite ? "" : "collate \"C\"");
  std::vector<std::string> out;
  size_t start = 0;
  for (size_t end = text.find(";\n"); end != text.npos; end = text.find(";\n", start)) {
    out.push_back(text.substr(start, end - start));
    start = end + 2;
  }
  return out;
}

Status take_turn(Session& session) {
  if (session.dialect() == Dialect::kSqlite) return ok();  // the transaction is the lock
  TRY(session.number("select 1 from pg_advisory_xact_lock(?)", 0, kLock));
  return ok();
}

Result<int64_t> done_so_far(Session& session) {
  return session.number("select coalesce(max(number), 0) from schema_step", 0);
}

}  // namespace

Status migrate(Session& session, Steps steps) {
  auto known = static_cast<int64_t>(steps.size());
  int64_t done = 0;
  TRY(session.transaction([&]() -> Status {
    TRY(take_turn(session));
    TRY(session.run("create table if not exists schema_step (number bigint primary key)"));
    done = TRY(done_so_far(session));
    return ok();
  }));
  while (done < known) {
    TRY(session.transaction([&]() -> Status {
      TRY(take_turn(session));
      done = TRY(done_so_far(session));  // another process may have gone on
      if (done >= known) return ok();
      for (const std::string& sql : statements(steps[done], session.dialect())) {
        TRY(session.run(sql));
      }
      TRY(session.run("insert into schema_step (number) values (?)", done + 1));
      ++done;
      return ok();
    }));
  }
  if (done > known) {
    return Error(Code::kFailedPrecondition,
                 "the database has schema " + std::to_string(done) + ", this program knows " +
                     std::to_string(known) + ": a newer program has been here");
  }
  return ok();
}

}  // namespace pintle::db
