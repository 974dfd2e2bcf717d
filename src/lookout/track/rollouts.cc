// Argo Rollouts by their status, whichever Events were recorded: a round is one update from its
// first pod hash to stable, failed or the next update. Keys are uid, round and transition, the same
// that the rules make of Events. A round that is Helm's doing has one outcome with Helm's record
// (outcome.cc).
#include <algorithm>

#include "base/strings.h"
#include "json/json.h"
#include "lookout/track/tracker_state.h"
#include "release/record.h"

namespace pintle::lookout {
namespace {

// What is rolled out: all of the spec but what scales and pauses it.
std::string template_digest(const value::Value& object) {
  if (const value::Value* pods = value_at(object, {"spec", "template"})) return digest_of(pods);
  const value::Value* spec = value_at(object, {"spec"});
  if (spec == nullptr || !spec->is_map() || spec->as_map() == nullptr) return "";
  value::MapBuilder rest;
  for (const auto& [key, item] : *spec->as_map()) {
    if (key.view() != "replicas" && key.view() != "paused") rest.add(key, item);
  }
  const value::Value map = value::Value::map(rest.finish());
  return digest_of(&map);
}

std::string_view stable_of(const value::Value& object) {
  const std::string_view stable = text_at(object, {"status", "stableRS"});
  return stable.empty() ? text_at(object, {"status", "canary", "stableRS"}) : stable;
}

// Whether the controller has seen this generation (old ones give a hash instead of a number).
bool observed(const value::Value& object) {
  const int64_t seen = number_at(object, {"status", "observedGeneration"});
  return seen == 0 || seen >= number_at(object, {"metadata", "generation"});
}

constexpr int64_t kMostSteps = 1000;

}  // namespace

void Tracker::State::see_rollout(const Seen& seen) {
  const value::Value& o = *seen.object;
  const bool known = rollouts.contains(seen.subject.uid);
  RolloutRecord& r = rollouts[seen.subject.uid];
  r.name = seen.subject.name;
  r.name_space = seen.subject.name_space;
  const std::string digest = template_digest(o);
  const auto revision = seen.annotations.find("rollout.argoproj.io/revision");
  const std::string_view hash = text_at(o, {"status", "currentPodHash"});
  const std::string_view stable = stable_of(o);
  const std::string_view phase = text_at(o, {"status", "phase"});
  const int64_t step =
      std::clamp<int64_t>(number_at(o, {"status", "currentStepIndex"}), 0, 1'000'000);
  const bool aborted = flag_at(o, {"status", "abort"});
  const std::string status =
      cat(hash, '/', stable, '/', phase, '/', step, '/', aborted ? "aborted" : "");

  // A round begins with another revision, or, where none is annotated, another template.
  std::string round = r.round;
  if (revision != seen.annotations.end()) {
    round = revision->second;
  } else if (!known || digest != r.template_digest) {
    round = cat("g", number_at(o, {"metadata", "generation"}));
  }
  if (!known || round != r.round) {
    r.round = round;
    r.told.clear();
    r.began_ms = known ? seen.now_ms : 0;
    r.step = 0;
    r.paused = false;
    r.of_helm = false;
    r.fresh = !known || status != r.status_before;
    r.who = seen.managers.who;
  }
  r.template_digest = digest;
  r.release_key = release_key_of(seen);
  HelmRelease* release = r.release_key.empty() ? nullptr : release_of(r.release_key);
  if (status != r.status_before) {
    r.fresh = true;
    r.since_ms = seen.managers.changed_ms != 0 ? seen.managers.changed_ms : seen.now_ms;
  }
  r.status_before = status;
  r.phase = aborted ? "Aborted" : std::string(phase);
  r.hash = hash;

  const bool stable_now = !hash.empty() && hash == stable && observed(o) && !aborted &&
                          (phase.empty() || phase == "Healthy");
  r.settled = stable_now && r.fresh;
  r.news = r.news || !seen.old;
  // Helm's word is under way, or waits for this.
  const bool helm_busy =
      release != nullptr && (release->awaited || release::is_pending(release->newest.status));
  r.of_helm = release != nullptr && (r.of_helm || (!r.settled && helm_busy));

  const auto say = [&](std::string_view type, const std::string& what, bool repeats) {
    std::string own = key(seen.subject, cat(r.round, '/', what));
    // One outcome with Helm's record, which tells the beginning, and the end that it waits for.
    if (r.of_helm && (what == "pending" || (what == "deployed" && helm_busy))) {
      r.told.insert(what);
      return;
    }
    const bool outcome = what == "failed" || what == "degraded" ||
                         (what == "deployed" && r.of_helm && release->newest.status == "deployed");
    if (r.of_helm && outcome) own = cat(cluster, '/', release->newest.uid, '/', what);
    if (repeats) {
      append(own, {"/", text_at(o, {"metadata", "resourceVersion"})});
    } else if (!r.told.insert(what).second) {
      return;
    }
    if (seen.old) return;
    if (repeats) own = r.twins.meet(type, false, own, seen.now_ms);
    Event& e = tell(seen, type, own);
    if (type == "release.failed" || type == "release.degraded") e.severity = Severity::kError;
    e.reason = r.phase;
    e.message = text_at(o, {"status", "message"});
    e.revision = r.of_helm
                     ? release->newest.number
                     : number_at(o, {"metadata", "annotations", "rollout.argoproj.io/revision"});
    const value::Value* steps = value_at(o, {"spec", "strategy", "canary", "steps"});
    e.data = Data()
                 .number("step", type == "release.step" ? r.step : step)
                 .number("steps", steps != nullptr ? static_cast<int64_t>(steps->length()) : 0)
                 .text("pod_hash", r.hash)
                 .text("stable_hash", stable)
                 .text("phase", r.phase)
                 .text("who", r.who)
                 .take();
  };

  if (r.fresh && !hash.empty()) say("release.pending", "pending", false);
  const int64_t from = r.step;
  for (int64_t n = step - from > kMostSteps ? step : from + 1; n <= step && r.fresh; ++n) {
    r.step = n;
    say("release.step", cat("step/", n), false);
  }
  r.step = r.fresh ? step : r.step;
  const value::Value* waits = value_at(o, {"status", "pauseConditions"});
  const bool paused =
      !r.settled && !aborted &&
      (phase == "Paused" || (phase.empty() && waits != nullptr && waits->length() > 0));
  if (aborted && r.fresh) {
    say("release.failed", "failed", false);
  } else if (phase == "Degraded" && r.fresh) {
    say("release.degraded", "degraded", false);
  }
  if (r.fresh && paused != r.paused) {
    if (paused) say("release.paused", "paused", true);
    if (!paused && !aborted) say("release.resumed", "resumed", true);
    r.paused = paused;
  }
  if (r.settled) say("release.deployed", "deployed", false);
  if (aborted && r.of_helm) release->awaited.reset();
  if (release != nullptr) settle_rollouts(*release, seen.now_ms);
  const bool under_way = r.fresh && !hash.empty() && !r.settled && !aborted && !paused && phase != "Degraded";
  see_pending(seen.subject, r.pending, under_way ? status : "", r.since_ms);
}

}  // namespace pintle::lookout
