// Subscriptions. Commits match against a copy in memory; every change, by whichever process, gives
// the ledger a new version, and a commit that reads another version than its copy's reads them anew.
#include <climits>

#include "base/strings.h"
#include "lookout/sinks/masking.h"
#include "lookout/store/schema.h"
#include "lookout/store/sql_store.h"
#include "lookout/store/text.h"

namespace pintle::lookout {

std::string_view subscription_columns() {
  return "s.id, s.name, s.filter, s.sink_kind, s.sink_public, s.secret, s.order_by, s.enabled, "
         "s.paused, s.generation, s.manner, s.sealed_options, s.paused_why";
}

std::string_view subscription_letters() { return "nttttttnnnttt"; }

namespace {

template <typename T>
void take(Result<T> read, T& out, Subscription& whose) {
  if (read) {
    out = std::move(*read);
  } else {
    unreadable(whose, read.error());
  }
}

}  // namespace

void unreadable(Subscription& s, const Error& why) {
  s.paused = true;
  s.paused_why = cat("it cannot be read: ", why.text());
}

StoredSubscription read_subscription(const db::Row& row, size_t at) {
  StoredSubscription stored;
  Subscription& out = stored.it;
  out.id = row.number(at);
  out.name = row.text(at + 1);
  out.sink_kind = row.text(at + 3);
  out.options = row.text(at + 4);
  out.secret = row.text(at + 5);
  out.order_by = row.text(at + 6);
  out.enabled = row.number(at + 7) != 0;
  out.paused = row.number(at + 8) != 0;
  out.generation = row.number(at + 9);
  stored.sealed_options = row.text(at + 11);
  out.paused_why = row.text(at + 12);
  take(read_filter(row.text(at + 2)), out.filter, out);
  take(read_manner(row.text(at + 10)), out.manner, out);
  if (Status fine = compile(out.filter); !fine) unreadable(out, fine.error());
  return stored;
}

// One that cannot be read holds up no other: it is paused, and says why.
Status keep_paused(db::Session& session, const Subscription& s) {
  TRY(session.run("update subscription set paused = 1, paused_why = ? where id = ? and paused = 0",
                  s.paused_why, s.id));
  return ok();
}

namespace {

Result<std::vector<Subscription>> all(db::Session& session, bool only_active) {
  std::vector<Subscription> out;
  std::string sql = "select ";
  sql += subscription_columns();
  sql += " from subscription s";
  sql += only_active ? " where enabled = 1 and paused = 0 order by id" : " order by id";
  TRY(session.query(sql, subscription_letters(), [&](const db::Row& row) {
    out.push_back(read_subscription(row).it);
    out.back().secret.clear();
  }));
  return out;
}

Status check(const Subscription& s) {
  if (s.name.empty()) return Error(Code::kInvalidArgument, "a subscription needs a name");
  for (std::string_view known : {"subject", "release", "region", "subscription"}) {
    if (s.order_by == known) return ok();
  }
  return Error(Code::kInvalidArgument,
               "order_by: must be subject, release, region or subscription, not " + s.order_by);
}

Error named(Error e, const Subscription& s) {
  if (e.code() != Code::kAlreadyExists) return e;
  return Error(Code::kAlreadyExists, "a subscription named " + s.name + " is there already");
}

}  // namespace

Status hold_lanes(db::Session& session, int64_t subscription) {
  if (session.dialect() == db::Dialect::kSqlite) return ok();  // the transaction holds everything
  return session.query(
      "select order_key from lane where subscription_id = ? order by order_key for update", "t",
      [](const db::Row&) {}, subscription);
}

// What it holds is due when it was.
Status free_lanes(db::Session& session, int64_t subscription) {
  TRY(session.run("update lane set due_ms = (select due_ms from delivery where id = lane.head) "
                  "where subscription_id = ? and due_ms = ?",
                  subscription, kHeldMs));
  return ok();
}

// What failed before is no longer held against it.
Status forget_failing(db::Session& session, int64_t subscription) {
  TRY(session.run("update standing set failing_since_ms = 0 where subscription_id = ?", subscription));
  return ok();
}

Result<int64_t> SqlStore::touch_subscriptions(db::Session& session) {
  return session.number(
      "update ledger set subscriptions = subscriptions + 1 where one = 1 returning subscriptions", 0);
}

void SqlStore::know_version(int64_t version) {
  int64_t known = known_version_;
  while (known < version && !known_version_.compare_exchange_weak(known, version)) {
  }
}

// What was known and is not there is lost (a database restored): then what is there counts.
Result<int64_t> SqlStore::lease_version(db::Session& session, int64_t known) {
  const int64_t version =
      TRY(session.number("select subscriptions from ledger where one = 1", 0));
  if (version < known) known_version_.compare_exchange_strong(known, version);
  know_version(version);
  return version;
}

Status SqlStore::refresh_subscriptions(db::Session& session, int64_t version) {
  if (version == active_version_) return ok();
  active_ = TRY(all(session, true));
  for (const Subscription& s : active_) {
    if (s.paused) TRY(keep_paused(session, s));
  }
  std::erase_if(active_, [](const Subscription& s) { return s.paused; });
  active_version_ = version;
  know_version(version);
  return ok();
}

Result<Subscription> SqlStore::add_subscription(const Subscription& s, const Author& by) {
  TRY(check(s));
  Subscription out = s;
  if (out.options.empty()) out.options = "{}";
  Status done = change(writer_, [&](db::Session& session) -> Status {
    TRY(touch_subscriptions(session));
    out.id = TRY(next_id(session));
    out.generation = 1;
    TRY(session.run("insert into subscription (id, name, filter, sink_kind, sink_public, secret, "
                    "order_by, enabled, paused, generation, manner, sealed_options, "
                    "paused_why) values (?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?)",
                    out.id, s.name, filter_json(s.filter), s.sink_kind, masked_options(out.options),
                    sealed(s.secret, secret_place(out.id)), s.order_by, s.enabled, s.paused,
                    manner_json(s.manner), sealed(out.options, options_place(out.id)),
                    s.paused_why));
    return add_audit(session, now_ms(), by, change_of("subscription", s.name, {}, piece_of(out)));
  });
  if (!done) return named(done.error(), s);
  out.secret.clear();
  out.options = masked_options(out.options);
  return out;
}

Status SqlStore::update_subscription(const Subscription& s, const Author& by) {
  TRY(check(s));
  int64_t version = 0;
  Status done = change(writer_, [&](db::Session& session) -> Status {
    version = TRY(touch_subscriptions(session));
    TRY(hold_lanes(session, s.id));
    const Subscription before = TRY(stored_subscription(session, s.id));
    const std::string shown = masked_options(before.options);
    Subscription after = s;
    after.paused = before.paused;
    after.paused_why = before.paused_why;
    if (s.options.empty() || s.options == shown) after.options = before.options;
    if (s.secret.empty()) after.secret = before.secret;
    const bool elsewhere = before.sink_kind != s.sink_kind || after.options != before.options;
    TRY(session.run("update subscription set name = ?, filter = ?, generation = generation + ?, "
                    "sink_kind = ?, order_by = ?, enabled = ?, manner = ? where id = ?",
                    s.name, filter_json(s.filter), elsewhere ? 1 : 0, s.sink_kind, s.order_by,
                    s.enabled, manner_json(s.manner), s.id));
    if (elsewhere) {
      TRY(session.run("update subscription set sink_public = ?, sealed_options = ? where id = ?",
                      masked_options(after.options), sealed(after.options, options_place(s.id)),
                      s.id));
    }
    if (!s.secret.empty()) {
      TRY(session.run("update subscription set secret = ? where id = ?",
                      sealed(s.secret, secret_place(s.id)), s.id));
    }
    if (elsewhere) TRY(forget_failing(session, s.id));
    if (after.active()) TRY(free_lanes(session, s.id));
    if (elsewhere) TRY(try_lanes_early(session, s.id, now_ms(), INT_MAX));
    return add_audit(session, now_ms(), by,
                     change_of("subscription", s.name, piece_of(before), piece_of(after)));
  });
  if (!done) return named(done.error(), s);
  know_version(version);
  return done;
}

Result<Subscription> SqlStore::write_pause(db::Session& session, int64_t id, bool paused,
                                           std::string_view why, const Author& by) {
  TRY(hold_lanes(session, id));
  Subscription before = TRY(stored_subscription(session, id));
  if (before.paused && !why.empty()) return before;
  Subscription after = before;
  after.paused = paused;
  after.paused_why = why;
  TRY(session.run("update subscription set paused = ?, paused_why = ? where id = ?", paused,
                  after.paused_why, id));
  if (before.paused && !paused) TRY(forget_failing(session, id));
  if (after.active()) {
    TRY(free_lanes(session, id));
    if (before.paused) TRY(try_lanes_early(session, id, now_ms(), INT_MAX));
  }
  TRY(add_audit(session, now_ms(), by,
                change_of("subscription", before.name, piece_of(before), piece_of(after))));
  return before;
}

Status SqlStore::pause_subscription(int64_t id, bool paused, std::string_view why, const Author& by) {
  int64_t version = 0;
  TRY(change(writer_, [&](db::Session& session) -> Status {
    version = TRY(touch_subscriptions(session));
    TRY(write_pause(session, id, paused, why, by));
    return ok();
  }));
  know_version(version);
  return ok();
}

Status SqlStore::remove_subscription(int64_t id, const Author& by) {
  int64_t version = 0;
  TRY(change(writer_, [&](db::Session& session) -> Status {
    version = TRY(touch_subscriptions(session));
    TRY(hold_lanes(session, id));
    TRY(session.run("update delivery set state = 5, ended_ms = ? where state in (0, 1, 3) and "
                    "order_key in (select order_key from lane where subscription_id = ?)",
                    now_ms(), id));
    TRY(session.run("delete from lane where subscription_id = ?", id));
    const Subscription before = TRY(stored_subscription(session, id));
    TRY(session.run("delete from standing where subscription_id = ?", id));
    TRY(session.run("delete from subscription where id = ?", id));
    return add_audit(session, now_ms(), by,
                     change_of("subscription", before.name, piece_of(before), {}));
  }));
  know_version(version);
  return ok();
}

Result<std::vector<Subscription>> SqlStore::subscriptions() {
  return read([](db::Session& session) { return all(session, false); });
}

}  // namespace pintle::lookout
