// Marks: what deliveries have made so elsewhere, so that of a hundred events that ask for the same
// one is told, by whichever process and after whichever restart.
#include "lookout/store/sql_store.h"

namespace pintle::lookout {
namespace {

constexpr int64_t kKeepMs = int64_t{30} * 24 * 3600 * 1000;

}  // namespace

Result<Mark> SqlStore::mark(std::string_view key) {
  return alone(outbox(), [&](db::Session& session) -> Result<Mark> {
    Mark out;
    TRY(session.query("select value, event_seq from mark where key = ? and set_ms > ?", "tn",
                      [&](const db::Row& row) {
                        out = {std::string(key), row.text(0), row.number(1)};
                      },
                      key, now_ms() - kKeepMs));
    if (out.key.empty()) return Error(Code::kNotFound, "no mark " + std::string(key));
    return out;
  });
}

Status SqlStore::put_mark(const Mark& mark) {
  return change(outbox(), [&](db::Session& session) -> Status {
    TRY(session.run("delete from mark where set_ms <= ?", now_ms() - kKeepMs));
    TRY(session.run("insert into mark (key, value, event_seq, set_ms) values (?, ?, ?, ?) "
                    "on conflict (key) do update set value = excluded.value, "
                    "event_seq = excluded.event_seq, set_ms = excluded.set_ms "
                    "where mark.event_seq <= excluded.event_seq",
                    mark.key, mark.value, mark.sequence, now_ms()));
    return ok();
  });
}

}  // namespace pintle::lookout
