// What the API has made beside the configuration's file, and what only lookout itself may read: the
// secrets. Settings share the version of the subscriptions: who keeps a copy sees that it is old.
#include "lookout/store/sql_store.h"

namespace pintle::lookout {
namespace {

std::string place(const Setting& s) { return "setting/" + s.kind + "/" + s.name; }

}  // namespace

Result<std::optional<Setting>> SqlStore::stored_setting(db::Session& session, std::string_view kind,
                                                        std::string_view name) const {
  std::optional<Setting> out;
  TRY(session.query("select kind, name, value, secret from setting where kind = ? and name = ?",
                    "tttt",
                    [&](const db::Row& row) {
                      out = Setting{row.text(0), row.text(1), row.text(2), row.text(3)};
                    },
                    kind, name));
  if (out) out->secret = TRY(unsealed(out->secret, place(*out)));
  return out;
}

Status SqlStore::put_setting(const Setting& s, const Author& by) {
  if (s.kind.empty() || s.name.empty()) {
    return Error(Code::kInvalidArgument, "a setting needs a kind and a name");
  }
  return change(writer_, [&](db::Session& session) -> Status {
    TRY(touch_subscriptions(session));
    const auto before = TRY(stored_setting(session, s.kind, s.name));
    TRY(session.run("insert into setting (kind, name, value, secret) values (?, ?, ?, ?) "
                    "on conflict (kind, name) do update set value = excluded.value, "
                    "secret = excluded.secret",
                    s.kind, s.name, s.value, sealed(s.secret, place(s))));
    return add_audit(session, now_ms(), by,
                     change_of(s.kind, s.name, before ? piece_of(*before) : AuditPiece{}, piece_of(s)));
  });
}

Status SqlStore::remove_setting(std::string_view kind, std::string_view name, const Author& by) {
  return change(writer_, [&](db::Session& session) -> Status {
    TRY(touch_subscriptions(session));
    const auto before = TRY(stored_setting(session, kind, name));
    if (!before) {
      return Error(Code::kNotFound, "no " + std::string(kind) + " " + std::string(name));
    }
    TRY(session.run("delete from setting where kind = ? and name = ?", kind, name));
    return add_audit(session, now_ms(), by, change_of(kind, name, piece_of(*before), {}));
  });
}

Result<std::vector<Setting>> SqlStore::settings() {
  auto out = TRY(read([](db::Session& session) -> Result<std::vector<Setting>> {
    std::vector<Setting> rows;
    TRY(session.query("select kind, name, value, secret from setting order by kind, name", "tttt",
                      [&](const db::Row& row) {
                        rows.push_back({row.text(0), row.text(1), row.text(2), row.text(3)});
                      }));
    return rows;
  }));
  for (Setting& s : out) {
    s.secret = TRY(unsealed(s.secret, place(s)));
  }
  return out;
}

Result<int64_t> SqlStore::settings_version() {
  const int64_t version = TRY(read([](db::Session& session) {
    return session.number("select subscriptions from ledger where one = 1", 0);
  }));
  know_version(version);
  return version;
}

Result<Subscription> SqlStore::stored_subscription(db::Session& session, int64_t id) const {
  std::string sql = "select ";
  sql.append(subscription_columns()).append(" from subscription s where s.id = ?");
  std::optional<StoredSubscription> found;
  TRY(session.query(sql, subscription_letters(),
                    [&](const db::Row& row) { found = read_subscription(row); }, id));
  if (!found) return Error(Code::kNotFound, "no subscription " + std::to_string(id));
  return whole(std::move(*found));
}

Result<Subscription> SqlStore::whole_subscription(int64_t id) {
  return read([&](db::Session& session) { return stored_subscription(session, id); });
}

}  // namespace pintle::lookout
