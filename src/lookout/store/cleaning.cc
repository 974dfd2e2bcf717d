// Cleaning: removes what is old and finished, a bounded number of rows at a time. An event goes with
// its deliveries and their attempts. A state goes when a newer one of its object is stored, or the
// object is gone: the newest must stay, or the next relist would store it, and tell it, again. What
// was told is remembered for longer than the events themselves, for the same reason.
#include <algorithm>
#include <vector>

#include "lookout/store/sql_store.h"

namespace pintle::lookout {

namespace {

constexpr int64_t kDayMs = 24 * 60 * 60 * 1000LL;
constexpr int64_t kTellAgainMs = 400 * kDayMs;
// Kubernetes' own Events are gone from the cluster by then, also where nobody saw them go.
constexpr int64_t kEventsLiveMs = 7 * kDayMs;

}  // namespace

Result<int64_t> SqlStore::clean_events(db::Session& session, std::string_view type,
                                       int64_t before_ms, int limit) {
  // Times grow with the sequence: its last number that is old enough bounds the search by type.
  int64_t last = TRY(session.number(
      "select seq from event where stored_ms < ? order by stored_ms desc, seq desc limit 1", 0,
      before_ms));
  if (last == 0) return 0;
  std::string sql = "select e.seq, (select count(*) from delivery d where d.event_seq = e.seq) "
                    "from event e where e.seq <= ? and e.stored_ms < ?";
  std::vector<db::Param> params{db::param(last), db::param(before_ms)};
  std::string from, to;
  if (type.ends_with(".*")) {
    from = type.substr(0, type.size() - 1);
    to = from;
    to.back() = '/';  // the byte after '.'
    sql += " and e.type >= ? and e.type < ?";
    params.push_back(db::param(from));
    params.push_back(db::param(to));
  } else if (!type.empty() && type != "*") {
    sql += " and e.type = ?";
    params.push_back(db::param(type));
  }
  sql += " and not exists (select 1 from delivery d where d.event_seq = e.seq and "
         "d.state in (0, 1, 3)) order by e.seq limit ?";
  params.push_back(db::param(limit));
  std::vector<std::pair<int64_t, int64_t>> old;
  TRY(session.select(sql, "nn", params, [&](const db::Row& row) {
    old.emplace_back(row.number(0), row.number(1));
  }));
  for (const auto& [seq, deliveries] : old) {
    if (deliveries > 0) {
      TRY(session.run("delete from attempt where delivery_id in "
                      "(select id from delivery where event_seq = ?)",
                      seq));
      TRY(session.run("delete from delivery where event_seq = ?", seq));
    }
    TRY(session.run("delete from event where seq = ?", seq));
  }
  return static_cast<int64_t>(old.size());
}

Result<int64_t> SqlStore::clean_states(db::Session& session, int64_t before_ms, int limit) {
  TRY(session.run("delete from object where seen_ms < ? and resource in "
                  "('events', 'events.events.k8s.io')",
                  std::min(before_ms, now_ms() - kEventsLiveMs)));
  int64_t gone = TRY(session.run(
      "delete from observation where (cluster_uid, resource, uid, version) in "
      "(select o.cluster_uid, o.resource, o.uid, o.version from observation o "
      "where o.received_ms < ? and not exists (select 1 from object c "
      "where c.cluster_uid = o.cluster_uid and c.resource = o.resource and c.uid = o.uid and "
      "c.version = o.version) order by o.received_ms limit ?)",
      before_ms, limit));
  if (gone < limit) {
    gone += TRY(session.run(
        "delete from told where key in (select key from told where told_ms < ? "
        "order by told_ms limit ?)",
        before_ms - kTellAgainMs, limit - gone));
  }
  return gone;
}

Result<int64_t> SqlStore::clean(std::string_view type, int64_t before_ms, int limit) {
  int64_t gone = 0;
  TRY(change(writer_, [&](db::Session& session) -> Status {
    gone = 0;
    if (type != "observation") gone = TRY(clean_events(session, type, before_ms, limit));
    if (gone < limit && (type == "observation" || type == "*" || type.empty())) {
      gone += TRY(clean_states(session, before_ms, limit - static_cast<int>(gone)));
    }
    return ok();
  }));
  return gone;
}

}  // namespace pintle::lookout
