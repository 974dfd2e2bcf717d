// Many deliveries of one subscription at once: taken for a message that tells them together, held
// because their endpoint does not answer, tried early because it may again, or due sooner because a
// clock went back.
#include <algorithm>
#include <set>

#include "lookout/store/schema.h"
#include "lookout/store/sql_store.h"

namespace pintle::lookout {
namespace {

struct Waiting {
  int64_t id = 0;
  std::string order_key;
};

// Those that are due, with nothing before them in their key that waits for later or that another
// owner has.
Result<std::vector<Waiting>> due_of(db::Session& session, int64_t subscription,
                                    std::string_view owner, int64_t now, int limit) {
  std::vector<Waiting> out;
  TRY(session.query(
      "select d.id, d.order_key from lane l join delivery d on d.order_key = l.order_key "
      "where l.subscription_id = ? and d.state in (0, 1, 3) and d.state <> 1 and d.due_ms <= ? "
      "and not exists (select 1 from delivery o where o.order_key = d.order_key and o.id < d.id "
      "and o.state in (0, 1, 3) and ((o.state <> 1 and o.due_ms > ?) or (o.state = 1 and "
      "(o.lease_owner <> ? or o.lease_until_ms <= ?)))) order by d.id limit ?",
      "nt", [&](const db::Row& row) { out.push_back({row.number(0), row.text(1)}); }, subscription,
      now, now, owner, now, limit));
  return out;
}

// The longest wait as an expression.
std::string wait_of(const std::vector<int64_t>& longest) {
  std::string out = "case";
  for (size_t n = 0; n + 1 < longest.size(); ++n) {
    out += " when attempts = " + std::to_string(n) + " then " + std::to_string(longest[n]);
  }
  return out + " else " + std::to_string(longest.back()) + " end";
}

}  // namespace

Result<std::vector<Claimed>> SqlStore::claim_more(std::string_view owner, int64_t epoch,
                                                  int64_t lease_ms, int64_t subscription_id,
                                                  int limit) {
  std::vector<Claimed> out;
  const int64_t known = known_version_;
  TRY(change(outbox(), [&](db::Session& session) -> Status {
    out.clear();
    const int64_t now = now_ms();
    const Lease lease{owner, epoch, now + lease_ms, now, TRY(lease_version(session, known))};
    std::set<std::string> lanes;  // sorted: the order in which they are held
    for (Waiting& w : TRY(due_of(session, subscription_id, owner, now, limit))) {
      lanes.insert(std::move(w.order_key));
    }
    for (const std::string& key : lanes) TRY(hold_lane(session, key));
    // Now that the lanes are held, once more: nobody changes these until we are done.
    for (const Waiting& w : TRY(due_of(session, subscription_id, owner, now, limit))) {
      if (!lanes.contains(w.order_key)) continue;
      if (!TRY(claim_one(session, w.order_key, w.id, lease, out))) continue;
      // A lane is due when the lease of its head ends; a delivery becomes the head when the ones
      // before it have ended, and brings this time along.
      TRY(session.run("update delivery set due_ms = ? where id = ?", lease.until_ms, w.id));
      TRY(session.run("update lane set due_ms = ? where order_key = ?", lease.until_ms,
                      w.order_key));
    }
    return ok();
  }));
  return out;
}

Result<int64_t> try_lanes_early(db::Session& session, int64_t subscription, int64_t now_ms,
                                int limit) {
  std::string sql =
      "update lane set due_ms = ? where order_key in (select l.order_key from lane l "
      "join delivery d on d.id = l.head where d.state = 3 and l.due_ms < ? "
      "and (cast(? as bigint) = 0 or l.subscription_id = ?) order by random() limit ?";
  sql.append(session.on_postgres(" for update of l skip locked")).append(")");
  return session.run(sql, now_ms, kHeldMs, subscription, subscription, static_cast<int64_t>(limit));
}

Result<int64_t> SqlStore::try_early(int64_t subscription_id, int limit) {
  int64_t found = 0;
  TRY(change(outbox(), [&](db::Session& session) -> Status {
    found = TRY(try_lanes_early(session, subscription_id, now_ms(), limit));
    return ok();
  }));
  return found;
}

Status SqlStore::hold(int64_t subscription_id, int64_t until_ms) {
  return change(outbox(), [&](db::Session& session) -> Status {
    if (session.dialect() != db::Dialect::kSqlite) {
      TRY(session.query(
          "select order_key from lane where subscription_id = ? and due_ms < ? "
          "order by order_key for update",
          "t", [](const db::Row&) {}, subscription_id, until_ms));
    }
    // What stands behind a head becomes due with it; a lease is not made longer.
    TRY(
        session.run("update delivery set due_ms = ? where state in (0, 3) and due_ms < ? and id in "
                    "(select head from lane where subscription_id = ? and due_ms < ?)",
                    until_ms, until_ms, subscription_id, until_ms));
    // What was to be tried early is due when it would have been.
    TRY(session.run(
        "update lane set due_ms = (select due_ms from delivery d where d.id = lane.head) "
        "where subscription_id = ? and due_ms < ? and exists "
        "(select 1 from delivery d where d.id = lane.head and d.state in (0, 3))",
        subscription_id, until_ms));
    return ok();
  });
}

// A transaction for each subscription: it costs a row for each delivery that waits.
Status SqlStore::shorten_waits(const LongestWaits& longest, int64_t lease_ms) {
  const std::string ours = "order_key in (select order_key from lane where subscription_id = ?)";
  for (const Subscription& s : TRY(subscriptions())) {
    const std::string wait = wait_of(longest(s.manner));
    TRY(change(outbox(), [&](db::Session& session) -> Status {
      TRY(hold_lanes(session, s.id));
      const int64_t now = now_ms();
      TRY(session.run("update delivery set due_ms = cast(? as bigint) + " + wait +
                          " where state in (0, 1, 3) and state <> 1 and " + ours +
                          " and due_ms > cast(? as bigint) + " + wait,
                      now, s.id, now));
      TRY(session.run("update delivery set due_ms = ?, lease_until_ms = ? "
                      "where state in (0, 1, 3) and state = 1 and " +
                          ours + " and lease_until_ms > ?",
                      now + lease_ms, now + lease_ms, s.id, now + lease_ms));
      TRY(session.run("update lane set due_ms = (select case d.state when 1 then d.lease_until_ms "
                      "else d.due_ms end from delivery d where d.id = lane.head) "
                      "where subscription_id = ? and due_ms > ? and due_ms < ?",
                      s.id, now, kHeldMs));
      return ok();
    }));
  }
  return ok();
}

}  // namespace pintle::lookout
