// Regions, their checkpoints, and what is known of their objects.
#include "lookout/store/sql_store.h"
#include "lookout/store/text.h"

namespace pintle::lookout {

namespace {

constexpr std::string_view kLetters = "ntttnnt";
constexpr std::string_view kColumns =
    "select id, name, cluster_uid, environment, enabled, epoch, owner from region ";

Region read_region(const db::Row& row) {
  return {row.number(0), row.text(1), row.text(2), row.text(3), row.number(4) != 0,
          row.number(5), row.text(6)};
}

Error no_region(int64_t id) {
  return Error(Code::kNotFound, "no region " + std::to_string(id));
}

// A cluster that was watched under another name, which is removed, goes on from where it was.
Status inherit(db::Session& session, const Region& region) {
  if (region.cluster_uid.empty()) return ok();
  const int64_t newest = TRY(session.number(
      "select c.region_id from checkpoint c join region r on r.id = c.region_id "
      "where r.cluster_uid = ? and (r.removed = 1 or r.id = ?) order by c.observed_ms desc limit 1",
      region.id, region.cluster_uid, region.id));
  if (newest == region.id) return ok();
  TRY(session.run("delete from checkpoint where region_id = ?", region.id));
  TRY(session.run("update checkpoint set region_id = ? where region_id = ?", region.id, newest));
  return ok();
}

}  // namespace

Result<Region> SqlStore::put_region(const Region& region) {
  if (region.name.empty()) return Error(Code::kInvalidArgument, "a region needs a name");
  Region out;
  TRY(change(writer_, [&](db::Session& session) -> Status {
    out = region;
    out.id = 0;
    std::string sql(kColumns);
    sql += "where name = ?";
    Region known;
    TRY(session.query(sql, kLetters, [&](const db::Row& row) { known = read_region(row); },
                      region.name));
    if (known.id == 0) {
      out.id = TRY(next_id(session));
      out.epoch = 0;
      TRY(session.run("insert into region (id, name, cluster_uid, environment, enabled, epoch, "
                      "removed) values (?, ?, ?, ?, ?, 0, 0)",
                      out.id, out.name, out.cluster_uid, out.environment, out.enabled));
      return inherit(session, out);
    }
    out.id = known.id;
    out.epoch = known.epoch;
    out.owner = known.owner;
    if (out.cluster_uid.empty()) out.cluster_uid = known.cluster_uid;  // not reached yet
    TRY(session.run("update region set cluster_uid = ?, environment = ?, enabled = ?, removed = 0 "
                    "where id = ?",
                    out.cluster_uid, out.environment, out.enabled, out.id));
    if (!known.cluster_uid.empty() && known.cluster_uid != out.cluster_uid) {
      TRY(session.run("delete from checkpoint where region_id = ?", out.id));
    }
    return inherit(session, out);
  }));
  return out;
}

Result<std::vector<Region>> SqlStore::regions() {
  return read([&](db::Session& session) -> Result<std::vector<Region>> {
    std::vector<Region> out;
    std::string sql(kColumns);
    sql += "where removed = 0 order by id";
    TRY(session.query(sql, kLetters, [&](const db::Row& row) { out.push_back(read_region(row)); }));
    return out;
  });
}

Status SqlStore::remove_region(std::string_view name) {
  return change(writer_, [&](db::Session& session) -> Status {
    int64_t changed =
        TRY(session.run("update region set removed = 1 where name = ? and removed = 0", name));
    if (changed == 0) return Error(Code::kNotFound, "no region " + std::string(name));
    return ok();
  });
}

Result<int64_t> SqlStore::take_region(int64_t id, std::string_view owner, int64_t epoch) {
  int64_t taken = 0;
  TRY(change(writer_, [&](db::Session& session) -> Status {
    // Commits hold the row until they end: from here on those of an older epoch are refused.
    taken = TRY(session.number("update region set epoch = case when ? = 0 then epoch + 1 else ? end, "
                               "owner = ? where id = ? and (? = 0 or epoch < ? or "
                               "(epoch = ? and owner = ?)) returning epoch",
                               0, epoch, epoch, owner, id, epoch, epoch, epoch, owner));
    if (taken > 0) return ok();
    int64_t newer = TRY(session.number("select epoch from region where id = ?", -1, id));
    if (newer < 0) return no_region(id);
    return Error(Code::kFailedPrecondition,
                 "the region was taken with epoch " + std::to_string(newer) + ", not before " +
                     std::to_string(epoch));
  }));
  return taken;
}

Result<int> SqlStore::meet(std::string_view owner, int64_t for_ms) {
  if (writer_.session->dialect() == db::Dialect::kSqlite) return 1;
  return alone(outbox(), [&](db::Session& session) -> Result<int> {
    // No transaction: saying it twice is harmless.
    int64_t others = TRY(session.number(
        "with clock as (select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as ms), "
        "gone as (delete from present using clock where seen_ms < ms - 10 * cast(? as bigint)), "
        "me as (insert into present (owner, seen_ms) select ?, ms from clock "
        "on conflict (owner) do update set seen_ms = excluded.seen_ms) "
        "select count(*) from present, clock where seen_ms >= ms - cast(? as bigint) and owner <> ?",
        0, for_ms, owner, for_ms, owner));
    return static_cast<int>(others) + 1;
  });
}

Status SqlStore::leave(std::string_view owner) {
  if (writer_.session->dialect() == db::Dialect::kSqlite) return ok();
  return alone(outbox(), [&](db::Session& session) -> Status {
    TRY(session.run("delete from present where owner = ?", owner));
    return ok();
  });
}

Result<std::vector<Checkpoint>> SqlStore::checkpoints(int64_t region_id) {
  return read([&](db::Session& session) -> Result<std::vector<Checkpoint>> {
    std::vector<Checkpoint> out;
    TRY(session.query("select resource, version, observed_ms, state from checkpoint "
                      "where region_id = ? order by resource",
                      "ttnt",
                      [&](const db::Row& row) {
                        out.push_back({row.text(0), row.text(1), row.number(2), row.text(3)});
                      },
                      region_id));
    return out;
  });
}

Result<std::vector<std::pair<std::string, int64_t>>> SqlStore::counts(
    std::string_view cluster_uid, std::string_view resource) {
  using Counts = std::vector<std::pair<std::string, int64_t>>;
  return read([&](db::Session& session) -> Result<Counts> {
    Counts out;
    TRY(session.query("select uid, count from object where cluster_uid = ? and resource = ?", "tn",
                      [&](const db::Row& row) { out.emplace_back(row.text(0), row.number(1)); },
                      index_key(cluster_uid), index_key(resource)));
    return out;
  });
}

Result<std::string> SqlStore::newest_version(std::string_view cluster_uid,
                                             std::string_view resource) {
  return read([&](db::Session& session) -> Result<std::string> {
    std::string out;
    TRY(session.query("select version from object where cluster_uid = ? and resource = ? "
                      "order by length(version) desc, version desc limit 1",
                      "t", [&](const db::Row& row) { out = row.text(0); },
                      index_key(cluster_uid), index_key(resource)));
    return out;
  });
}

StoredGap read_gap(const db::Row& row) {
  return {row.number(0), row.text(1),
          Gap{row.text(2), row.number(3), row.number(4), row.text(5), row.text(6)}};
}

Result<std::vector<StoredGap>> SqlStore::gaps(int64_t after, int limit) {
  return read([&](db::Session& session) -> Result<std::vector<StoredGap>> {
    std::vector<StoredGap> out;
    TRY(session.query("select id, region, resource, from_ms, to_ms, from_version, cause from gap "
                      "where id > ? order by id limit ?",
                      kGapLetters, [&](const db::Row& row) { out.push_back(read_gap(row)); }, after,
                      limit));
    return out;
  });
}

}  // namespace pintle::lookout
