// Argo CD Applications by their status. Health goes to and fro within one sync, so a transition's
// key has the time the status gives it; its Event finds it as its twin.
#include "base/strings.h"
#include "lookout/track/tracker_state.h"

namespace pintle::lookout {

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

  if (const value::Value* initiated =
          value_at(o, {"status", "operationState", "operation", "initiatedBy"})) {
    a.who = flag_at(*initiated, {"automated"}) ? "automated"
                                               : std::string(text_at(*initiated, {"username"}));
  }
  if (before != health) {
    const int64_t ms = time_at(o, {"status", "health", "lastTransitionTime"});
    a.since_ms = ms != 0 ? ms : seen.managers.changed_ms != 0 ? seen.managers.changed_ms : seen.now_ms;
  }

  const auto say = [&](std::string_view type, std::string_view what, std::string_view at,
                       std::string_view reason, std::string_view message, int64_t ms) {
    if (seen.initial && before_baseline(seen.resource, ms)) return;
    const std::string moment =
        at.empty() ? cat("v", text_at(o, {"metadata", "resourceVersion"})) : std::string(at);
    const std::string own =
        a.twins.meet(type, false, key(seen.subject, cat(what, '/', moment)), seen.now_ms);
    Event& e = tell(seen, type, own);
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
  };

  const bool syncs = phase == "Running", progresses = health == "Progressing";
  const int64_t began = progresses ? time_at(o, {"status", "health", "lastTransitionTime"})
                                   : time_at(o, {"status", "operationState", "startedAt"});
  see_pending(seen.subject, a.pending,
              progresses ? cat("progressing/", a.since_ms) : syncs ? cat("syncing/", operation) : "",
              began != 0 ? began : seen.now_ms);
  const bool finished = phase == "Succeeded" || phase == "Failed" || phase == "Error";
  if (ended && finished) {
    say("release.sync", "sync", operation, phase,
        text_at(o, {"status", "operationState", "message"}),
        time_at(o, {"status", "operationState", "finishedAt"}));
  }
  if (health == before) return;
  // At first sight nobody knows where it came from; that it is healthy was then told before, or is
  // news.
  const bool deployed =
      health == "Healthy" && (before.empty() || before == "Progressing" || before == "Suspended" ||
                              before == "Missing" || a.operation_new);
  const std::string_view at = text_at(o, {"status", "health", "lastTransitionTime"});
  const int64_t ms = time_at(o, {"status", "health", "lastTransitionTime"});
  const std::string message = cat(before, before.empty() ? "" : " -> ", health);
  if (deployed) {
    say("release.deployed", "deployed", at, health, message, ms);
  } else if (health == "Degraded") {
    say("release.degraded", "degraded", at, health, message, ms);
  } else if (health == "Progressing" && before == "Suspended") {
    say("release.step", "step", at, health, message, ms);
  } else if (health == "Suspended") {
    say("release.paused", "paused", at, health, message, ms);
  }
  if (health == "Healthy") a.operation_new = false;
}

}  // namespace pintle::lookout
