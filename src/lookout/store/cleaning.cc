// Cleaning: removes what the policies say may go, a bounded number of rows at a time. An event goes
// with its deliveries and their attempts.
//
// What can go is looked for on a connection of its own, and removed in pieces of a few milliseconds
// with four times that between them, so that no commit waits for long. A round goes over all tables
// once, from call to call: what stays, as events that somebody waits for, is seen once in it. Of
// several processes on one database one removes at a time.
//
// What is archived is read whole and handed over before a row of it goes: a kill in between leaves
// it in both places, never in none.
#include "lookout/store/cleaning.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <unordered_set>

#include "lookout/store/sql_store.h"

namespace pintle::lookout {

namespace {

constexpr size_t kPiece = 50;
constexpr auto kPieceTime = std::chrono::milliseconds(2);
constexpr int kBreaths = 4;  // times what a piece took; a mutex does not ask who waits longest
constexpr int kLook = 1000;
constexpr size_t kArchiveBytes = 8 << 20;  // of texts, in one file

// How many attempts of a delivery went with it.
Result<int64_t> remove_delivery(db::Session& session, int64_t id) {
  const int64_t attempts = TRY(session.run("delete from attempt where delivery_id = ?", id));
  TRY(session.run("delete from delivery where id = ?", id));
  return attempts;
}

Status remove_event(db::Session& session, const OldRow& e, RowCounts& rows) {
  if (e.n > 0) {
    // What is sent again meanwhile keeps its event.
    if (session.dialect() == db::Dialect::kPostgres) {
      TRY(session.number("select seq from event where seq = ? for update", 0, e.id));
    }
    const int64_t finished = TRY(session.number(
        "select coalesce(sum(case when state in (0, 1, 3) then 1000 else 1 end), 0) "
        "from delivery where event_seq = ?",
        0, e.id));
    if (finished > e.n) return ok();
    rows.attempts += TRY(session.run("delete from attempt where delivery_id in "
                                     "(select id from delivery where event_seq = ?)",
                                     e.id));
    rows.deliveries += TRY(session.run("delete from delivery where event_seq = ?", e.id));
  }
  rows.events += TRY(session.run("delete from event where seq = ?", e.id));
  return ok();
}

Status remove_state(db::Session& session, const OldRow& s, RowCounts& rows) {
  if (s.newest) {
    TRY(session.run("delete from object where cluster_uid = ? and resource = ? and uid = ? and "
                    "version = ?",
                    s.cluster_uid, s.resource, s.uid, s.version));
  }
  rows.observations += TRY(
      session.run("delete from observation where cluster_uid = ? and resource = ? and uid = ? and "
                  "version = ?",
                  s.cluster_uid, s.resource, s.uid, s.version));
  return ok();
}

Status remove_row(db::Session& session, const CleaningStep& step, const OldRow& row,
                  RowCounts& rows) {
  if (step.table == "event") return remove_event(session, row, rows);
  if (step.table == "observation") return remove_state(session, row, rows);
  if (step.table == "gap") {
    rows.gaps += TRY(session.run("delete from gap where id = ?", row.id));
  } else if (step.table == "audit") {
    rows.audit += TRY(session.run("delete from audit where id = ?", row.id));
  } else if (step.table == "attempt") {
    rows.attempts +=
        TRY(session.run("delete from attempt where delivery_id = ? and n = ?", row.id, row.n));
  } else if (step.table == "told") {
    TRY(session.run("delete from told where key = ?", row.uid));
  } else {
    rows.attempts += TRY(remove_delivery(session, row.id));
    ++rows.deliveries;
  }
  return ok();
}

// Of several processes, on PostgreSQL.
Result<bool> take_turn(db::Session& session) {
  if (session.dialect() == db::Dialect::kSqlite) return true;
  return TRY(session.number("select pg_try_advisory_lock(7037)::int", 0)) == 1;
}

void end_turn(db::Session& session) {
  if (session.dialect() == db::Dialect::kSqlite) return;
  (void)session.number("select pg_advisory_unlock(7037)::int", 0);
}

// ---- the archive

Status add_delivery(db::Session& session, Delivery d, GoingRows& out) {
  for (Attempt& a : TRY(attempts_of(session, d.id))) out.attempts.push_back(std::move(a));
  out.deliveries.push_back(std::move(d));
  return ok();
}

// Reads one row whole. About how many bytes it has.
Result<size_t> load(db::Session& session, const CleaningStep& step, const OldRow& row,
                    GoingRows& out) {
  if (step.table == "event") {
    StoredEvent e = TRY(find_event(session, row.id));
    const size_t bytes = 500 + e.event.message.size() + e.event.data.size();
    out.events.push_back(std::move(e));
    if (row.n == 0) return bytes;
    std::vector<int64_t> ids;
    TRY(session.query("select id from delivery where event_seq = ? order by id", "n",
                      [&](const db::Row& r) { ids.push_back(r.number(0)); }, row.id));
    for (const int64_t id : ids) {
      TRY(add_delivery(session, TRY(find_delivery(session, id)), out));
    }
    return bytes + ids.size() * 1000;
  }
  if (step.table == "attempt") {
    for (Attempt& a : TRY(attempts_of(session, row.id))) {
      if (a.n == row.n) out.attempts.push_back(std::move(a));
    }
    return 1000;
  }
  if (step.table == "observation") {
    TRY(session.query(
        "select resource, uid, version, change, subject_group, subject_version, subject_kind, "
        "subject_namespace, subject_name, subject_uid, digest, received_ms, count, count_delta "
        "from observation where cluster_uid = ? and resource = ? and uid = ? and version = ?",
        kStateLetters,
        [&](const db::Row& r) { out.observations.emplace_back(row.cluster_uid, read_state(r)); },
        row.cluster_uid, row.resource, row.uid, row.version));
    return 500;
  }
  if (step.table == "gap") {
    TRY(session.query(kGapById, kGapLetters,
                      [&](const db::Row& r) { out.gaps.push_back(read_gap(r)); }, row.id));
    return 300;
  }
  if (step.table == "audit") {
    out.audit.push_back(TRY(find_audit(session, row.id)));
    return 300 + out.audit.back().change.fields.size();
  }
  TRY(add_delivery(session, TRY(find_delivery(session, row.id)), out));
  return 2000;
}

}  // namespace

// What the archive does not take stays: it is taken out of `old`.
Status SqlStore::archive_old(const CleaningStep& step, std::vector<OldRow>& old,
                             const Archive& archive, std::string& error) {
  if (step.table == "told") return ok();
  for (const CleaningPolicy* p : step.policies) {
    if (!p->archive) continue;
    GoingRows going;
    auto flush = [&]() -> Status {
      if (going.policy == nullptr) return ok();
      const GoingRows whole = std::exchange(going, {});
      if (!archive) return Error("there is no archive");
      return archive(whole);
    };
    size_t bytes = 0;
    Status taken = ok();
    for (const OldRow& row : old) {
      if (row.policy != p) continue;
      going.policy = p;
      going.table = step.table;
      bytes += TRY(alone(sweeper(), [&](db::Session& s) { return load(s, step, row, going); }));
      if (bytes < kArchiveBytes) continue;
      taken = flush();
      bytes = 0;
      if (!taken) break;
    }
    if (taken) taken = flush();
    if (taken) continue;
    error = taken.error().text();
    std::erase_if(old, [&](const OldRow& row) { return row.policy == p; });
  }
  return ok();
}

Status SqlStore::remove_old(const CleaningStep& step, const std::vector<OldRow>& old,
                            RowCounts& rows) {
  using Clock = std::chrono::steady_clock;
  for (size_t at = 0; at < old.size();) {
    Clock::time_point began;
    RowCounts gone;
    size_t next = at;
    TRY(change(writer_, [&](db::Session& session) -> Status {
      began = Clock::now();
      const size_t end = std::min(old.size(), at + kPiece);
      while (next < end && Clock::now() - began < kPieceTime) {
        TRY(remove_row(session, step, old[next++], gone));
      }
      return ok();
    }));
    at = next;
    rows.add(gone);
    if (at < old.size()) std::this_thread::sleep_for(kBreaths * (Clock::now() - began));
  }
  return ok();
}

Result<Cleaned> SqlStore::clean_some(int limit, const Archive& archive) {
  Cleaned out;
  CleaningRound& round = *round_;
  std::vector<CleaningStep>& steps = round.steps;
  int64_t found = 0, passed = 0;  // passed over, as nothing of it may go yet: that takes time too
  while (round.at < steps.size() && found < limit && passed < 4 * int64_t{limit}) {
    CleaningStep& step = steps[round.at];
    const int look = static_cast<int>(limit - found);
    auto old = TRY(alone(sweeper(), [&](db::Session& session) {
      return find_old(session, round, step, now_ms(), look);
    }));
    TRY(archive_old(step, old, archive, out.archive_error));
    TRY(remove_old(step, old, out.rows));
    found += static_cast<int64_t>(old.size());
    if (!step.over) passed += look - static_cast<int64_t>(old.size());
    if (step.over) ++round.at;
  }
  out.more = round.at < steps.size();
  return out;
}

Result<Cleaned> SqlStore::clean(const std::vector<CleaningPolicy>& policies, int limit,
                                const Archive& archive) {
  Lock one(cleaning_);
  if (!TRY(alone(sweeper(), take_turn))) return Cleaned{};
  Result<Cleaned> out = [&]() REQUIRES(cleaning_) -> Result<Cleaned> {
    if (!round_ || round_->policies != policies) {
      auto fresh = std::make_unique<CleaningRound>();
      TRY(alone(sweeper(),
                [&](db::Session& session) { return begin_round(session, policies, *fresh); }));
      round_ = std::move(fresh);
    }
    return clean_some(limit, archive);
  }();
  alone(sweeper(), [](db::Session& session) { end_turn(session); });
  if (!out || !out->more) round_.reset();
  return out;
}

// What goes with an event or a delivery is counted there, as it would be removed.
Result<Cleaned> SqlStore::try_cleaning(const std::vector<CleaningPolicy>& policies,
                                       std::string_view name, int limit) {
  Cleaned out;
  CleaningRound round;
  TRY(alone(sweeper(),
            [&](db::Session& session) { return begin_round(session, policies, round); }));
  std::unordered_set<int64_t> events, deliveries;  // that go, by whichever policy
  std::map<std::string_view, int64_t> found;       // by table
  const auto count = [&](db::Session& session, const CleaningStep& step,
                         const OldRow& row) -> Status {
    const bool of_delivery = step.table == "dead" || step.table == "delivery";
    const bool with_event = row.event != 0 && events.contains(row.event);
    const bool with_delivery = step.table == "attempt" && deliveries.contains(row.id);
    if (step.table == "told" || with_event || with_delivery) return ok();
    if (found[step.table] >= limit) {
      out.more = true;
      return ok();
    }
    ++found[step.table];
    if (step.table == "event") events.insert(row.id);
    if (of_delivery) deliveries.insert(row.id);
    if (row.policy->name != name) return ok();
    if (step.table == "observation") ++out.rows.observations;
    if (step.table == "gap") ++out.rows.gaps;
    if (step.table == "audit") ++out.rows.audit;
    if (step.table == "attempt") ++out.rows.attempts;
    if (step.table == "event") ++out.rows.events;
    if (of_delivery) {
      ++out.rows.deliveries;
      out.rows.attempts +=
          TRY(session.number("select count(*) from attempt where delivery_id = ?", 0, row.id));
    }
    if (step.table == "event" && row.n > 0) {
      out.rows.deliveries += row.n;
      out.rows.attempts += TRY(session.number("select count(*) from attempt where delivery_id in "
                                              "(select id from delivery where event_seq = ?)",
                                              0, row.id));
    }
    return ok();
  };
  for (CleaningStep& step : round.steps) {
    while (!step.over && found[step.table] < limit) {
      TRY(alone(sweeper(), [&](db::Session& session) -> Status {
        for (const OldRow& row : TRY(find_old(session, round, step, now_ms(), kLook))) {
          TRY(count(session, step, row));
        }
        return ok();
      }));
    }
    out.more = out.more || !step.over;
  }
  return out;
}

}  // namespace pintle::lookout
