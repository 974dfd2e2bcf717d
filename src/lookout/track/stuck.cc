// What is under way for too long without getting any further: Rollouts that progress, Applications that
// progress or sync, workloads that come up. What waits for somebody (a paused Rollout) is not stuck.
// Helm's own are releases.cc's.
#include "base/strings.h"
#include "lookout/track/tracker_state.h"

namespace pintle::lookout {

void Tracker::State::see_pending(const Subject& s, Pending& p, std::string what, int64_t since_ms) {
  if (p.what == what) return;
  p.what = std::move(what);
  p.since_ms = since_ms;
  p.told = false;
  if (!p.what.empty()) due.emplace(since_ms + options.stuck_ms, cat('@', s.uid));
}

void Tracker::State::tell_stuck(const std::string& uid, int64_t now_ms) {
  const auto say = [&](Pending& p, std::string_view type, Subject subject, const std::string& round,
                       std::string_view state) {
    if (p.what.empty() || p.told || now_ms - p.since_ms < options.stuck_ms) return;
    p.told = true;
    Seen seen;
    seen.now_ms = now_ms;
    subject.uid = uid;
    seen.subject = std::move(subject);
    Event& e = tell(seen, type, key(seen.subject, cat("stuck/", round, '/', p.what)));
    if (e.release.empty()) {
      e.release = seen.subject.name;
      e.release_namespace = seen.subject.name_space;
    }
    e.severity = Severity::kError;
    e.reason = "stuck";
    e.message = cat(state, " for ", (now_ms - p.since_ms) / 60'000, " minutes");
  };
  if (const auto it = rollouts.find(uid); it != rollouts.end()) {
    RolloutRecord& r = it->second;
    say(r.pending, "release.stuck", {"argoproj.io", "", "Rollout", r.name_space, r.name, {}}, r.round,
        r.phase.empty() ? "Progressing" : r.phase);
  }
  if (const auto it = applications.find(uid); it != applications.end()) {
    ApplicationRecord& a = it->second;
    say(a.pending, "release.stuck", {"argoproj.io", "", "Application", a.name_space, a.name, {}}, "",
        a.phase == "Running" ? "a sync is running" : a.health);
  }
  if (const auto it = workloads.find(uid); it != workloads.end()) {
    WorkloadRecord& w = it->second;
    say(w.pending, w.managed ? "workload.stuck" : "release.stuck",
        {"apps", "", w.kind, w.name_space, w.name, {}}, w.round, "not available");
  }
}

}  // namespace pintle::lookout
