#include "lookout/groups.h"

#include <algorithm>

#include "base/strings.h"
#include "lookout/fields.h"

namespace pintle::lookout {
namespace {

constexpr size_t kMostNames = 20, kMostKeys = 5000;

}  // namespace

bool Groups::take(Event& event, int64_t now_ms) {
  if (within_ms_ <= 0 || event.release.empty() || !event.type.starts_with("pod.")) return false;
  const auto [at, opened] = open_.try_emplace(
      cat(event.type, '/', event.release_namespace, '/', event.release));
  Group& g = at->second;
  const Subject& pod = event.subject;
  g.pods.emplace(pod.uid.empty() ? pod.name : pod.uid, pod.name);
  if (opened) {
    g.due_ms = now_ms + within_ms_;
    g.first = std::move(event);
    g.first.observation = -1;
    return true;
  }
  g.first.severity = std::max(g.first.severity, event.severity);
  if (!event.dedup_key.empty() && event.dedup_key != g.first.dedup_key) {
    g.first.also_keys.push_back(std::move(event.dedup_key));
  }
  if (g.first.also_keys.size() >= kMostKeys) g.due_ms = std::min(g.due_ms, now_ms);
  return true;
}

void Groups::tick(int64_t now_ms, bool all, std::vector<Event>& out) {
  for (auto it = open_.begin(); it != open_.end();) {
    Group& g = it->second;
    if (!all && g.due_ms > now_ms) {
      ++it;
      continue;
    }
    if (g.pods.size() > 1) {
      std::vector<std::string> names;
      for (const auto& [uid, name] : g.pods) {
        if (names.size() < kMostNames) names.push_back(name);
      }
      g.first.message = cat(g.pods.size(), " pods: ", g.first.message);
      std::string& data = g.first.data;
      if (data.ends_with('}')) data.pop_back();
      append(data, {data.size() > 1 ? "," : "", "\"pods\":", cat(g.pods.size()), ",\"pod_names\":",
                    json_list(names), "}"});
    }
    out.push_back(std::move(g.first));
    it = open_.erase(it);
  }
}

int64_t Groups::next_tick_ms() const {
  int64_t next = 0;
  for (const auto& [key, g] : open_) next = next == 0 ? g.due_ms : std::min(next, g.due_ms);
  return next;
}

}  // namespace pintle::lookout
