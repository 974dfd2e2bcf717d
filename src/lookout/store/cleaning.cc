// Cleaning: removes what is old and finished, a bounded number of rows at a time. An event goes with
// its deliveries and their attempts. A state goes when a newer one of its object is stored, or the
// object is gone: the newest must stay, or the next relist would store it, and tell it, again. What
// was told is remembered for longer than the events themselves, for the same reason.
//
// What can go is looked for on a reader's connection, and removed in pieces of a few milliseconds
// with four times that between them, so that no commit waits for long. The walks go on where they
// ended: what stays, as events that somebody waits for, is seen once in each round. Of several
// processes on one database one removes at a time.
#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "lookout/store/sql_store.h"

namespace pintle::lookout {

namespace {

constexpr int64_t kDayMs = 24 * 60 * 60 * 1000LL;
constexpr int64_t kTellAgainMs = 400 * kDayMs;
// Kubernetes' own Events are gone from the cluster by then, also where nobody saw them go.
constexpr int64_t kEventsLiveMs = 7 * kDayMs;
constexpr int kChunk = 1000;
constexpr size_t kPiece = 50;
constexpr auto kPieceTime = std::chrono::milliseconds(2);
constexpr int kBreaths = 4;  // times what a piece took; a mutex does not ask who waits longest

struct OldEvent {
  int64_t seq, deliveries;
};

struct OldState {
  std::string cluster_uid, resource, uid, version;
  int64_t received_ms;
  bool newest;
};

bool is_events(std::string_view resource) {
  return resource == "events" || resource == "events.events.k8s.io";
}

// The types of a pattern, by jumping from one to the next in their index. "*" stays itself.
Result<std::vector<std::string>> types_of(db::Session& session, std::string_view pattern) {
  if (!pattern.ends_with(".*")) return std::vector<std::string>{std::string(pattern)};
  std::string at(pattern.substr(0, pattern.size() - 1)), end = at;
  end.back() = '/';  // the byte after '.'
  std::vector<std::string> out;
  for (;;) {
    size_t before = out.size();
    TRY(session.query("select type from event where type > ? and type < ? order by type limit 1",
                      "t", [&](const db::Row& row) { out.push_back(row.text(0)); }, at, end));
    if (out.size() == before) return out;
    at = out.back();
  }
}

Result<std::vector<OldEvent>> old_events(db::Session& session, std::string_view type,
                                         int64_t before_ms, int limit, int64_t after = 0) {
  std::vector<OldEvent> out;
  // Times grow with the sequence: its last number that is old enough bounds the search by type.
  int64_t last = TRY(session.number(
      "select seq from event where stored_ms < ? order by stored_ms desc, seq desc limit 1", 0,
      before_ms));
  if (last == 0) return out;
  std::string sql = "select e.seq, (select count(*) from delivery d where d.event_seq = e.seq) "
                    "from event e where e.seq > ? and e.seq <= ? and e.stored_ms < ?";
  std::vector<db::Param> params{db::param(after), db::param(last), db::param(before_ms)};
  if (type != "*") {
    sql += " and e.type = ?";
    params.push_back(db::param(type));
  }
  sql += " and not exists (select 1 from delivery d where d.event_seq = e.seq and "
         "d.state in (0, 1, 3)) order by e.seq limit ?";
  params.push_back(db::param(limit));
  TRY(session.select(sql, "nn", params, [&](const db::Row& row) {
    out.push_back({row.number(0), row.number(1)});
  }));
  return out;
}

// How many went: 0 when another process was faster.
Result<int64_t> remove_event(db::Session& session, const OldEvent& e) {
  if (e.deliveries > 0) {
    TRY(session.run("delete from attempt where delivery_id in "
                    "(select id from delivery where event_seq = ?)",
                    e.seq));
    TRY(session.run("delete from delivery where event_seq = ?", e.seq));
  }
  return session.run("delete from event where seq = ?", e.seq);
}

// Whether this process may remove until the transaction ends.
Result<bool> take_turn(db::Session& session) {
  if (session.dialect() == db::Dialect::kSqlite) return true;
  return TRY(session.number("select pg_try_advisory_xact_lock(7037)::int", 0)) == 1;
}

}  // namespace

// False: another process has its turn.
Result<bool> SqlStore::clean_pieces(size_t count,
                                    const std::function<Status(db::Session&, size_t)>& remove) {
  using Clock = std::chrono::steady_clock;
  bool ours = true;
  for (size_t at = 0; at < count && ours;) {
    Clock::time_point began;
    TRY(change(writer_, [&](db::Session& session) -> Status {
      began = Clock::now();
      ours = TRY(take_turn(session));
      const size_t end = std::min(count, at + kPiece);
      while (ours && at < end && Clock::now() - began < kPieceTime) TRY(remove(session, at++));
      return ok();
    }));
    if (at < count) std::this_thread::sleep_for(kBreaths * (Clock::now() - began));
  }
  return ours;
}

Result<int64_t> SqlStore::clean_type(std::string_view type, int64_t before_ms, int limit) {
  int64_t& swept = swept_events_[std::string(type)];
  auto old = TRY(read([&](db::Session& s) { return old_events(s, type, before_ms, limit, swept); }));
  swept = old.size() < static_cast<size_t>(limit) ? 0 : old.back().seq;
  int64_t gone = 0;
  TRY(clean_pieces(old.size(), [&](db::Session& session, size_t i) -> Status {
    gone += TRY(remove_event(session, old[i]));
    return ok();
  }));
  return gone;
}

Result<int64_t> SqlStore::clean_states(int64_t before_ms, int limit) {
  int64_t gone = 0, unseen_ms = now_ms() - kEventsLiveMs;
  while (gone < limit) {
    std::vector<OldState> chunk;
    TRY(read([&](db::Session& session) {
      return session.query(
          "select o.cluster_uid, o.resource, o.uid, o.version, o.received_ms, "
          "(select count(*) from object c where c.cluster_uid = o.cluster_uid and "
          "c.resource = o.resource and c.uid = o.uid and c.version = o.version) "
          "from observation o where (o.received_ms, o.uid, o.version) > (?, ?, ?) and "
          "o.received_ms < ? order by o.received_ms, o.uid, o.version limit ?",
          "ttttnn",
          [&](const db::Row& row) {
            chunk.push_back({row.text(0), row.text(1), row.text(2), row.text(3), row.number(4),
                             row.number(5) > 0});
          },
          swept_.received_ms, swept_.uid, swept_.version, before_ms,
          std::min<int64_t>(kChunk, limit - gone));
    }));
    if (chunk.empty()) {
      swept_ = {};
      break;
    }
    std::vector<OldState> old;
    for (const OldState& s : chunk) {
      if (!s.newest || (is_events(s.resource) && s.received_ms < unseen_ms)) old.push_back(s);
    }
    const bool ours = TRY(clean_pieces(old.size(), [&](db::Session& session, size_t i) -> Status {
      const OldState& s = old[i];
      if (s.newest) {
        TRY(session.run("delete from object where cluster_uid = ? and resource = ? and "
                        "uid = ? and version = ?",
                        s.cluster_uid, s.resource, s.uid, s.version));
      }
      TRY(session.run("delete from observation where cluster_uid = ? and resource = ? and "
                      "uid = ? and version = ?",
                      s.cluster_uid, s.resource, s.uid, s.version));
      return ok();
    }));
    if (!ours) return gone;
    gone += static_cast<int64_t>(old.size());
    swept_ = {chunk.back().received_ms, chunk.back().uid, chunk.back().version};
  }
  return gone;
}

Result<int64_t> SqlStore::count_old(std::string_view type, int64_t before_ms, int limit) {
  return read([&](db::Session& session) -> Result<int64_t> {
    int64_t count = 0;
    for (const std::string& each : TRY(types_of(session, type))) {
      const int left = limit - static_cast<int>(count);
      count += static_cast<int64_t>(TRY(old_events(session, each, before_ms, left)).size());
    }
    return count;
  });
}

Result<int64_t> SqlStore::clean(std::string_view type, int64_t before_ms, int limit) {
  std::lock_guard hold(cleaning_);
  int64_t gone = 0;
  auto left = [&] { return limit - static_cast<int>(gone); };
  if (type != "observation") {
    auto types = TRY(read([&](db::Session& session) { return types_of(session, type); }));
    for (const std::string& each : types) {
      if (left() > 0) gone += TRY(clean_type(each, before_ms, left()));
    }
  }
  if (type != "*" && type != "observation") return gone;
  if (left() > 0) gone += TRY(clean_states(before_ms, left()));
  if (left() > 0) {
    TRY(change(writer_, [&](db::Session& session) -> Status {
      gone += TRY(session.run("delete from told where key in (select key from told "
                              "where told_ms < ? order by told_ms limit ?)",
                              before_ms - kTellAgainMs, left()));
      return ok();
    }));
  }
  return gone;
}

}  // namespace pintle::lookout
