// Reading events. Each of the selective texts (name, release, type) has an index with the sequence
// behind it, so a page costs its own length; the other filters are compared row by row, by look()
// no more than a stretch at a time.
#include <algorithm>
#include <utility>

#include "lookout/store/sql_store.h"
#include "lookout/store/text.h"

namespace pintle::lookout {

std::string_view event_columns() {
  return "e.seq, e.stored_ms, e.region, e.cluster_uid, e.type, e.severity, e.subject_group, "
         "e.subject_version, e.subject_kind, e.subject_namespace, e.subject_name, e.subject_uid, "
         "e.release, e.release_namespace, e.revision, e.reason, e.message, e.time_ms, e.labels, "
         "e.data, e.dedup_key, "
         "coalesce((select r.environment from region r where r.name = e.region), ''), "
         "e.observation_uid, e.observation_version";
}

std::string_view event_letters() { return "nntttnttttttttnttntttttt"; }

StoredEvent read_event(const db::Row& row, size_t at) {
  StoredEvent out;
  out.sequence = row.number(at);
  out.stored_ms = row.number(at + 1);
  out.region = row.text(at + 2);
  out.cluster_uid = row.text(at + 3);
  Event& e = out.event;
  e.type = row.text(at + 4);
  e.severity = static_cast<Severity>(std::clamp<int64_t>(row.number(at + 5), 0, 2));
  e.subject = {row.text(at + 6), row.text(at + 7),  row.text(at + 8),
               row.text(at + 9), row.text(at + 10), row.text(at + 11)};
  e.release = row.text(at + 12);
  e.release_namespace = row.text(at + 13);
  e.revision = row.number(at + 14);
  e.reason = row.text(at + 15);
  e.message = row.text(at + 16);
  e.time_ms = row.number(at + 17);
  e.labels = read_labels(row.text(at + 18));
  e.data = row.text(at + 19);
  e.dedup_key = row.text(at + 20);
  out.environment = row.text(at + 21);
  out.observation_uid = row.text(at + 22);
  out.observation_version = row.text(at + 23);
  return out;
}

namespace {

struct Condition {
  std::string_view column;
  const std::string& text;
};

// What one page is taken from: the direction, the most selective text, the others.
struct Conditions {
  std::string index, others;  // what an index finds, and what is compared row by row
  std::vector<db::Param> index_params, other_params;
};

Conditions conditions_of(const EventQuery& query, db::Dialect dialect) {
  Conditions out;
  if (query.newest_first) {
    out.index = " from event e where e.seq < ?";
    out.index_params.push_back(db::param(query.after > 0 ? query.after : INT64_MAX));
  } else {
    out.index = " from event e where e.seq > ?";
    out.index_params.push_back(db::param(query.after));
  }
  // The most selective text first. SQLite, which knows no distribution, is kept from choosing
  // another's index by a + that changes nothing.
  bool chosen = false;
  const Condition indexed[] = {
      {"subject_name", query.name}, {"release", query.release}, {"type", query.type}};
  const Condition compared[] = {{"region", query.region},
                                {"reason", query.reason},
                                {"subject_kind", query.kind},
                                {"subject_namespace", query.name_space}};
  const auto compare = [&](const Condition& c) {
    const bool bare = dialect == db::Dialect::kPostgres;
    out.others.append(bare ? " and e." : " and +e.").append(c.column).append(" = ?");
    out.other_params.push_back(db::param(c.text));
  };
  for (const Condition& c : indexed) {
    if (c.text.empty()) continue;
    if (std::exchange(chosen, true)) {
      compare(c);
      continue;
    }
    out.index.append(" and e.").append(c.column).append(" = ?");
    out.index_params.push_back(db::param(c.text));
  }
  for (const Condition& c : compared) {
    if (!c.text.empty()) compare(c);
  }
  if (query.from_ms != 0) {
    out.others += " and e.time_ms >= ?";
    out.other_params.push_back(db::param(query.from_ms));
  }
  if (query.to_ms != 0) {
    out.others += " and e.time_ms < ?";
    out.other_params.push_back(db::param(query.to_ms));
  }
  return out;
}

int most(const EventQuery& query) { return std::clamp(query.limit, 1, 1000); }

Result<std::vector<StoredEvent>> select_events(db::Session& session, const EventQuery& query,
                                               int64_t until) {
  const Selection s = events_selection(query, until, session.dialect());
  std::vector<StoredEvent> out;
  TRY(session.select(s.sql, event_letters(), s.params,
                     [&](const db::Row& row) { out.push_back(read_event(row)); }));
  return out;
}

}  // namespace

Selection events_selection(const EventQuery& query, int64_t until, db::Dialect dialect) {
  Conditions c = conditions_of(query, dialect);
  Selection out;
  out.sql.append("select ").append(event_columns()).append(c.index);
  out.params = std::move(c.index_params);
  if (until != 0) {
    out.sql += query.newest_first ? " and e.seq >= ?" : " and e.seq <= ?";
    out.params.push_back(db::param(until));
  }
  out.sql += c.others;
  out.params.insert(out.params.end(), c.other_params.begin(), c.other_params.end());
  out.sql += query.newest_first ? " order by e.seq desc limit ?" : " order by e.seq limit ?";
  out.params.push_back(db::param(most(query)));
  return out;
}

Result<std::vector<StoredEvent>> SqlStore::events(const EventQuery& query) {
  return read([&](db::Session& session) { return select_events(session, query, 0); });
}

// The numbers of the rows are counted first, by the index alone, then those rows are compared.
Result<EventPage> SqlStore::look(const EventQuery& query, int rows) {
  return read([&](db::Session& session) -> Result<EventPage> {
    EventPage out;
    // Asked before the rows: whatever has such a number is seen below.
    const int64_t last =
        TRY(session.number("select event_seq from ledger where one = 1", 0));
    Conditions c = conditions_of(query, session.dialect());
    int64_t until = 0;
    if (!c.others.empty()) {
      std::string sql = "select e.seq" + c.index;
      sql += query.newest_first ? " order by e.seq desc" : " order by e.seq";
      sql += " limit 1 offset ?";
      c.index_params.push_back(db::param(rows - 1));
      TRY(session.select(sql, "n", c.index_params,
                         [&](const db::Row& row) { until = row.number(0); }));
    }
    out.events = TRY(select_events(session, query, until));
    if (static_cast<int>(out.events.size()) == most(query)) {
      out.looked = out.events.back().sequence;
      out.more = true;
    } else {
      out.looked = until != 0 ? until : query.newest_first ? 0 : std::max(last, query.after);
      out.more = until != 0;
    }
    if (!out.events.empty() && !query.newest_first) {
      out.looked = std::max(out.looked, out.events.back().sequence);  // stored meanwhile
    }
    return out;
  });
}

Result<StoredEvent> find_event(db::Session& session, int64_t sequence) {
  std::string sql = "select ";
  sql += event_columns();
  sql += " from event e where e.seq = ?";
  StoredEvent out;
  TRY(session.query(sql, event_letters(), [&](const db::Row& row) { out = read_event(row); },
                    sequence));
  if (out.sequence == 0) {
    return Error(Code::kNotFound, "no event " + std::to_string(sequence));
  }
  return out;
}

Result<StoredEvent> SqlStore::event(int64_t sequence) {
  return read([&](db::Session& session) { return find_event(session, sequence); });
}

Observation read_state(const db::Row& row) {
  Observation out;
  out.resource = row.text(0);
  out.uid = row.text(1);
  out.version = row.text(2);
  out.change = static_cast<Change>(std::clamp<int64_t>(row.number(3), 0, 2));
  out.subject = {row.text(4), row.text(5), row.text(6), row.text(7), row.text(8), row.text(9)};
  out.digest = row.text(10);
  out.received_ms = row.number(11);
  out.count = row.number(12);
  out.count_delta = row.number(13);
  return out;
}

Result<Observation> SqlStore::observation(int64_t sequence) {
  return read([&](db::Session& session) -> Result<Observation> {
    Observation out;
    TRY(session.query(
        "select o.resource, o.uid, o.version, o.change, o.subject_group, o.subject_version, "
        "o.subject_kind, o.subject_namespace, o.subject_name, o.subject_uid, o.digest, "
        "o.received_ms, o.count, o.count_delta from event e join observation o on "
        "o.cluster_uid = e.cluster_uid and o.resource = e.observation_resource and "
        "o.uid = e.observation_uid and o.version = e.observation_version where e.seq = ?",
        kStateLetters, [&](const db::Row& row) { out = read_state(row); }, sequence));
    if (out.resource.empty()) {
      return Error(Code::kNotFound, "no state told event " + std::to_string(sequence));
    }
    return out;
  });
}

Result<int64_t> SqlStore::last_sequence() {
  return read([](db::Session& session) {
    return session.number("select event_seq from ledger where one = 1", 0);
  });
}

}  // namespace pintle::lookout
