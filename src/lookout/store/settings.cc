// What the API has made beside the configuration's file, and what only lookout itself may read: the
// secrets. Settings share the version of the subscriptions: who keeps a copy sees that it is old.
#include "crypt/crypt.h"
#include "crypt/seal.h"
#include "lookout/store/sql_store.h"

namespace pintle::lookout {
namespace {

std::string place(const Setting& s) { return "setting/" + s.kind + "/" + s.name; }

}  // namespace

Status SqlStore::put_setting(const Setting& s) {
  if (s.kind.empty() || s.name.empty()) {
    return Error(Code::kInvalidArgument, "a setting needs a kind and a name");
  }
  std::string secret;
  if (!s.secret.empty()) {
    secret = crypt::base64_encode(crypt::seal(options_.secret_key, s.secret, place(s)));
  }
  return change(writer_, [&](db::Session& session) -> Status {
    TRY(touch_subscriptions(session));
    TRY(session.run("insert into setting (kind, name, value, secret) values (?, ?, ?, ?) "
                    "on conflict (kind, name) do update set value = excluded.value, "
                    "secret = excluded.secret",
                    s.kind, s.name, s.value, secret));
    return ok();
  });
}

Status SqlStore::remove_setting(std::string_view kind, std::string_view name) {
  return change(writer_, [&](db::Session& session) -> Status {
    TRY(touch_subscriptions(session));
    if (TRY(session.run("delete from setting where kind = ? and name = ?", kind, name)) == 0) {
      return Error(Code::kNotFound, "no " + std::string(kind) + " " + std::string(name));
    }
    return ok();
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
    if (s.secret.empty()) continue;
    s.secret = TRY(crypt::open_sealed(options_.secret_key, TRY(crypt::base64_decode(s.secret)),
                                      place(s)));
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

Result<Subscription> SqlStore::whole_subscription(int64_t id) {
  return whole(TRY(read([&](db::Session& session) -> Result<StoredSubscription> {
    std::string sql = "select ";
    sql.append(subscription_columns()).append(" from subscription s where s.id = ?");
    Result<StoredSubscription> found =
        Error(Code::kNotFound, "no subscription " + std::to_string(id));
    TRY(session.query(sql, subscription_letters(),
                      [&](const db::Row& row) { found = read_subscription(row); }, id));
    return found;
  })));
}

}  // namespace pintle::lookout
