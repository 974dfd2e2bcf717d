#include "lookout/region/lost.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/strings.h"
#include "lookout/track/tracker.h"

namespace pintle::lookout {
namespace {

constexpr int kPage = 1000, kMostPages = 50;
// What a record is told by, the most telling first.
constexpr std::string_view kTypes[] = {"release.deployed", "release.rolled_back", "release.failed",
                                       "release.pending", "release.uninstalled"};

// Adds the last event of each record; region: where to look, "": in all.
Status told_in(Store& store, const std::string& region, const std::set<std::string>& uids,
               std::map<std::string, Event>& out) {
  for (const std::string_view type : kTypes) {
    EventQuery query;
    query.type = type;
    query.region = region;
    query.newest_first = true;
    query.limit = kPage;
    for (int page = 0; page < kMostPages; ++page) {
      const auto events = TRY(store.events(query));
      for (const StoredEvent& e : events) {
        query.after = e.sequence;
        if (uids.contains(e.event.subject.uid)) out.emplace(e.event.subject.uid, e.event);
      }
      const bool all = type != "release.uninstalled" && out.size() == uids.size();
      if (events.size() < static_cast<size_t>(kPage) || all) break;
    }
  }
  return ok();
}

// Where nothing is known under this name the cluster was told of under another.
Result<std::map<std::string, Event>> told_of(Store& store, const std::string& region,
                                             const std::set<std::string>& uids) {
  std::map<std::string, Event> out;
  TRY(told_in(store, region, uids, out));
  if (out.empty()) TRY(told_in(store, "", uids, out));
  return out;
}

// What the cluster has of a release.
struct Left {
  bool known = false;  // a record of it was stored before
  int64_t first = INT64_MAX;
};

// By the records' namespace and the release's name.
std::string place_of(std::string_view name_space, std::string_view record) {
  const auto named = record_name(record);
  return named ? cat(name_space, '/', named->release) : "";
}

std::map<std::string, Left> left_of(const std::vector<informer::ObjectPtr>& listed,
                                    const std::set<std::string, std::less<>>& stored) {
  std::map<std::string, Left> out;
  for (const informer::ObjectPtr& o : listed) {
    const auto named = record_name(o->name());
    if (!named) continue;
    Left& left = out[place_of(o->name_space(), o->name())];
    left.known = left.known || stored.contains(o->uid());
    left.first = std::min(left.first, named->revision);
  }
  return out;
}

}  // namespace

Status find_lost(Store& store, const std::vector<informer::ObjectPtr>& listed,
                 std::string_view resource, const std::vector<std::string>& namespaces,
                 int64_t now_ms, Batch& batch) {
  std::set<std::string, std::less<>> stored;
  for (auto& [uid, count] : TRY(store.counts(batch.cluster_uid, resource))) stored.insert(std::move(uid));
  std::set<std::string> lost(stored.begin(), stored.end());
  for (const informer::ObjectPtr& o : listed) lost.erase(std::string(o->uid()));
  if (lost.empty()) return ok();
  const auto left = left_of(listed, stored);
  std::map<std::string, const Event*> newest;  // of each release of which records are gone
  const auto told = TRY(told_of(store, batch.region, lost));
  for (const auto& [uid, e] : told) {
    if (!namespaces.empty() &&
        std::find(namespaces.begin(), namespaces.end(), e.subject.name_space) == namespaces.end()) {
      continue;
    }
    Observation o;
    o.resource = resource;
    o.uid = uid;
    o.version = "gone";
    o.change = Change::kDeleted;
    o.subject = e.subject;
    o.received_ms = now_ms;
    batch.observations.push_back(std::move(o));
    const Event*& last = newest[place_of(e.subject.name_space, e.subject.name)];
    if (last == nullptr || last->revision < e.revision) last = &e;
  }
  for (const auto& [place, last] : newest) {
    const auto it = left.find(place);
    const bool pruned =
        it != left.end() && (it->second.known || !begins_anew(it->second.first, last->revision));
    if (pruned) continue;
    Event e = *last;
    e.type = "release.uninstalled";
    e.severity = Severity::kInfo;
    e.reason = "uninstalled";
    e.message = "while nobody watched";
    e.time_ms = now_ms;
    e.dedup_key = cat(batch.cluster_uid, '/', e.subject.uid, "/uninstalled");
    e.observation = -1;
    batch.events.push_back(std::move(e));
  }
  return ok();
}

}  // namespace pintle::lookout
