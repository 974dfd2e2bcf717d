#include "lookout/config/changes.h"

#include <algorithm>

#include "base/strings.h"
#include "json/json.h"
#include "lookout/api/json.h"
#include "lookout/config/directory.h"
#include "lookout/config/section.h"
#include "lookout/config/settings.h"
#include "lookout/fields.h"
#include "lookout/sinks/masking.h"

namespace pintle::lookout {
namespace {

AuditPiece plain(std::string json) { return {json, json}; }

AuditPiece hidden(std::string json) {
  std::string shown = hidden_members(json);
  return {std::move(json), std::move(shown)};
}

AuditPiece piece_of(const RegionConfig& r) {
  std::string json = region_text(r);
  json.pop_back();
  return plain(cat(json, ",\"kubeconfig\":", json::quoted(r.kubeconfig), "}"));
}
AuditPiece piece_of(const CleaningPolicy& p) { return plain(policy_text(p)); }
AuditPiece piece_of(const Rule& r) { return plain(rule_json(r, "")); }
AuditPiece piece_of(const Person& p) { return hidden(person_json(p, true)); }
AuditPiece piece_of(const Owners& o) { return hidden(owners_json(o)); }
AuditPiece piece_of(const OnCall& o) { return hidden(oncall_json(o)); }

AuditPiece piece_of(const TokenConfig& t) {
  return {Data().text("name", t.name).text("role", t.role).text("sha256", t.sha256).take(),
          Data().text("name", t.name).text("role", t.role).text("sha256", kMasked).take()};
}

AuditPiece piece_of(const Config& c) {
  std::vector<std::string> ports;
  for (const int port : c.guard.ports) ports.push_back(cat(port));
  return plain(Data()
                   .raw("raw_events", c.raw_events ? "true" : "false")
                   .text("archive", c.archive)
                   .text("stuck_after", duration_text(c.tracker.stuck_ms))
                   .text("group_within", duration_text(c.tracker.group_ms))
                   .text("settle_within", duration_text(c.tracker.settle_ms))
                   .raw("guard.allow", json_list(c.guard.allow))
                   .raw("guard.deny", json_list(c.guard.deny))
                   .raw("guard.ports", cat("[", join(ports, ","), "]"))
                   .take());
}

template <typename T>
void compare(std::string_view kind, const std::vector<T>& before, const std::vector<T>& after,
             std::vector<AuditChange>& out) {
  const auto note = [&](const std::string& name, const AuditPiece& was, const AuditPiece& is) {
    if (auto change = change_of(kind, name, was, is)) out.push_back(std::move(*change));
  };
  const auto in = [](const std::vector<T>& list, const T& item) {
    return std::find_if(list.begin(), list.end(), [&](const T& o) { return o.name == item.name; });
  };
  for (const T& item : before) {
    const auto is = in(after, item);
    note(item.name, piece_of(item), is == after.end() ? AuditPiece{} : piece_of(*is));
  }
  for (const T& item : after) {
    if (in(before, item) == before.end()) note(item.name, {}, piece_of(item));
  }
}

}  // namespace

std::vector<AuditChange> file_changes(const Config& before, const Config& after) {
  std::vector<AuditChange> out;
  compare(kRegionSetting, before.regions, after.regions, out);
  compare(kRuleSetting, before.rules, after.rules, out);
  compare(kPolicySetting, before.cleaning, after.cleaning, out);
  compare(kPersonSetting, before.directory.people, after.directory.people, out);
  compare(kOwnersSetting, before.directory.owners, after.directory.owners, out);
  compare(kOncallSetting, before.directory.oncall, after.directory.oncall, out);
  compare("token", before.tokens, after.tokens, out);
  if (auto change = change_of("configuration", "file", piece_of(before), piece_of(after))) {
    out.push_back(std::move(*change));
  }
  return out;
}

}  // namespace pintle::lookout
