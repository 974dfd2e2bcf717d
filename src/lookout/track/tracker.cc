#include "lookout/track/tracker.h"

#include <algorithm>
#include <cstdlib>

#include "base/strings.h"
#include "crypt/crypt.h"
#include "json/json.h"
#include "lookout/observe.h"
#include "lookout/track/release_payload.h"
#include "lookout/track/tracker_state.h"

namespace pintle::lookout {
namespace {

struct Kind {
  std::string_view resource, group, kind;
};
constexpr Kind kKinds[] = {
    {"secrets", "", "Secret"},
    {"configmaps", "", "ConfigMap"},
    {"pods", "", "Pod"},
    {"deployments.apps", "apps", "Deployment"},
    {"statefulsets.apps", "apps", "StatefulSet"},
    {"daemonsets.apps", "apps", "DaemonSet"},
    {"jobs.batch", "batch", "Job"},
    {"rollouts.argoproj.io", "argoproj.io", "Rollout"},
    {"applications.argoproj.io", "argoproj.io", "Application"},
};

const Kind* kind_of(std::string_view resource) {
  const auto* it = std::find_if(std::begin(kKinds), std::end(kKinds),
                                [&](const Kind& k) { return k.resource == resource; });
  return it == std::end(kKinds) ? nullptr : it;
}

bool is_release_record(const Kind& k) { return k.kind == "Secret" || k.kind == "ConfigMap"; }

}  // namespace

Condition condition_of(const value::Value& object, std::string_view type) {
  const value::Value* list = value_at(object, {"status", "conditions"});
  for (const value::Value& c : list != nullptr ? list->items() : std::span<const value::Value>()) {
    if (text_at(c, {"type"}) != type) continue;
    return {text_at(c, {"status"}), text_at(c, {"reason"}), text_at(c, {"message"}),
            std::max(time_at(c, {"lastUpdateTime"}), time_at(c, {"lastTransitionTime"}))};
  }
  return {};
}

std::string digest_of(const value::Value* v) {
  if (v == nullptr) return "";
  const auto text = json::write(*v);
  return text ? crypt::hex(crypt::sha256(*text)).substr(0, 16) : "";
}

std::string Tracker::State::key(const Subject& s, std::string_view what) const {
  return cat(cluster, '/', s.uid, '/', what);
}

bool Tracker::State::before_baseline(std::string_view resource, int64_t happened_ms) const {
  const auto it = baselines.find(resource);
  if (it == baselines.end()) return false;
  return happened_ms == 0 ? it->second.first : happened_ms < it->second.since_ms;
}

Event& Tracker::State::tell(const Seen& seen, std::string_view type, std::string dedup_key) {
  Event e;
  e.type = type;
  e.subject = seen.subject;
  e.dedup_key = std::move(dedup_key);
  const int64_t changed = seen.managers.changed_ms;
  e.time_ms = changed != 0 && seen.initial ? changed : seen.now_ms;
  e.labels = seen.labels;
  const Owner owner = owner_of(seen.subject);
  e.release = owner.release;
  e.release_namespace = owner.name_space;
  out.push_back(std::move(e));
  return out.back();
}

Tracker::Tracker(std::string cluster_uid, TrackerOptions options)
    : state_(std::make_unique<State>()) {
  state_->cluster = std::move(cluster_uid);
  state_->options = options;
}
Tracker::~Tracker() = default;

void Tracker::set_baseline(std::string_view resource, int64_t since_ms, bool first) {
  state_->baselines[std::string(resource)] = {since_ms, first};
}

void Tracker::forget(std::string_view resource) {
  State& s = *state_;
  if (resource == "pods") s.pods.clear();
  const std::string prefix = resource == "pods" ? "Pod/" : "Job/";
  std::erase_if(s.owner_names, [&](const auto& named) {
    if (!named.first.starts_with(prefix)) return false;
    s.owners.erase(named.second);
    return true;
  });
}

Result<std::vector<Event>> Tracker::observe(std::string_view resource, Change change,
                                            std::string_view json, bool initial, int64_t now_ms,
                                            bool listed) {
  const Kind* kind = kind_of(resource);
  if (kind == nullptr) {
    return Error(cat("the tracker knows no ", resource), Code::kInvalidArgument);
  }
  std::string condensed;
  if (is_release_record(*kind) && change != Change::kDeleted) {
    condensed = TRY(condense_release(std::string(json)));
    json = condensed;
  }
  const value::Value object = TRY(json::read(json, {json::Numbers::kExact}));
  Seen seen;
  seen.resource = kind->resource;
  seen.change = change;
  seen.initial = initial;
  seen.now_ms = now_ms;
  seen.object = &object;
  seen.subject = subject_of(object, kind->group, kind->kind);
  if (seen.subject.name.empty() || seen.subject.uid.empty()) {
    return Error(cat(resource, ": an object without a name or uid"), Code::kInvalidArgument);
  }
  State& s = *state_;
  s.out.clear();
  s.told.clear();
  if (change == Change::kDeleted) {
    const std::string& uid = seen.subject.uid;
    s.forget_release_record(seen.subject, listed, now_ms);
    s.forget_rollout(seen);
    s.forget_application(seen);
    s.workloads.erase(uid);
    s.pods.erase(uid);
    s.forget_owner(seen.subject, now_ms);
    return std::move(s.out);
  }
  seen.labels = texts_at(object, {"metadata", "labels"});
  seen.annotations = texts_at(object, {"metadata", "annotations"});
  seen.managers = managers_of(object);
  const auto baseline = s.baselines.find(resource);
  seen.first = initial && baseline != s.baselines.end() && baseline->second.first;
  seen.old = initial && s.before_baseline(resource, seen.managers.changed_ms);
  if (is_release_record(*kind)) {
    s.see_release_record(seen);
  } else {
    s.see_owner(seen);
    if (kind->kind == "Pod") {
      s.see_pod(seen);
    } else if (kind->kind == "Job") {
      s.see_job(seen);
    } else if (kind->kind == "Rollout") {
      s.see_rollout(seen);
    } else if (kind->kind == "Application") {
      s.see_application(seen);
    } else {
      s.see_workload(seen);
    }
  }
  for (Event& e : s.out) {
    e.reason = clean_text(e.reason);
    e.message = clean_text(e.message);
  }
  return std::move(s.out);
}

std::vector<Event> Tracker::list_over(std::string_view resource, int64_t now_ms) {
  state_->out.clear();
  state_->end_vanished(resource, now_ms);
  return std::move(state_->out);
}

Tracker::Hint Tracker::hint(const Subject& subject, std::string_view type, std::string_view detail,
                            std::string_view key, int64_t event_ms, bool initial, int64_t now_ms) {
  State& s = *state_;
  const auto rollout = s.rollouts.find(subject.uid);
  const auto application = s.applications.find(subject.uid);
  if (rollout == s.rollouts.end() && application == s.applications.end()) {
    return {true, std::string(key)};
  }
  // Of what is tracked, old Events are history that states have told.
  const bool is_rollout = rollout != s.rollouts.end();
  const std::string_view resource =
      is_rollout ? "rollouts.argoproj.io" : "applications.argoproj.io";
  if (initial && s.before_baseline(resource, event_ms)) return {false, {}};
  const std::string own =
      cat(s.cluster, '/', subject.uid, '/', type, '/', detail, "/event/", event_ms);
  if (!is_rollout) return {true, application->second.twins.meet(type, true, own, now_ms)};
  RolloutRecord& r = rollout->second;
  if (event_ms != 0 && event_ms + 1000 < r.began_ms) return {false, {}};
  // Its status and Helm's record decide together.
  if (r.of_helm && (type == "release.deployed" || type == "release.failed")) return {false, {}};
  if (type == "release.paused" || type == "release.resumed") {
    return {true, r.twins.meet(type, true, own, now_ms)};
  }
  const bool back = r.rollback && type == "release.deployed";
  return {true, std::string(key), back ? "release.rolled_back" : ""};
}

std::vector<std::string> Tracker::take_told() { return std::move(state_->told); }

std::string Tracker::generation_of(const Subject& subject) const {
  if (const auto it = state_->rollouts.find(subject.uid); it != state_->rollouts.end()) {
    return it->second.round;
  }
  if (const auto it = state_->workloads.find(subject.uid); it != state_->workloads.end()) {
    return it->second.round;
  }
  return "";
}

bool Tracker::knows(const Subject& subject) const {
  const auto it = state_->owners.find(subject.uid);
  return it != state_->owners.end() && it->second.gone_ms == 0;
}

std::string Tracker::image_of(const Subject& pod, std::string_view container) const {
  const auto it = state_->pods.find(pod.uid);
  if (it == state_->pods.end()) return "";
  const auto image = it->second.images.find(std::string(container));
  return image == it->second.images.end() ? "" : image->second;
}

std::string Tracker::only_container(const Subject& pod) const {
  const auto it = state_->pods.find(pod.uid);
  const bool one = it != state_->pods.end() && it->second.images.size() == 1;
  return one ? it->second.images.begin()->first : "";
}

std::vector<Event> Tracker::tick(int64_t now_ms) {
  state_->out.clear();
  state_->tick_releases(now_ms);
  state_->forget_gone(now_ms);
  return std::move(state_->out);
}

int64_t Tracker::next_tick_ms() const {
  return state_->due.empty() ? 0 : state_->due.begin()->first;
}

Owner Tracker::owner_of(const Subject& subject) const { return state_->owner_of(subject); }

int64_t Tracker::revision_of(const Owner& owner) const { return state_->revision_of(owner); }

size_t Tracker::size() const {
  const State& s = *state_;
  return s.helm_uids.size() + s.rollouts.size() + s.applications.size() + s.workloads.size() +
         s.pods.size() + s.owners.size();
}

uint64_t Tracker::broken_payloads() const { return state_->broken_payloads; }

std::vector<Tracker::Release> Tracker::releases() const {
  std::vector<Release> out;
  std::unordered_map<std::string_view, int64_t> drifted;  // since when, by release
  for (const auto& [uid, w] : state_->workloads) {
    if (w.drifted_ms == 0) continue;
    int64_t& since = drifted[w.release_key];
    since = since == 0 ? w.drifted_ms : std::min(since, w.drifted_ms);
  }
  for (const auto& [key, h] : state_->helm) {
    const Revision& r = h.newest;
    const Content& c = *r.content;
    out.push_back({h.name, h.name_space, r.stuck_told ? "stuck" : r.status, r.number, r.since_ms,
                   "Helm", c.chart.empty() ? "" : cat(c.chart, '-', c.chart_version), c.app_version,
                   c.who});
    if (h.awaited && h.awaited->moved) out.back().state = "pending";
    if (r.status != "deployed" || h.awaited) continue;
    if (const auto drift = drifted.find(h.key()); drift != drifted.end()) {
      out.back().state = "drifted";
      out.back().since_ms = std::max(r.since_ms, drift->second);
    }
  }
  for (const auto& [uid, r] : state_->rollouts) {
    out.push_back({r.name, r.name_space, r.pending.told ? "stuck" : r.phase, std::max<int64_t>(0, atoll(r.round.c_str())),
                   r.since_ms, "Rollout", "", "", r.who});
  }
  for (const auto& [uid, a] : state_->applications) {
    out.push_back({a.name, a.release_namespace, a.pending.told ? "stuck" : a.drifted ? "drifted" : a.health, 0, a.since_ms, "Application", "",
                   a.revision, a.who});
  }
  return out;
}

}  // namespace pintle::lookout
