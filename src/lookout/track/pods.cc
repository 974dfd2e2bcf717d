// Pods and Jobs by their status: how they end, and which image runs (by digest).
#include "base/strings.h"
#include "lookout/observe.h"
#include "lookout/track/tracker_state.h"

namespace pintle::lookout {
namespace {

constexpr size_t kMostContainers = 200;

// "docker-pullable://nginx@sha256:..." -> "nginx@sha256:..."
std::string_view plain_image(std::string_view id) {
  const size_t scheme = id.find("://");
  return scheme == std::string_view::npos ? id : id.substr(scheme + 3);
}

}  // namespace

void Tracker::State::see_job(const Seen& seen) {
  for (const auto& [condition, what] : {std::pair{"Complete", "done"}, {"Failed", "failed"}}) {
    const Condition c = condition_of(*seen.object, condition);
    if (c.status != "True") continue;
    if (seen.initial && before_baseline(seen.resource, c.changed_ms)) continue;
    Event& e = tell(seen, cat("job.", what), key(seen.subject, what));
    e.severity = std::string_view(what) == "failed" ? Severity::kError : Severity::kInfo;
    e.reason = c.reason;
    e.message = clean_text(c.message);
    if (c.changed_ms != 0) e.time_ms = c.changed_ms;
  }
}

void Tracker::State::see_pod(const Seen& seen) {
  const value::Value& o = *seen.object;
  PodRecord& pod = pods[seen.subject.uid];
  // Told under `place` and `which`, of which a later one is the greater.
  const auto say = [&](std::string_view type, Severity severity, const std::string& place,
                       const std::string& which, std::string_view reason, std::string_view message,
                       int64_t ms, std::string data) {
    if (ms == 0) ms = seen.managers.changed_ms;
    const auto [last, news] = pod.told.try_emplace(place, which);
    const bool same = type == "pod.oom_killed" ? which <= last->second : which == last->second;
    if (!news && same) return;
    last->second = which;
    const std::string what = cat(place, which.empty() ? "" : "/", which);
    if (seen.initial && before_baseline(seen.resource, ms)) return;
    Event& e = tell(seen, type, key(seen.subject, what));
    e.severity = severity;
    e.reason = clean_text(reason);
    e.message = clean_text(message);
    if (ms != 0) e.time_ms = ms;
    e.data = std::move(data);
    if (type == "image.pulled") e.revision = revision_of({e.release, e.release_namespace, {}});
  };
  if (text_at(o, {"status", "reason"}) == "Evicted") {
    say("pod.evicted", Severity::kWarning, "evicted", "", "Evicted", text_at(o, {"status", "message"}),
        0, "{}");
  }
  size_t looked_at = 0;
  for (const char* list : {"initContainerStatuses", "containerStatuses"}) {
    const value::Value* statuses = value_at(o, {"status", list});
    if (statuses == nullptr) continue;
    for (const value::Value& c : statuses->items()) {
      if (++looked_at > kMostContainers) return;
      const std::string name = clean_text(text_at(c, {"name"}), 253);
      const std::string_view id = plain_image(text_at(c, {"imageID"}));
      const std::string image = clean_text(text_at(c, {"image"}), 1024);
      if (const size_t at = id.find("sha256:"); at != std::string_view::npos) {
        pod.images[name] = clean_text(id, 1024);
        say("image.pulled", Severity::kInfo,
            cat("pulled/", name), clean_text(id.substr(at), 80), "Pulled", "",
            time_at(c, {"state", "running", "startedAt"}),
            Data()
                .text("container", name)
                .text("image", image)
                .text("digest", clean_text(id.substr(at), 80))
                .text("image_id", pod.images[name])
                .take());
      }
      for (const char* state : {"lastState", "state"}) {  // the older one first
        if (text_at(c, {state, "terminated", "reason"}) != "OOMKilled") continue;
        const std::string_view ended = text_at(c, {state, "terminated", "finishedAt"});
        say("pod.oom_killed", Severity::kError, cat("oom/", name), clean_text(ended, 40),
            "OOMKilled", cat("container ", name, " ran out of memory"), time_ms(ended),
            Data()
                .text("container", name)
                .number("restarts", number_at(c, {"restartCount"}))
                .take());
      }
      if (text_at(c, {"state", "waiting", "reason"}) == "CrashLoopBackOff") {
        say("pod.crash_loop", Severity::kError, "crash_loop", "", "CrashLoopBackOff",
            text_at(c, {"state", "waiting", "message"}), 0,
            Data()
                .text("container", name)
                .number("restarts", number_at(c, {"restartCount"}))
                .take());
      }
    }
  }
}

}  // namespace pintle::lookout
