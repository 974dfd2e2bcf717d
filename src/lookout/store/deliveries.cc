// The outbox as the deliverer sees it: take what is due, say how it ended, look, resend, skip.
// Everything goes through lanes (schema.cc): a lane's row is held before a delivery of it changes.
#include <algorithm>
#include <bit>

#include "lookout/store/schema.h"
#include "lookout/store/sql_store.h"

namespace pintle::lookout {

namespace {

constexpr std::string_view kColumns =
    "d.id, d.event_seq, d.subscription_id, d.generation, d.order_key, d.state, d.due_ms, "
    "d.attempts, d.first_attempt_ms, d.lease_owner, d.lease_epoch, d.lease_until_ms, "
    "d.dead_reason";
constexpr std::string_view kLetters = "nnnntnnnntnnt";
constexpr size_t kResponseHead = 4096;

Delivery read_delivery(const db::Row& row) {
  Delivery d;
  d.id = row.number(0);
  d.event_sequence = row.number(1);
  d.subscription_id = row.number(2);
  d.generation = row.number(3);
  d.order_key = row.text(4);
  d.state = static_cast<DeliveryState>(std::clamp<int64_t>(row.number(5), 0, 5));
  d.due_ms = row.number(6);
  d.attempts = static_cast<int>(row.number(7));
  d.first_attempt_ms = row.number(8);
  d.lease_owner = row.text(9);
  d.lease_epoch = row.number(10);
  d.lease_until_ms = row.number(11);
  d.dead_reason = row.text(12);
  return d;
}

bool finished(DeliveryState s) {
  return s == DeliveryState::kSucceeded || s == DeliveryState::kDead ||
         s == DeliveryState::kCancelled;
}

Status add_attempt(db::Session& session, const Attempt& a) {
  std::string_view head = std::string_view(a.response_head).substr(0, kResponseHead);
  while (head.size() == kResponseHead && (head.back() & 0xc0) == 0x80) head.remove_suffix(1);
  if (head.size() < a.response_head.size() && !head.empty() && (head.back() & 0x80) != 0) {
    head.remove_suffix(1);  // the first byte of a rune that was cut
  }
  TRY(session.run("insert into attempt (delivery_id, n, started_ms, took_ms, status, error, peer, "
                  "response_head, told, result, tls) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
                  "on conflict do nothing",
                  a.delivery_id, a.n, a.started_ms, a.took_ms, a.status, a.error, a.peer, head,
                  a.told, a.result, a.tls));
  return ok();
}

Status end_unclaimed(db::Session& session, const Delivery& d, DeliveryState state, int64_t now_ms,
                     std::string_view why) {
  TRY(session.run("update delivery set state = ?, ended_ms = ?, dead_reason = ? where id = ?",
                  static_cast<int64_t>(state), now_ms, why, d.id));
  return advance_lane(session, d.order_key);
}

}  // namespace

Result<Delivery> find_delivery(db::Session& session, int64_t id) {
  std::string sql = "select ";
  sql.append(kColumns).append(" from delivery d where d.id = ?");
  Delivery out;
  TRY(session.query(sql, kLetters, [&](const db::Row& row) { out = read_delivery(row); }, id));
  if (out.id == 0) return Error(Code::kNotFound, "no delivery " + std::to_string(id));
  return out;
}

Result<int64_t> hold_lane(db::Session& session, std::string_view order_key) {
  std::string sql = "select head from lane where order_key = ?";
  sql += session.on_postgres(" for update");
  return session.number(sql, 0, order_key);
}

Status advance_lane(db::Session& session, std::string_view order_key) {
  int64_t next = TRY(session.number("select coalesce(min(id), 0) from delivery "
                                    "where order_key = ? and state in (0, 1, 3)",
                                    0, order_key));
  if (next == 0) {
    TRY(session.run("delete from lane where order_key = ?", order_key));
    return ok();
  }
  TRY(session.run("update lane set head = ?, due_ms = (select due_ms from delivery where id = ?) "
                  "where order_key = ?",
                  next, next, order_key));
  return ok();
}

// False: there was nothing to send; the lane has been put right.
Result<bool> SqlStore::claim_one(db::Session& session, const std::string& order_key, int64_t id,
                                 const Lease& lease, std::vector<Claimed>& out) {
  Claimed claimed;
  Delivery& d = claimed.delivery;
  auto found = find_delivery(session, id);
  if (!found && found.error().code() != Code::kNotFound) return found.error();
  if (found) d = std::move(*found);
  if (!found || finished(d.state)) {
    TRY(advance_lane(session, order_key));
    return false;
  }
  std::string sql = "select ";
  sql.append(event_columns()).append(" from event e where e.seq = ?");
  TRY(session.query(sql, event_letters(),
                    [&](const db::Row& row) { claimed.event = read_event(row); },
                    d.event_sequence));
  sql = "select ";
  sql.append(subscription_columns()).append(" from subscription s where s.id = ?");
  sql += session.on_postgres(" for share");
  std::optional<StoredSubscription> to;
  TRY(session.query(sql, subscription_letters(),
                    [&](const db::Row& row) { to = read_subscription(row); }, d.subscription_id));
  if (!to) {
    TRY(end_unclaimed(session, d, DeliveryState::kCancelled, lease.now_ms, ""));
    return false;
  }
  if (claimed.event.sequence == 0) {
    TRY(end_unclaimed(session, d, DeliveryState::kDead, lease.now_ms, "its event is not in the database"));
    return false;
  }
  claimed.subscription = whole(std::move(*to));
  if (!claimed.subscription.active()) {
    if (claimed.subscription.paused) TRY(keep_paused(session, claimed.subscription));
    TRY(session.run("update lane set due_ms = ? where order_key = ?", kHeldMs, order_key));
    return false;
  }
  if (d.state == DeliveryState::kLeased && d.lease_until_ms > lease.now_ms) {
    TRY(session.run("update lane set due_ms = ? where order_key = ?", d.lease_until_ms, order_key));
    return false;
  }
  if (d.state == DeliveryState::kLeased) {
    // Whoever had it is gone; it may have been sent.
    Attempt lost;
    lost.delivery_id = d.id;
    lost.n = ++d.attempts;
    lost.started_ms = d.lease_until_ms;
    lost.error = "outcome unknown: the lease of " + d.lease_owner + " ran out";
    lost.result = "unknown";
    TRY(add_attempt(session, lost));
    if (d.first_attempt_ms == 0) d.first_attempt_ms = lease.now_ms;
  }
  claimed.version = lease.version;
  claimed.early = d.due_ms > lease.now_ms;
  d.state = DeliveryState::kLeased;
  d.lease_owner = lease.owner;
  d.lease_epoch = lease.epoch;
  d.lease_until_ms = lease.until_ms;
  TRY(session.run("update delivery set state = 1, attempts = ?, first_attempt_ms = ?, "
                  "lease_owner = ?, lease_epoch = ?, lease_until_ms = ? where id = ?",
                  d.attempts, d.first_attempt_ms, d.lease_owner, d.lease_epoch, d.lease_until_ms,
                  d.id));
  out.push_back(std::move(claimed));
  return true;
}

Result<std::vector<Claimed>> SqlStore::claim(std::string_view owner, int64_t epoch,
                                             int64_t lease_ms, int limit,
                                             std::span<const int64_t> but) {
  std::vector<Claimed> out;
  const int64_t known = known_version_;
  // As many as a power of two, so that few statements are prepared; 0 is no subscription.
  std::vector<int64_t> left_out(but.empty() ? 0 : std::bit_ceil(but.size()));
  std::copy(but.begin(), but.end(), left_out.begin());
  TRY(change(outbox(), [&](db::Session& session) -> Status {
    out.clear();
    int64_t now = now_ms();
    Lease lease{owner, epoch, now + lease_ms, now, TRY(lease_version(session, known))};
    std::string sql =
        "update lane set due_ms = ? where order_key in (select order_key from lane "
        "where due_ms <= ?";
    for (size_t i = 0; i < left_out.size(); ++i) sql += i == 0 ? " and subscription_id not in (?" : ", ?";
    sql += left_out.empty() ? " order by due_ms limit ?" : ") order by due_ms limit ?";
    sql.append(session.on_postgres(" for update skip locked")).append(") returning order_key, head");
    // Again where lanes turned out to hold nothing to send: they are not due any more.
    while (static_cast<int>(out.size()) < limit) {
      std::vector<std::pair<std::string, int64_t>> lanes;
      std::vector<db::Param> params{db::param(lease.until_ms), db::param(now)};
      for (const int64_t id : left_out) params.push_back(db::param(id));
      params.push_back(db::param(limit - static_cast<int>(out.size())));
      TRY(session.select(sql, "tn", params, [&](const db::Row& row) {
        lanes.emplace_back(row.text(0), row.number(1));
      }));
      bool all = true;
      for (const auto& [key, head] : lanes) all &= TRY(claim_one(session, key, head, lease, out));
      if (lanes.empty() || all) break;
    }
    return ok();
  }));
  std::sort(out.begin(), out.end(),
            [](const Claimed& a, const Claimed& b) { return a.delivery.id < b.delivery.id; });
  return out;
}

Result<int64_t> SqlStore::next_due_ms() {
  return read([](db::Session& session) {
    return session.number("select coalesce(min(due_ms), 0) from lane where due_ms < ?", 0, kHeldMs);
  });
}

Status SqlStore::finish(const Delivery& leased, DeliveryState state, int64_t due_ms,
                        std::string_view dead_reason, const Attempt& attempt) {
  if (state == DeliveryState::kLeased) {
    return Error(Code::kInvalidArgument, "an attempt does not end as leased");
  }
  const bool tried = state != DeliveryState::kPending;
  const bool succeeded = state == DeliveryState::kSucceeded;
  // Put back, it is again what it was, and by its own schedule due when it was.
  const DeliveryState stays =
      tried || leased.attempts == 0 ? state : DeliveryState::kRetry;
  const int64_t own_due_ms = tried ? due_ms : std::max(due_ms, leased.due_ms);
  const int64_t now = now_ms();
  const bool news = tried && outcome_is_news(leased.subscription_id, succeeded, now);
  TRY(change(outbox(), [&](db::Session& session) -> Status {
    int64_t head = TRY(hold_lane(session, leased.order_key));
    int64_t first = leased.first_attempt_ms;
    if (tried && first == 0) first = attempt.started_ms;
    int64_t changed = TRY(session.run(
        "update delivery set state = ?, due_ms = ?, attempts = ?, first_attempt_ms = ?, "
        "ended_ms = ?, dead_reason = ?, lease_owner = '', lease_until_ms = 0 "
        // The end of the lease is none of its names: a clock that goes back moves it.
        "where id = ? and state = 1 and lease_owner = ? and lease_epoch = ? and attempts = ?",
        static_cast<int64_t>(stays), own_due_ms, leased.attempts + (tried ? 1 : 0), first,
        finished(state) ? now_ms() : 0, dead_reason,
        leased.id, leased.lease_owner, leased.lease_epoch, leased.attempts));
    if (changed == 0) {
      return Error(Code::kFailedPrecondition,
                   "the lease of delivery " + std::to_string(leased.id) + " was lost");
    }
    if (tried) {
      Attempt row = attempt;
      row.delivery_id = leased.id;
      row.n = leased.attempts + 1;
      TRY(add_attempt(session, row));
    }
    if (news) TRY(note_outcome(session, leased.subscription_id, succeeded, now, attempt.error));
    if (finished(state)) return advance_lane(session, leased.order_key);
    if (head == leased.id) {
      TRY(session.run("update lane set due_ms = ? where order_key = ?", due_ms, leased.order_key));
    }
    return ok();
  }));
  if (news) know_outcome(leased.subscription_id, succeeded, now);
  return ok();
}

Result<OutboxDepths> SqlStore::outbox_depth() {
  constexpr int64_t kLeastNs = 5'000'000'000, kTimes = 50;
  Lock one(depth_mutex_);
  const int64_t began = clock_.monotonic_ns();
  if (depth_due_ns_ != 0 && began < depth_due_ns_) return depth_;
  OutboxDepths now;
  // The conditions of the indexes, word for word; what has no subscription any more counts, too.
  TRY(alone(sweeper(), [&](db::Session& session) -> Status {
    TRY(session.query("select distinct sink_kind from subscription", "t",
                      [&](const db::Row& row) { now[row.text(0)]; }));
    for (const std::string_view states : {"d.state in (0, 1, 3)", "d.state = 4"}) {
      std::string sql = "select coalesce(s.sink_kind, 'gone'), d.state, count(*) from delivery d "
                        "left join subscription s on s.id = d.subscription_id where ";
      sql.append(states).append(" group by 1, 2");
      TRY(session.query(sql, "tnn", [&](const db::Row& row) {
        OutboxDepth& depth = now[row.text(0)];
        const auto state = static_cast<DeliveryState>(row.number(1));
        (state == DeliveryState::kPending  ? depth.pending
         : state == DeliveryState::kLeased ? depth.leased
         : state == DeliveryState::kRetry  ? depth.retry
                                           : depth.dead) = row.number(2);
      }));
    }
    return ok();
  }));
  depth_ = std::move(now);
  const int64_t ended = clock_.monotonic_ns();
  depth_due_ns_ = ended + std::max(kLeastNs, kTimes * (ended - began));
  return depth_;
}

namespace {

// What a page of deliveries is taken from.
struct Conditions {
  std::string_view bare;      // before a column whose index is not to be taken
  std::string index, others;  // what an index finds, and what is compared row by row
  std::vector<db::Param> index_params, other_params;
};

Conditions conditions_of(const DeliveryQuery& query, db::Dialect dialect) {
  Conditions out;
  // What waits is few beside all that was told: by the index of the former, which SQLite is kept from
  // leaving for an order of numbers by a + that changes nothing.
  const bool waiting = query.state && !finished(*query.state);
  out.bare = waiting && dialect == db::Dialect::kSqlite ? "+d." : "d.";
  out.index.append(" from delivery d where ").append(out.bare).append(query.newest_first ? "id < ?" : "id > ?");
  const bool from_end = query.newest_first && query.after == 0;
  out.index_params.push_back(db::param(from_end ? INT64_MAX : query.after));
  if (query.event_sequence != 0) {
    out.index += " and d.event_seq = ?";
    out.index_params.push_back(db::param(query.event_sequence));
  }
  if (query.subscription_id != 0) {
    out.index.append(" and ").append(out.bare).append("subscription_id = ?");
    out.index_params.push_back(db::param(query.subscription_id));
  }
  if (query.state) {
    // The number itself, not a parameter, and the index's condition word for word: only so is an index
    // on part of the states of use.
    const bool indexed = waiting || (query.state == DeliveryState::kDead && query.subscription_id == 0);
    (indexed ? out.index : out.others) += " and d.state = " + std::to_string(static_cast<int>(*query.state));
    if (waiting) out.index += " and d.state in (0, 1, 3)";
  }
  if (query.from_ms != 0 || query.to_ms != 0) {
    out.others += " and exists (select 1 from event e where e.seq = d.event_seq and e.stored_ms >= ? "
                  "and e.stored_ms < ?)";
    out.other_params.push_back(db::param(query.from_ms));
    out.other_params.push_back(db::param(query.to_ms == 0 ? INT64_MAX : query.to_ms));
  }
  if (query.latest) {
    out.others += " and not exists (select 1 from delivery n where n.event_seq = d.event_seq and "
                  "n.subscription_id = d.subscription_id and n.generation > d.generation)";
  }
  return out;
}

std::string in_order(const DeliveryQuery& query, const Conditions& c) {
  return std::string(" order by ").append(c.bare).append(query.newest_first ? "id desc" : "id");
}

int most(const DeliveryQuery& query) { return std::clamp(query.limit, 1, 1000); }

Result<std::vector<Delivery>> select_deliveries(db::Session& session, const DeliveryQuery& query,
                                                int64_t until) {
  const Selection s = deliveries_selection(query, until, session.dialect());
  std::vector<Delivery> out;
  TRY(session.select(s.sql, kLetters, s.params,
                     [&](const db::Row& row) { out.push_back(read_delivery(row)); }));
  return out;
}

}  // namespace

Selection deliveries_selection(const DeliveryQuery& query, int64_t until, db::Dialect dialect) {
  Conditions c = conditions_of(query, dialect);
  Selection out;
  out.sql.append("select ").append(kColumns).append(c.index);
  out.params = std::move(c.index_params);
  if (until != 0) {
    out.sql.append(" and ").append(c.bare).append(query.newest_first ? "id >= ?" : "id <= ?");
    out.params.push_back(db::param(until));
  }
  out.sql.append(c.others).append(in_order(query, c)).append(" limit ?");
  out.params.insert(out.params.end(), c.other_params.begin(), c.other_params.end());
  out.params.push_back(db::param(most(query)));
  return out;
}

Result<std::vector<Delivery>> SqlStore::deliveries(const DeliveryQuery& query) {
  return read([&](db::Session& session) { return select_deliveries(session, query, 0); });
}

// As look() of events: the ids of the rows are counted first, then those rows are compared.
Result<DeliveryPage> SqlStore::look(const DeliveryQuery& query, int rows) {
  return read([&](db::Session& session) -> Result<DeliveryPage> {
    Conditions c = conditions_of(query, session.dialect());
    int64_t until = 0;
    if (!c.others.empty()) {
      c.index_params.push_back(db::param(rows - 1));
      TRY(session.select("select d.id" + c.index + in_order(query, c) + " limit 1 offset ?", "n",
                         c.index_params, [&](const db::Row& row) { until = row.number(0); }));
    }
    DeliveryPage out;
    out.deliveries = TRY(select_deliveries(session, query, until));
    const bool full = static_cast<int>(out.deliveries.size()) == most(query);
    out.more = full || until != 0;
    if (out.more) out.looked = full ? out.deliveries.back().id : until;
    return out;
  });
}

Result<std::vector<Attempt>> attempts_of(db::Session& session, int64_t delivery_id) {
  std::vector<Attempt> out;
  TRY(session.query("select delivery_id, n, started_ms, took_ms, status, error, peer, "
                    "response_head, told, result, tls from attempt where delivery_id = ? order by n",
                    "nnnnntttttt",
                    [&](const db::Row& row) {
                      out.push_back({row.number(0), static_cast<int>(row.number(1)), row.number(2),
                                     row.number(3), static_cast<int>(row.number(4)), row.text(5),
                                     row.text(6), row.text(7), row.text(8), row.text(9), row.text(10)});
                    },
                    delivery_id));
  return out;
}

Result<std::vector<Attempt>> SqlStore::attempts(int64_t delivery_id) {
  return read([&](db::Session& session) { return attempts_of(session, delivery_id); });
}

Status SqlStore::resend(int64_t delivery_id) {
  return change(writer_, [&](db::Session& session) -> Status {
    // The ledger first: ids grow in the order in which they become visible.
    int64_t id = TRY(session.number(
        "update ledger set delivery_id = delivery_id + 1 where one = 1 returning delivery_id", 0));
    Delivery d = TRY(find_delivery(session, delivery_id));
    TRY(hold_lane(session, d.order_key));
    d = TRY(find_delivery(session, delivery_id));
    if (!finished(d.state)) {
      return Error(Code::kFailedPrecondition,
                   "delivery " + std::to_string(delivery_id) + " is not finished");
    }
    if (TRY(session.number("select count(*) from subscription where id = ?", 0,
                           d.subscription_id)) == 0) {
      return Error(Code::kNotFound, "its subscription is gone");
    }
    std::string held = "select seq from event where seq = ?";
    held += session.on_postgres(" for share");  // the cleaner waits
    if (TRY(session.number(held, 0, d.event_sequence)) == 0) {
      return Error(Code::kNotFound, "its event is gone");
    }
    int64_t generation = TRY(session.number(
        "select max(generation) from delivery where event_seq = ? and subscription_id = ?", 0,
        d.event_sequence, d.subscription_id));
    int64_t now = now_ms();
    TRY(session.run("insert into delivery (id, event_seq, subscription_id, generation, order_key, "
                    "state, due_ms, attempts, first_attempt_ms, lease_owner, lease_epoch, "
                    "lease_until_ms, dead_reason) values (?, ?, ?, ?, ?, 0, ?, 0, 0, '', 0, 0, '')",
                    id, d.event_sequence, d.subscription_id, generation + 1, d.order_key, now));
    TRY(session.run("insert into lane (order_key, subscription_id, head, due_ms) "
                    "values (?, ?, ?, ?) on conflict (order_key) do update set head = lane.head",
                    d.order_key, d.subscription_id, id, now));
    return ok();
  });
}

Status SqlStore::skip(int64_t delivery_id) {
  return change(outbox(), [&](db::Session& session) -> Status {
    Delivery d = TRY(find_delivery(session, delivery_id));
    int64_t head = TRY(hold_lane(session, d.order_key));
    d = TRY(find_delivery(session, delivery_id));
    if (finished(d.state)) {
      return Error(Code::kFailedPrecondition,
                   "delivery " + std::to_string(delivery_id) + " is finished already");
    }
    TRY(session.run("update delivery set state = 5, ended_ms = ? where id = ?", now_ms(), d.id));
    if (head == d.id) return advance_lane(session, d.order_key);
    return ok();
  });
}

}  // namespace pintle::lookout
