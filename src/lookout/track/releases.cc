// Helm's release records: their labels tell the state (spec events-informers §3.4), their payload,
// where it was condensed, what was released. A revision's record keeps its uid through all its
// states, so uid and state are the key of a transition; a release that is installed anew has
// others.
#include <algorithm>
#include <charconv>

#include "base/strings.h"
#include "json/json.h"
#include "lookout/observe.h"
#include "lookout/track/tracker_state.h"
#include "release/record.h"

namespace pintle::lookout {
namespace {

// Helm 2's words in Helm 4's.
std::string status_of(const Seen& seen) {
  if (const auto it = seen.labels.find("status"); it != seen.labels.end()) return it->second;
  const auto it = seen.labels.find("STATUS");
  if (it == seen.labels.end()) return "";
  std::string out;
  for (const char c : it->second) {
    out += c == '_' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out == "deleted" ? "uninstalled" : out == "deleting" ? "uninstalling" : out;
}

int64_t label_time(const Seen& seen, const char* name) {
  const auto it = seen.labels.find(name);
  int64_t s = 0;
  if (it == seen.labels.end()) return 0;
  std::from_chars(it->second.data(), it->second.data() + it->second.size(), s);
  return s > 0 && s < int64_t{7'258'118'400} ? s * 1000 : 0;
}

bool under_way(std::string_view status) {
  return release::is_pending(status) || status == "uninstalling";
}

std::string_view transition_of(const Revision& r) {
  if (release::is_pending(r.status)) return "release.pending";
  if (r.status == "deployed") return r.rollback ? "release.rolled_back" : "release.deployed";
  if (r.status == "failed") return "release.failed";
  if (r.status == "uninstalled") return "release.uninstalled";
  return {};
}

Severity severity_of(std::string_view type) {
  return type == "release.failed" || type == "release.stuck" || type == "release.degraded"
             ? Severity::kError
             : Severity::kInfo;
}

// What an event says about a revision.
void describe(Event& e, const HelmRelease& release, const Revision& r) {
  const Content& c = *r.content;
  e.severity = severity_of(e.type);
  e.release = release.name;
  e.release_namespace = release.name_space;
  e.revision = r.number;
  e.reason = r.status;
  e.message = c.description;
  e.data = Data()
               .text("status", r.status)
               .text("chart", c.chart)
               .text("chart_version", c.chart_version)
               .text("app_version", c.app_version)
               .text("description", c.description)
               .text("who", c.who)
               .text("values_digest", c.values_digest)
               .raw("images", c.images.empty() ? "[]" : c.images)
               .take();
}

Subject record_of(std::string_view helm_key, const HelmRelease& release, const Revision& r) {
  return {"",
          "v1",
          helm_key.starts_with("secrets/") ? "Secret" : "ConfigMap",
          release.record_space,
          release.helm2 ? cat(release.name, ".v", r.number)
                        : release::record_key(release.name, static_cast<int>(r.number)),
          r.uid};
}

}  // namespace

std::optional<RecordName> record_name(std::string_view record) {
  RecordName out;
  record = without_prefix(record, "sh.helm.release.v1.");
  const size_t at = record.rfind(".v");
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  const std::string_view digits = record.substr(at + 2);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out.revision);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  out.release = record.substr(0, at);
  return out;
}

bool comes_before(std::string_view a, std::string_view b) {
  const auto place = [](std::string_view record) {
    const auto named = record_name(record);
    return named ? std::pair(named->release, named->revision) : std::pair(record, int64_t{0});
  };
  return place(a) < place(b);
}

void Tracker::State::see_release_record(Seen& seen) {
  const auto named = record_name(seen.subject.name);
  if (!named) return;
  std::string name(named->release);
  Revision r;
  r.number = named->revision;
  for (const char* label : {"name", "NAME"}) {
    if (const auto it = seen.labels.find(label); it != seen.labels.end()) name = it->second;
  }
  r.uid = seen.subject.uid;
  r.status = status_of(seen);
  Content content;
  content.who = seen.managers.who;
  const int64_t created = time_at(*seen.object, {"metadata", "creationTimestamp"});
  r.since_ms = std::max({label_time(seen, "modifiedAt"), label_time(seen, "createdAt"),
                         label_time(seen, "MODIFIED_AT"), label_time(seen, "CREATED_AT"), created});
  if (r.since_ms == 0) r.since_ms = seen.now_ms;
  std::string name_space;
  if (const value::Value* c = value_at(*seen.object, {"condensed"})) {
    name_space = text_at(*c, {"namespace"});
    content.chart = text_at(*c, {"chart"});
    content.chart_version = text_at(*c, {"chart_version"});
    content.app_version = text_at(*c, {"app_version"});
    content.description = text_at(*c, {"description"});
    content.values_digest = text_at(*c, {"values_digest"});
    content.rollouts = number_at(*c, {"rollouts"});
    if (const value::Value* images = value_at(*c, {"images"})) {
      for (const value::Value& image : images->items()) {
        if (!image.is_string()) continue;
        append(content.images, {content.images.empty() ? "[" : ",", json::quoted(image.as_string())});
      }
      if (!content.images.empty()) content.images += ']';
    }
    if (!text_at(*c, {"broken"}).empty()) ++broken_payloads;
  }

  const std::string helm_key = cat(seen.resource, '/', seen.subject.name_space, '/', name);
  HelmRelease& release = helm[helm_key];
  release.name = name;
  release.record_space = seen.subject.name_space;
  release.helm2 = seen.labels.contains("OWNER");
  // Tiller keeps all records in a namespace of its own.
  if (!release.helm2) {
    release.name_space = release.record_space;
  } else if (!name_space.empty() || release.name_space.empty()) {
    release.name_space = name_space.empty() ? release.record_space : name_space;
    helm2[release.key()] = helm_key;
  }
  // All that was known is gone, by a list: what it has instead is of another life, or what became of
  // this one since.
  if (const auto gone = vanished.find(helm_key); gone != vanished.end()) {
    if (begins_anew(r.number, release.newest.number)) tell_end(helm_key, release, seen.now_ms);
    vanished.erase(gone);
  }
  const auto known = release.revisions.find(r.number);
  const bool same_record = known != release.revisions.end() && known->second.uid == r.uid;
  const std::string before = same_record ? known->second.status : "";
  r.rollback = r.status == "pending-rollback" || content.description.starts_with("Rollback to ") ||
               (same_record && known->second.rollback);
  if (same_record) {
    // A payload that was not read (or is not there any more) takes nothing away.
    const Revision& old = known->second;
    if (content.chart.empty()) {
      std::string who = std::move(content.who), description = std::move(content.description);
      content = *old.content;
      content.who = std::move(who);
      content.description = std::move(description);
    }
    r.stuck_told = old.stuck_told && old.status == r.status;
    if (old.status == r.status) r.since_ms = std::min(r.since_ms, old.since_ms);
  }
  r.content = std::make_shared<const Content>(std::move(content));
  helm_uids[r.uid] = {helm_key, r.number};
  const bool newest = release.newest.number <= r.number || release.revisions.empty();
  release.revisions[r.number] = r;
  if (newest) {
    release.newest = r;
    release.gone_told = r.status == "uninstalled";
  }
  if (before == r.status) return;
  if (newest) begin_round(release, r);
  if (under_way(r.status)) due.emplace(r.since_ms + options.stuck_ms, helm_key);

  // Superseded at first sight: it was deployed while nobody looked, and that is what happened. What
  // has failed was not: Helm 2 marks that, too, when it rolls back.
  const bool missed = r.status == "superseded" && before != "deployed" && before != "superseded" &&
                      before != "failed";
  const std::string_view type =
      missed ? (r.rollback ? "release.rolled_back" : "release.deployed") : transition_of(r);
  if (type.empty()) return;
  const bool old = seen.initial && before_baseline(seen.resource, missed ? created : r.since_ms);
  const bool waits = newest && r.status == "deployed" &&
                     (r.content->rollouts > 0 || has_rollouts(release.key()));
  if (old && !waits) return;
  if (missed && seen.initial && baselines.contains(seen.resource) &&
      baselines.find(seen.resource)->second.first) {
    return;  // history that was there before us
  }
  const std::string_view what = missed ? "deployed" : std::string_view(r.status);
  Event& e = tell(seen, type, cat(cluster, '/', r.uid, '/', what));
  describe(e, release, r);
  e.time_ms = missed ? created : r.since_ms;
  if (missed) e.reason = "deployed";
  if (r.status == "deployed" && !seen.initial) {
    release.settle_ms = seen.now_ms + options.settle_ms;
    due.emplace(release.settle_ms, helm_key);
  }
  if (!waits) return;
  Event event = std::move(out.back());
  out.pop_back();
  await_rollouts(helm_key, std::move(event), old, seen.now_ms);
}

// What was waited for is overtaken, and rounds that are over are the last revision's.
void Tracker::State::begin_round(HelmRelease& release, const Revision& r) {
  if (release.awaited && release.awaited->event.subject.uid != r.uid) release.awaited.reset();
  if (!release::is_pending(r.status)) return;
  const std::string key = release.key();
  for (auto& [uid, rollout] : rollouts) {
    if (rollout.release_key == key && rollout.settled) rollout.of_helm = false;
  }
}

void Tracker::State::forget_release_record(const Subject& s, bool listed, int64_t now_ms) {
  const auto uid = helm_uids.find(s.uid);
  if (uid == helm_uids.end()) return;
  const auto [helm_key, number] = uid->second;
  helm_uids.erase(uid);
  const auto found = helm.find(helm_key);
  if (found == helm.end()) return;
  HelmRelease& release = found->second;
  const auto it = release.revisions.find(number);
  if (it == release.revisions.end() || it->second.uid != s.uid) return;  // made anew meanwhile
  const bool uninstalling = it->second.status == "uninstalling";
  release.revisions.erase(it);
  // Old revisions are pruned silently. The newest one's end is the release's when it was being
  // uninstalled, or when nothing is left: of a list, nothing at its end.
  if (uninstalling && number == release.newest.number) tell_end(helm_key, release, now_ms);
  if (!release.revisions.empty()) return;
  if (listed) {
    vanished.insert(helm_key);
  } else {
    end_release(helm_key, now_ms);
  }
}

void Tracker::State::end_vanished(std::string_view resource, int64_t now_ms) {
  const std::string prefix = cat(resource, '/');
  for (auto it = vanished.lower_bound(prefix); it != vanished.end() && it->starts_with(prefix);) {
    end_release(*it, now_ms);
    it = vanished.erase(it);
  }
}

void Tracker::State::end_release(const std::string& helm_key, int64_t now_ms) {
  const auto found = helm.find(helm_key);
  tell_end(helm_key, found->second, now_ms);
  if (found->second.helm2) helm2.erase(found->second.key());
  helm.erase(found);
}

void Tracker::State::tell_end(const std::string& helm_key, HelmRelease& release, int64_t now_ms) {
  if (std::exchange(release.gone_told, true)) return;
  Seen seen;
  seen.subject = record_of(helm_key, release, release.newest);
  seen.now_ms = now_ms;
  Event& e = tell(seen, "release.uninstalled", cat(cluster, '/', release.newest.uid, "/uninstalled"));
  describe(e, release, release.newest);
  e.reason = "uninstalled";
  // The record says what Helm was about to do.
  const bool complete = release.newest.status == "uninstalling";
  e.message = complete ? "Uninstallation complete" : "its records are gone";
  e.time_ms = now_ms;
}

HelmRelease* Tracker::State::release_of(const std::string& release_key) {
  for (const char* driver : {"secrets/", "configmaps/"}) {
    if (const auto it = helm.find(driver + release_key); it != helm.end()) return &it->second;
  }
  const auto old = helm2.find(release_key);
  return old == helm2.end() ? nullptr : &helm[old->second];
}

void Tracker::State::degrade(const std::string& release_key, std::string_view why,
                             const Subject& cause, int64_t now_ms) {
  const HelmRelease* found = release_of(release_key);
  if (found == nullptr || found->newest.status != "deployed") return;
  const HelmRelease& release = *found;
  Seen seen;
  seen.subject = cause;
  seen.now_ms = now_ms;
  Event& e = tell(seen, "release.degraded", cat(cluster, '/', release.newest.uid, "/degraded"));
  describe(e, release, release.newest);
  e.reason = "degraded";
  e.message = why;
  e.time_ms = now_ms;
}

void Tracker::State::tick_releases(int64_t now_ms) {
  while (!due.empty() && due.begin()->first <= now_ms) {
    const std::string helm_key = due.begin()->second;
    due.erase(due.begin());
    if (helm_key.starts_with('@')) {
      tell_stuck(helm_key.substr(1), now_ms);
      continue;
    }
    const auto found = helm.find(helm_key);
    if (found == helm.end()) continue;
    HelmRelease& release = found->second;
    for (auto& [number, r] : release.revisions) {
      if (!under_way(r.status) || r.stuck_told || now_ms - r.since_ms < options.stuck_ms) continue;
      r.stuck_told = true;
      if (release.newest.number == number) release.newest.stuck_told = true;
      Seen seen;
      seen.now_ms = now_ms;
      seen.subject = record_of(helm_key, release, r);
      Event& e = tell(seen, "release.stuck", cat(cluster, '/', r.uid, "/stuck/", r.status));
      describe(e, release, r);
      e.message = cat(r.status, " for ", (now_ms - r.since_ms) / 60'000, " minutes");
      e.time_ms = now_ms;
    }
    settle_rollouts(release, now_ms);
    if (release.settle_ms == 0 || release.settle_ms > now_ms) continue;
    release.settle_ms = 0;
    const std::string owner = release.key();
    for (const auto& [uid, w] : workloads) {
      if (w.release_key != owner || w.available) continue;
      degrade(owner, cat(w.kind, ' ', w.name, " is not available"),
              {"", "", w.kind, w.name_space, w.name, uid}, now_ms);
      break;
    }
  }
}

}  // namespace pintle::lookout
