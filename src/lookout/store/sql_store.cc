#include "lookout/store/sql_store.h"

#include <utility>

#include "crypt/crypt.h"
#include "crypt/seal.h"
#include "lookout/sinks/masking.h"
#include "lookout/store/schema.h"

namespace pintle::lookout {

namespace {
constexpr std::string_view kKeyCheck = "lookout";
constexpr int64_t kWriterCacheKib = 16 << 10;  // the upper parts of all indexes of a million rows
}

SqlStore::SqlStore(StoreOptions options, sys::Clock& clock)
    : options_(std::move(options)), clock_(clock) {}

Status SqlStore::start() {
  if (options_.secret_key.size() != 32) {
    return Error(Code::kInvalidArgument, "the secret key must have 32 bytes, it has " +
                                             std::to_string(options_.secret_key.size()));
  }
  // An index that a migration makes takes what it takes.
  db::SessionOptions options{.url = options_.url, .answer_ms = 0, .cache_kib = kWriterCacheKib};
  writer_.session = TRY(db::Session::open(options));
  TRY(db::migrate(*writer_.session, schema_steps()));
  TRY(check_key(*writer_.session));
  TRY(seal_options(*writer_.session));
  if (writer_.session->dialect() == db::Dialect::kSqlite) TRY(end_leases(*writer_.session));
  if (options_.url == "sqlite::memory:") return ok();
  if (writer_.session->dialect() == db::Dialect::kPostgres) {
    writer_.session = TRY(db::Session::open({options_.url}));
    outbox_.session = TRY(db::Session::open({options_.url}));
  }
  sweeper_.session = TRY(db::Session::open({options_.url}));
  for (int i = 0; i < options_.readers; ++i) {
    readers_.push_back(std::make_unique<Door>());
    readers_.back()->session = TRY(db::Session::open({options_.url}));
  }
  return ok();
}

// One process has the file: what is leased was another's that is gone, and need not run out.
Status SqlStore::end_leases(db::Session& session) {
  return session.transaction([&]() -> Status {
    TRY(session.run("update lane set due_ms = ? where exists "
                    "(select 1 from delivery d where d.id = lane.head and d.state = 1)",
                    now_ms()));
    TRY(session.run("update delivery set lease_until_ms = ? "
                    "where id in (select head from lane) and state = 1",
                    now_ms()));
    return ok();
  });
}

// The first key a database sees is its key: with another one its secrets would be lost silently.
Status SqlStore::check_key(db::Session& session) {
  return session.transaction([&]() -> Status {
    std::string stored;
    std::string sql = "select key_check from ledger where one = 1";
    sql += session.on_postgres(" for update");
    TRY(session.query(sql, "t", [&](const db::Row& row) { stored = row.text(0); }));
    if (stored.empty()) {
      TRY(session.run("update ledger set key_check = ? where one = 1", sealed(kKeyCheck, secret_place(0))));
      return ok();
    }
    if (unsealed(stored, secret_place(0))) return ok();
    return Error(Code::kInvalidArgument,
                 db::public_url(options_.url) +
                     ": the secret key is not the one that its secrets were encrypted with");
  });
}

// A database of an earlier version has them in clear: they are encrypted now, and what was there is
// written over.
Status SqlStore::seal_options(db::Session& session) {
  std::vector<std::pair<int64_t, std::string>> clear;
  TRY(session.query("select id, sink_public from subscription where sealed_options = ''", "nt",
                    [&](const db::Row& row) {
                      const std::string options = row.text(1);
                      clear.emplace_back(row.number(0), options.empty() ? "{}" : options);
                    }));
  if (clear.empty()) return ok();
  const bool sqlite = session.dialect() == db::Dialect::kSqlite;
  const auto ignore = [](const db::Row&) {};
  if (sqlite) TRY(session.query("pragma secure_delete = on", "n", ignore));
  TRY(session.transaction([&]() -> Status {
    for (const auto& [id, options] : clear) {
      // Another process may have been faster: then what was read is sealed already.
      TRY(session.run("update subscription set sink_public = ?, sealed_options = ? where id = ? and "
                      "sealed_options = ''",
                      masked_options(options), sealed(options, options_place(id)), id));
    }
    return ok();
  }));
  if (sqlite) return session.query("pragma wal_checkpoint(truncate)", "nnn", ignore);
  TRY(session.run("vacuum full subscription"));
  return ok();
}

std::string secret_place(int64_t subscription) {
  return "subscription/" + std::to_string(subscription);
}
std::string options_place(int64_t subscription) { return secret_place(subscription) + "/options"; }

std::string SqlStore::sealed(std::string_view text, const std::string& place) const {
  if (text.empty()) return "";
  return crypt::base64_encode(crypt::seal(options_.secret_key, text, place));
}

Result<std::string> SqlStore::unsealed(std::string_view stored, const std::string& place) const {
  if (stored.empty()) return std::string();
  return crypt::open_sealed(options_.secret_key, TRY(crypt::base64_decode(stored)), place);
}

Subscription SqlStore::whole(StoredSubscription stored) const {
  Subscription out = std::move(stored.it);
  auto secret = unsealed(out.secret, secret_place(out.id));
  auto options = unsealed(stored.sealed_options, options_place(out.id));
  if (!secret) unreadable(out, Error::wrap("its secret", secret.error()));
  if (!options) unreadable(out, Error::wrap("its options", options.error()));
  out.secret = secret.value_or("");
  out.options = options.value_or("{}");
  return out;
}

Status SqlStore::change(Door& door, const std::function<Status(db::Session&)>& body) {
  return alone(door, [&](db::Session& session) {
    return session.transaction([&] { return body(session); });
  });
}

uint64_t SqlStore::statements() const {
  uint64_t sum = writer_.session->statements();
  for (const Door* door : {&outbox_, &sweeper_}) {
    if (door->session != nullptr) sum += door->session->statements();
  }
  for (const auto& reader : readers_) sum += reader->session->statements();
  return sum;
}

Result<int64_t> next_id(db::Session& session) {
  return session.number(
      "update ledger set other_id = other_id + 1 where one = 1 returning other_id", 0);
}

Result<std::unique_ptr<Store>> Store::open(StoreOptions options, sys::Clock& clock) {
  auto store = std::make_unique<SqlStore>(std::move(options), clock);
  TRY(store->start());
  return std::unique_ptr<Store>(std::move(store));
}

}  // namespace pintle::lookout
