// The audit: written in the transaction of the change itself, and read. Pieces of the configuration
// are compared with their secrets, and kept without.
#include <algorithm>

#include "base/strings.h"
#include "lookout/fields.h"
#include "lookout/sinks/masking.h"
#include "lookout/store/schema.h"
#include "lookout/store/sql_store.h"
#include "lookout/store/text.h"

namespace pintle::lookout {
namespace {

void add_members(Data& out, std::string_view json, std::string_view before = "") {
  for (const auto& [name, text] : members_of(json)) out.raw(cat(before, name), text);
}

std::string subscription_text(const Subscription& s, std::string_view options,
                              std::string_view secret) {
  Data out;
  out.text("name", s.name)
      .text("sink", s.sink_kind)
      .text("order_by", s.order_by)
      .raw("enabled", s.enabled ? "true" : "false")
      .raw("paused", s.paused ? "true" : "false")
      .text("paused_reason", s.paused_why)
      .text("secret", secret);
  add_members(out, filter_json(s.filter));
  add_members(out, manner_json(s.manner));
  add_members(out, options, "options.");
  return out.take();
}

AuditEntry read_entry(const db::Row& row) {
  return {row.number(0),
          row.number(1),
          {row.text(2), row.text(3)},
          {row.text(4), row.text(5), row.text(6), row.text(7)}};
}

constexpr std::string_view kSelect =
    "select id, at_ms, author, role, kind, name, verb, fields from audit where id ";
constexpr std::string_view kEntryLetters = "nntttttt";

}  // namespace

AuditPiece piece_of(const Subscription& s) {
  return {subscription_text(s, s.options, s.secret),
          subscription_text(s, masked_options(s.options), s.secret.empty() ? "" : kMasked)};
}

// People, owners and duties are kept as secrets whole.
AuditPiece piece_of(const Setting& s) {
  AuditPiece out{s.value, s.value};
  if (s.secret.empty()) return out;
  if (s.value == "{}") return {s.secret, hidden_members(s.secret)};
  const std::string_view name = s.kind == "region" ? "kubeconfig" : "secret";
  Data whole, shown;
  add_members(whole, s.value);
  add_members(shown, s.value);
  return {whole.text(name, s.secret).take(), shown.text(name, kMasked).take()};
}

Status add_audit(db::Session& session, int64_t now_ms, const Author& by,
                 const std::optional<AuditChange>& change) {
  if (!change) return ok();
  TRY(session.run("insert into audit (id, at_ms, author, role, kind, name, verb, fields) "
                  "values (?, ?, ?, ?, ?, ?, ?, ?)",
                  TRY(next_id(session)), now_ms, by.name, by.role, change->kind, change->name,
                  change->verb, change->fields));
  return ok();
}

Result<AuditEntry> find_audit(db::Session& session, int64_t id) {
  Result<AuditEntry> out = Error(Code::kNotFound, "no such change");
  TRY(session.query(cat(kSelect, "= ?"), kEntryLetters,
                    [&](const db::Row& row) { out = read_entry(row); }, id));
  return out;
}

Status SqlStore::note_changes(const Author& by, const std::vector<AuditChange>& changes) {
  return change(writer_, [&](db::Session& session) -> Status {
    for (const AuditChange& c : changes) TRY(add_audit(session, now_ms(), by, c));
    return ok();
  });
}

Result<std::vector<AuditEntry>> SqlStore::audit(const AuditQuery& query) {
  std::string sql(kSelect);
  sql += query.newest_first ? "< ?" : "> ?";
  const bool from_end = query.newest_first && query.after == 0;
  std::vector<db::Param> params{db::param(from_end ? INT64_MAX : query.after)};
  for (const auto& [column, text] : {std::pair{"kind", &query.kind}, {"name", &query.name}}) {
    if (text->empty()) continue;
    sql += cat(" and ", column, " = ?");
    params.push_back(db::param(*text));
  }
  for (const auto& [compare, ms] : {std::pair{" and at_ms >= ?", &query.from_ms},
                                    {" and at_ms < ?", &query.to_ms}}) {
    if (*ms == 0) continue;
    sql += compare;
    params.push_back(db::param(*ms));
  }
  sql += query.newest_first ? " order by id desc limit ?" : " order by id limit ?";
  params.push_back(db::param(std::clamp(query.limit, 1, 1000)));
  return read([&](db::Session& session) -> Result<std::vector<AuditEntry>> {
    std::vector<AuditEntry> out;
    TRY(session.select(sql, kEntryLetters, params,
                       [&](const db::Row& row) { out.push_back(read_entry(row)); }));
    return out;
  });
}

}  // namespace pintle::lookout
