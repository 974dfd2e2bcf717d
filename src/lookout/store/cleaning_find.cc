// Which rows may go. Events are walked by type, in the order of the index (type, seq), as far as the
// policies of the type can reach; other tables by their keys, as far as the time of their events
// says that what follows is young. So what stays costs only where it lies before something old.
//
// A cap is a row: the newest beyond those that stay. Of a policy for all events of one type, and of
// tables, it is found by counting in an index; for others the events are walked, the newest first,
// until all are full: 1 us an event, once in a round.
#include <algorithm>
#include <optional>

#include "lookout/store/cleaning.h"

namespace pintle::lookout {

namespace {

constexpr int64_t kDayMs = 24 * 60 * 60 * 1000LL;
// What was told is remembered for longer than its states: a relist must not tell it again.
constexpr int64_t kTellAgainMs = 400 * kDayMs;
// Kubernetes' own Events are gone from the cluster by then, also where nobody saw them go.
constexpr int64_t kEventsLiveMs = 7 * kDayMs;
constexpr int64_t kCountAtOnce = 100'000;
constexpr int kWalkAtOnce = 5'000;

bool is_events(std::string_view resource) {
  return resource == "events" || resource == "events.events.k8s.io";
}

// Before when its rows are too old; INT64_MIN: none is.
int64_t before_of(const CleaningPolicy& p, int64_t now_ms) {
  return p.keep_ms > 0 ? now_ms - p.keep_ms : INT64_MIN;
}

// The types of the events there are, by jumping from one to the next in their index.
Result<std::vector<std::string>> types_stored(db::Session& session) {
  std::vector<std::string> out;
  for (std::string at;;) {
    const size_t before = out.size();
    TRY(session.query("select type from event where type > ? order by type limit 1", "t",
                      [&](const db::Row& row) { out.push_back(row.text(0)); }, at));
    if (out.size() == before) return out;
    at = out.back();
  }
}

// The newest event of a type beyond `keep` of them, from one piece of the index to the next.
Result<int64_t> beyond_newest(db::Session& session, std::string_view type, int64_t keep) {
  int64_t at = INT64_MAX;
  for (int64_t left = keep + 1; left > 0 && at > 0; left -= kCountAtOnce) {
    at = TRY(session.number(
        "select seq from event where type = ? and seq < ? order by seq desc limit 1 offset ?", 0,
        type, at, std::min(left, kCountAtOnce) - 1));
  }
  return at;
}

constexpr std::pair<std::string_view, std::string_view> kBeyond[] = {
    {"dead", "select id, 0 from delivery where state = 4 order by id desc limit 1 offset ?"},
    {"delivery", "select id, 0 from delivery where state in (2, 5) order by id desc limit 1 offset ?"},
    {"attempt",
     "select delivery_id, n from attempt order by delivery_id desc, n desc limit 1 offset ?"},
    {"observation",
     "select received_ms, 0 from observation order by received_ms desc, uid desc, version desc "
     "limit 1 offset ?"},
    {"gap", "select id, 0 from gap order by id desc limit 1 offset ?"},
    {"audit", "select id, 0 from audit order by id desc limit 1 offset ?"},
};

// Those that are counted in no index: one walk for all.
Status walk_caps(db::Session& session, std::map<const CleaningPolicy*, int64_t> left,
                 CleaningRound& out) {
  std::map<std::string, Policies> by_type;
  for (int64_t at = INT64_MAX; !left.empty();) {
    int rows = 0;
    TRY(session.query("select seq, type, subject_kind, reason, subject_namespace from event "
                      "where seq < ? order by seq desc limit ?",
                      "ntttt",
                      [&](const db::Row& row) {
                        ++rows;
                        at = row.number(0);
                        auto known = by_type.find(row.text(1));
                        if (known == by_type.end()) {
                          known = by_type.emplace(row.text(1), policies_of(row.text(1), out.policies))
                                      .first;
                        }
                        for (const CleaningPolicy* p : known->second) {
                          if (!takes(*p, row.text(2), row.text(3), row.text(4))) continue;
                          const auto it = left.find(p);
                          if (it != left.end() && it->second-- == 0) {
                            out.caps[{p, "event"}] = {at, 0};
                            left.erase(it);
                          }
                          break;
                        }
                      },
                      at, kWalkAtOnce));
    if (rows < kWalkAtOnce) break;
  }
  return ok();
}

Status find_caps(db::Session& session, CleaningRound& out) {
  std::map<const CleaningPolicy*, int64_t> walked;
  for (const CleaningStep& step : out.steps) {
    for (const CleaningPolicy* p : step.policies) {
      if (p->keep_rows == 0) continue;
      if (step.table == "event") {
        if (p->type == step.type && step.policies.size() == 1) {
          const int64_t seq = TRY(beyond_newest(session, step.type, p->keep_rows));
          if (seq > 0) out.caps[{p, "event"}] = {seq, 0};
        } else {
          walked.emplace(p, p->keep_rows);
        }
        continue;
      }
      for (const auto& [table, sql] : kBeyond) {
        if (table != step.table) continue;
        TRY(session.query(sql, "nn",
                          [&, of = std::pair(p, step.table)](const db::Row& row) {
                            out.caps[of] = {row.number(0), row.number(1)};
                          },
                          p->keep_rows));
      }
    }
  }
  return walk_caps(session, std::move(walked), out);
}

// ---- what of a table may go

// By its policy: too old, or beyond the cap.
bool goes(const CleaningRound& round, const CleaningStep& step, const CleaningPolicy& p,
          int64_t now_ms, int64_t time_ms, CleaningRound::Cap at) {
  return time_ms < before_of(p, now_ms) || at <= round.cap(p, step.table);
}

// How far a walk by numbers can find anything: where rows are too young, and no cap reaches.
bool past(const CleaningRound& round, const CleaningStep& step, int64_t now_ms, int64_t time_ms,
          CleaningRound::Cap at) {
  return !goes(round, step, *step.policies[0], now_ms, time_ms, at);
}

Result<std::vector<OldRow>> old_events(db::Session& session, const CleaningRound& round,
                                       CleaningStep& step, int64_t now_ms, int look) {
  std::vector<OldRow> out;
  int64_t before = INT64_MIN, last = INT64_MIN;
  for (const CleaningPolicy* p : step.policies) {
    before = std::max(before, before_of(*p, now_ms));
    last = std::max(last, round.cap(*p, "event").first);
  }
  // Times grow with the sequence: the last number that is old enough bounds the walk by type.
  if (before > 0) {
    last = std::max(last, TRY(session.number("select seq from event where stored_ms < ? "
                                             "order by stored_ms desc, seq desc limit 1",
                                             0, before)));
  }
  // An event waits for its deliveries: those that wait, and those given up that stay.
  const CleaningPolicy* dead = policy_of_table("dead", round.policies);
  const int64_t dead_before = dead != nullptr ? before_of(*dead, now_ms) : INT64_MIN;
  const int64_t dead_cap = dead != nullptr ? round.cap(*dead, "dead").first : INT64_MIN;
  int rows = 0;
  TRY(session.query(
      "select e.seq, e.stored_ms, e.subject_kind, e.reason, e.subject_namespace, "
      "(select count(*) from delivery d where d.event_seq = e.seq), "
      "(select count(*) from delivery d where d.event_seq = e.seq and (d.state in (0, 1, 3) or "
      "(d.state = 4 and d.id > ? and "
      "(case when d.ended_ms = 0 then e.stored_ms else d.ended_ms end) >= ?))) "
      "from event e where e.type = ? and e.seq > ? and e.seq <= ? order by e.seq limit ?",
      "nntttnn",
      [&](const db::Row& row) {
        ++rows;
        step.id = row.number(0);
        if (row.number(6) > 0) return;
        for (const CleaningPolicy* p : step.policies) {
          if (!takes(*p, row.text(2), row.text(3), row.text(4))) continue;
          if (goes(round, step, *p, now_ms, row.number(1), {step.id, 0})) {
            out.push_back({.policy = p, .id = step.id, .n = row.number(5)});
          }
          break;
        }
      },
      dead_cap, dead_before, step.type, step.id, last, look));
  step.over = rows < look;
  return out;
}

Result<std::vector<OldRow>> old_deliveries(db::Session& session, const CleaningRound& round,
                                           CleaningStep& step, int64_t now_ms, int look) {
  std::vector<OldRow> out;
  const CleaningPolicy& p = *step.policies[0];
  const bool dead = step.table == "dead";
  std::string sql =
      "select d.id, d.state, d.ended_ms, coalesce((select e.stored_ms from event e where "
      "e.seq = d.event_seq), 0), d.event_seq from delivery d where d.id > ?";
  if (dead) sql += " and d.state = 4";
  sql += " order by d.id limit ?";
  int rows = 0;
  bool young = false;
  TRY(session.query(sql, "nnnnn",
                    [&](const db::Row& row) {
                      ++rows;
                      if (young) return;
                      step.id = row.number(0);
                      const int64_t state = row.number(1), ended = row.number(2);
                      const int64_t made = row.number(3);
                      young = past(round, step, now_ms, made, {step.id, 0});
                      if (state != 2 && state != 4 && state != 5) return;
                      if ((state == 4) == dead &&
                          goes(round, step, p, now_ms, ended == 0 ? made : ended, {step.id, 0})) {
                        out.push_back({.policy = &p, .id = step.id, .event = row.number(4)});
                      }
                    },
                    step.id, look));
  step.over = young || rows < look;
  return out;
}

Result<std::vector<OldRow>> old_attempts(db::Session& session, const CleaningRound& round,
                                         CleaningStep& step, int64_t now_ms, int look) {
  std::vector<OldRow> out;
  const CleaningPolicy& p = *step.policies[0];
  int rows = 0;
  bool young = false;
  TRY(session.query(
      "select a.delivery_id, a.n, a.started_ms, coalesce((select d.state from delivery d where "
      "d.id = a.delivery_id), 5), coalesce((select e.stored_ms from delivery d join event e on "
      "e.seq = d.event_seq where d.id = a.delivery_id), 0), coalesce((select d.event_seq from "
      "delivery d where d.id = a.delivery_id), 0) from attempt a "
      "where (a.delivery_id, a.n) > (?, ?) order by a.delivery_id, a.n limit ?",
      "nnnnnn",
      [&](const db::Row& row) {
        ++rows;
        if (young) return;
        step.id = row.number(0);
        step.n = row.number(1);
        young = past(round, step, now_ms, row.number(4), {step.id, step.n});
        const int64_t state = row.number(3);
        if ((state == 2 || state == 5) &&
            goes(round, step, p, now_ms, row.number(2), {step.id, step.n})) {
          out.push_back({.policy = &p, .id = step.id, .n = step.n, .event = row.number(5)});
        }
      },
      step.id, step.n, look));
  step.over = young || rows < look;
  return out;
}

// Of a table of few rows: `sql` reads its next ones, with their times.
Result<std::vector<OldRow>> old_few(db::Session& session, const CleaningRound& round,
                                    CleaningStep& step, std::string_view sql, int64_t now_ms,
                                    int look) {
  std::vector<OldRow> out;
  const CleaningPolicy& p = *step.policies[0];
  int rows = 0;
  TRY(session.query(sql, "nn",
                    [&](const db::Row& row) {
                      ++rows;
                      step.id = row.number(0);
                      if (goes(round, step, p, now_ms, row.number(1), {step.id, 0})) {
                        out.push_back({.policy = &p, .id = step.id});
                      }
                    },
                    step.id, look));
  step.over = rows < look;
  return out;
}

// A state goes when a newer one of its object is stored, or the object is gone: the newest must
// stay, or the next relist would store it, and tell it, again.
Result<std::vector<OldRow>> old_states(db::Session& session, const CleaningRound& round,
                                       CleaningStep& step, int64_t now_ms, int look) {
  std::vector<OldRow> out;
  const CleaningPolicy& p = *step.policies[0];
  const int64_t bound = std::max(before_of(p, now_ms), round.cap(p, step.table).first + 1);
  int rows = 0;
  TRY(session.query(
      "select o.cluster_uid, o.resource, o.uid, o.version, o.received_ms, "
      "(select count(*) from object c where c.cluster_uid = o.cluster_uid and "
      "c.resource = o.resource and c.uid = o.uid and c.version = o.version) "
      "from observation o where (o.received_ms, o.uid, o.version) > (?, ?, ?) and "
      "o.received_ms < ? order by o.received_ms, o.uid, o.version limit ?",
      "ttttnn",
      [&](const db::Row& row) {
        ++rows;
        step.id = row.number(4);
        step.uid = row.text(2);
        step.version = row.text(3);
        const bool newest = row.number(5) > 0;
        if (newest && !(is_events(row.text(1)) && step.id < now_ms - kEventsLiveMs)) return;
        out.push_back({&p, step.id, 0, 0, row.text(0), row.text(1), step.uid, step.version, newest});
      },
      step.id, step.uid, step.version, bound, look));
  step.over = rows < look;
  return out;
}

Result<std::vector<OldRow>> old_told(db::Session& session, CleaningStep& step, int64_t now_ms,
                                     int look) {
  std::vector<OldRow> out;
  const CleaningPolicy& p = *step.policies[0];
  const int64_t bound = (p.keep_ms > 0 ? before_of(p, now_ms) : now_ms) - kTellAgainMs;
  TRY(session.query("select key from told where told_ms < ? order by told_ms limit ?", "t",
                    [&](const db::Row& row) { out.push_back({.policy = &p, .uid = row.text(0)}); },
                    bound, look));
  step.over = out.size() < static_cast<size_t>(look);
  return out;
}

}  // namespace

Status begin_round(db::Session& session, std::vector<CleaningPolicy> policies,
                   CleaningRound& out) {
  out = {};
  out.policies = std::move(policies);
  for (std::string& type : TRY(types_stored(session))) {
    Policies of = policies_of(type, out.policies);
    if (of.empty()) continue;
    out.steps.push_back({.table = "event", .type = std::move(type), .policies = std::move(of)});
  }
  for (const std::string_view table : kTables) {
    if (const CleaningPolicy* p = policy_of_table(table, out.policies)) {
      out.steps.push_back({.table = std::string(table), .policies = {p}});
    }
  }
  if (const CleaningPolicy* p = policy_of_table("observation", out.policies)) {
    out.steps.push_back({.table = "told", .policies = {p}});
  }
  return find_caps(session, out);
}

Result<std::vector<OldRow>> find_old(db::Session& session, const CleaningRound& round,
                                     CleaningStep& step, int64_t now_ms, int look) {
  if (step.table == "event") return old_events(session, round, step, now_ms, look);
  if (step.table == "attempt") return old_attempts(session, round, step, now_ms, look);
  if (step.table == "gap") {
    return old_few(session, round, step, "select id, to_ms from gap where id > ? order by id limit ?",
                   now_ms, look);
  }
  if (step.table == "audit") {
    return old_few(session, round, step,
                   "select id, at_ms from audit where id > ? order by id limit ?", now_ms, look);
  }
  if (step.table == "observation") return old_states(session, round, step, now_ms, look);
  if (step.table == "told") return old_told(session, step, now_ms, look);
  return old_deliveries(session, round, step, now_ms, look);
}

}  // namespace pintle::lookout
