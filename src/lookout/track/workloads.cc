// Deployments, StatefulSets and DaemonSets by their status: settled or failed, once for each round.
// A release that Helm or Argo CD drives has its own outcome: its workloads tell workload.*, and a
// failing one degrades the release, and one that somebody else has written to lets it drift; a
// workload of nobody is its own release.
//
// A round's name is in its keys, so that one who sees it again later knows it: the revision that a
// Deployment or DaemonSet is annotated with, a StatefulSet's updateRevision. That one is as before when
// the template is, so a round that was seen to begin has its generation, too. Limit: of a StatefulSet
// that was set back to a template it had before, nothing is told when that happened while nobody looked.
#include <cstdlib>

#include "base/strings.h"
#include "lookout/track/tracker_state.h"

namespace pintle::lookout {
namespace {

std::string_view number_of(const Seen& seen) {
  for (const char* name :
       {"deployment.kubernetes.io/revision", "deprecated.daemonset.template.generation"}) {
    if (const auto it = seen.annotations.find(name); it != seen.annotations.end()) {
      return it->second;
    }
  }
  return {};
}

struct Counts {
  int64_t want = 0, updated = 0, available = 0;
};

Counts counts_of(const Seen& seen) {
  const value::Value& o = *seen.object;
  if (seen.subject.kind == "DaemonSet") {
    return {number_at(o, {"status", "desiredNumberScheduled"}),
            number_at(o, {"status", "updatedNumberScheduled"}),
            number_at(o, {"status", "numberAvailable"})};
  }
  Counts c;
  c.want = value_at(o, {"spec", "replicas"}) != nullptr ? number_at(o, {"spec", "replicas"}) : 1;
  c.updated = number_at(o, {"status", "updatedReplicas"});
  c.available = number_at(o, {"status", "availableReplicas"});
  if (seen.subject.kind == "StatefulSet") {
    c.available = std::max(c.available, number_at(o, {"status", "readyReplicas"}));
    const bool current =
        text_at(o, {"status", "currentRevision"}) == text_at(o, {"status", "updateRevision"});
    if (current) c.updated = std::max(c.updated, number_at(o, {"status", "currentReplicas"}));
  }
  return c;
}

}  // namespace

bool is_managed(const Seen& seen) {
  const auto label = [&](const char* name) {
    const auto it = seen.labels.find(name);
    return it == seen.labels.end() ? std::string_view() : std::string_view(it->second);
  };
  return seen.annotations.contains("meta.helm.sh/release-name") ||
         seen.annotations.contains("argocd.argoproj.io/tracking-id") ||
         label("heritage") == "Tiller" || label("heritage") == "Helm" ||
         label("app.kubernetes.io/managed-by") == "Helm" ||
         label("app.kubernetes.io/managed-by") == "Tiller" ||
         !label("argocd.argoproj.io/instance").empty();
}

void Tracker::State::see_workload(const Seen& seen) {
  const value::Value& o = *seen.object;
  const bool known = workloads.contains(seen.subject.uid);
  WorkloadRecord& w = workloads[seen.subject.uid];
  w.kind = seen.subject.kind;
  w.name = seen.subject.name;
  w.name_space = seen.subject.name_space;
  w.release_key = release_key_of(seen);
  const int64_t generation = number_at(o, {"metadata", "generation"});
  const bool observed = number_at(o, {"status", "observedGeneration"}) >= generation;
  const std::string_view revision = number_of(seen);
  const std::string_view update = revision.empty() ? text_at(o, {"status", "updateRevision"}) : "";
  const bool named = !revision.empty() || !update.empty();
  // Without a name the template tells; until the controller has looked, the name is the last round's.
  std::string mark(!revision.empty() ? revision : update);
  if (!named) mark = digest_of(value_at(o, {"spec", "template"}));
  if (!update.empty() && !observed && known) mark = w.mark;
  if (!known || mark != w.mark) {
    w.round = named ? mark : "";
    if (revision.empty() && (known || !named)) append(w.round, {named ? "/" : "", "g", cat(generation)});
    w.told.clear();
  }
  w.mark = mark;
  const Counts c = counts_of(seen);
  w.available = observed && c.updated >= c.want && c.available >= c.want;
  const Condition progress = condition_of(o, "Progressing");
  const bool failed = progress.status == "False" && progress.reason == "ProgressDeadlineExceeded";
  w.managed = is_managed(seen);
  // What was there before anybody looked, whether or not all of it is up just now.
  const std::string name = named ? mark : w.round;
  if (seen.first && before_baseline(seen.resource, seen.managers.written_ms)) {
    told.push_back(key(seen.subject, cat(name, "/deployed")));
  }

  const auto say = [&](std::string_view what, std::string_view reason, std::string_view message,
                       int64_t ms) {
    if (ms == 0) ms = seen.first ? seen.managers.written_ms : seen.managers.changed_ms;
    if (!w.told.insert(std::string(what)).second) return;
    if (name != w.round || seen.first) told.push_back(key(seen.subject, cat(name, '/', what)));
    if (seen.initial && (!named || before_baseline(seen.resource, ms))) return;
    const std::string type = cat(w.managed ? "workload." : "release.", what);
    Event& e = tell(seen, type, key(seen.subject, cat(w.round, '/', what)));
    if (e.release.empty()) {
      e.release = seen.subject.name;
      e.release_namespace = seen.subject.name_space;
    }
    if (what == "failed") e.severity = Severity::kError;
    e.reason = reason;
    e.message = message;
    if (ms != 0) e.time_ms = ms;
    if (!revision.empty()) e.revision = std::max<int64_t>(0, atoll(w.round.c_str()));
    e.data = Data()
                 .number("replicas", c.want)
                 .number("updated", c.updated)
                 .number("available", c.available)
                 .text("who", seen.managers.who)
                 .take();
  };
  if (failed) {
    say("failed", progress.reason, progress.message, progress.changed_ms);
    if (!seen.old && !w.release_key.empty()) {
      degrade(w.release_key, progress.message, seen.subject, seen.now_ms);
    }
  } else if (w.available && c.want > 0) {
    say("deployed", "Available", "", progress.changed_ms);
  }
  // One that was up in this round and lost a pod is not under way.
  const bool done = w.available || failed || c.want == 0 || w.told.contains("deployed") ||
                    progress.reason == "NewReplicaSetAvailable";
  see_pending(seen.subject, w.pending, done ? "" : cat(w.round, '/', c.updated, '/', c.available),
              seen.managers.changed_ms != 0 ? seen.managers.changed_ms : seen.now_ms);
  see_drift(seen, w);
}

// Told once until Helm writes to it again.
void Tracker::State::see_drift(const Seen& seen, WorkloadRecord& w) {
  const Managers& m = seen.managers;
  w.drifted_ms = w.release_key.empty() ? 0 : m.drifted_ms;
  if (w.drifted_ms == 0 || w.drift_told == m.helm_ms) return;
  w.drift_told = m.helm_ms;
  if (seen.initial && before_baseline(seen.resource, m.drifted_ms)) return;
  Event& e = tell(seen, "release.drifted", key(seen.subject, cat("drifted/", m.helm_ms)));
  const size_t slash = w.release_key.find('/');
  e.release_namespace = w.release_key.substr(0, slash);
  e.release = w.release_key.substr(slash + 1);
  if (const HelmRelease* release = release_of(w.release_key)) e.revision = release->newest.number;
  e.severity = Severity::kWarning;
  e.reason = "drifted";
  e.message = cat(m.drifted_by, " has written to the spec of ", w.kind, ' ', w.name);
  e.time_ms = m.drifted_ms;
  e.data = Data().text("who", m.drifted_by).raw("fields", json_list(m.drifted_fields)).take();
}

}  // namespace pintle::lookout
