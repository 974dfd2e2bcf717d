// What became of a Helm release that has Argo Rollouts. Helm says "deployed" when it has written them,
// which is when they begin: users mean their end. So Helm's word waits for its Rollouts, and is told,
// once and under its own key, when all of them are settled. One that is aborted tells release.failed
// under the key that Helm's own failure would have. Their steps, pauses and resumptions are told as they
// are; a round that somebody else than Helm began is the Rollout's own.
//
// A Rollout that has not changed yet looks settled: two watches have no order between them. So what looks
// settled from the beginning is told some seconds later. Rollouts that nobody can see are not waited for
// longer than settle_ms.
#include <algorithm>

#include "lookout/track/tracker_state.h"

namespace pintle::lookout {
namespace {

constexpr int64_t kLookMs = 5'000;

}  // namespace

bool Tracker::State::has_rollouts(const std::string& release_key) const {
  return std::any_of(rollouts.begin(), rollouts.end(),
                     [&](const auto& r) { return r.second.release_key == release_key; });
}

void Tracker::State::await_rollouts(const std::string& helm_key, Event event, bool before,
                                    int64_t now_ms) {
  HelmRelease& release = helm[helm_key];
  Awaited a;
  a.event = std::move(event);
  a.since_ms = now_ms;
  a.rollouts = std::max<int64_t>(1, release.newest.content->rollouts);
  a.before = before;
  const std::string key = release.key();
  for (auto& [uid, r] : rollouts) {
    if (r.release_key != key) continue;
    a.moved = a.moved || r.of_helm;
    r.of_helm = r.of_helm || !r.settled;
  }
  release.awaited = std::move(a);
  settle_rollouts(release, now_ms);
  if (!release.awaited) return;
  due.emplace(now_ms + kLookMs, helm_key);
  due.emplace(now_ms + std::max(kLookMs, options.settle_ms), helm_key);
}

void Tracker::State::settle_rollouts(HelmRelease& release, int64_t now_ms) {
  if (!release.awaited) return;
  Awaited& a = *release.awaited;
  const std::string key = release.key();
  int64_t known = 0, ended_ms = 0;
  bool settled = true, news = false;
  for (const auto& [uid, r] : rollouts) {
    if (r.release_key != key) continue;
    ++known;
    settled = settled && r.settled;
    news = news || r.news;
    if (r.of_helm) ended_ms = std::max(ended_ms, r.since_ms);
  }
  a.moved = a.moved || !settled;
  const int64_t waited = now_ms - a.since_ms;
  const bool late = waited >= options.settle_ms;
  if (!settled || (known < a.rollouts && !late) || (!a.moved && waited < kLookMs)) return;
  Event event = std::move(a.event);
  const bool old = a.before && !a.moved && !news;
  release.awaited.reset();
  if (old) return;
  event.time_ms = std::max(event.time_ms, ended_ms);
  out.push_back(std::move(event));
}

}  // namespace pintle::lookout
