// Argo Rollouts by their status, whichever Events were recorded: a round is one update from its
// first pod hash to stable, failed or the next update. Keys are uid, round and transition, the same
// that the rules make of Events. A round that is Helm's doing has one outcome with Helm's record
// (outcome.cc). A pause's key has the time at which it began, so that one who finds it again later,
// however often the object was written meanwhile, knows it. A round that goes back to a pod hash that was
// there before (an undo) is rolled back when it is settled.
#include <algorithm>
#include <cstdlib>

#include "base/strings.h"
#include "json/json.h"
#include "lookout/observe.h"
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

// When its pauses began, the longest first; empty: the controller does not say.
std::vector<std::string> pauses_of(const value::Value& object) {
  std::vector<std::string> out;
  const auto add = [&](std::string_view time) {
    if (!time.empty()) out.push_back(clean_text(time, 40));
  };
  if (const value::Value* list = value_at(object, {"status", "pauseConditions"})) {
    for (const value::Value& pause : list->items()) add(text_at(pause, {"startTime"}));
  }
  std::sort(out.begin(), out.end());
  const value::Value* conditions = value_at(object, {"status", "conditions"});
  if (!out.empty() || conditions == nullptr) return out;
  for (const value::Value& c : conditions->items()) {  // paused by hand
    if (text_at(c, {"type"}) == "Paused" && text_at(c, {"status"}) == "True") {
      add(text_at(c, {"lastTransitionTime"}));
    }
  }
  return out;
}

constexpr int64_t kMostSteps = 1000;
constexpr size_t kMostPast = 20;

// The pod hash goes on to another; true: back to one that was there before.
bool goes_back(RolloutRecord& r, std::string_view hash, std::string_view stable) {
  const auto keep = [&](std::string_view old) {
    if (old.empty() || old == hash || std::find(r.past.begin(), r.past.end(), old) != r.past.end()) return;
    if (r.past.size() >= kMostPast) r.past.erase(r.past.begin());
    r.past.emplace_back(old);
  };
  const bool back = std::find(r.past.begin(), r.past.end(), hash) != r.past.end() ||
                    (!r.hash.empty() && hash == stable);
  keep(r.hash);
  keep(stable);
  return back;
}

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
    r.rollback = false;
    r.fresh = !known || status != r.status_before;
    r.who = seen.managers.who;
  }
  r.template_digest = digest;
  r.release_key = release_key_of(seen);
  r.own_release =
      r.release_key.empty() && !is_managed(seen) && owner_of(seen.subject).release == r.name;
  HelmRelease* release = r.release_key.empty() ? nullptr : release_of(r.release_key);
  if (status != r.status_before) {
    r.fresh = true;
    r.since_ms = seen.managers.changed_ms != 0 ? seen.managers.changed_ms : seen.now_ms;
  }
  r.status_before = status;
  r.phase = aborted ? "Aborted" : std::string(phase);
  if (hash != r.hash && !hash.empty()) r.rollback = goes_back(r, hash, stable);
  r.hash = hash;

  const bool stable_now = !hash.empty() && hash == stable && observed(o) && !aborted &&
                          (phase.empty() || phase == "Healthy");
  r.settled = stable_now && r.fresh;
  // What anybody writes to it makes nothing happen: before anybody looked, its own word counts.
  const Condition progress = condition_of(o, "Progressing");
  const bool old = seen.old || (seen.first && progress.changed_ms != 0 &&
                                before_baseline(seen.resource, progress.changed_ms));
  r.news = r.news || !old;
  // Helm's word is under way, or waits for this.
  const bool helm_busy =
      release != nullptr && (release->awaited || release::is_pending(release->newest.status));
  r.of_helm = release != nullptr && (r.of_helm || (!r.settled && helm_busy));

  const auto say = [&](std::string_view type, const std::string& what, bool repeats) {
    const std::string here = key(seen.subject, cat(r.round, '/', what));
    std::string own = here;
    // One outcome with Helm's record, which tells the beginning, and the end that it waits for.
    if (r.of_helm && (what == "pending" || (what == "deployed" && helm_busy))) {
      if (r.told.insert(what).second) told.push_back(here);
      return;
    }
    const bool outcome = what == "failed" || what == "degraded" ||
                         (what == "deployed" && r.of_helm && release->newest.status == "deployed");
    if (r.of_helm && outcome) own = cat(cluster, '/', release->newest.uid, '/', what);
    if (!repeats && !r.told.insert(what).second) return;
    if (old) {
      if (seen.first) told.push_back(here);
      return;
    }
    if (repeats) own = r.twins.meet(type, false, own, seen.now_ms);
    if (own != here) told.push_back(here);
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
  const std::vector<std::string> pauses = paused ? pauses_of(o) : std::vector<std::string>();
  const std::string place = cat("paused/step/", step);
  const std::string version = cat("/", text_at(o, {"metadata", "resourceVersion"}));
  if (r.fresh && paused != r.paused) {
    if (paused) {
      const bool timed = !pauses.empty();
      say("release.paused", timed ? cat("paused/", pauses[0]) : cat(place, known ? version : ""), true);
      if (!timed && known) told.push_back(key(seen.subject, cat(r.round, '/', place)));
    }
    if (!paused && !aborted) {
      say("release.resumed", cat("resumed", r.pauses.empty() ? version : cat("/", r.pauses[0])), true);
    }
    r.paused = paused;
  }
  if (r.paused && pauses != r.pauses) {  // one pause for several reasons, some of which end earlier
    for (const std::string& began : pauses) {
      told.push_back(key(seen.subject, cat(r.round, "/paused/", began)));
    }
  }
  r.pauses = pauses;
  if (r.settled) {
    const bool back = r.of_helm ? release->newest.rollback : r.rollback;
    say(back ? "release.rolled_back" : "release.deployed", "deployed", false);
  }
  if (aborted && r.of_helm) release->awaited.reset();
  if (release != nullptr) settle_rollouts(*release, seen.now_ms);
  const bool under_way = r.fresh && !hash.empty() && !r.settled && !aborted && !paused && phase != "Degraded";
  see_pending(seen.subject, r.pending, under_way ? status : "", r.since_ms);
}

void Tracker::State::forget_rollout(const Seen& seen) {
  const auto gone = rollouts.extract(seen.subject.uid);
  if (!gone) return;
  const RolloutRecord& r = gone.mapped();
  if (HelmRelease* release = r.release_key.empty() ? nullptr : release_of(r.release_key)) {
    settle_rollouts(*release, seen.now_ms);
  }
  if (!r.own_release) return;
  Event& e = tell(seen, "release.uninstalled", key(seen.subject, "uninstalled"));
  e.revision = std::max<int64_t>(0, atoll(r.round.c_str()));
  e.reason = "deleted";
  e.message = "the Rollout is gone";
  e.time_ms = seen.now_ms;
}

}  // namespace pintle::lookout
