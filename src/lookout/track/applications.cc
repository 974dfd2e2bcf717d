// Argo CD Applications by their status. Health goes to and fro within one sync, so a transition's
// key has the time the status gives it; its Event finds it as its twin.
//
// Older versions of Argo CD give no time, and write the object every few minutes. There, what is seen to
// happen is a transition of its own, and what is found in a first list is one for each sync: that of
// the state last seen counts as told, so only what came about meanwhile is news. Limit: a state that
// went and came back within one sync while nobody looked is not.
//
// An Application has drifted when it is out of sync with the very revision that it was synced to: what
// runs was changed, not what is wanted. Told once until the next sync.
#include "base/strings.h"
#include "lookout/observe.h"
#include "lookout/track/tracker_state.h"

namespace pintle::lookout {
namespace {

constexpr int64_t kDayMs = 86'400'000;
constexpr size_t kMostResources = 8;

// Of one source or of several.
std::string revision_at(const value::Value& v) {
  const std::string_view one = text_at(v, {"revision"});
  const value::Value* many = value_at(v, {"revisions"});
  return !one.empty() ? std::string(one) : many != nullptr ? digest_of(many) : "";
}

// Whether what it is compared with is what its last sync brought.
bool wants_what_it_has(const value::Value& o) {
  const value::Value* history = value_at(o, {"status", "history"});
  const value::Value* sync = value_at(o, {"status", "sync"});
  if (sync == nullptr || history == nullptr || history->items().empty()) return false;
  const value::Value& last = history->items().back();
  const std::string deployed = revision_at(last);
  if (deployed.empty() || deployed != revision_at(*sync)) return false;
  for (const char* source : {"source", "sources"}) {
    const value::Value *then = last.get(source), *wanted = value_at(*sync, {"comparedTo", source});
    if (then != nullptr && wanted != nullptr && digest_of(then) != digest_of(wanted)) return false;
  }
  return true;
}

// "KIND NAMESPACE/NAME" of those that differ.
std::vector<std::string> out_of_sync(const value::Value& o) {
  std::vector<std::string> out;
  const value::Value* list = value_at(o, {"status", "resources"});
  for (const value::Value& r : list != nullptr ? list->items() : std::span<const value::Value>()) {
    if (text_at(r, {"status"}) != "OutOfSync" || out.size() >= kMostResources) continue;
    const std::string_view space = text_at(r, {"namespace"});
    out.push_back(clean_text(cat(text_at(r, {"kind"}), ' ', space, space.empty() ? "" : "/",
                                 text_at(r, {"name"})), 512));
  }
  return out;
}

bool cascades(const value::Value& o) {
  const value::Value* list = value_at(o, {"metadata", "finalizers"});
  for (const value::Value& f : list != nullptr ? list->items() : std::span<const value::Value>()) {
    if (f.is_string() && f.as_string().starts_with("resources-finalizer.argocd.argoproj.io")) return true;
  }
  return false;
}

}  // namespace

void Tracker::State::see_application(const Seen& seen) {
  const value::Value& o = *seen.object;
  const bool known = applications.contains(seen.subject.uid);
  ApplicationRecord& a = applications[seen.subject.uid];
  a.name = seen.subject.name;
  a.name_space = seen.subject.name_space;
  const std::string_view space = text_at(o, {"spec", "destination", "namespace"});
  a.release_namespace = space.empty() ? a.name_space : std::string(space);
  const std::string before = a.health, health(text_at(o, {"status", "health", "status"}));
  const std::string operation(text_at(o, {"status", "operationState", "startedAt"}));
  const std::string phase(text_at(o, {"status", "operationState", "phase"}));
  const bool begun = known && operation != a.operation;
  const bool ended = phase != a.phase || begun;
  a.operation_new = a.operation_new || begun;
  a.health = health;
  a.sync = text_at(o, {"status", "sync", "status"});
  a.operation = operation;
  a.phase = phase;
  a.revision = text_at(o, {"status", "sync", "revision"});
  a.cascades = cascades(o);

  if (const value::Value* initiated =
          value_at(o, {"status", "operationState", "operation", "initiatedBy"})) {
    a.who = flag_at(*initiated, {"automated"}) ? "automated"
                                               : std::string(text_at(*initiated, {"username"}));
  }
  if (before != health) {
    const int64_t ms = time_at(o, {"status", "health", "lastTransitionTime"});
    a.since_ms = ms != 0 ? ms : seen.managers.changed_ms != 0 ? seen.managers.changed_ms : seen.now_ms;
  }

  const auto say = [&](std::string_view type, const std::string& own, std::string_view reason,
                       std::string_view message, int64_t ms) -> Event& {
    const std::string shared = a.twins.meet(type, false, own, seen.now_ms);
    if (shared != own) told.push_back(own);
    Event& e = tell(seen, type, shared);
    e.release = a.name;
    e.release_namespace = a.release_namespace;
    e.reason = reason;
    e.message = message;
    if (ms != 0) e.time_ms = ms;
    if (type == "release.degraded" || phase == "Failed" || phase == "Error") {
      e.severity = Severity::kError;
    }
    e.data = Data()
                 .text("health", a.health)
                 .text("sync", a.sync)
                 .text("revision", a.revision)
                 .text("who", a.who)
                 .text("repository", text_at(o, {"spec", "source", "repoURL"}))
                 .text("path", text_at(o, {"spec", "source", "path"}))
                 .text("chart", text_at(o, {"spec", "source", "chart"}))
                 .text("project", text_at(o, {"spec", "project"}))
                 .take();
    return e;
  };

  const bool syncs = phase == "Running" || phase == "Terminating", progresses = health == "Progressing";
  const int64_t began = progresses ? time_at(o, {"status", "health", "lastTransitionTime"})
                                   : time_at(o, {"status", "operationState", "startedAt"});
  see_pending(seen.subject, a.pending,
              progresses ? cat("progressing/", a.since_ms) : syncs ? cat("syncing/", operation) : "",
              began != 0 ? began : seen.now_ms);
  const bool finished = phase == "Succeeded" || phase == "Failed" || phase == "Error";
  const int64_t finished_ms = time_at(o, {"status", "operationState", "finishedAt"});
  if (ended && finished && !(seen.initial && before_baseline(seen.resource, finished_ms))) {
    say("release.sync", key(seen.subject, cat("sync/", operation)), phase,
        text_at(o, {"status", "operationState", "message"}), finished_ms);
  }
  // The sync that its state is of.
  const std::string_view end = text_at(o, {"status", "operationState", "finishedAt"});
  const std::string round = finished && !end.empty() ? std::string(end) : operation;

  const bool drifted = !syncs && a.sync == "OutOfSync" && wants_what_it_has(o);
  if (drifted && !a.drifted) {
    const std::string own = key(seen.subject, cat("drifted/", round));
    if (seen.first) {
      told.push_back(own);
    } else if (!seen.old) {
      const std::vector<std::string> resources = out_of_sync(o);
      Event& e = say("release.drifted", own, a.sync,
                     cat("out of sync with the revision that was synced",
                         resources.empty() ? "" : ": ", join(resources, ", ")), 0);
      e.severity = Severity::kWarning;
      e.data = Data()
                   .text("health", a.health)
                   .text("sync", a.sync)
                   .text("revision", a.revision)
                   .raw("resources", json_list(resources))
                   .take();
    }
  }
  a.drifted = drifted;

  const std::string_view at = text_at(o, {"status", "health", "lastTransitionTime"});
  const std::string_view word = health == "Healthy"     ? "deployed"
                                : health == "Degraded"  ? "degraded"
                                : health == "Suspended" ? "paused"
                                                        : "";
  // What is seen without a time counts as told from then on, for whoever finds it next.
  const std::string state = cat(word, '/', round);
  const bool lasts = at.empty() && !word.empty() && !(syncs && health == "Healthy");
  if (lasts && a.noted != state) told.push_back(key(seen.subject, state));
  a.noted = lasts ? state : "";
  if (health == before) return;
  // At first sight nobody knows where it came from; that it is healthy was then told before, or is
  // news.
  const bool deployed =
      health == "Healthy" && (before.empty() || before == "Progressing" || before == "Suspended" ||
                              before == "Missing" || a.operation_new);
  const int64_t ms = time_at(o, {"status", "health", "lastTransitionTime"});
  const auto own = [&](std::string_view what) {
    if (!at.empty()) return key(seen.subject, cat(what, '/', at));
    const std::string_view version = text_at(o, {"metadata", "resourceVersion"});
    return key(seen.subject, cat(what, '/', round, known ? cat("/v", version) : ""));
  };
  if (seen.initial && before_baseline(seen.resource, ms)) return;
  if (seen.initial && at.empty()) {
    // Long after a sync nothing is deployed by it; while one runs nobody knows.
    const bool late = finished_ms != 0 && before_baseline(seen.resource, finished_ms + kDayMs);
    if (seen.old || (health == "Healthy" && (syncs || late))) return;
  }
  const std::string message = cat(before, before.empty() ? "" : " -> ", health);
  if (deployed) {
    say("release.deployed", own("deployed"), health, message, ms);
  } else if (health == "Degraded") {
    say("release.degraded", own("degraded"), health, message, ms);
  } else if (health == "Progressing" && before == "Suspended") {
    say("release.step", own("step"), health, message, ms);
  } else if (health == "Suspended") {
    say("release.paused", own("paused"), health, message, ms);
  }
  if (health == "Healthy") a.operation_new = false;
}

void Tracker::State::forget_application(const Seen& seen) {
  const auto gone = applications.extract(seen.subject.uid);
  if (!gone) return;
  const ApplicationRecord& a = gone.mapped();
  Event& e = tell(seen, "release.uninstalled", key(seen.subject, "uninstalled"));
  e.release = a.name;
  e.release_namespace = a.release_namespace;
  e.reason = "deleted";
  e.message = a.cascades ? "the Application is gone, with what it deployed"
                         : "the Application is gone; what it deployed stays";
  e.time_ms = seen.now_ms;
  e.data = Data().text("revision", a.revision).text("who", a.who).take();
}

}  // namespace pintle::lookout
