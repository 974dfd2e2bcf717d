#include "lookout/clean/archive.h"

#include "base/strings.h"
#include "lookout/api/json.h"
#include "lookout/fields.h"
#include "lookout/sinks/body.h"
#include "sys/gzip.h"
#include "sys/sync.h"

namespace pintle::lookout {
namespace {

// `more` and then the fields of `json`, an object.
void line(std::string& out, Data more, std::string_view json) {
  std::string head = more.take();
  head.pop_back();
  append(out, {head, json.size() > 2 ? "," : "", json.substr(1), "\n"});
}

Data of(std::string_view table) {
  Data out;
  out.text("table", table);
  return out;
}

// "20260102T030405.678Z"
std::string stamp(int64_t ms) {
  std::string out;
  for (const char c : time_text(ms)) {
    if (c != '-' && c != ':') out += c;
  }
  return out;
}

// "pod.*" as a file's name.
std::string file_name(std::string_view policy) {
  std::string out;
  for (const char c : policy) out += c == '*' ? "all" : std::string(1, c);
  return out;
}

template <typename List, typename Number>
std::pair<int64_t, int64_t> ends(const List& list, Number number) {
  return {number(list.front()), number(list.back())};
}

std::pair<int64_t, int64_t> span_of(const GoingRows& r) {
  if (!r.events.empty()) return ends(r.events, [](const auto& e) { return e.sequence; });
  if (!r.deliveries.empty()) return ends(r.deliveries, [](const auto& d) { return d.id; });
  if (!r.attempts.empty()) return ends(r.attempts, [](const auto& a) { return a.delivery_id; });
  if (!r.gaps.empty()) return ends(r.gaps, [](const auto& g) { return g.id; });
  if (!r.audit.empty()) return ends(r.audit, [](const auto& a) { return a.id; });
  return ends(r.observations, [](const auto& o) { return o.second.received_ms; });
}

}  // namespace

std::string archive_lines(const GoingRows& rows) {
  std::string out;
  for (const StoredEvent& e : rows.events) line(out, of("event"), event_json(e));
  for (const Delivery& d : rows.deliveries) line(out, of("delivery"), delivery_json(d));
  for (const Attempt& a : rows.attempts) {
    line(out, of("attempt").number("delivery", a.delivery_id), attempt_json(a, Role::kAdmin));
  }
  for (const auto& [cluster, o] : rows.observations) {
    line(out, of("observation").text("cluster_uid", cluster).raw("subject", subject_json(o.subject)),
         observation_json(o));
  }
  for (const StoredGap& g : rows.gaps) line(out, of("gap"), gap_json(g));
  for (const AuditEntry& a : rows.audit) line(out, of("audit"), audit_json(a));
  return out;
}

Status write_archive(const GoingRows& rows, const std::string& folder, sys::Disk& disk,
                     int64_t now_ms) {
  const auto [first, last] = span_of(rows);
  const std::string path = cat(folder, "/", file_name(rows.policy->name), "-", rows.table, "-",
                               stamp(now_ms), "-", first, "-", last, ".jsonl.gz");
  TRY(disk.make_dirs(folder, 0700));
  if (disk.stat(path)) return Error(path + " is there already", Code::kAlreadyExists);
  const std::string part = path + ".part";
  Status written = disk.write_file(part, sys::gzip(archive_lines(rows)), 0600);
  if (written) written = sys::sync_path(part);
  if (written) written = disk.rename(part, path);
  if (written) written = sys::sync_path(folder);
  if (!written) (void)disk.remove(part);
  return written;
}

}  // namespace pintle::lookout
